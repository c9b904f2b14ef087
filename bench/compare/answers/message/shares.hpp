#pragma once

/// Shares, factors and devices: the numbers in what is advised.

#include <algorithm>
#include <cstdint>
#include <string>

#include "compare/text/rounded_size.hpp"

namespace hbm::imported {

__extension__ typedef unsigned __int128 wide;

/// `part` of `whole` in whole per cent, rounded down; 0 of nothing. O(1).
[[nodiscard]] constexpr std::uint64_t per_cent(std::uint64_t part, std::uint64_t whole) noexcept {
    return whole == 0 ? 0 : static_cast<std::uint64_t>(std::min(wide{part} * 100 / whole, wide{1'000'000'000}));
}

/// Into how many equal shares `whole` has to be cut for one of them to be no larger than `room`; 0 if there is no room.
/// O(1).
[[nodiscard]] constexpr std::uint64_t shares_needed(std::uint64_t whole, std::uint64_t room) noexcept {
    return room == 0 ? 0 : whole / room + (whole % room == 0 ? 0 : 1);
}

/// How many times as large `whole` is, in words: `6.2 times`, `41 times`, `257,000,000 times`: rounded down, to three
/// digits where there are more, because a size in a message has no more as a rule. O(1).
[[nodiscard]] std::string times_in_words(std::uint64_t whole, std::uint64_t part);

/// TPU generations with memory for `needed`, and what each leaves: `TPU v4 (30.75G, 1.26G left)`. At most three,
/// smallest first, all larger than `more_than` bytes; empty if there is none. O(generations^2).
[[nodiscard]] std::string generations_with(const rounded_size& needed, std::uint64_t more_than = 0);

}  // namespace hbm::imported
