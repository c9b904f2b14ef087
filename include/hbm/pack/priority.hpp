#pragma once

#include <bit>
#include <cstdint>

namespace hbm::inline v0::pack {

/// Priority of a block as a small floating-point number: 12 bits of exponent, then the 52 bits after the leading 1.
/// Doubling is an addition, and all compilers round alike.
enum class priority : std::uint64_t { none = 0 };

/// Returns the priority of a product; 0 counts as 1.
[[nodiscard]] constexpr priority priority_of(std::uint64_t a, std::uint64_t b = 1) noexcept {
    // The product of the leading 32 bits suffices.
    const auto scaled = [](std::uint64_t& value) {
        if (value == 0) value = 1;
        const int zeros = std::countl_zero(value);
        value <<= zeros;
        return static_cast<std::uint64_t>(63 - zeros);
    };
    if (b == 1) {
        const std::uint64_t exponent = scaled(a);
        return priority{exponent << 52U | (a << 1U) >> 12U};
    }
    std::uint64_t exponent = scaled(a) + scaled(b);
    std::uint64_t product = (a >> 32U) * (b >> 32U);
    if (product >> 63U != 0) ++exponent;
    while (product >> 63U == 0) product <<= 1U;
    return priority{exponent << 52U | (product << 1U) >> 12U};
}

[[nodiscard]] constexpr priority doubled(priority value) noexcept {
    return priority{static_cast<std::uint64_t>(value) + (std::uint64_t{1} << 52U)};
}

}  // namespace hbm::inline v0::pack
