#include <hbm/blocks/block_map.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "testing/stand.hpp"

namespace hbm::test::block_map_tests {

static_assert(sizeof(block_node<std::uint32_t>) == 32);
static_assert(alignof(block_node<std::uint32_t>) == 32);
static_assert(sizeof(block_node<std::uint64_t>) == 48);

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

}  // namespace

TEST_CASE("blocks stand in holes, and what is left of a hole is a hole") {
    map32 map(10);
    CHECK(layout(map) == extents{{0, 10}});
    CHECK(map.first() == map32::far_hole);

    const block_index middle = stand(map, map.first(), 3u, 4u);
    CHECK(layout(map) == extents{{0, 3}, {3, 4}, {7, 3}});
    CHECK(map.free() == 6);
    CHECK(map.live() == 4);
    CHECK(map.live_blocks() == 1);
    CHECK(map.highest_end() == 7);
    CHECK(map.is_live(middle, map.generation(middle)));
    CHECK_FALSE(map.is_live(middle, map.generation(middle) + 1));
    for (const block_index index : {map32::bottom, map32::list_end, map32::far_hole}) {
        CAPTURE(index);
        for (const std::uint32_t generation : {0u, 1u, map.generation(index)})
            CHECK_FALSE(map.is_live(index, generation));
    }
    CHECK_FALSE(map.is_live(1000 * map32::stride, 1));
    CHECK_FALSE(map.is_live(map.next(middle), map.generation(middle)));
    for (block_index off = 1; off < map32::stride; ++off) {
        CHECK_FALSE(map.is_index(middle + off));
        CHECK_FALSE(map.is_plain(middle + off, map.generation(middle)));
    }
    CHECK(map.is_index(middle));
    CHECK_FALSE(map.is_index(no_block));

    const block_index low = stand(map, map.first(), 0u, 3u);
    const block_index high = stand(map, map.last(), 1u, 2u);
    CHECK(layout(map) == extents{{0, 3}, {3, 4}, {7, 1}, {8, 2}});
    CHECK(map.last() == high);

    CHECK(leave(map, middle) == map.next(low));
    CHECK(layout(map) == extents{{0, 3}, {3, 5}, {8, 2}});
    CHECK(map.is_hole(map.next(low)));
    CHECK(map.peak_live() == 9);

    map.cut(high, 1, 1);
    join(map, map.new_hole(high, {9, 1}));
    CHECK(layout(map) == extents{{0, 3}, {3, 5}, {8, 1}, {9, 1}});
    CHECK(map.live() == 4);
}

TEST_CASE("the far hole gives from either end, takes back, and goes elsewhere") {
    map32 map(20);
    const auto spare = [&] { map.recycle(map.new_node()); };
    spare();
    const block_index low = map.take_from_far_hole<end::low>(3);
    map.begin_life(low, 3, 3, 1);
    spare();
    const block_index high = map.take_from_far_hole<end::high>(4);
    map.begin_life(high, 4, 4, 1);
    CHECK(map.range(low) == basic_extent<std::uint32_t>{0, 3});
    CHECK(map.range(high) == basic_extent<std::uint32_t>{16, 4});
    CHECK(layout(map) == extents{{0, 3}, {3, 13}, {16, 4}});

    const block_index left = map.move_far_hole(high);  // to the top, where it is empty
    CHECK(map.range(left) == basic_extent<std::uint32_t>{3, 13});
    CHECK(map.size(map32::far_hole) == 0);
    CHECK(map.last() == high);
    CHECK(layout(map) == extents{{0, 3}, {3, 13}, {16, 4}});
    CHECK(map.move_far_hole(low) == no_block);  // back, where it takes that hole in
    CHECK(map.range(map32::far_hole) == basic_extent<std::uint32_t>{3, 13});
    CHECK(map.move_far_hole(low) == no_block);  // to where it is
    CHECK(map.range(map32::far_hole) == basic_extent<std::uint32_t>{3, 13});

    map.end_life(low);
    map.return_to_far_hole<end::low>(low);
    CHECK(layout(map) == extents{{0, 16}, {16, 4}});
    map.end_life(high);
    map.return_to_far_hole<end::high>(high);
    CHECK(layout(map) == extents{{0, 20}});
    CHECK(map.range(map32::far_hole) == basic_extent<std::uint32_t>{0, 20});
}

TEST_CASE("holes are split at either end, and join") {
    map32 map(10);
    stand(map, map.first(), 9u, 1u);
    const block_index hole = map.first();
    const auto spare = [&] { map.recycle(map.new_node()); };
    spare();
    const block_index upper = map.split<end::low>(hole, {0, 9}, 4);
    CHECK(layout(map) == extents{{0, 4}, {4, 5}, {9, 1}});
    CHECK(map.range(upper) == basic_extent<std::uint32_t>{4, 5});
    spare();
    const block_index middle = map.split<end::high>(upper, {4, 5}, 2);
    CHECK(layout(map) == extents{{0, 4}, {4, 3}, {7, 2}, {9, 1}});
    CHECK(map.range(middle) == basic_extent<std::uint32_t>{4, 3});
    CHECK(map.absorb_next(middle) == 5);
    CHECK(map.absorb_next(hole) == 9);
    CHECK(layout(map) == extents{{0, 9}, {9, 1}});
}

TEST_CASE("a block that is lifted leaves a hole, and keeps its index and generation") {
    map32 map(10);
    const block_index block = stand(map, map.first(), 2u, 3u);
    const std::uint32_t generation = map.generation(block);
    const block_index hole = map.lift(block);
    CHECK(map.is_hole(hole));
    CHECK(layout(map) == extents{{0, 2}, {2, 3}, {5, 5}});
    CHECK(join(map, hole) == map32::far_hole);
    CHECK(layout(map) == extents{{0, 10}});
    CHECK(map.live() == 3);
    stand_in(map, block, map.first(), {7, 3});
    CHECK(layout(map) == extents{{0, 7}, {7, 3}});
    CHECK(map.is_live(block, generation));
    map.resized(3, 3);
    leave(map, block);
    CHECK(map.live() == 0);
    CHECK(map.free() == 10);
}

TEST_CASE("alignment, pins, kind and mark share a word and do not disturb each other") {
    block_map<std::uint64_t> map(10);
    const block_index block = stand(map, map.first(), std::uint64_t{0}, std::uint64_t{10});
    map.end_life(block);
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

TEST_CASE("what was granted is kept in 64 bits where sizes have them") {
    block_map<std::uint64_t> map(~std::uint64_t{0});
    const block_index block = stand(map, map.first(), std::uint64_t{5}, std::uint64_t{1} << 40);
    map.end_life(block);
    map.begin_life(block, std::uint64_t{1} << 40, (std::uint64_t{1} << 40) - 3, 1);
    CHECK(map.granted(block) == (std::uint64_t{1} << 40) - 3);
    CHECK(map.live() == (std::uint64_t{1} << 40) - 3);
    map.cut(block, std::uint64_t{1} << 33, (std::uint64_t{1} << 33) - 1);
    CHECK(map.granted(block) == (std::uint64_t{1} << 33) - 1);
    CHECK(map.live() == (std::uint64_t{1} << 33) - 1);
}

TEST_CASE("there is room for blocks and for the holes between them") {
    CHECK(nodes_for(0) >= 3);
    CHECK(nodes_for(1) >= 3 + 2);
    CHECK(nodes_for(100) >= 3 + 201);
    for (std::size_t blocks = 0; blocks < 1000; ++blocks) CHECK(nodes_for(blocks) >= blocks + blocks / 3 * 2 + 3);
    for (const std::size_t blocks : {10'000u, 100'000u, 1'000'000u}) {
        CHECK(nodes_for(blocks) > blocks / 2 * 3);
        CHECK(nodes_for(blocks) * sizeof(block_node<std::uint32_t>) < 56 * blocks);
    }
}

TEST_CASE("a block can count as many pins and holds as it says") {
    map32 map(1);
    const block_index block = stand(map, map.first(), 0u, 1u);
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
    const block_index block = stand(map, map.first(), 0u, 1u);
    const std::uint32_t first = map.generation(block);
    map.pin(block);
    map.end_life(block);
    CHECK_FALSE(map.is_live(block, first));
    map.begin_life(block, 1, 1, 1);
    CHECK_FALSE(map.is_live(block, first));
    CHECK(map.is_plain(block, map.generation(block)));
    map.invalidate_handles(block);
    CHECK(map.generation(block) != first);
    map.renew(block, 0);
    CHECK(map.is_live(block, map.generation(block)));
}

TEST_CASE("a buffer that is renewed keeps its place, alignment and holds, and its tag unless it gets another") {
    map32 map(16);
    const block_index block = stand(map, map.first(), 8u, 4u);
    map.set_tag(block, 7);
    map.hold(block);
    const std::uint32_t before = map.generation(block);
    map.renew(block, 0);
    CHECK_FALSE(map.is_live(block, before));
    CHECK(map.is_live(block, map.generation(block)));
    CHECK_FALSE(map.is_plain(block, map.generation(block)));  // held
    CHECK(map.kind(block) == block_kind::data);
    CHECK(map.range(block) == basic_extent<std::uint32_t>{8, 4});
    CHECK(map.owner(block) == 7);
    CHECK(map.holds(block) == 1);
    map.regrant(block, 3);
    CHECK(map.granted(block) == 3);
    CHECK(map.live() == 3);
    CHECK(map.free() == 12);
    map.release_hold(block);
    map.renew(block, 9);
    CHECK(map.owner(block) == 9);
    CHECK(map.granted(block) == 3);
    CHECK(map.peak_live() == 4);
    CHECK(map.is_plain(block, map.generation(block)));
}

TEST_CASE("what may be an argument is live, a buffer, and not marked; what may be donated is not pinned either") {
    map32 map(16);
    const block_index block = stand(map, map.first(), 0u, 4u);
    const std::uint32_t now = map.generation(block);
    const auto says = [&](bool unmarked, bool unpinned) {
        CHECK(map.is_unmarked(block, now) == unmarked);
        CHECK(map.is_unmarked_and_unpinned(block, now) == unpinned);
    };
    says(true, true);
    map.hold(block);
    says(true, true);
    map.pin(block);
    says(true, false);
    map.unpin(block);
    map.mark(block);
    says(false, false);
    map.unmark(block);
    map.set_owner(block, block_kind::code, 0);
    says(false, false);
    map.set_owner(block, block_kind::data, 0);
    map.release_hold(block);
    says(true, true);
    CHECK_FALSE(map.is_unmarked(block, now + 4));
    CHECK_FALSE(map.is_unmarked(block, now - 1));
    CHECK_FALSE(map.is_unmarked(1000 * map32::stride, now));
    for (const std::uint32_t forged : {0u, 1u, 2u, 3u}) CHECK_FALSE(map.is_unmarked(map32::bottom, forged));
    map.end_life(block);
    for (const std::uint32_t forged : {now, map.generation(block), map.generation(block) | 1})
        CHECK_FALSE(map.is_unmarked(block, forged));
}

TEST_CASE("maps are equal when all they say is equal, whatever their past") {
    map32 first(8);
    map32 other(8);
    CHECK(first == other);
    const block_index block = stand(first, first.first(), 0u, 3u);
    CHECK_FALSE(first == other);
    CHECK(stand(other, other.first(), 0u, 3u) == block);
    CHECK(first == other);
    other.pin(block);
    CHECK_FALSE(first == other);
    other.unpin(block);
    CHECK(first == other);
    CHECK_FALSE(map32(8) == map32(9));
    CHECK(map32(0).first() == no_block);
    CHECK(map32(0).last() == no_block);
}

}  // namespace hbm::test::block_map_tests
