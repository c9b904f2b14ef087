// The operations on given ranges: under the plainest placement there is, and against a drawing of every quantum.
#include <hbm/blocks/block_placement.hpp>
#include <hbm/core/fixed_string.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "testing/seeds.hpp"
#include "testing/stand.hpp"

namespace hbm::test::block_placement_tests {

namespace {

using testing::random_numbers;
using extent32 = basic_extent<std::uint32_t>;

/// No index at all: a hole is looked for from a neighbour.
class plain_placement : public block_placement<plain_placement, std::uint32_t> {
    using base = block_placement<plain_placement, std::uint32_t>;
    friend base;

public:
    static constexpr fixed_string name{"plain_placement"};

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

namespace {

/// A block as the model knows it.
struct drawn_block {
    block_index block = no_block;
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
    std::uint32_t granted = 0;
    std::uint32_t alignment = 1;
    std::uint32_t generation = 0;
};

/// Every quantum has the block that lies there.
struct drawing {
    std::vector<block_index> quanta;
    std::vector<drawn_block> blocks;

    [[nodiscard]] bool is_free(std::uint64_t offset, std::uint64_t size, block_index but_for = no_block) const {
        if (offset + size > quanta.size()) return false;
        for (std::uint64_t at = offset; at < offset + size; ++at)
            if (quanta[at] != no_block && quanta[at] != but_for) return false;
        return true;
    }
    void draw(const drawn_block& each, block_index what) {
        for (std::uint32_t at = each.offset; at < each.offset + each.size; ++at) quanta[at] = what;
    }
};

template <class P>
const char* difference(const P& memory, const drawing& model) {
    const block_map<std::uint32_t>& map = memory.map();
    std::vector<block_index> seen;
    for (block_index at = map.first(); at != no_block; at = map.next(at)) {
        if (map.offset(at) != seen.size()) return "blocks and holes do not follow each other";
        seen.resize(seen.size() + map.size(at), map.is_hole(at) ? no_block : at);
    }
    if (seen != model.quanta) return "a block is not where it should be";
    std::uint32_t occupied = 0;
    std::uint32_t granted = 0;
    for (const drawn_block& each : model.blocks) {
        occupied += each.size;
        granted += each.granted;
        if (!map.is_live(each.block, each.generation)) return "a handle does not hold";
        if (map.granted(each.block) != each.granted) return "what was granted has changed";
        if (map.alignment(each.block) != each.alignment) return "an alignment has changed";
    }
    if (map.free() != map.capacity() - occupied) return "free() is wrong";
    if (map.live() != granted) return "live() is wrong";
    return nullptr;
}

/// How many moves and stretches there were.
struct counts {
    std::uint64_t done = 0;
    std::uint64_t refused = 0;
};

template <class P>
testing::outcome random_ranges(std::uint64_t seed, std::uint32_t steps, counts& changes) {
    random_numbers random(seed);
    const auto below = [&](std::uint64_t bound) { return static_cast<std::uint32_t>(random.below(bound)); };
    const std::uint32_t capacity = 1 + below(40);
    P memory(capacity);
    drawing model{std::vector<block_index>(capacity, no_block), {}};
    testing::outcome found{.subject = P::name.c_str(), .seed = seed};
    for (found.step = 1; found.step <= steps; ++found.step) {
        const P before = memory;
        bool expected = true;
        bool done = true;
        const std::uint32_t what = below(5);
        const std::size_t at = model.blocks.empty() ? 0 : random.below(model.blocks.size());
        const std::uint32_t offset = below(capacity + 2);
        const std::uint32_t size = 1 + below(12);
        if (what < 2 || model.blocks.empty()) {
            drawn_block fresh{.size = size, .granted = size - below(size), .alignment = 1u << below(3)};
            fresh.offset = offset & ~(fresh.alignment - 1);
            expected = model.is_free(fresh.offset, fresh.size);
            fresh.block = memory.occupy({fresh.offset, fresh.size}, fresh.granted, fresh.alignment);
            done = fresh.block != no_block;
            if (done && expected) {
                fresh.generation = memory.map().generation(fresh.block);
                model.draw(fresh, fresh.block);
                model.blocks.push_back(fresh);
            }
        } else if (what == 2) {
            memory.release(model.blocks[at].block);
            model.draw(model.blocks[at], no_block);
            model.blocks.erase(model.blocks.begin() + static_cast<std::ptrdiff_t>(at));
        } else {
            drawn_block& changed = model.blocks[at];
            const bool moves = what == 3;
            const std::uint32_t length = moves ? changed.size : size;
            expected = length >= changed.granted && model.is_free(offset, length, changed.block) &&
                       (!moves || offset % changed.alignment == 0);
            done = moves ? memory.relocate(changed.block, offset) : memory.stretch(changed.block, {offset, length});
            ++(done ? changes.done : changes.refused);
            if (done && expected) {
                model.draw(changed, no_block);
                changed.offset = offset;
                changed.size = length;
                model.draw(changed, changed.block);
            }
        }
        if (done != expected) found.broken = done ? "what is not free was taken" : "what is free was not taken";
        if (found.ok() && !done && !(memory == before)) found.broken = "what failed has changed something";
        if (found.ok()) found.broken = difference(memory, model);
        if (!found.ok()) return found;
    }
    return found;
}

}  // namespace

TEST_CASE_TEMPLATE("occupied, moved and stretched blocks lie where a drawing of all quanta has them", P,
                   plain_placement, best_fit, buddy) {
    counts changes;
    for_each_seed(200, 120,
                  [&](std::uint64_t seed, std::uint32_t steps) { return random_ranges<P>(seed, steps, changes); });
    if (!tries_all_seeds()) return;
    CHECK(changes.done > 1000);
    CHECK(changes.refused > 1000);
}

}  // namespace hbm::test::block_placement_tests
