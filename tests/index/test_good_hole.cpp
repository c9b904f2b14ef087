#include <hbm/index/good_hole.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "testing/stand.hpp"

namespace hbm::test::good_hole_tests {

namespace {

using testing::random_numbers;

/// A map with an index over its holes but the far hole, and the same holes in a plain list, the latest last.
template <class Quanta, end From>
class indexed_holes {
public:
    block_map<Quanta> map;
    good_hole<Quanta, From> index;
    std::vector<block_index> blocks;

    explicit indexed_holes(Quanta capacity) : map(capacity), index(capacity) {}

    /// Stands a block into a hole that admits it.
    void place(block_index hole, const need<Quanta>& asked) {
        const bool is_far = hole == map.far_hole;
        const auto gap = static_cast<Quanta>(asked.offset_in(map.range(hole)) - map.offset(hole));
        if (!is_far) remove(hole);
        blocks.push_back(stand(map, hole, gap, asked.length));
        if (is_far && From == end::high) {
            add_listed(map.move_far_hole(map.reservation()));
        } else {
            add_listed(map.node(blocks.back()).previous);
            add_listed(map.node(blocks.back()).next);
        }
    }
    /// The hole that `find` is to take out of the index at once, if it does, becomes a block.
    void expect_taken_at_once(const need<Quanta>& asked, block_index found) {
        const block_index taken = index.take_at_once(map, asked.length);
        if (taken == no_block) return;
        REQUIRE(taken == found);
        index.insert(map, taken);  // the first of its class again
    }
    void leave(std::size_t at) {
        const block_index block = blocks[at];
        remove_listed(map.node(block).previous);
        remove_listed(map.node(block).next);
        add_listed(test::leave(map, block));
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(at));
    }
    /// Reserves the lowest block, if it stands at the bottom, or nothing.
    void reserve(bool lowest) {
        const block_index first = map.first();
        const block_index reserved = lowest && first != no_block && !map.is_hole(first) ? first : map.bottom;
        if (reserved == map.reservation()) return;
        map.set_reservation(reserved);
        remove_listed(map.node(reserved).next);
        add_listed(map.move_far_hole(reserved));
    }

    /// The class of a size by its smallest member: all but the six leading bits are 0.
    [[nodiscard]] static Quanta class_of(Quanta size) {
        const auto bits = static_cast<int>(std::bit_width(size));
        return bits <= 6 ? size : static_cast<Quanta>(size >> (bits - 6) << (bits - 6));
    }
    /// The latest hole of the first class in which all fit, else of the class in which some do. The far hole comes
    /// before all others of the next class; or after all others of any, where searches begin at the high end.
    [[nodiscard]] block_index expected(const need<Quanta>& asked) const {
        block_index best = no_block;
        if (From == end::low && map.size(map.far_hole) != 0 && asked.admits(map.range(map.far_hole)))
            best = map.far_hole;
        for (const block_index hole : latest_last_) {
            if (!asked.admits(map.range(hole))) continue;
            const Quanta of_hole = class_of(map.size(hole));
            const Quanta of_best = best == no_block ? 0 : class_of(map.size(best));
            const bool all_fit = of_hole >= asked.length;
            const bool best_all_fit = of_best >= asked.length;
            if (best == no_block || of_hole == of_best || (all_fit && (!best_all_fit || of_hole < of_best)))
                best = hole;
        }
        if (best == no_block && map.size(map.far_hole) != 0 && asked.admits(map.range(map.far_hole)))
            best = map.far_hole;
        return best;
    }
    [[nodiscard]] Quanta largest() const {
        Quanta most = map.size(map.far_hole);
        for (const block_index hole : latest_last_) most = std::max(most, map.size(hole));
        return most;
    }

private:
    void add_listed(block_index hole) {
        if (hole == no_block || hole == map.far_hole || !map.is_hole(hole)) return;
        index.insert(map, hole);
        latest_last_.push_back(hole);
    }
    void remove(block_index hole) {
        index.erase(map, hole);
        std::erase(latest_last_, hole);
    }
    void remove_listed(block_index hole) {
        if (hole != map.far_hole && map.is_hole(hole)) remove(hole);
    }

    std::vector<block_index> latest_last_;
};

template <class Quanta, end From>
void expect_good_holes(std::uint64_t capacity, std::uint64_t longest, std::uint64_t seed) {
    random_numbers random(seed);
    indexed_holes<Quanta, From> holes(static_cast<Quanta>(capacity));
    for (int step = 0; step < 400; ++step) {
        need<Quanta> asked{.length =
                               static_cast<Quanta>(1 + random.below(random.once_in(3) ? longest : 1 + longest / 9))};
        if (random.once_in(4)) asked.alignment = static_cast<Quanta>(1u << random.below(6));
        if (random.once_in(4)) asked.at = end::high;
        if (random.once_in(8)) asked.avoid_below = static_cast<Quanta>(random.below(capacity));
        if (random.once_in(8)) asked.length = static_cast<Quanta>(holes.largest() + random.below(2));
        if (asked.length == 0) asked.length = 1;
        const block_index found = holes.index.find(holes.map, asked);
        REQUIRE(found == holes.expected(asked));
        REQUIRE(holes.index.largest(holes.map) == holes.largest());
        if (asked.alignment == 1 && asked.avoid_below == 0) holes.expect_taken_at_once(asked, found);
        if (found != no_block && !random.once_in(4)) holes.place(found, asked);
        if (!holes.blocks.empty() && random.once_in(step / 100 % 2 == 0 ? 3 : 1)) {
            const auto at = static_cast<std::size_t>(random.below(holes.blocks.size()));
            if (holes.blocks[at] != holes.map.reservation()) holes.leave(at);
        }
        if (From == end::high && random.once_in(16)) holes.reserve(random.once_in(2));
        if (random.once_in(64)) {
            const indexed_holes<Quanta, From> copy = holes;
            holes = copy;
        }
    }
    if (From == end::high) holes.reserve(false);
    while (!holes.blocks.empty()) holes.leave(holes.blocks.size() - 1);
    CHECK(holes.index.largest(holes.map) == capacity);
    CHECK(holes.index.find(holes.map, {.length = static_cast<Quanta>(capacity)}) == holes.map.far_hole);
}

}  // namespace

TEST_CASE("a hole is found whenever one fits: the latest of the first class in which all do, else of the one below") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        expect_good_holes<std::uint32_t, end::low>(100, 20, seed);
        expect_good_holes<std::uint32_t, end::low>(3000, 300, seed);
        expect_good_holes<std::uint32_t, end::low>(100'000, 9000, seed);
        expect_good_holes<std::uint32_t, end::low>(std::numeric_limits<std::uint32_t>::max(), 800'000'000, seed);
        expect_good_holes<std::uint64_t, end::low>(~std::uint64_t{0}, std::uint64_t{1} << 61, seed);
    }
}

TEST_CASE("from the high end the hole next to the reservation is found only where no other fits") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        expect_good_holes<std::uint32_t, end::high>(100, 20, seed);
        expect_good_holes<std::uint32_t, end::high>(3000, 300, seed);
        expect_good_holes<std::uint64_t, end::high>(100'000, 9000, seed);
    }
}

TEST_CASE("in a memory of nothing no hole is found") {
    const block_map<std::uint32_t> map(0);
    CHECK(good_hole<std::uint32_t>{}.find(map, {.length = 1}) == no_block);
    CHECK(good_hole<std::uint32_t>{}.largest(map) == 0);
    CHECK(good_hole<std::uint32_t, end::high>(0).find(map, {.length = 1}) == no_block);
    CHECK(good_hole<std::uint32_t, end::high>(0).largest(map) == 0);
}

TEST_CASE("more than the capacity is not found, though the classes end below it") {
    const indexed_holes<std::uint32_t, end::low> holes(1000);
    CHECK(holes.index.find(holes.map, {.length = 1000}) != no_block);
    CHECK(holes.index.find(holes.map, {.length = 1001}) == no_block);
    CHECK(holes.index.find(holes.map, {.length = std::numeric_limits<std::uint32_t>::max()}) == no_block);
}

}  // namespace hbm::test::good_hole_tests
