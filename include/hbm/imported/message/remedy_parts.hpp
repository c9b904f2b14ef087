#pragma once

/// What remedies for several kinds of failures have in common: a smaller request, more devices, donation.

#include <hbm/imported/byte_range.hpp>
#include <hbm/imported/message/shares.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hbm::imported::remedies_detail {

/// Remedies, cheapest first.
struct remedies {
    std::vector<std::string> texts = {};
    bool may_donate = true;  ///< false where a program's file shows that nothing is left to donate
};

inline void add(remedies& all, std::string text) {
    if (!text.empty()) all.texts.push_back(std::move(text));
}
/// Adds a remedy that is a donation.
inline void add_donation(remedies& all, std::string text) {
    if (all.may_donate) add(all, std::move(text));
}

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
[[nodiscard]] inline bool is_out_of_reach(const rounded_size& asked, const rounded_size& room) {
    const std::uint64_t shares = shares_needed(asked.high, room.low);
    return shares == 0 || shares > few_shares;
}

/// What is left of a size that depends on batch or sequence when it has to fit `room`.
[[nodiscard]] inline std::string smaller(const rounded_size& asked, const rounded_size& room, std::string_view what) {
    const std::uint64_t share = per_cent(room.low, asked.high);
    if (in_words(asked) == in_words(room))
        return "Ask for a little less: it is a matter of rounding, and a batch or sequence that is slightly smaller is "
               "enough where " +
               std::string(what) + " grows in step with it.";
    if (share < 10)
        return "A smaller batch or a shorter sequence alone will hardly do: " + std::string(what) +
               " would have to shrink from " + in_words(asked) + " to " + in_words(room) +
               ". But what it needs less does not have to be freed.";
    return "Take a smaller batch or a shorter sequence: where " + std::string(what) + " grows in step with it, " +
           std::to_string(share) + " % of the present one fits (" + in_words(room) + " instead of " + in_words(asked) +
           ").";
}

/// Over how many devices; empty where there would have to be too many. What is `reserved` of the size is needed on each
/// device.
[[nodiscard]] inline std::string spread(const rounded_size& asked, const rounded_size& room, std::string_view what,
                                        const rounded_size& reserved = {}) {
    using byte_range_detail::less;
    const std::uint64_t devices = shares_needed(less(asked.high, reserved.low), less(room.low, reserved.high));
    if (devices <= 1 || devices > most_devices) return {};
    const std::string begin =
        "Spread " + std::string(what) + " over more devices (sharding). At best, if everything divides";
    const std::uint64_t share = saturating_add(less(asked.bytes, reserved.bytes) / devices, reserved.bytes);
    const unsigned unit = range_of(asked).unit;
    const std::string each = unit > range_of(room).unit
                                 ? "each share fits into "
                                 : "each needs " +
                                       byte_range_detail::in_unit(share, unit, byte_range_detail::rounding::nearest) +
                                       ", which fits into ";
    return begin + ": over " + grouped_digits(devices) + ", " + each + in_words(room) + ".";
}

/// What a restart leaves, with the full stop; a warning where rounding hides whether it leaves anything.
[[nodiscard]] inline std::string left_over(const byte_range& spare) {
    return in_words(spare) + " would be left over" +
           (spare.low == 0 ? ": next to nothing, so begin with less in memory than before." : ".");
}

}  // namespace hbm::imported::remedies_detail
