#include <hbm/core/handle.hpp>
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/donation/donation.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <vector>

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

namespace hbm::test::donors_by_size_tests {

using detail::donors_by_size;

namespace {

using sizes = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("the first donor of a size comes first, each once") {
    const sizes offered{4, 2, 4, 7, 2, 4};
    donors_by_size donors;
    donors.list(offered);
    CHECK(donors.take(offered, 4) == 0);
    CHECK(donors.take(offered, 2) == 1);
    CHECK(donors.take(offered, 4) == 2);
    CHECK(donors.take(offered, 3) == no_index);
    CHECK(donors.take(offered, 4) == 5);
    CHECK(donors.take(offered, 4) == no_index);
    CHECK(donors.take(offered, 7) == 3);
    donors.list(offered);  // anew
    CHECK(donors.take(offered, 4) == 0);
}

TEST_CASE("a donor that is taken in another way is passed over, and of none there is no first") {
    sizes offered{4, 4, 0};
    donors_by_size donors;
    donors.list(offered);
    offered[0] = 0;
    CHECK(donors.take(offered, 4) == 1);
    CHECK(donors.take(offered, 4) == no_index);
    donors.list({});
    CHECK(donors.take({}, 4) == no_index);
}

TEST_CASE("it chooses what the policy chooses that looks at each donor") {
    testing::random_numbers random(3);
    const donate_same_size policy;
    donors_by_size donors;
    for (int round = 0; round < 2000; ++round) {
        CAPTURE(round);
        const std::uint64_t kinds = 1 + random.below(40);
        const std::uint64_t unit = random.once_in(2) ? 1 : std::uint64_t{1} << random.below(58);
        sizes offered(random.below(60));
        for (std::uint64_t& each : offered) each = random.below(kinds) * unit;
        sizes left = offered;
        donors.list(offered);
        for (int output = 0; output < 50; ++output) {
            const std::uint64_t size = (1 + random.below(kinds)) * unit;
            const std::size_t expected = policy.choose(left, size);
            const std::uint32_t found = donors.take(left, size);
            REQUIRE((found == no_index ? no_donor : std::size_t{found}) == expected);
            if (found != no_index) left[found] = 0;
            if (!left.empty() && random.once_in(8)) left[random.below(left.size())] = 0;  // somebody's partner
        }
    }
}

}  // namespace hbm::test::donors_by_size_tests
