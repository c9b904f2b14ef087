// Lists of numbers, texts and rows that take few bits.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "compare/text/number_list.hpp"
#include "compare/text/token_list.hpp"

namespace hbm::test::list_tests {

using namespace hbm::trace;

namespace {

constexpr std::uint64_t most = ~std::uint64_t{0};

void check_equal(const number_list& list, const std::vector<std::uint64_t>& expected) {
    REQUIRE(list.size() == expected.size());
    for (std::size_t at = 0; at < expected.size(); ++at) REQUIRE(list[at] == expected[at]);
}

}  // namespace

TEST_CASE("numbers: any range, in order or not, comes back from blocks and the tail") {
    std::mt19937_64 random(7);
    for (unsigned bits = 0; bits <= 64; ++bits)
        for (const bool is_sorted : {false, true}) {
            const std::uint64_t base = random();
            std::vector<std::uint64_t> numbers;
            for (std::size_t at = 0; at < 3000; ++at)
                numbers.push_back(bits == 64 ? random() : base + (random() & ((std::uint64_t{1} << bits) - 1)));
            if (is_sorted) std::sort(numbers.begin(), numbers.end());
            CAPTURE(bits);
            check_equal(numbers, numbers);
        }
}

TEST_CASE("numbers: the ends of the range, and lines straight or bent") {
    std::vector<std::uint64_t> extremes;
    std::vector<std::uint64_t> steep;
    std::vector<std::uint64_t> bent;
    for (std::uint64_t at = 0; at < 2048; ++at) {
        extremes.push_back(at % 3 == 0 ? most : at % 3 == 1 ? 0 : most / 2);
        steep.push_back(at * (most / 2048));
        bent.push_back(at < 1000 ? 0 : at < 1500 ? most / 2 + at : most);
    }
    check_equal(extremes, extremes);
    check_equal(steep, steep);
    check_equal(bent, bent);
}

TEST_CASE("numbers: what was appended last is removed first, across blocks") {
    number_list list;
    for (std::uint64_t number = 0; number < 2500; ++number) list.push_back(number * number);
    while (list.size() > 1000) {
        REQUIRE(list.back() == (list.size() - 1) * (list.size() - 1));
        list.pop_back();
    }
    for (std::uint64_t number = 1000; number < 2500; ++number) list.push_back(number);
    CHECK(list[999] == 999 * 999);
    CHECK(list[1000] == 1000);
    CHECK(list.front() == 0);
    CHECK(list.back() == 2499);
    number_list other = list;
    CHECK(other == list);
    other.pop_back();
    CHECK_FALSE(other == list);
}

TEST_CASE("texts: empty and long ones, appended and removed across blocks") {
    token_list list;
    const auto text = [](std::size_t at) { return std::string(at % 7, 'x') + std::to_string(at % 100); };
    for (std::size_t at = 0; at < 5000; ++at) list.push_back(at % 11 == 0 ? "" : text(at));
    for (; list.size() > 2048; list.pop_back())
        REQUIRE(list.back() == ((list.size() - 1) % 11 == 0 ? "" : text(list.size() - 1)));
    list.push_back("after");
    REQUIRE(list.size() == 2049);
    CHECK(list[2048] == "after");
    for (std::size_t at = 0; at < 2048; ++at) REQUIRE(list[at] == (at % 11 == 0 ? "" : text(at)));
}

}  // namespace hbm::test::list_tests
