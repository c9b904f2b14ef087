#pragma once
/// Parts common to the remedies for several kinds of failures: a smaller request, more devices, donation.

#include <hbm/core/specs.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/message/message.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported {

/// Remedy: an instruction, and the flag to set if it is one.
struct remedy {
    std::string text = {};
    std::string flag = {};   ///< name of the flag with its dashes; empty without one
    std::string value = {};  ///< value of the flag; empty if the message does not allow one
};

/// Remedies, cheapest first.
struct remedies {
    std::vector<remedy> list = {};
    bool may_donate = true;  ///< false if a program's file shows that no donation is possible
};

/// Adds a remedy, unless its text is empty.
void add(remedies& all, std::string text, std::string flag = {}, std::string value = {});

/// Adds a remedy without numbers.
void add(remedies& all, std::string_view text, std::string flag = {});

/// Adds a remedy that is a donation; `size` replaces `{asked}` in it.
void add_donation(remedies& all, std::string_view text, const std::optional<rounded_size>& size = {});

/// Limit on the shares of a smaller batch, or of some more devices.
inline constexpr std::uint64_t few_shares = 16;

inline constexpr std::uint64_t most_devices = 8192;

/// Returns true if the request exceeds the room by so much that a smaller one alone is not a remedy.
[[nodiscard]] bool is_out_of_reach(const rounded_size& asked, const rounded_size& room);

/// Returns the remedy of a smaller batch or sequence, for a size that depends on it and must fit `room`.
[[nodiscard]] std::string smaller(const rounded_size& asked, const rounded_size& room, std::string_view what);

/// Returns the remedy of more devices; empty if it would take too many. Each device needs the `reserved` part of the
/// size. `has_others`: fewer devices are enough if other arrays are spread, too.
[[nodiscard]] std::string spread(const rounded_size& asked, const rounded_size& room, std::string_view what,
                                 const rounded_size& reserved = {}, bool has_others = false);

/// Returns the remedy of a restart, which leaves `spare` bytes: the first of two sentences, or, if they may be none by
/// rounding, the second.
[[nodiscard]] std::string restart(const std::string_view (&texts)[2], const byte_range& spare);

__extension__ typedef unsigned __int128 wide;

/// Returns `part` of `whole` in whole per cent, rounded down; 0 for an empty whole. Cost: O(1).
[[nodiscard]] constexpr std::uint64_t per_cent(std::uint64_t part, std::uint64_t whole) noexcept {
    return whole == 0 ? 0 : static_cast<std::uint64_t>(std::min(wide{part} * 100 / whole, wide{1'000'000'000}));
}

/// Returns the least number of equal shares of `whole` that are no larger than `room`; 0 if there is no room.
/// Cost: O(1).
[[nodiscard]] constexpr std::uint64_t shares_needed(std::uint64_t whole, std::uint64_t room) noexcept {
    return room == 0 ? 0 : whole / room + (whole % room == 0 ? 0 : 1);
}

/// Returns the ratio of `whole` to `part` in words: `6.2 times`, `41 times`, `257,000,000 times`. It is rounded down,
/// to at most three digits, because a size in a message rarely has more.
/// Cost: O(1).
[[nodiscard]] std::string times_in_words(std::uint64_t whole, std::uint64_t part);

/// Returns the TPU generations with memory for `needed`, and the rest of each: `TPU v4 (30.75G, 1.26G left)`.
/// Smallest first, all larger than `more_than` bytes; empty if there is none.
/// Cost: O(generations^2).
[[nodiscard]] std::string generations_with(const rounded_size& needed, std::uint64_t more_than = 0);

/// Returns a shape without its layout, cut if it is very long: `f32[4,128,128,9,18]`.
[[nodiscard]] std::string without_layout(std::string_view shape);

/// Returns the name of the operation that makes an array, cut from the left; empty if it is not stated.
[[nodiscard]] std::string operation_of(const listed_allocation& entry);

/// Returns a remedy for a single array that takes more than half of the memory; empty if there is none.
[[nodiscard]] std::string large_array_remedy(const memory_message& from);

/// Returns a remedy against padding; empty if no listed array wastes a third of its memory.
[[nodiscard]] std::string padding_remedy(const memory_message& from);

/// Returns a remedy for arrays of 32 bits; empty if none is listed.
[[nodiscard]] std::string narrower_types_remedy(const memory_message& from);

}  // namespace hbm::imported
