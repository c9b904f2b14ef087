#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/placement/good_fit.hpp>

#include <doctest/doctest.h>

#include <manager/conformance_support.hpp>

namespace hbm::test {

TEST_CASE("managers of compacting<good_fit> conform, with every eviction and donation") {
    expect_conformance_with_every_eviction_and_donation<compacting<good_fit>>();
}

TEST_CASE("managers of bottom_reserve<compacting<good_fit>> conform, with every eviction and donation") {
    expect_conformance_with_every_eviction_and_donation<bottom_reserve<compacting<good_fit>>>();
}

}  // namespace hbm::test
