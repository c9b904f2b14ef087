// The operations on given ranges, under the plainest placement there is. index/test_fit.cpp compares them with a list
// of quanta.
#include <hbm/blocks/block_placement.hpp>
#include <hbm/core/fixed_string.hpp>

#include <doctest/doctest.h>

#include <cstdint>

#include "testing/stand.hpp"

namespace hbm::test::block_placement_tests {

namespace {

using extent32 = basic_extent<std::uint32_t>;

/// No index at all: a hole is looked for from a neighbour.
class plain_placement : public block_placement<plain_placement, std::uint32_t> {
    using base = block_placement<plain_placement, std::uint32_t>;
    friend base;

public:
    [[maybe_unused]] static constexpr fixed_string name{"plain_placement"};

    explicit plain_placement(std::uint32_t capacity) : base(capacity) {}

    using base::block_at;
    std::uint32_t given = 0;

    friend bool operator==(const plain_placement& a, const plain_placement& b) { return a.map() == b.map(); }

private:
    block_index give(block_index hole) {
        ++given;
        return join(map_, hole);
    }
    bool enter(block_index block, extent32 range, block_index near) {
        const block_index hole = block_at(range.offset, near);
        if (hole == no_block || !map_.is_hole(hole) || map_.range(hole).end() - range.offset < range.size) return false;
        stand_in(map_, block, hole, range);
        return true;
    }
};

/// One that knows a second way to give.
class stepping_placement : public block_placement<stepping_placement, std::uint32_t> {
    using base = block_placement<stepping_placement, std::uint32_t>;
    friend base;

public:
    explicit stepping_placement(std::uint32_t capacity) : base(capacity) {}

    std::uint32_t given = 0;
    std::uint32_t given_in_steps = 0;

private:
    block_index give(block_index hole) {
        ++given;
        return join(map_, hole);
    }
    block_index give_in_steps(block_index hole) {
        ++given_in_steps;
        return join(map_, hole);
    }
    bool enter(block_index block, extent32 range, block_index) {
        stand_in(map_, block, map_.first(), range);  // the only block
        return true;
    }
};

}  // namespace

TEST_CASE("ranges whose end wraps around, or beyond the end of memory, are refused, and nothing changes") {
    plain_placement memory(20);
    const block_index a = memory.occupy({4, 4}, 4, 2);
    const plain_placement before = memory;
    for (const extent32 wrong : {extent32{14, 7}, {20, 1}, {0xffffffffu, 1}, {15, 0xffffffffu}, {0xfffffffeu, 4}}) {
        CHECK(memory.occupy(wrong) == no_block);
        CHECK_FALSE(memory.stretch(a, wrong));
    }
    for (const std::uint32_t wrong : {17u, 20u, 0xffffffffu}) CHECK_FALSE(memory.relocate(a, wrong));
    CHECK(memory == before);
    // The node of a block that found no place is used again.
    const std::size_t nodes = memory.map().nodes();
    REQUIRE(memory.occupy({8, 12}) != no_block);
    CHECK(memory.map().nodes() == nodes);
    plain_placement none(0);
    CHECK(none.occupy({0, 1}) == no_block);
}

TEST_CASE("handles of a released block are stale, and its node is used again, the latest to be spare first") {
    plain_placement memory(10);
    const block_index a = memory.occupy({0, 3});
    const block_index b = memory.occupy({3, 4});
    const std::uint32_t generation = memory.map().generation(a);
    memory.release(a);
    memory.release(b);
    CHECK(memory.map().peak_live() == 7);
    const block_index again[] = {memory.occupy({0, 1}), memory.occupy({1, 1})};
    CHECK(again[0] == a);
    CHECK(again[1] == b);
    CHECK_FALSE(memory.map().is_live(a, generation));
    CHECK(memory.given == 2);
}

TEST_CASE("what contains an offset is found from both sides") {
    plain_placement memory(12);
    const block_index a = memory.occupy({2, 3});
    const block_index b = memory.occupy({5, 1});
    const block_index c = memory.occupy({8, 2});
    const block_index lowest = memory.map().first();
    const block_index above_b = memory.map().next(b);
    const block_index above_c = memory.map().next(c);
    const block_index expected[] = {lowest, lowest, a, a, a, b, above_b, above_b, c, c, above_c, above_c};
    for (const block_index near : {lowest, a, b, above_b, c, above_c}) {
        CAPTURE(near);
        for (std::uint32_t offset = 0; offset < 12; ++offset) {
            CAPTURE(offset);
            CHECK(memory.block_at(offset, near) == expected[offset]);
        }
        CHECK(memory.block_at(12, near) == no_block);
        CHECK(memory.block_at(0xffffffffu, near) == no_block);
    }
}

TEST_CASE("a block that stretches or moves gives its place back in steps, where the placement knows how, and freed "
          "ones do not") {
    stepping_placement memory(10);
    const block_index a = memory.occupy({1, 2});
    REQUIRE(memory.relocate(a, 5));
    REQUIRE(memory.stretch(a, {4, 5}));
    CHECK(memory.given_in_steps == 2);
    CHECK(memory.given == 0);
    CHECK_FALSE(memory.stretch(a, {4, 7}));
    CHECK(memory.given_in_steps == 2);  // what is refused does not leave at all
    memory.release(a);
    CHECK(memory.given_in_steps == 2);
    CHECK(memory.given == 1);
}

}  // namespace hbm::test::block_placement_tests
