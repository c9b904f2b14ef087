#include <hbm/donation/donate_fitting.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/lifetimes_apart.hpp>

#include <doctest/doctest.h>

#include <conformance/conformance_support.hpp>
#include <support/own_plan.hpp>

namespace hbm::test::adaptors_tests {

TEST_CASE("managers that keep lifetimes apart conform") {
    using apart = lifetimes_apart<best_fit>;
    expect_manager_conformance<manager<bottom_reserve<compacting<apart>>, evict_cheapest_window, donate_same_size>>();
    expect_manager_conformance<manager<lifetimes_apart<buddy>, evict_lru, donate_fitting>>();
}

TEST_CASE("managers that keep free memory together conform") {
    expect_manager_conformance<manager<compacting<free_together<best_fit>>, evict_lru, donate_fitting>>();
    expect_manager_conformance<
        manager<bottom_reserve<compacting<free_together<first_fit>>>, evict_cheapest_window, donate_same_size>>();
}

TEST_CASE("managers that follow a plan conform") {
    expect_manager_conformance<manager<own_plan<best_fit>, evict_lru, donate_fitting>>();
    expect_manager_conformance<manager<compacting<own_plan<first_fit>>, never_evict, donate_same_size>>();
    expect_manager_conformance<
        manager<own_plan<bottom_reserve<compacting<best_fit>>>, evict_cheapest_window, donate_same_size>>();
}

}  // namespace hbm::test::adaptors_tests
