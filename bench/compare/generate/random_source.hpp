#pragma once
// Random numbers for generators: integers only, the same on every compiler and machine.

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

/// Pseudorandom number generator: splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
/// 2014). Not for cryptography. A regular value; each draw is O(1) on average.
class random_source {
public:
    /// Constructs a source. Any seed is as good as any other.
    explicit constexpr random_source(std::uint64_t seed) : state_(seed) {}

    /// Returns 64 random bits.
    constexpr std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15U;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
        mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
        return mixed ^ (mixed >> 31U);
    }

    /// Returns a uniform number in [0, count); 0 if the count is 0. Numbers that are too large are drawn again, so that
    /// the distribution is exactly uniform.
    constexpr std::uint64_t below(std::uint64_t count) {
        if (count < 2) return 0;
        const std::uint64_t mask = ~std::uint64_t{0} >> static_cast<unsigned>(std::countl_zero(count - 1));
        std::uint64_t drawn = next() & mask;
        while (drawn >= count) drawn = next() & mask;
        return drawn;
    }

    /// Returns a uniform number in [min_value, max_value]; `min_value` if the range is empty.
    constexpr std::uint64_t between(std::uint64_t min_value, std::uint64_t max_value) {
        if (max_value <= min_value) return min_value;
        const std::uint64_t width = max_value - min_value;
        return width == ~std::uint64_t{0} ? next() : min_value + below(width + 1);
    }

    /// Returns true once in `count` times on average; never if the count is 0.
    constexpr bool one_in(std::uint64_t count) { return count != 0 && below(count) == 0; }

    /// Returns a log-uniform number in [min_value, max_value]. Requires: `min_value` is at least 1.
    constexpr std::uint64_t log_uniform(std::uint64_t min_value, std::uint64_t max_value) {
        if (max_value <= min_value) return min_value;
        const std::uint64_t drawn = fixed_exp2(between(fixed_log2(min_value), fixed_log2(max_value)));
        return drawn < min_value ? min_value : drawn > max_value ? max_value : drawn;
    }

    /// Returns an exponentially distributed number with this mean, which must be below 2^40; rounded down, at most 22
    /// times the mean.
    constexpr std::uint64_t exponential(std::uint64_t mean) {
        constexpr std::uint64_t natural_logarithm_of_two = 45426;  // the constant in fixed point
        const std::uint64_t halvings = 32 * fixed_one - fixed_log2(between(1, std::uint64_t{1} << 32U));
        return ((mean * halvings / fixed_one) * natural_logarithm_of_two) / fixed_one;
    }

    /// Returns a number in [0, count), n about n+1 times rarer than 0: floor(count^u) - 1 for a uniform u.
    constexpr std::uint64_t skewed_below(std::uint64_t count) { return count < 2 ? 0 : log_uniform(1, count) - 1; }

private:
    std::uint64_t state_;
};

}  // namespace hbm::trace
