// Placements and their adaptors. tests/CMakeLists.txt tells how to read the sections.

#include "parts.hpp"

#ifdef placement_complete
// compiles
static_assert(hbm::check_placement<complete_placement>());
#endif

#ifdef placement_without_place
// expect: a placement places: block_index place(const need<quanta>&), no_block when nothing fits
static_assert(hbm::check_placement<placement_of<named, comparable, releasing>>());
#endif

#ifdef placement_with_several_misses
// expect: a placement frees: void release(block_index)
// expect: a placement is made from a capacity in quanta: explicit P(quanta capacity)
// expect: a placement has a name
struct my_fit : placement_of<comparable, placing> {};
static_assert(hbm::check_placement<my_fit>());
#endif

#ifdef placement_place_returns_bool
// expect: a placement places: block_index place(const need<quanta>&), no_block when nothing fits
struct placing_at_most {
    bool place(const hbm::need<std::uint32_t>&) { return false; }
};
static_assert(hbm::check_placement<placement_of<named, comparable, placing_at_most, releasing>>());
#endif

#ifdef placement_may_move_but_cannot
// expect: a placement that may move blocks has bool relocate(block_index, quanta)
static_assert(hbm::check_placement<placement_of<named, comparable, placing, releasing, movable>>());
#endif

#ifdef placement_reserves_by_halves
// expect: a placement that reserves has bool reserve(quanta), quanta reserved() const, quanta reservable() const
struct reserving {
    bool reserve(std::uint32_t) { return false; }
};
static_assert(hbm::check_placement<placement_of<named, comparable, placing, releasing, reserving>>());
#endif

#ifdef placement_stretches_without_saying_so
// expect: a placement that stretches blocks has bool stretch(block_index, basic_extent<quanta>)
struct stretching {
    void stretch(hbm::block_index, hbm::basic_extent<std::uint32_t>) {}
};
static_assert(hbm::check_placement<placement_of<named, comparable, placing, releasing, stretching>>());
#endif

#ifdef placement_extends_without_saying_so
// expect: a placement that extends has bool extend(std::uint64_t)
struct extending {
    void extend(std::uint64_t) {}
};
static_assert(hbm::check_placement<placement_of<named, comparable, placing, releasing, extending>>());
#endif

#ifdef compacting_what_cannot_move
// expect: compacting<P> needs a placement that can move a block: bool relocate(block_index, quanta)
#include <hbm/placement/compacting.hpp>
hbm::compacting<complete_placement> memory;
#endif

#ifdef compacting_twice
// expect: compacting<P> needs a placement whose blocks may not move yet: write it once
#include <hbm/hbm.hpp>
hbm::manager<hbm::compacting<hbm::bottom_reserve<hbm::compacting<hbm::best_fit>>>> memory;
#endif

#ifdef free_together_buddy
// expect: free_together<P> needs a placement that can take either end of a hole: one made of hbm::fit
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/free_together.hpp>
hbm::free_together<hbm::buddy> memory(64);
#endif

#ifdef fit_of_an_index_without_find
// expect: a hole index finds: block_index find(const hbm::block_map<quanta>&, const hbm::need<quanta>&) const
#include <hbm/hbm.hpp>
struct my_index {
    using quanta = std::uint32_t;
};
struct my_fit : hbm::fit<my_index> {
    using hbm::fit<my_index>::fit;
    static constexpr hbm::fixed_string name{"my_fit"};
};
hbm::manager<my_fit> memory;
#endif

#ifdef bytes_move_where_blocks_do_not_stretch
// expect: the placement lets a block occupy both places meanwhile
#include <hbm/device/host_device.hpp>
#include <hbm/hbm.hpp>
using my_fit = placement_of<named, comparable, placing, releasing, relocating, movable>;
static_assert(hbm::compacts<my_fit> && !hbm::stretches<my_fit>);
hbm::manager<my_fit> bookkeeping;
hbm::manager<my_fit, hbm::never_evict, hbm::never_donate, hbm::relieve_cheapest, hbm::host_device> memory;
#endif
