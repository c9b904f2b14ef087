// Means against fractions over a common denominator.

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <string_view>

#include "compare/replay/digest.hpp"
#include "compare/replay/numbers.hpp"

namespace hbm::test::numbers_tests {

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

namespace {

constexpr std::uint64_t digest_of(std::string_view text) {
    hbm::trace::digest made;
    made.add_text(text);
    return made.value;
}

}  // namespace

TEST_CASE("a digest is FNV-1a over 64 bits, as its authors' test vectors have it") {
    // From the test vectors of draft-eastlake-fnv, section 8.
    static_assert(digest_of("") == 0xcbf29ce484222325);
    static_assert(digest_of("a") == 0xaf63dc4c8601ec8c);
    static_assert(digest_of("foobar") == 0x85944171f73967e8);
    CHECK(digest_of("foobar") == 0x85944171f73967e8);
}

TEST_CASE("a number is its eight bytes, the lowest first") {
    hbm::trace::digest number;
    number.add(0x7261626f6f66);
    CHECK(number.value == digest_of(std::string_view("foobar\0\0", 8)));
    CHECK(number.value != digest_of("foobar"));
}

}  // namespace hbm::test::numbers_tests
