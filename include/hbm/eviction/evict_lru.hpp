#pragma once

#include <hbm/eviction/evict_in_order.hpp>
#include <hbm/eviction/scores.hpp>

namespace hbm::inline v0 {

/// Evicts the least recently used program first, program by program, regardless of size and cost.
struct evict_lru : evict_in_order<recency> {
    static constexpr fixed_string name{"evict_lru"};
};

static_assert(eviction<evict_lru>);

}  // namespace hbm::inline v0
