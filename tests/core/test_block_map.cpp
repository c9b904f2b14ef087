#include <hbm/core/block_map.hpp>

#include <doctest/doctest.h>

namespace hbm::test {

static_assert(sizeof(block_node<std::uint32_t>) == 32);

TEST_CASE("blocks split, live, end and join") {
    block_map<std::uint32_t> map(10);
    const block_index low = map.first();
    const block_index high = map.split(low, 4);
    CHECK(map.range(low) == basic_extent<std::uint32_t>{0, 4});
    CHECK(map.range(high) == basic_extent<std::uint32_t>{4, 6});
    CHECK(map.last() == high);

    map.mark_live(low, 3, 1);
    CHECK(map.live() == 3);
    CHECK(map.free() == 6);
    CHECK(map.live_blocks() == 1);
    CHECK(map.is_live(low, map.generation(low)));
    CHECK_FALSE(map.is_live(low, map.generation(low) + 1));
    CHECK_FALSE(map.is_live(high, map.generation(high)));
    CHECK_FALSE(map.is_live(1000, 1));

    map.mark_hole(low);
    map.absorb_next(low);
    CHECK(map.range(low) == basic_extent<std::uint32_t>{0, 10});
    CHECK(map.last() == low);
    CHECK(map.live() == 0);
    CHECK(map.peak_live() == 3);
}

TEST_CASE("alignment, pins, kind and mark share a word and do not disturb each other") {
    block_map<std::uint64_t> map(10);
    const block_index block = map.first();
    map.mark_live(block, 10, std::uint64_t{1} << 63);
    map.set_owner(block, block_kind::deferred, 77);
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
    map.drop_pins(block);
    CHECK(map.pins(block) == 0);
    CHECK(map.alignment(block) == std::uint64_t{1} << 63);
    CHECK(map.kind(block) == block_kind::deferred);
}

TEST_CASE("a block can count as many pins as it says") {
    block_map<std::uint32_t> map(1);
    map.mark_live(map.first(), 1, 1);
    for (std::uint32_t count = 0; count < map.most_pins; ++count) map.pin(map.first());
    CHECK(map.pins(map.first()) == (1u << 22) - 1);
    CHECK(map.kind(map.first()) == block_kind::data);
    map.unpin(map.first());
    CHECK(map.pins(map.first()) == (1u << 22) - 2);
}

TEST_CASE("maps are equal when all they say is equal, whatever their past") {
    block_map<std::uint32_t> one(8);
    block_map<std::uint32_t> other(8);
    CHECK(one == other);
    const block_index rest = one.split(one.first(), 3);
    CHECK_FALSE(one == other);
    one.absorb_next(one.first());
    CHECK(one == other);
    CHECK(rest != no_block);
    CHECK_FALSE(block_map<std::uint32_t>(8) == block_map<std::uint32_t>(9));
    CHECK(block_map<std::uint32_t>(0).first() == no_block);
}

}  // namespace hbm::test
