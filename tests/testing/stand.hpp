#pragma once

/// Blocks in a map without a placement.

#include <hbm/blocks/block_map.hpp>

namespace hbm::test {

/// Gives a block without a place a part of a hole. The far hole stays at the top.
template <class Quanta>
void stand_in(block_map<Quanta>& map, block_index block, block_index hole, basic_extent<Quanta> range) {
    const basic_extent<Quanta> whole = map.range(hole);
    const basic_extent<Quanta> gap{whole.offset, static_cast<Quanta>(range.offset - whole.offset)};
    const basic_extent<Quanta> rest{range.end(), static_cast<Quanta>(whole.end() - range.end())};
    const block_index lower = map.node(hole).previous;
    map.link(block, lower);
    map.set_range(block, range);
    if (hole == map.far_hole) {
        map.set_range(hole, rest);
    } else {
        map.unlink(hole);
        map.recycle(hole);
        if (rest.size != 0) map.new_hole(block, rest);
    }
    if (gap.size != 0) map.new_hole(lower, gap);
}
/// A new live block `gap` quanta above the beginning of a hole.
template <class Quanta>
block_index stand(block_map<Quanta>& map, block_index hole, Quanta gap, Quanta size) {
    const block_index block = map.new_node();
    stand_in(map, block, hole, {static_cast<Quanta>(map.offset(hole) + gap), size});
    map.begin_life(block, size, size, 1);
    return block;
}
/// Joins a hole with those beside it. Returns the hole that comes of it.
template <class Quanta>
block_index join(block_map<Quanta>& map, block_index hole) {
    const block_index lower = map.node(hole).previous;
    const block_index upper = map.node(hole).next;
    if (lower == map.far_hole || upper == map.far_hole) {
        map.widen_far_hole();
        return map.far_hole;
    }
    if (map.is_hole(upper)) map.absorb_next(hole);
    if (!map.is_hole(lower)) return hole;
    map.absorb_next(lower);
    return lower;
}
/// Ends a block.
template <class Quanta>
block_index leave(block_map<Quanta>& map, block_index block) {
    map.end_life(block);
    return join(map, block);
}

}  // namespace hbm::test
