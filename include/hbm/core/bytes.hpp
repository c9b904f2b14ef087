#pragma once

/// Sizes in bytes: literals, and rounding without overflow.

#include <hbm/core/language.hpp>

#include <cstdint>
#include <optional>

namespace hbm::inline v0 {

/// The default quantum in bytes. Published TPU memory statistics are multiples of 512, some are not multiples of 1024.
inline constexpr std::uint64_t default_quantum = 512;

/// Rounds `bytes` up to a multiple of `unit`, a power of two. Returns `nullopt` on overflow.
[[nodiscard]] constexpr std::optional<std::uint64_t> round_up(std::uint64_t bytes, std::uint64_t unit) noexcept {
    // The test comes first: the sum would wrap around, and a huge request would become a small one.
    const std::uint64_t mask = unit - 1;
    if (bytes > ~std::uint64_t{0} - mask) return std::nullopt;
    return (bytes + mask) & ~mask;
}

/// Returns `left + right`, or the largest 64-bit number on overflow.
[[nodiscard]] constexpr std::uint64_t saturating_add(std::uint64_t left, std::uint64_t right) noexcept {
    return right > ~std::uint64_t{0} - left ? ~std::uint64_t{0} : left + right;
}
/// Returns `left * right`, or the largest 64-bit number on overflow.
[[nodiscard]] constexpr std::uint64_t saturating_multiply(std::uint64_t left, std::uint64_t right) noexcept {
    // Two numbers of 32 bits cannot overflow, and nearly all products of the planner are of such.
    const bool both_short = ((left | right) >> 32U) == 0;  // avoids the slow division
    return !both_short && right != 0 && left > ~std::uint64_t{0} / right ? ~std::uint64_t{0} : left * right;
}

/// Rounds `value` up to a multiple of `unit`, a power of two.
/// Requires: the result is representable.
template <class Quanta>
[[nodiscard]] constexpr Quanta align_up(Quanta value, Quanta unit) noexcept {
    return static_cast<Quanta>((value + (unit - 1)) & ~static_cast<Quanta>(unit - 1));
}

/// Rounds `value` down to a multiple of `unit`, a power of two.
template <class Quanta>
[[nodiscard]] constexpr Quanta align_down(Quanta value, Quanta unit) noexcept {
    return static_cast<Quanta>(value & ~static_cast<Quanta>(unit - 1));
}

/// `using namespace hbm::literals;` enables `4_KiB`, `15.75_GiB` and so on, in bytes. Fractions of a byte are dropped.
inline namespace literals {
// clang-format off
constexpr std::uint64_t operator""_B(unsigned long long count) { return count; }
constexpr std::uint64_t operator""_KiB(unsigned long long count) { return count << 10; }
constexpr std::uint64_t operator""_MiB(unsigned long long count) { return count << 20; }
constexpr std::uint64_t operator""_GiB(unsigned long long count) { return count << 30; }
constexpr std::uint64_t operator""_TiB(unsigned long long count) { return count << 40; }
constexpr std::uint64_t operator""_MiB(long double count) { return static_cast<std::uint64_t>(count * 0x1p20L); }
constexpr std::uint64_t operator""_GiB(long double count) { return static_cast<std::uint64_t>(count * 0x1p30L); }
constexpr std::uint64_t operator""_TiB(long double count) { return static_cast<std::uint64_t>(count * 0x1p40L); }
// clang-format on

}  // namespace literals

}  // namespace hbm::inline v0
