#pragma once

#include <hbm/placement/placement.hpp>

namespace hbm {

/// Which hole is taken is the choice of `P`; which end of it, what lies around it: the block stands beside the
/// neighbour that has less free on its other side, or at an end of memory, so that what is left of the hole comes to
/// lie where most is free, and joins that as soon as little goes or moves. No knowledge of the future, and no more than
/// the sizes of two holes: in memories of 0.5 to 12 % more than what is live at most, under `compacting<best_fit>`, a
/// tenth fewer bytes move (see bench/README.md, also for what else was tried). Over or under `bottom_reserve` alike,
/// and as there a request that prefers the high end leaves the bottom of memory free; blocks whose end is ends_chosen
/// by `lifetimes_apart` stay there. Blocks lie at both ends of a memory that has a limit: compare by minimum capacity.
template <class P>
class free_together : public P {
    static_assert(check_placement<P>());
    static_assert(takes_either_end<P>,
                  "free_together<P> needs a placement that can take either end of a hole: one made of hbm::fit");

public:
    using typename P::quanta;

    static constexpr auto name = fixed_string{"free_together<"} + P::name + fixed_string{">"};

    using P::P;

    /// Cost of a placement of `P`.
    constexpr block_index place(need<quanta> n) {
        if (!n.ends_chosen) n.at = end::either;
        return P::place(n);
    }

    friend constexpr bool operator==(const free_together&, const free_together&) = default;
};

template <placement P>
struct from_the_top<free_together<P>> {
    using type = free_together<from_the_top_t<P>>;
};

}  // namespace hbm
