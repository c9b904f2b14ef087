#include <hbm/blocks/block_map.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace hbm::test {

static_assert(sizeof(block_node<std::uint32_t>) == 32);
static_assert(sizeof(block_label<std::uint32_t>) == 16);

namespace {

using map32 = block_map<std::uint32_t>;
using extents = std::vector<basic_extent<std::uint32_t>>;

/// Blocks and holes from the bottom up; asked for from the top down they are the same.
extents layout(const map32& map) {
    extents seen;
    for (block_index at = map.first(); at != no_block; at = map.next(at)) seen.push_back(map.range(at));
    extents reversed;
    for (block_index at = map.last(); at != no_block; at = map.previous(at)) reversed.push_back(map.range(at));
    CHECK(seen == extents(reversed.rbegin(), reversed.rend()));
    return seen;
}

block_index stand(map32& map, block_index lower, std::uint32_t gap, std::uint32_t size) {
    const block_index block = map.new_block();
    map.attach(block, lower, gap, size);
    map.begin_life(block, size, size, 1);
    return block;
}

}  // namespace

TEST_CASE("blocks stand in holes, and leave one hole after") {
    map32 map(10);
    CHECK(layout(map) == extents{{0, 10}});
    CHECK(map.first() == hole_after(map32::bottom));

    const block_index middle = stand(map, map32::bottom, 3, 4);
    CHECK(layout(map) == extents{{0, 3}, {3, 4}, {7, 3}});
    CHECK(map.free() == 6);
    CHECK(map.live() == 4);
    CHECK(map.live_blocks() == 1);
    CHECK(map.highest_end() == 7);
    CHECK(map.is_live(middle, map.generation(middle)));
    CHECK_FALSE(map.is_live(middle, map.generation(middle) + 1));
    CHECK_FALSE(map.is_live(map32::bottom, map.generation(map32::bottom)));
    CHECK_FALSE(map.is_live(1000, 1));
    CHECK_FALSE(map.is_live(hole_after(middle), map.generation(middle)));

    const block_index low = stand(map, map32::bottom, 0, 3);
    const block_index high = stand(map, middle, 1, 2);
    CHECK(layout(map) == extents{{0, 3}, {3, 4}, {7, 1}, {8, 2}});
    CHECK(map.last() == high);
    CHECK(map.node(high).free_before == 1);

    map.end_life(middle);
    CHECK(map.detach(middle) == low);
    map.recycle(middle);
    CHECK(layout(map) == extents{{0, 3}, {3, 5}, {8, 2}});
    CHECK(map.node(high).free_before == 5);
    CHECK(map.is_hole(map.next(low)));
    CHECK(map.peak_live() == 9);

    map.cut(high, 1, 1);
    CHECK(layout(map) == extents{{0, 3}, {3, 5}, {8, 1}, {9, 1}});
    CHECK(map.live() == 4);
}

TEST_CASE("memory becomes longer at its top") {
    map32 map(0);
    map.extend(4);
    CHECK(layout(map) == extents{{0, 4}});
    const block_index low = stand(map, map32::bottom, 0, 4);
    CHECK(layout(map) == extents{{0, 4}});
    map.extend(6);
    CHECK(layout(map) == extents{{0, 4}, {4, 2}});
    map.extend(9);
    CHECK(layout(map) == extents{{0, 4}, {4, 5}});
    CHECK(map.capacity() == 9);
    CHECK(map.free() == 5);
    CHECK(map.live() == 4);
    CHECK(map.is_live(low, map.generation(low)));
    const block_index rest = map.cover();
    CHECK(map.is_hole(rest));
    CHECK(layout(map) == extents{{0, 4}, {4, 5}});
    CHECK(map.free_after(low) == 0);
}

TEST_CASE("where holes do not merge they are blocks that split and join") {
    map32 map(10);
    const block_index low = map.cover();
    CHECK(layout(map) == extents{{0, 10}});
    CHECK(map.is_hole(low));
    const block_index high = map.split(low, 4);
    CHECK(layout(map) == extents{{0, 4}, {4, 6}});

    map.begin_life(low, 4, 3, 1);
    CHECK(map.live() == 3);
    CHECK(map.free() == 6);
    const block_index rest = map.split(low, 2, 1);
    CHECK(layout(map) == extents{{0, 2}, {2, 2}, {4, 6}});
    CHECK(map.live() == 1);
    CHECK(map.free() == 8);
    map.absorb_next(rest);
    CHECK(layout(map) == extents{{0, 2}, {2, 8}});
    CHECK(high != no_block);

    const std::uint32_t generation = map.generation(low);
    const block_index lifted = map.lift(low);
    CHECK(map.is_hole(lifted));
    const block_index target = map.split(rest, 6);
    map.put_down(low, target);
    CHECK(layout(map) == extents{{0, 2}, {2, 6}, {8, 2}});
    CHECK(map.is_live(low, generation));
    CHECK(map.offset(low) == 8);

    map.end_life(low);
    CHECK(map.live() == 0);
    CHECK(map.free() == 10);
}

TEST_CASE("alignment, pins, kind and mark share a word and do not disturb each other") {
    block_map<std::uint64_t> map(10);
    const block_index block = map.cover();
    map.begin_life(block, 10, 10, std::uint64_t{1} << 63);
    const std::uint32_t generation = map.generation(block);
    CHECK(map.is_plain(block, generation));
    map.set_owner(block, block_kind::deferred, 77);
    CHECK_FALSE(map.is_plain(block, generation));
    for (int i = 0; i < 3; ++i) map.pin(block);
    map.mark(block);
    CHECK(map.alignment(block) == std::uint64_t{1} << 63);
    CHECK(map.kind(block) == block_kind::deferred);
    CHECK(map.owner(block) == 77);
    CHECK(map.pins(block) == 3);
    CHECK(map.marked(block));
    map.unmark(block);
    map.unpin(block);
    CHECK(map.pins(block) == 2);
    CHECK_FALSE(map.marked(block));
    map.set_owner(block, block_kind::data, 77);
    CHECK_FALSE(map.is_plain(block, generation));
    map.drop_pins(block);
    CHECK(map.pins(block) == 0);
    CHECK(map.is_plain(block, generation));
    CHECK(map.generation(block) == generation);
    CHECK(map.alignment(block) == std::uint64_t{1} << 63);
    CHECK(map.kind(block) == block_kind::data);
}

TEST_CASE("a block can count as many pins and holds as it says") {
    map32 map(1);
    const block_index block = stand(map, map32::bottom, 0, 1);
    for (std::uint32_t count = 0; count < map.max_pins; ++count) map.pin(block);
    for (std::uint32_t count = 0; count < map.max_holds; ++count) map.hold(block);
    CHECK(map.pins(block) == (1u << 12) - 1);
    CHECK(map.holds(block) == (1u << 10) - 1);
    CHECK(map.kind(block) == block_kind::data);
    map.unpin(block);
    map.release_hold(block);
    CHECK(map.pins(block) == (1u << 12) - 2);
    CHECK(map.holds(block) == (1u << 10) - 2);
}

TEST_CASE("a life that ended is never taken for a later one") {
    map32 map(4);
    const block_index block = stand(map, map32::bottom, 0, 1);
    const std::uint32_t first = map.generation(block);
    map.pin(block);
    map.end_life(block);
    CHECK_FALSE(map.is_live(block, first));
    map.begin_life(block, 1, 1, 1);
    CHECK_FALSE(map.is_live(block, first));
    CHECK(map.is_plain(block, map.generation(block)));
    map.invalidate_handles(block);
    CHECK(map.generation(block) != first);
    map.renew(block, 1, 1);
    CHECK(map.is_live(block, map.generation(block)));
}

TEST_CASE("maps are equal when all they say is equal, whatever their past") {
    map32 first(8);
    map32 other(8);
    CHECK(first == other);
    const block_index block = stand(first, map32::bottom, 0, 3);
    CHECK_FALSE(first == other);
    CHECK(stand(other, map32::bottom, 0, 3) == block);
    CHECK(first == other);
    other.pin(block);
    CHECK_FALSE(first == other);
    other.unpin(block);
    CHECK(first == other);
    CHECK_FALSE(map32(8) == map32(9));
    CHECK(map32(0).first() == no_block);
    CHECK(map32(0).last() == no_block);
}

}  // namespace hbm::test
