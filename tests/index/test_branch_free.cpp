#include <hbm/index/branch_free.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>

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
