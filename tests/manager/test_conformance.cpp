// A dozen managers in which all policies meet; the folder conformance has 80, with more seeds.

#include <hbm/device/host_device.hpp>
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/placement/lifetimes_apart.hpp>
#include <hbm/planning/relief_policies.hpp>

#include <doctest/doctest.h>

#include <support/manager_suite.hpp>
#include <support/managers.hpp>
#include <support/own_plan.hpp>
#include <testing/seeds.hpp>

namespace hbm::test::conformance_tests {

TEST_CASE_TEMPLATE("managers conform", managed,  //
                   manager<best_fit>, manager<first_fit, evict_lru, donate_same_size>, manager<good_fit>,
                   manager<buddy, evict_lru, donate_fitting>, manager<compacting<buddy>, evict_lru>,
                   manager<compacting<best_fit>, never_evict, donate_fitting, relieve_cheapest, host_device>,
                   manager<bottom_reserve<first_fit, scratch_sharing::per_program>, evict_cheapest_window>,
                   manager<bottom_reserve<compacting<best_fit>>, evict_lru, donate_same_size>,
                   manager<bottom_reserve<compacting<best_fit_lifo>>, evict_cheapest_window, donate_same_size>,
                   manager<compacting<free_together<best_fit>>, evict_lru, donate_fitting, compact_first>,
                   manager<lifetimes_apart<basic_best_fit<std::uint64_t>>, evict_cheapest_window>,
                   manager<own_plan<bottom_reserve<compacting<best_fit>>>, evict_lru, donate_fitting>) {
    for_each_seed(200, 50, [](std::uint64_t seed, std::uint32_t length) {
        return testing::conformance_manager<managed>(seed, length);
    });
}

}  // namespace hbm::test::conformance_tests
