#pragma once

#include <hbm/eviction/evict_in_order.hpp>
#include <hbm/eviction/more_scores.hpp>

namespace hbm::inline v0 {

/// GreedyDual-Size with frequency (Cao and Irani, 1997; Cherkasova, 1998). The credit of a program is the highest
/// credit of any victim so far plus uses x reload cost / size, in 1/65,536 nanoseconds per byte. The lowest credit is
/// evicted first, program by program.
struct evict_greedy_dual : evict_in_order<greedy_dual<per_byte<product<frequency, reload_cost>>>> {
    static constexpr fixed_string name{"evict_greedy_dual"};
};

static_assert(eviction<evict_greedy_dual>);

}  // namespace hbm::inline v0
