// A placement chosen at run time is the placement that it was made from.
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/testing/conformance.hpp>

#include <doctest/doctest.h>

#include <cstdint>

#include "compare/managers/chosen_placement.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::any_placement_tests {
namespace {

using wide = std::uint64_t;

}  // namespace

TEST_CASE("any_placement: conforms") {
    test::for_each_seed(20, 60, [](std::uint64_t seed, std::uint32_t steps) {
        return testing::conformance<compare::chosen_placement>(seed, steps);
    });
    test::for_each_seed(20, 60, [](std::uint64_t seed, std::uint32_t steps) {
        return testing::conformance<compare::chosen_reserving>(seed, steps);
    });
}

TEST_CASE("any_placement: is a value, whose copies change alone") {
    using compare::chosen_placement;
    const chosen_placement empty(basic_first_fit<wide>(100));
    chosen_placement used = empty;
    CHECK(used == empty);
    CHECK(used.place({.length = 10}) != no_block);
    CHECK(used.map().live() == 10);
    CHECK(empty.map().live() == 0);
    CHECK_FALSE(used == empty);
    CHECK(chosen_placement(used) == used);
    CHECK_FALSE(chosen_placement(basic_best_fit<wide>(100)) == empty);
}

}  // namespace hbm::test::any_placement_tests
