#pragma once
// Sizes that other programs print rounded: how many bytes such a text can stand for.

#include <hbm/core/language.hpp>
#include <hbm/trace/text.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace hbm::imported {

/// A size read from text, in bytes.
struct rounded_size {
    std::uint64_t bytes = 0;  ///< what the text says, to the nearest byte
    std::uint64_t low = 0;    ///< the smallest size that is printed like this
    std::uint64_t high = 0;   ///< the largest size that is printed like this; 2^64-1 where it would exceed that

    /// Whether the text stands for a single size.
    [[nodiscard]] constexpr bool is_exact() const noexcept { return low == high; }

    friend constexpr bool operator==(const rounded_size&, const rounded_size&) = default;
};

namespace rounded_size_detail {

__extension__ typedef unsigned __int128 wide;  // a number of 62 bits times 2^60

/// Removes one of the endings of a size and returns the exponent of its unit: 10 for K, 20 for M. Empty if the text
/// has no known ending.
[[nodiscard]] constexpr std::optional<unsigned> cut_unit(std::string_view& text) noexcept {
    if (text.ends_with(" bytes")) text.remove_suffix(6);
    if (text.empty()) return std::nullopt;
    if (text.back() >= '0' && text.back() <= '9') return 0;
    if (text.ends_with("iB"))
        text.remove_suffix(2);
    else if (text.ends_with('B')) {
        text.remove_suffix(1);
        return 0;
    }
    if (text.empty()) return std::nullopt;
    const std::size_t which = std::string_view{"KMGTPE"}.find(text.back());
    if (which == std::string_view::npos) return std::nullopt;
    text.remove_suffix(1);
    return 10 * (static_cast<unsigned>(which) + 1);
}

}  // namespace rounded_size_detail

/// Reads a size as XLA and the TPU runtime print it: `512B`, `4.0K`, `15.48G`, `231.45MiB`, or a whole number of bytes.
/// Units are binary. A text with a unit stands for all sizes within half a unit of its last digit. These programs drop
/// what is left of a division by 1024, except of the last: so a size in M may be up to 1 KiB larger, one in G up to
/// 1 MiB. Empty if the text is no size, is negative, has more than 62 bits of digits, or stands for nothing below 2^64.
/// O(length of the text).
[[nodiscard]] inline std::optional<rounded_size> read_rounded_size(std::string_view text) {
    using rounded_size_detail::wide;
    constexpr std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
    const std::optional<unsigned> exponent = rounded_size_detail::cut_unit(text);
    if (!exponent) return std::nullopt;
    if (*exponent == 0) {
        std::uint64_t bytes = 0;
        if (!trace::parse_number(text, bytes)) return std::nullopt;
        return rounded_size{bytes, bytes, bytes};
    }
    // The digits without their point, and the power of ten that the point divides by.
    std::uint64_t digits = 0;
    std::uint64_t divisor = 1;
    bool has_point = false;
    bool has_digit = false;
    for (const char each : text) {
        if (each == '.' && !has_point && has_digit) {
            has_point = true;
            has_digit = false;
            continue;
        }
        if (each < '0' || each > '9' || digits > max / 40 || divisor > max / 40) return std::nullopt;
        digits = 10 * digits + static_cast<std::uint64_t>(each - '0');
        if (has_point) divisor *= 10;
        has_digit = true;
    }
    if (!has_digit) return std::nullopt;
    // All in half units of the last digit, which keeps the bounds whole numbers.
    const auto in_bytes = [&](std::uint64_t half_units) { return wide{half_units} << *exponent; };
    const wide whole = 2 * wide{divisor};
    const std::uint64_t dropped = (std::uint64_t{1} << (*exponent - 10)) - 1;
    const wide bytes = (in_bytes(2 * digits) + divisor) / whole;
    const wide low = digits == 0 ? wide{0} : (in_bytes(2 * digits - 1) + whole - 1) / whole;
    const wide high = in_bytes(2 * digits + 1) / whole + dropped;
    if (low > max) return std::nullopt;
    const auto bounded = [&](wide value) { return value > max ? max : static_cast<std::uint64_t>(value); };
    return rounded_size{bounded(bytes), static_cast<std::uint64_t>(low), bounded(high)};
}

}  // namespace hbm::imported
