#include <hbm/core/bisect.hpp>
#include <hbm/core/bytes.hpp>
#include <hbm/core/extent.hpp>
#include <hbm/core/request.hpp>
#include <hbm/core/search_budget.hpp>
#include <hbm/version.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <string>

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

namespace hbm::test::bytes_tests {

TEST_CASE("literals are bytes") {
    CHECK(3_B == 3);
    CHECK(4_KiB == 4096);
    CHECK(1_MiB == 1048576);
    CHECK(2_GiB == 2147483648u);
    CHECK(1_TiB == 1099511627776u);
    CHECK(15.75_GiB == 16911433728u);
    CHECK(0.5_MiB == 524288);
}

TEST_CASE("rounding up never wraps around") {
    CHECK(round_up(0, 512) == 0);
    CHECK(round_up(1, 512) == 512);
    CHECK(round_up(512, 512) == 512);
    CHECK(round_up(513, 512) == 1024);
    CHECK(round_up(18446744073709551104u, 512) == 18446744073709551104u);  // 2^64 - 512
    CHECK(round_up(18446744073709551105u, 512) == std::nullopt);
    CHECK(round_up(18446744073709551516u, 512) == std::nullopt);  // 2^64 - 100 would wrap to 0
    CHECK(round_up(~std::uint64_t{0}, 1) == ~std::uint64_t{0});
    CHECK(align_up(5u, 4u) == 8u);
    CHECK(align_up(8u, 4u) == 8u);
    CHECK(align_down(7u, 4u) == 4u);
    CHECK(align_down(~0u, 0x80000000u) == 0x80000000u);
}

TEST_CASE("sums and products stop at the largest number") {
    constexpr std::uint64_t most = ~std::uint64_t{0};
    constexpr std::uint64_t half = std::uint64_t{1} << 32;
    CHECK(saturating_add(most - 1, 1) == most);
    CHECK(saturating_add(most, 1) == most);
    CHECK(saturating_add(most, most) == most);
    CHECK(saturating_multiply(half - 1, half - 1) == (half - 1) * (half - 1));
    CHECK(saturating_multiply(half - 1, half + 1) == most);  // 2^64 - 1 as it is
    CHECK(saturating_multiply(half, half - 1) == most - half + 1);
    CHECK(saturating_multiply(half, half) == most);
    CHECK(saturating_multiply(most / 10, 10) == most - 5);
    CHECK(saturating_multiply(most, 1) == most);
    CHECK(saturating_multiply(most, 2) == most);
    CHECK(saturating_multiply(2, most) == most);
    CHECK(saturating_multiply(0, most) == 0);
    CHECK(saturating_multiply(most, 0) == 0);
}

TEST_CASE("extents overlap when they share an offset") {
    constexpr extent a{10, 5};
    CHECK(a.end() == 15);
    CHECK(a.overlaps({14, 1}));
    CHECK_FALSE(a.overlaps({15, 1}));
    CHECK_FALSE(a.overlaps({5, 5}));
    CHECK(a.overlaps({5, 6}));
    CHECK(a.contains({10, 5}));
    CHECK(a.contains({12, 0}));
    CHECK_FALSE(a.contains({9, 2}));
}

}  // namespace hbm::test::bytes_tests

namespace hbm::test::request_tests {

TEST_CASE("bytes become quanta, at least one, or are too many") {
    CHECK(to_quanta<std::uint32_t>(0, 512) == 1u);
    CHECK(to_quanta<std::uint32_t>(1, 512) == 1u);
    CHECK(to_quanta<std::uint32_t>(512, 512) == 1u);
    CHECK(to_quanta<std::uint32_t>(513, 512) == 2u);
    CHECK(to_quanta<std::uint32_t>(0xffffffffull * 512, 512) == 0xffffffffu);
    CHECK(to_quanta<std::uint32_t>(0xffffffffull * 512 + 1, 512) == std::nullopt);
    CHECK(to_quanta<std::uint64_t>(~std::uint64_t{0}, 1) == ~std::uint64_t{0});
    CHECK(to_quanta<std::uint64_t>(~std::uint64_t{0} - 511, 512) == (std::uint64_t{1} << 55) - 1);
    CHECK(to_quanta<std::uint64_t>(~std::uint64_t{0}, 512) == std::nullopt);  // 2^64 bytes cannot be said
}

TEST_CASE("a request becomes a need, or says what is wrong with it") {
    need<std::uint32_t> converted;
    CHECK(to_need({.bytes = 1000, .alignment = 2048}, 512, converted) == error::none);
    CHECK(converted.length == 2);
    CHECK(converted.alignment == 4);
    CHECK(converted.at == end::low);

    converted = {};
    CHECK(to_need({.bytes = 1, .alignment = 64, .preferred = side::high}, 512, converted) == error::none);
    CHECK(converted.alignment == 1);  // below the quantum means the quantum
    CHECK(converted.from == end::high);
    CHECK(converted.at == end::high);

    CHECK(to_need({.bytes = 1, .alignment = 3}, 512, converted) == error::bad_alignment);
    CHECK(to_need({.bytes = 1, .alignment = 768}, 512, converted) == error::bad_alignment);
    CHECK(to_need({.bytes = ~std::uint64_t{0}}, 512, converted) == error::size_too_large);
    CHECK(to_need({.bytes = 1, .alignment = std::uint64_t{1} << 63}, 512, converted) == error::size_too_large);
}

TEST_CASE("a need is plain if all long holes suit it, and their low ends") {
    using need_type = need<std::uint32_t>;
    CHECK(need_type{.length = 9, .expected = lifetime::lasting}.is_plain());
    CHECK_FALSE(need_type{.alignment = 2}.is_plain());
    CHECK_FALSE(need_type{.from = end::high}.is_plain());
    CHECK_FALSE(need_type{.at = end::high}.is_plain());
    CHECK_FALSE(need_type{.avoid_below = 1}.is_plain());
}

TEST_CASE("a need admits a hole that is long enough after alignment") {
    need<std::uint32_t> asked;
    asked.length = 4;
    asked.alignment = 8;
    CHECK(asked.admits({8, 4}));
    CHECK(asked.admits({9, 11}));
    CHECK_FALSE(asked.admits({9, 10}));
    CHECK_FALSE(asked.admits({8, 3}));
    CHECK(asked.offset_in({9, 20}) == 16);
    asked.at = end::high;
    CHECK(asked.offset_in({9, 20}) == 24);
    asked.avoid_below = 10;
    CHECK_FALSE(asked.admits({9, 20}));

    asked = {};
    asked.length = 1;
    asked.alignment = 0x80000000u;
    CHECK(asked.admits({1, 0x80000000u}));
    CHECK_FALSE(asked.admits({0x80000001u, 0x7ffffffeu}));  // the next multiple is beyond 32 bits
}

}  // namespace hbm::test::request_tests

namespace hbm::test::search_budget_tests {

TEST_CASE("a budget never gives more than it has, and what falls short takes the rest") {
    search_budget budget(10);
    CHECK(budget.spend(4));
    CHECK(budget.spend(0));
    CHECK(budget.left() == 6);
    CHECK(!budget.fell_short());
    CHECK(!budget.spend(7));
    CHECK(budget.left() == 0);
    CHECK(budget.fell_short());
    CHECK(budget.spend(0));
    CHECK(!budget.spend(~std::uint64_t{0}));
    CHECK(!search_budget{}.spend(1));
}

TEST_CASE("a share limits a budget, and what it set aside comes back, whatever was spent meanwhile") {
    search_budget budget(103);
    {
        const budget_share share(budget, 4);
        CHECK(budget.left() == 25);
        CHECK(!budget.spend(26));
    }
    CHECK(budget.left() == 78);
    CHECK(budget.fell_short());
    const budget_share all(budget, 1);
    CHECK(budget.left() == 78);
}

static_assert([] {
    search_budget budget(2);
    return budget.spend(2) && !budget.spend(1) && budget.left() == 0;
}());

}  // namespace hbm::test::search_budget_tests

// The version as numbers and as text, which cannot differ.

namespace hbm::test::version_tests {

static_assert(version == HBM_VERSION);
static_assert(HBM_VERSION == HBM_VERSION_MAJOR * 10000 + HBM_VERSION_MINOR * 100 + HBM_VERSION_PATCH);

TEST_CASE("version: the text has the three numbers") {
    CHECK(HBM_VERSION_STRING == std::to_string(HBM_VERSION_MAJOR) + "." + std::to_string(HBM_VERSION_MINOR) + "." +
                                    std::to_string(HBM_VERSION_PATCH));
}

}  // namespace hbm::test::version_tests
