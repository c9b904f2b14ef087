#pragma once
// Sizes that other programs print rounded, with the range of bytes of such a text.

#include <cstdint>
#include <optional>
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

/// Reads a size as XLA and the TPU runtime print it: `512B`, `4.0K`, `15.48G`, `231.45MiB`, or a whole number of bytes.
/// Units are binary. A text with a unit stands for all sizes within half a unit of its last digit. These programs drop
/// the remainder of each division by 1024 but the last: a size in M may be up to 1 KiB larger, one in G up to 1 MiB.
/// Empty if the text is not a size, is negative, has more than 62 bits of digits, or stands for nothing below 2^64.
/// Cost: O(length of the text).
[[nodiscard]] std::optional<rounded_size> read_rounded_size(std::string_view text);

}  // namespace hbm::imported
