#include <hbm/placement/good_fit.hpp>

#include <doctest/doctest.h>

#include <conformance/conformance_support.hpp>

TEST_CASE("managers of good_fit and of its adaptors conform, with every eviction") {
    hbm::test::expect_conformance_of_all_managers<hbm::good_fit, 3>();
}
