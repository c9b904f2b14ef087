#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/compacting.hpp>

#include <doctest/doctest.h>

#include <manager/conformance_support.hpp>

namespace hbm::test {

TEST_CASE("managers of compacting<best_fit_lifo> conform, with every eviction and donation") {
    expect_conformance_with_every_eviction_and_donation<compacting<best_fit_lifo>>();
}

TEST_CASE("managers of bottom_reserve<compacting<best_fit_lifo>> conform, with every eviction and donation") {
    expect_conformance_with_every_eviction_and_donation<bottom_reserve<compacting<best_fit_lifo>>>();
}

}  // namespace hbm::test
