#pragma once
// Logarithms and powers of two in fixed point: integers only, so that results are equal on every compiler and machine.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace hbm::trace {

/// The number 1 in the fixed-point format of `fixed_log2` and `fixed_exp2`, which has 16 fractional bits.
inline constexpr std::uint64_t fixed_one = 65536;

/// Returns the logarithm to base 2 of a value above 0, in fixed point, rounded down. Bit by bit: squaring doubles a
/// logarithm.
constexpr std::uint64_t fixed_log2(std::uint64_t value) {
    const auto whole = static_cast<std::uint64_t>(std::bit_width(value) - 1);
    // A mantissa in [1, 2), as a multiple of 2^-31.
    std::uint64_t mantissa = whole >= 31 ? value >> (whole - 31) : value << (31 - whole);
    std::uint64_t fraction = 0;
    for (int bit = 0; bit < 16; ++bit) {
        mantissa = (mantissa * mantissa) >> 31U;
        const std::uint64_t carry = mantissa >> 32U;
        mantissa >>= carry;
        fraction = 2 * fraction + carry;
    }
    return whole * fixed_one + fraction;
}

/// Returns two to the power of an exponent in fixed point below 64, rounded down.
constexpr std::uint64_t fixed_exp2(std::uint64_t exponent) {
    // 2^(1/2), 2^(1/4), 2^(1/8) and so on, as multiples of 2^-31.
    constexpr std::array<std::uint64_t, 16> roots{
        3037000500, 2553802834, 2341847524, 2242560872, 2194507417, 2170868212, 2159144272, 2153306067,
        2150392887, 2148937775, 2148210589, 2147847087, 2147665360, 2147574502, 2147529075, 2147506361};
    std::uint64_t mantissa = std::uint64_t{1} << 31U;
    for (std::size_t bit = 0; bit < roots.size(); ++bit) {
        if (((exponent >> (15 - bit)) & 1U) != 0) mantissa = (mantissa * roots[bit]) >> 31U;
    }
    const std::uint64_t whole = exponent / fixed_one;
    return whole >= 31 ? mantissa << (whole - 31) : mantissa >> (31 - whole);
}

}  // namespace hbm::trace
