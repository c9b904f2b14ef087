#include <hbm/placement/buddy.hpp>

#include <doctest/doctest.h>

#include <conformance/conformance_support.hpp>

TEST_CASE("managers of buddy and of its adaptors conform, with every eviction") {
    hbm::test::expect_conformance_of_all_managers<hbm::buddy, 4>();
}
