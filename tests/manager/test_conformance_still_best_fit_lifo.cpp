#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/bottom_reserve.hpp>

#include <doctest/doctest.h>

#include <manager/conformance_support.hpp>

namespace hbm::test {

TEST_CASE("managers of best_fit_lifo conform, with every eviction and donation") {
    expect_conformance_with_every_eviction_and_donation<best_fit_lifo>();
}

TEST_CASE("managers of bottom_reserve<best_fit_lifo> conform, with every eviction and donation") {
    expect_conformance_with_every_eviction_and_donation<bottom_reserve<best_fit_lifo>>();
}

}  // namespace hbm::test
