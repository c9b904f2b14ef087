#pragma once

#include <hbm/eviction/evict_window.hpp>
#include <hbm/eviction/scores.hpp>

namespace hbm {

/// Evicts the contiguous stretch of programs and holes that is likely to cause the least reloading: `expected_reload`,
/// summed.
struct evict_cheapest_window : evict_window<expected_reload> {
    static constexpr fixed_string name{"evict_cheapest_window"};

    friend constexpr bool operator==(const evict_cheapest_window&, const evict_cheapest_window&) = default;
};

static_assert(eviction<evict_cheapest_window>);

}  // namespace hbm
