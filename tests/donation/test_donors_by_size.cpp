#include <hbm/core/handle.hpp>
#include <hbm/donation/donation.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

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
