#pragma once

#include <hbm/placement/placement.hpp>
#include <hbm/planning/planner.hpp>

namespace hbm::inline v0 {

/// Adaptor that permits relief to move blocks; without it, blocks never move. `compacting<bottom_reserve<P>>` and
/// `bottom_reserve<compacting<P>>` are equivalent. Buddy blocks move to multiples of their size only, so plans move
/// them into other holes if they cannot slide.
template <class P>
class compacting : public P {
    static_assert(check_placement<P>());
    static_assert(relocates<P>,
                  "compacting<P> needs a placement that can move a block: bool relocate(block_index, quanta)");
    static_assert(!compacts<P>, "compacting<P> needs a placement whose blocks may not move yet: write it once");

public:
    static constexpr auto name = fixed_string{"compacting<"} + P::name + fixed_string{">"};
    static constexpr bool may_move = true;

    using P::P;

    friend constexpr bool operator==(const compacting&, const compacting&) = default;
};

template <placement P>
struct from_the_top<compacting<P>> {
    using type = compacting<from_the_top_t<P>>;
};

}  // namespace hbm::inline v0
