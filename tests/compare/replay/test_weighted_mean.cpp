// Means against fractions over a common denominator.

#include <doctest/doctest.h>

#include <cstdint>
#include <random>

#include "compare/replay/numbers.hpp"

namespace hbm::test::weighted_mean_tests {

using hbm::trace::weighted_mean;

namespace {

constexpr std::uint64_t common = 27'720;  // all numbers up to 12 divide it

}  // namespace

TEST_CASE("a mean of small fractions is rounded once, ties up") {
    std::mt19937_64 random(1);
    int ties = 0;
    for (int round = 0; round < 20'000; ++round) {
        weighted_mean mean;
        std::uint64_t parts = 0;  // over `common`
        std::uint64_t weights = 0;
        for (std::uint64_t terms = 1 + random() % 6; terms-- > 0;) {
            const std::uint64_t whole = 1 + random() % 12;
            const std::uint64_t part = random() % whole;
            const std::uint64_t weight = random() % 4 == 0 ? 0 : random() % 1'000;
            mean.add(part, whole, weight);
            parts += common / whole * part * weight;
            weights += weight;
        }
        CHECK(mean.is_empty() == (weights == 0));
        if (weights == 0) {
            CHECK(mean.rounded().millionths == 0);
            continue;
        }
        const std::uint64_t whole = common * weights;
        const std::uint64_t doubled = parts * 2'000'000;
        ties += doubled % (2 * whole) == whole;
        REQUIRE(mean.rounded().millionths == (doubled + whole) / (2 * whole));
    }
    CHECK(ties > 0);
}

TEST_CASE("a tie rounds up although its parts have no end in binary") {
    // (1/3 + 2/3) x 1 over a weight of 2,000,000 is half a millionth.
    weighted_mean mean;
    mean.add(1, 3, 1);
    mean.add(2, 3, 1);
    mean.add(0, 1, 1'999'998);
    CHECK(mean.rounded().millionths == 1);
    mean.add(0, 1, 1);
    CHECK(mean.rounded().millionths == 0);
}

TEST_CASE("a mean of the largest numbers does not overflow") {
    constexpr std::uint64_t largest = ~std::uint64_t{0};
    weighted_mean mean;
    mean.add(largest - 1, largest, largest - 1);
    CHECK(mean.rounded().millionths == 1'000'000);
    mean.add(0, largest, 1);
    CHECK(mean.rounded().millionths == 1'000'000);
    weighted_mean half;
    half.add(largest / 2, largest, largest);
    CHECK(half.rounded().millionths == 500'000);
}

}  // namespace hbm::test::weighted_mean_tests
