#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/bfc.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/placement/lifetimes_apart.hpp>
#include <hbm/testing/conformance.hpp>

#include <doctest/doctest.h>

#include <support/own_plan.hpp>
#include <testing/seeds.hpp>

namespace hbm::test::conformance_tests {

template <placement P>
void expect_placement_conformance() {
    for_each_seed(300, 60,
                  [](std::uint64_t seed, std::uint32_t steps) { return testing::conformance<P>(seed, steps); });
}

template <placement P>
void expect_conformance_with_every_adaptor() {
    expect_placement_conformance<P>();
    expect_placement_conformance<compacting<P>>();
    expect_placement_conformance<bottom_reserve<P>>();
    expect_placement_conformance<bottom_reserve<compacting<P>>>();
    expect_placement_conformance<compacting<bottom_reserve<P, scratch_sharing::per_program>>>();
}

TEST_CASE("best_fit conforms, with every adaptor") {
    expect_conformance_with_every_adaptor<best_fit>();
}
TEST_CASE("best_fit_lifo conforms, with every adaptor") {
    expect_conformance_with_every_adaptor<best_fit_lifo>();
}
TEST_CASE("first_fit conforms, with every adaptor") {
    expect_conformance_with_every_adaptor<first_fit>();
}
TEST_CASE("good_fit conforms, with every adaptor") {
    expect_conformance_with_every_adaptor<good_fit>();
}
TEST_CASE("bfc conforms, with every adaptor") {
    expect_conformance_with_every_adaptor<bfc>();
}
TEST_CASE("buddy conforms, with every adaptor") {
    expect_conformance_with_every_adaptor<buddy>();
}

TEST_CASE("placements that keep free memory together conform, with every adaptor") {
    expect_conformance_with_every_adaptor<free_together<best_fit>>();
    expect_placement_conformance<free_together<compacting<bottom_reserve<first_fit>>>>();
    expect_placement_conformance<free_together<basic_good_fit<std::uint64_t>>>();
    expect_placement_conformance<lifetimes_apart<free_together<bfc>>>();
}

TEST_CASE("placements that keep lifetimes apart conform, with every adaptor") {
    expect_conformance_with_every_adaptor<lifetimes_apart<best_fit>>();
    expect_placement_conformance<lifetimes_apart<bottom_reserve<first_fit>>>();
    expect_placement_conformance<lifetimes_apart<compacting<bottom_reserve<buddy>>>>();
}

TEST_CASE("placements that follow a plan conform, with every adaptor") {
    expect_conformance_with_every_adaptor<own_plan<best_fit>>();
    expect_placement_conformance<scheduled<best_fit>>();
    expect_placement_conformance<own_plan<bottom_reserve<best_fit_lifo>>>();
    expect_placement_conformance<own_plan<compacting<bottom_reserve<free_together<first_fit>>>>>();
    expect_placement_conformance<own_plan<bfc>>();
    expect_placement_conformance<own_plan<basic_good_fit<std::uint64_t>>>();
}

TEST_CASE("the wide placements conform") {
    expect_placement_conformance<basic_best_fit<std::uint64_t>>();
    expect_placement_conformance<basic_best_fit_lifo<std::uint64_t>>();
    expect_placement_conformance<basic_first_fit<std::uint64_t>>();
    expect_placement_conformance<basic_good_fit<std::uint64_t>>();
    expect_placement_conformance<basic_bfc<std::uint64_t>>();
    expect_placement_conformance<basic_buddy<std::uint64_t>>();
    expect_placement_conformance<bottom_reserve<basic_buddy<std::uint64_t>>>();
}

}  // namespace hbm::test::conformance_tests
