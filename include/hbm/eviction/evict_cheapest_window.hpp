#pragma once

#include <hbm/eviction/evict_window.hpp>
#include <hbm/eviction/scores.hpp>

namespace hbm::inline v0 {

/// Evicts the programs of the contiguous window with the lowest sum of `expected_reload`.
struct evict_cheapest_window : evict_window<expected_reload> {
    static constexpr fixed_string name{"evict_cheapest_window"};
};

static_assert(eviction<evict_cheapest_window>);

}  // namespace hbm::inline v0
