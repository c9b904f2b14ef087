// A placement chosen at run time is the placement that it was made from.
#include <hbm/adapt/any_placement.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/testing/conformance.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>

#include "testing/seeds.hpp"

namespace hbm::test::any_placement_tests {
namespace {

using wide = std::uint64_t;

template <class P>
using chosen = any_placement<abilities_of_placement<P>()>;

}  // namespace

TEST_CASE("any_placement: conforms") {
    test::for_each_seed(20, 60, [](std::uint64_t seed, std::uint32_t steps) {
        return testing::conformance<chosen<basic_best_fit<wide>>>(seed, steps);
    });
    test::for_each_seed(20, 60, [](std::uint64_t seed, std::uint32_t steps) {
        return testing::conformance<chosen<bottom_reserve<compacting<basic_best_fit<wide>>>>>(seed, steps);
    });
}

TEST_CASE("any_placement: is a value, whose copies change alone") {
    const chosen<basic_first_fit<wide>> empty(basic_first_fit<wide>(100));
    chosen<basic_first_fit<wide>> used = empty;
    CHECK(used == empty);
    CHECK(used.place({.length = 10}) != no_block);
    CHECK(used.map().live() == 10);
    CHECK(empty.map().live() == 0);
    CHECK_FALSE(used == empty);
    CHECK(chosen<basic_first_fit<wide>>(used) == used);
    CHECK_FALSE(chosen<basic_first_fit<wide>>(basic_best_fit<wide>(100)) == empty);
}

TEST_CASE("any_placement: has the abilities of its placement, and its rules") {
    static_assert(std::is_same_v<chosen<basic_first_fit<wide>>, chosen<basic_buddy<wide>>>);
    static_assert(compacts<chosen<compacting<basic_buddy<wide>>>> && !compacts<chosen<basic_buddy<wide>>>);
    using per_program = bottom_reserve<basic_best_fit<wide>, scratch_sharing::per_program>;
    static_assert(reserves<chosen<per_program>> && chosen<per_program>::sharing == scratch_sharing::per_program);
    static_assert(!reserves<chosen<basic_best_fit<wide>>>);
    chosen<basic_buddy<wide>> blocks(basic_buddy<wide>(64));
    CHECK(blocks.requirement({.length = 5}).length == 8);
    const block_index block = blocks.place({.length = 5});
    CHECK(blocks.map().size(block) == 8);
    CHECK(blocks.most_taken(blocks.requirement({.length = 5})) ==
          detail::most_taken(basic_buddy<wide>(64), need<wide>{.length = 5}));
}

}  // namespace hbm::test::any_placement_tests
