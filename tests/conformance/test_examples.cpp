#include <hbm/hbm.hpp>

#include <doctest/doctest.h>

#include <support/manager_suite.hpp>
#include <support/managers.hpp>
#include <testing/seeds.hpp>

// The examples themselves: what they include stands above.
namespace own_placement {
#include "../../examples/03_own_placement.cpp"
}
namespace own_eviction {
#include "../../examples/05_own_eviction.cpp"
}
namespace own_donation {
#include "../../examples/14_own_donation.cpp"
}
namespace own_relief {
#include "../../examples/15_own_relief.cpp"
}

namespace hbm::test::own_policies_tests {

template <class Manager>
void expect_manager_conformance() {
    for_each_seed(200, 50, [](std::uint64_t seed, std::uint32_t steps) {
        return testing::conformance_manager<Manager>(seed, steps);
    });
}

TEST_CASE("the placement of example 03 conforms") {
    for_each_seed(200, 60, [](std::uint64_t seed, std::uint32_t steps) {
        return testing::conformance<own_placement::worst_fit>(seed, steps);
    });
    expect_manager_conformance<own_placement::my_memory>();
}

TEST_CASE("the eviction policy of example 05 conforms") {
    expect_manager_conformance<manager<best_fit, own_eviction::evict_largest>>();
}

TEST_CASE("the donation policy of example 14 conforms") {
    expect_manager_conformance<manager<best_fit, never_evict, own_donation::donate_close>>();
}

TEST_CASE("the relief policy of example 15 conforms") {
    expect_manager_conformance<manager<compacting<best_fit>, evict_lru, never_donate, own_relief::move_if_quick>>();
}

}  // namespace hbm::test::own_policies_tests
