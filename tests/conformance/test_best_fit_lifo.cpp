#include <hbm/placement/best_fit_lifo.hpp>

#include <doctest/doctest.h>

#include <conformance/conformance_support.hpp>

TEST_CASE("managers of best_fit_lifo and of its adaptors conform, with every eviction") {
    hbm::test::expect_conformance_of_all_managers<hbm::best_fit_lifo, 1>();
}
