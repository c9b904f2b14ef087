#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/placement/first_fit.hpp>

#include <doctest/doctest.h>

#include <manager/conformance_support.hpp>

namespace hbm::test {

TEST_CASE("managers of compacting<first_fit> conform, with every eviction and donation") {
    expect_conformance_with_every_eviction_and_donation<compacting<first_fit>>();
}

TEST_CASE("managers of bottom_reserve<compacting<first_fit>> conform, with every eviction and donation") {
    expect_conformance_with_every_eviction_and_donation<bottom_reserve<compacting<first_fit>>>();
}

}  // namespace hbm::test
