#pragma once

/// Shares, factors and devices: the numbers in what is advised.

#include <hbm/imported/byte_range.hpp>
#include <hbm/tpu.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace hbm::imported {

namespace shares_detail {

__extension__ typedef unsigned __int128 wide;

}  // namespace shares_detail

/// `part` of `whole` in whole per cent, rounded down; 0 of nothing. O(1).
[[nodiscard]] constexpr std::uint64_t per_cent(std::uint64_t part, std::uint64_t whole) noexcept {
    using shares_detail::wide;
    return whole == 0 ? 0 : static_cast<std::uint64_t>(std::min(wide{part} * 100 / whole, wide{1'000'000'000}));
}

/// Into how many equal shares `whole` has to be cut for one of them to be no larger than `room`; 0 if there is no room.
/// O(1).
[[nodiscard]] constexpr std::uint64_t shares_needed(std::uint64_t whole, std::uint64_t room) noexcept {
    return room == 0 ? 0 : whole / room + (whole % room == 0 ? 0 : 1);
}

/// How many times as large `whole` is, in words: `6.2 times`, `41 times`, `257,000,000 times`: rounded down, to three
/// digits where there are more, because a size in a message has no more as a rule. O(1).
[[nodiscard]] inline std::string times_in_words(std::uint64_t whole, std::uint64_t part) {
    if (part == 0) return "many times";
    const std::uint64_t count = whole / part;
    std::uint64_t unit = 1;
    while (count / unit >= 1000) unit *= 10;
    if (count >= 10) return grouped_digits(count / unit * unit) + " times";
    const auto tenths = static_cast<std::uint64_t>(shares_detail::wide{whole} * 10 / part);
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " times";
}

/// TPU generations with memory for `needed`, and what each leaves: `TPU v4 (30.75G, 1.26G left)`. At most three,
/// smallest first, all larger than `more_than` bytes; empty if there is none. O(generations^2).
[[nodiscard]] inline std::string generations_with(const rounded_size& needed, std::uint64_t more_than = 0) {
    std::string text;
    std::size_t named = 0;
    std::uint64_t last = std::max(more_than, needed.high == 0 ? 0 : needed.high - 1);
    for (; named < 3; ++named) {
        const memory_spec* next = nullptr;
        for (const memory_spec& each : tpu::generations)
            if (each.capacity > last && (next == nullptr || each.capacity < next->capacity)) next = &each;
        if (next == nullptr) break;
        last = next->capacity;
        const byte_range left = difference(rounded_size{last, last, last}, needed);
        text += std::string(named == 0 ? "" : ", ") + "TPU " + next->name + " (" + size_in_words(last) + ", " +
                byte_range_detail::in_unit(left.bytes, left.unit, byte_range_detail::rounding::nearest) + " left)";
    }
    return text;
}

}  // namespace hbm::imported
