#pragma once
/// What remedies for several kinds of failures have in common: a smaller request, more devices, donation.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compare/text/byte_range.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported {

/// Remedies, cheapest first.
struct remedies {
    std::vector<std::string> texts = {};
    bool may_donate = true;  ///< false where a program's file shows that nothing is left to donate
};

void add(remedies& all, std::string text);

/// Adds a remedy that is a donation.
void add_donation(remedies& all, std::string text);

inline const char* const donate =
    "`jax.jit(step, donate_argnums=...)`; an output takes over an input of the same size on the device";

inline const char* const usual_leaks =
    "The usual ones are an old state, results kept in a list from step to step, and a second copy while a checkpoint "
    "is saved or restored: save the weights alone, or part by part.";

inline const char* const check_shape =
    "Check its shape: the last two dimensions are stored as multiples of 128 and 8 (roughly), so a last dimension of 1 "
    "to 127 takes the memory of 128.";

inline const char* const look_for_large_array =
    "Look for a single array that is far too large: a sharding that is missing or not passed on, a broadcast, a "
    "`jax.debug.print` left behind. So much is seldom meant.";

/// Into more shares than this nothing is cut by a smaller batch, or by some more devices.
inline constexpr std::uint64_t few_shares = 16;

inline constexpr std::uint64_t most_devices = 8192;

/// Whether what was asked for is so much larger than the room that making it smaller is no remedy alone.
[[nodiscard]] bool is_out_of_reach(const rounded_size& asked, const rounded_size& room);

/// What is left of a size that depends on batch or sequence when it has to fit `room`.
[[nodiscard]] std::string smaller(const rounded_size& asked, const rounded_size& room, std::string_view what);

/// Over how many devices; empty where there would have to be too many. What is `reserved` of the size is needed on each
/// device.
[[nodiscard]] std::string spread(const rounded_size& asked, const rounded_size& room, std::string_view what,
                                 const rounded_size& reserved = {});

/// What a restart leaves, with the full stop; a warning where rounding hides whether it leaves anything.
[[nodiscard]] std::string left_over(const byte_range& spare);

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
