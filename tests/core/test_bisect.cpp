#include <hbm/core/bisect.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>

namespace hbm::test::bisect_tests {

TEST_CASE("the least number that is enough is found by halves") {
    for (std::size_t most = 0; most <= 70; ++most) {
        for (std::size_t least = 0; least <= most + 1; ++least) {
            CAPTURE(most);
            CAPTURE(least);
            std::size_t calls = 0;
            std::optional<std::size_t> latest;
            const std::optional<std::size_t> found = least_enough(most, [&](std::size_t number) {
                REQUIRE(number <= most);
                ++calls;
                if (number >= least) latest = number;
                return number >= least;
            });
            CHECK(found == (least <= most ? std::optional(least) : std::nullopt));
            CHECK(latest == found);
            CHECK(calls <= 8);
        }
    }
}

}  // namespace hbm::test::bisect_tests
