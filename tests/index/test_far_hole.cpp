#include <hbm/index/far_hole.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace hbm::test::far_hole_tests {

namespace {

template <class Quanta>
void expect_far_hole(const block_map<Quanta>& map, basic_extent<Quanta> expected) {
    CHECK(far_hole::size(map) == expected.size);
    for (Quanta length = 1; length <= map.capacity() + 1; ++length) {
        const block_index found = far_hole::at_least(map, length);
        CHECK((found != no_block) == (expected.size >= length));
        if (found != no_block) CHECK(map.range(found) == expected);
        for (const Quanta alignment : {Quanta{1}, Quanta{2}, Quanta{8}}) {
            for (const Quanta avoid_below : {Quanta{0}, expected.offset, static_cast<Quanta>(expected.offset + 1)}) {
                const need<Quanta> asked{.length = length, .alignment = alignment, .avoid_below = avoid_below};
                Quanta begin = expected.offset;
                while (begin % alignment != 0) ++begin;
                const bool fits = begin + length <= expected.end() && avoid_below <= expected.offset;
                const block_index admitted = far_hole::admitted(map, asked);
                CHECK((admitted != no_block) == fits);
                if (admitted != no_block) CHECK(map.range(admitted) == expected);
            }
        }
    }
}

/// Frees and places at random, and looks at the far hole after each step; where the placement reserves, that comes and
/// goes as well.
template <class Placement>
void expect_far_holes() {
    using quanta = typename Placement::quanta;
    constexpr bool from_the_top = Placement::search_end == end::high;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(seed);
        testing::random_numbers random(seed);
        Placement memory(40);
        std::vector<block_index> live;
        for (int step = 0; step < 60; ++step) {
            if constexpr (from_the_top)
                if (random.once_in(8)) static_cast<void>(memory.reserve(static_cast<quanta>(random.below(9))));
            need<quanta> asked{.length = static_cast<quanta>(1 + random.below(9))};
            if (random.once_in(3)) asked.from = asked.at = end::high;
            const block_index block = random.once_in(2) ? memory.place(asked) : no_block;
            if (block != no_block) {
                live.push_back(block);
            } else if (!live.empty()) {
                std::swap(live[random.below(live.size())], live.back());
                memory.release(live.back());
                live.pop_back();
            }
            const auto& map = memory.map();
            basic_extent<quanta> expected{40, 0};
            if constexpr (from_the_top) {
                expected.offset = memory.reserved();
                const block_index above = map.next(map.reservation());
                if (above != no_block && map.is_hole(above)) expected = map.range(above);
            } else if (map.is_hole(map.last())) {
                expected = map.range(map.last());
            }
            expect_far_hole(map, expected);
        }
    }
}

}  // namespace

TEST_CASE("the far hole is the one at the top, or the one next to the reservation") {
    expect_far_holes<best_fit>();
    expect_far_holes<basic_best_fit<std::uint64_t>>();
    expect_far_holes<bottom_reserve<best_fit>>();
    expect_far_holes<bottom_reserve<first_fit>>();
}

TEST_CASE("a memory of nothing has no far hole") {
    const block_map<std::uint32_t> map(0);
    CHECK(far_hole::at_least(map, 1u) == no_block);
    CHECK(far_hole::admitted(map, {.length = 1}) == no_block);
}

}  // namespace hbm::test::far_hole_tests
