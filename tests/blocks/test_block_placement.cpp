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

/// A letter a quantum: a point where it is free, else the first letter for the first block, and so on.
std::string drawn(const block_map<std::uint32_t>& map, const std::vector<block_index>& blocks) {
    std::string drawing(map.capacity(), '.');
    for (std::size_t at = 0; at < blocks.size(); ++at)
        for (std::uint32_t quantum = map.offset(blocks[at]); quantum < map.end(blocks[at]); ++quantum)
            drawing[quantum] = static_cast<char>('a' + at);
    return drawing;
}

}  // namespace

TEST_CASE("a block occupies a range that is free") {
    plain_placement memory(20);
    const block_index a = memory.occupy({3, 4});
    const block_index b = memory.occupy({12, 8}, 5, 4);
    const block_index c = memory.occupy({7, 1});
    REQUIRE(a != no_block);
    REQUIRE(b != no_block);
    REQUIRE(c != no_block);
    const block_map<std::uint32_t>& map = memory.map();
    CHECK(drawn(map, {a, b, c}) == "...aaaac....bbbbbbbb");
    CHECK(map.free() == 7);
    CHECK(map.live() == 4 + 5 + 1);
    CHECK(map.granted(a) == 4);
    CHECK(map.alignment(a) == 1);
    CHECK(map.granted(b) == 5);
    CHECK(map.alignment(b) == 4);
    CHECK(map.kind(a) == block_kind::data);
    CHECK(map.live_blocks() == 3);
}

TEST_CASE("a range that is not all free is not occupied, and nothing changes") {
    plain_placement memory(20);
    const block_index a = memory.occupy({3, 4});
    const block_index b = memory.occupy({12, 2});
    const plain_placement before = memory;
    CHECK(memory.occupy({3, 4}) == no_block);
    CHECK(memory.occupy({2, 2}) == no_block);
    CHECK(memory.occupy({6, 1}) == no_block);
    CHECK(memory.occupy({8, 5}) == no_block);
    CHECK(memory.occupy({0, 20}) == no_block);
    CHECK(memory.occupy({14, 7}) == no_block);
    CHECK(memory.occupy({20, 1}) == no_block);
    CHECK(memory.occupy({0xffffffffu, 1}) == no_block);
    CHECK(memory.occupy({15, 0xffffffffu}) == no_block);  // the end wraps around
    CHECK(memory == before);
    CHECK(drawn(memory.map(), {a, b}) == "...aaaa.....bb......");
    // The node of a block that found no place is used again.
    const std::size_t nodes = memory.map().nodes();
    REQUIRE(memory.occupy({14, 6}) != no_block);
    CHECK(memory.map().nodes() == nodes);
    plain_placement none(0);
    CHECK(none.occupy({0, 1}) == no_block);
}

TEST_CASE("a released block leaves one hole, and its handles are stale") {
    plain_placement memory(10);
    const block_index a = memory.occupy({0, 3});
    const block_index b = memory.occupy({3, 4});
    const std::uint32_t generation = memory.map().generation(a);
    memory.release(a);
    CHECK_FALSE(memory.map().is_live(a, generation));
    CHECK(drawn(memory.map(), {b}) == "...aaaa...");
    CHECK(memory.map().range(memory.map().first()) == extent32{0, 3});
    memory.release(b);
    CHECK(memory.map().range(memory.map().first()) == extent32{0, 10});
    CHECK(memory.map().last() == memory.map().first());
    CHECK(memory.map().free() == 10);
    CHECK(memory.map().live() == 0);
    CHECK(memory.map().peak_live() == 7);
    const block_index again[] = {memory.occupy({0, 1}), memory.occupy({1, 1})};
    CHECK(again[0] == a);  // the nodes are used again, the latest to be spare first
    CHECK(again[1] == b);
    CHECK_FALSE(memory.map().is_live(a, generation));
    CHECK(memory.given == 2);
}

TEST_CASE("a block moves to where all is free but for itself, and keeps its handle") {
    plain_placement memory(20);
    const block_index a = memory.occupy({4, 4});
    const block_index b = memory.occupy({10, 2});
    const std::uint32_t generation = memory.map().generation(a);
    const auto after = [&](std::uint32_t to) {
        REQUIRE(memory.relocate(a, to));
        CHECK(memory.map().is_live(a, generation));
        CHECK(memory.map().free() == 14);
        CHECK(memory.map().live() == 6);
        return drawn(memory.map(), {a, b});
    };
    CHECK(after(3) == "...aaaa...bb........");
    CHECK(after(6) == "......aaaabb........");
    CHECK(after(6) == "......aaaabb........");
    CHECK(after(12) == "..........bbaaaa....");  // over the other block
    CHECK(after(16) == "..........bb....aaaa");
    CHECK(after(0) == "aaaa......bb........");

    const plain_placement before = memory;
    CHECK_FALSE(memory.relocate(a, 7));
    CHECK_FALSE(memory.relocate(a, 10));
    CHECK_FALSE(memory.relocate(a, 11));
    CHECK_FALSE(memory.relocate(a, 17));
    CHECK_FALSE(memory.relocate(a, 20));
    CHECK_FALSE(memory.relocate(a, 0xffffffffu));
    CHECK(memory == before);
}

TEST_CASE("a block moves to multiples of its alignment only") {
    plain_placement memory(20);
    const block_index a = memory.occupy({8, 2}, 2, 4);
    const plain_placement before = memory;
    CHECK_FALSE(memory.relocate(a, 9));
    CHECK_FALSE(memory.relocate(a, 2));
    CHECK(memory == before);
    CHECK(memory.relocate(a, 16));
    CHECK(drawn(memory.map(), {a}) == "................aa..");
    CHECK(memory.map().alignment(a) == 4);
}

TEST_CASE("a block stretches over what is free, down to what was granted") {
    plain_placement memory(20);
    const block_index a = memory.occupy({6, 6}, 4, 2);
    const block_index b = memory.occupy({14, 2});
    const std::uint32_t generation = memory.map().generation(a);
    const auto after = [&](extent32 range) {
        REQUIRE(memory.stretch(a, range));
        CHECK(memory.map().free() == 20 - range.size - 2);
        CHECK(memory.map().live() == 4 + 2);
        CHECK(memory.map().peak_live() == 4 + 2);
        CHECK(memory.map().granted(a) == 4);
        CHECK(memory.map().alignment(a) == 2);
        CHECK(memory.map().is_live(a, generation));
        return drawn(memory.map(), {a, b});
    };
    CHECK(after({0, 14}) == "aaaaaaaaaaaaaabb....");
    CHECK(after({5, 4}) == ".....aaaa.....bb....");
    CHECK(after({16, 4}) == "..............bbaaaa");
    CHECK(after({2, 6}) == "..aaaaaa......bb....");

    const plain_placement before = memory;
    CHECK_FALSE(memory.stretch(a, {2, 3}));
    CHECK_FALSE(memory.stretch(a, {2, 13}));
    CHECK_FALSE(memory.stretch(a, {0, 20}));
    CHECK_FALSE(memory.stretch(a, {15, 4}));
    CHECK_FALSE(memory.stretch(a, {17, 4}));
    CHECK_FALSE(memory.stretch(a, {0, 21}));
    CHECK_FALSE(memory.stretch(a, {0xfffffffeu, 4}));  // the end wraps around
    CHECK(memory == before);
    memory.release(b);
    REQUIRE(memory.stretch(a, {0, 20}));
    CHECK(drawn(memory.map(), {a}) == std::string(20, 'a'));
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
