#include <hbm/index/branch_free.hpp>
#include <hbm/index/far_hole.hpp>
#include <hbm/index/size_classes.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace hbm::test::branch_free_tests {

using detail::highest_bit;
using detail::select;

namespace {

template <class Number>
constexpr bool chooses_as_a_condition_does() {
    const auto all = static_cast<Number>(~Number{0});
    for (const Number condition : {Number{0}, Number{1}, static_cast<Number>(all / 2 + 1), all}) {
        if (select(condition, 3, 5) != (condition != 0 ? 3 : 5)) return false;
    }
    return true;
}
/// Every position, with nothing, a random rest or all bits below it.
template <class Number>
constexpr bool finds_the_highest_bit() {
    testing::random_numbers random(2);
    for (unsigned position = 0; position < sizeof(Number) * 8; ++position) {
        const auto bit = static_cast<Number>(Number{1} << position);
        const auto below = static_cast<Number>(bit - 1);
        for (const Number rest : {Number{0}, static_cast<Number>(random.below(~std::uint64_t{0}) & below), below})
            if (highest_bit(static_cast<Number>(bit | rest)) != position) return false;
    }
    return true;
}
static_assert(finds_the_highest_bit<std::uint32_t>());
static_assert(finds_the_highest_bit<std::uint64_t>());

// In constant evaluation it is the plain choice; otherwise an instruction, where the processor is known.
static_assert(chooses_as_a_condition_does<std::uint32_t>());
static_assert(chooses_as_a_condition_does<std::uint64_t>());

}  // namespace

TEST_CASE("what is selected is what a condition would choose") {
    CHECK(chooses_as_a_condition_does<std::uint32_t>());
    CHECK(chooses_as_a_condition_does<std::uint64_t>());
    testing::random_numbers random(1);
    int places[2] = {};
    for (int step = 0; step < 1000; ++step) {
        const auto condition = static_cast<std::uint32_t>(random.below(3));
        const std::uint64_t a = random.below(~std::uint64_t{0});
        const std::uint64_t b = random.below(~std::uint64_t{0});
        REQUIRE(select(condition, a, b) == (condition != 0 ? a : b));
        REQUIRE(select(condition, &places[0], &places[1]) == (condition != 0 ? &places[0] : &places[1]));
    }
}

TEST_CASE("the highest bit is found whatever lies below it") {
    CHECK(finds_the_highest_bit<std::uint32_t>());
    CHECK(finds_the_highest_bit<std::uint64_t>());
}

}  // namespace hbm::test::branch_free_tests

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

namespace hbm::test::size_classes_tests {

using detail::size_classes;

TEST_CASE("size classes never fall and none is past the last") {
    using narrow = size_classes<std::uint32_t>;
    unsigned last = 0;
    for (std::uint32_t size = 1; size < 100000; ++size) {
        REQUIRE(narrow::of(size) >= last);
        REQUIRE(narrow::of(size) <= last + 1);
        last = narrow::of(size);
    }
    CHECK(narrow::of(~std::uint32_t{0}) == narrow::count - 1);
    CHECK(size_classes<std::uint64_t>::of(~std::uint64_t{0}) == size_classes<std::uint64_t>::count - 1);
    for (std::uint32_t size = 1; size < 64; ++size) CHECK(narrow::of(size) == size);  // exact below two doublings
}

}  // namespace hbm::test::size_classes_tests
