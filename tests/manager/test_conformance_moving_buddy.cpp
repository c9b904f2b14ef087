#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/compacting.hpp>

#include <doctest/doctest.h>

#include <manager/conformance_support.hpp>

namespace hbm::test {

TEST_CASE("managers of compacting<buddy> conform, with every eviction and donation") {
    expect_conformance_with_every_eviction_and_donation<compacting<buddy>>();
}

TEST_CASE("managers of bottom_reserve<compacting<buddy>> conform, with every eviction and donation") {
    expect_conformance_with_every_eviction_and_donation<bottom_reserve<compacting<buddy>>>();
}

}  // namespace hbm::test
