#include <hbm/core/bytes.hpp>
#include <hbm/core/extent.hpp>

#include <doctest/doctest.h>

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
