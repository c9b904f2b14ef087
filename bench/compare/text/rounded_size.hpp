#pragma once
// Sizes that other programs print rounded, with the range of bytes of such a text.

#include <hbm/core/bytes.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hbm::imported {

/// Size read from text, in bytes.
struct rounded_size {
    std::uint64_t bytes = 0;  ///< nominal size of the text, to the nearest byte
    std::uint64_t low = 0;    ///< smallest size with this text
    std::uint64_t high = 0;   ///< largest size with this text; at most 2^64-1

    /// Returns true if the text stands for a single size.
    [[nodiscard]] constexpr bool is_exact() const noexcept { return low == high; }

    friend constexpr bool operator==(const rounded_size&, const rounded_size&) = default;
};

/// Returns the size of a number of bytes that was not rounded.
[[nodiscard]] constexpr rounded_size exactly(std::uint64_t bytes) noexcept {
    return {bytes, bytes, bytes};
}

/// Returns the nominal bytes of a size that may be unknown.
[[nodiscard]] constexpr std::optional<std::uint64_t> bytes_of(const std::optional<rounded_size>& size) noexcept {
    return size ? std::optional(size->bytes) : std::nullopt;
}

/// Returns `a + b`; bounds saturate at 2^64-1.
[[nodiscard]] constexpr rounded_size sum(const rounded_size& a, const rounded_size& b) noexcept {
    return {saturating_add(a.bytes, b.bytes), saturating_add(a.low, b.low), saturating_add(a.high, b.high)};
}

/// Reads a size as XLA and the TPU runtime print it: `512B`, `4.0K`, `15.48G`, `231.45MiB`, or a whole number of bytes.
/// Also as other programs do for the same units: `1.55 GB`, `4.4GB`. Units are binary. A text with a unit stands for
/// all sizes within half a unit of its last digit. These programs drop the remainder of each division by 1024 but the
/// last: a size in M may be up to 1 KiB larger, one in G up to 1 MiB. Empty if the text is not a size, is negative, has
/// more than 62 bits of digits, or stands for nothing below 2^64. Cost: O(length of the text).
[[nodiscard]] std::optional<rounded_size> read_rounded_size(std::string_view text);

/// A size that was computed from rounded sizes, in bytes.
struct byte_range {
    std::uint64_t bytes = 0;  ///< nominal size, from the texts
    std::uint64_t low = 0;    ///< smallest possible size
    std::uint64_t high = 0;   ///< largest possible size
    unsigned unit = 0;        ///< exponent of the unit of the coarsest text: 30 for G; 0 for exact bytes

    friend constexpr bool operator==(const byte_range&, const byte_range&) = default;
};

/// Returns `a - b`, no less than 0.
[[nodiscard]] constexpr std::uint64_t less(std::uint64_t a, std::uint64_t b) noexcept {
    return a > b ? a - b : 0;
}

/// Returns the exponent of the unit in which a text was rounded, derived from the width of its bounds.
[[nodiscard]] constexpr unsigned unit_of(const rounded_size& size) noexcept {
    if (size.is_exact()) return 0;
    unsigned unit = 10;
    while (unit < 60 && less(size.bytes, size.low) >> unit != 0) unit += 10;
    return unit;
}

/// Returns a rounded size as a range.
[[nodiscard]] constexpr byte_range range_of(const rounded_size& size) noexcept {
    return {size.bytes, size.low, size.high, unit_of(size)};
}

/// Returns `a - b`, no less than 0.
[[nodiscard]] constexpr byte_range difference(const rounded_size& a, const rounded_size& b) noexcept {
    return {less(a.bytes, b.bytes), less(a.low, b.high), less(a.high, b.low), std::max(unit_of(a), unit_of(b))};
}

enum class rounding : std::uint8_t { nearest, up };

/// Returns `bytes` in a unit: K with one decimal, larger units with two.
[[nodiscard]] std::string in_unit(std::uint64_t bytes, unsigned unit, rounding way = rounding::nearest);

/// Returns a size with as many digits as its text has.
[[nodiscard]] std::string in_words(const rounded_size& size);

/// Returns the size with the digits of its coarsest source text: `1.57M`; `at most 0.02G` for one that rounds to
/// nothing.
[[nodiscard]] std::string in_words(const byte_range& range);

/// Returns the size that suffices, such as `2.25G`. If rounding exceeds a twentieth of it, returns its upper bound,
/// rounded up: `0.03G`.
[[nodiscard]] std::string enough_in_words(const byte_range& range);

}  // namespace hbm::imported
