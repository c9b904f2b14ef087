#pragma once

#include <hbm/eviction/evict_in_order.hpp>
#include <hbm/eviction/scores.hpp>

namespace hbm {

/// Size- and cost-aware: GreedyDual-Size with frequency (Cao and Irani, 1997; Cherkasova, 1998). A program's credit is
/// the level of the latest victim plus uses x reload cost / size, in 1/65,536 of a nanosecond a byte; the lowest goes
/// first, one at a time.
struct evict_greedy_dual : evict_in_order<greedy_dual<per_byte<product<frequency, reload_cost>>>> {
    static constexpr fixed_string name{"evict_greedy_dual"};

    friend constexpr bool operator==(const evict_greedy_dual&, const evict_greedy_dual&) = default;
};

static_assert(eviction<evict_greedy_dual>);

}  // namespace hbm
