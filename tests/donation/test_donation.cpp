#include <hbm/donation/donate_fitting.hpp>
#include <hbm/donation/donation.hpp>

#include <doctest/doctest.h>

#include <array>

namespace hbm::test::donation_tests {

static_assert(donation<never_donate> && !donates<never_donate>);
static_assert(donation<donate_same_size> && donation<donate_fitting>);
static_assert(!donation<int>);

TEST_CASE("the same size takes the first donor of just that size") {
    const std::array<std::uint64_t, 5> offered{4, 0, 2, 3, 2};
    CHECK(donate_same_size{}.choose(offered, 2) == 2);
    CHECK(donate_same_size{}.choose(offered, 4) == 0);
    CHECK(donate_same_size{}.choose(offered, 1) == no_donor);
    CHECK(donate_same_size{}.choose({}, 1) == no_donor);
}

TEST_CASE("fitting takes the smallest donor that holds the output, the first among equals") {
    const std::array<std::uint64_t, 5> offered{9, 0, 4, 7, 4};
    CHECK(donate_fitting{}.choose(offered, 3) == 2);
    CHECK(donate_fitting{}.choose(offered, 4) == 2);
    CHECK(donate_fitting{}.choose(offered, 5) == 3);
    CHECK(donate_fitting{}.choose(offered, 8) == 0);
    CHECK(donate_fitting{}.choose(offered, 10) == no_donor);
    CHECK(donate_fitting{}.choose({}, 1) == no_donor);
    // The shortest donor that there is, and one quantum is enough.
    const std::array<std::uint64_t, 3> short_ones{2, 0, 1};
    CHECK(donate_fitting{}.choose(short_ones, 1) == 2);
    CHECK(donate_fitting{}.choose(short_ones, 2) == 0);
}

}  // namespace hbm::test::donation_tests
