#pragma once

/// Sizes, times and failures as text, as the TPU runtime prints them.

#include <hbm/core/result.hpp>
#include <hbm/explain/status.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hbm {

/// Returns `bytes` as the runtime prints sizes: `512B`, `4.0K`, `147.64M`, `29.49G`.
/// Binary units, K with 1 decimal, larger units with 2. Only the last division rounds; the others truncate.
[[nodiscard]] inline std::string size_in_words(std::uint64_t bytes) {
    if (bytes < 1024) return std::to_string(bytes) + "B";
    const char* unit = "KMGTPE";
    for (; bytes >= 1024 * 1024; bytes /= 1024) ++unit;
    const unsigned decimals = *unit == 'K' ? 1 : 2;
    const std::uint64_t scaled = bytes * (decimals == 1 ? 10 : 100);
    std::uint64_t digits = scaled / 1024;
    if (scaled % 1024 > 512 || (scaled % 1024 == 512 && digits % 2 == 1)) ++digits;  // ties to even, as printf has it
    // Built from the front: g++ 12 warns falsely of overlapping copies in `insert` (GCC bug 105651).
    const std::string all = std::to_string(digits);
    std::string text;
    for (std::size_t at = 0; at < all.size(); ++at) {
        if (at == all.size() - decimals) text += '.';
        text += all[at];
    }
    text += *unit;
    return text;
}

/// Returns the parts as a list: `a`, `a and b`, `a, b and c`.
[[nodiscard]] inline std::string list_in_words(const std::vector<std::string>& parts) {
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i)
        text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
    return text;
}

/// Returns a number with a comma after every three digits: `6,532,939,776`.
[[nodiscard]] inline std::string grouped_digits(std::uint64_t number) {
    const std::string all = std::to_string(number);
    std::string text;
    for (std::size_t at = 0; at < all.size(); ++at) {
        if (at != 0 && (all.size() - at) % 3 == 0) text += ',';
        text += all[at];
    }
    return text;
}

/// Returns a count and its noun: `1 run`, `1,234 runs`. The plural ends in s unless `plural` is given.
[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view noun, std::string_view plural = {}) {
    std::string text = grouped_digits(count) + ' ';
    if (count == 1 || plural.empty()) text += noun;
    if (count != 1) text += plural.empty() ? std::string_view("s") : plural;
    return text;
}

namespace detail {

/// Returns the hundredths of a number of millionths: `.25`, `.5`; "" if they are 0.
[[nodiscard]] inline std::string hundredths_in_words(std::uint64_t millionths) {
    const std::uint64_t hundredths = millionths / 10'000 % 100;
    std::string text;
    if (hundredths == 0) return text;
    text += '.';
    text += static_cast<char>('0' + hundredths / 10);
    if (hundredths % 10 != 0) text += static_cast<char>('0' + hundredths % 10);
    return text;
}

}  // namespace detail

/// Returns millionths of a byte as text: `1.20M`, `12.5B`, `0.04B`. The largest number means "or more".
[[nodiscard]] inline std::string rate_in_words(std::uint64_t micro_bytes) {
    if (micro_bytes == ~std::uint64_t{0}) return "more than " + size_in_words(micro_bytes / 1'000'000);
    if (micro_bytes < 10'000) return "less than 0.01B";
    const std::uint64_t bytes = micro_bytes / 1'000'000;
    if (bytes >= 1024) return size_in_words(bytes);
    return std::to_string(bytes) + detail::hundredths_in_words(micro_bytes) + "B";
}

/// Returns a time in a suitable unit: `850 ns`, `2.3 us`, `412 us`, `3.1 ms`, `12.0 s`; truncated, not rounded.
[[nodiscard]] inline std::string time_in_words(std::uint64_t nanoseconds) {
    if (nanoseconds < 1000) return std::to_string(nanoseconds) + " ns";
    const char* const units[] = {"us", "ms", "s"};
    std::size_t unit = 0;
    std::uint64_t thousandths = nanoseconds;
    for (; thousandths >= 1'000'000 && unit < 2; ++unit) thousandths /= 1000;
    std::string text = std::to_string(thousandths / 1000);
    if (thousandths < 100'000) {
        text += '.';
        text += static_cast<char>('0' + thousandths % 1000 / 100);
    }
    return text + " " + units[unit];
}

/// The memory of a chip in a slice: coordinates of the chip and index of the memory on it, printed `0x0x1_HBM0`.
struct chip {
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    std::uint32_t z = 0;
    std::uint32_t hbm = 0;

    friend constexpr bool operator==(const chip&, const chip&) = default;
};

/// The place of a failure, as far as the caller knows it.
struct failure_place {
    chip at = {};
    std::uint32_t replica = no_index;    ///< replica that failed, if there are several
    std::uint32_t partition = no_index;  ///< partition that failed; a message has both or neither

    friend constexpr bool operator==(const failure_place&, const failure_place&) = default;
};

[[nodiscard]] inline std::string chip_in_words(const chip& at) {
    return std::to_string(at.x) + "x" + std::to_string(at.y) + "x" + std::to_string(at.z) + "_HBM" +
           std::to_string(at.hbm);
}

namespace detail {

[[nodiscard]] inline std::string attempt_in_words(const failure& why) {
    std::string text = "Attempting to allocate " + size_in_words(why.requested) +
                       ". That was not possible. There are " + size_in_words(why.free) + " free.";
    // The runtime mentions fragmentation only if enough bytes are free.
    // If a free run is long enough, and only alignment or a placement rule is in the way, its wording is unknown.
    if (why.free >= why.requested && why.largest_free < why.requested)
        text += " The largest contiguous region of free memory is " + size_in_words(why.largest_free) +
                " due to fragmentation.";
    return text;
}

[[nodiscard]] inline std::string reservation_in_words(const failure& why) {
    return "Attempting to reserve " + size_in_words(why.requested) +
           " at the bottom of memory. That was not possible. There are " + size_in_words(why.free) + " free, " +
           size_in_words(why.reserved) + " reserved, and " + size_in_words(why.reservable) + " reservable.";
}

[[nodiscard]] inline std::string load_in_words(const failure& why, std::string_view name, const failure_place& where) {
    std::string text = "Error loading program '" + std::string(name) + "': ";
    text += why.reason == error::scratch_does_not_fit && why.at_the_bottom ? reservation_in_words(why)
                                                                           : attempt_in_words(why);
    if (where.replica != no_index && where.partition != no_index)
        text += " Scope: unknown..: while running replica " + std::to_string(where.replica) + " and partition " +
                std::to_string(where.partition) +
                " of a replicated computation (other replicas may have failed as well).";
    return text;
}

/// Returns the message of a failure without its status. The texts about arguments are our own.
[[nodiscard]] inline std::string failure_in_words(const failure& why, std::string_view name,
                                                  const failure_place& where) {
    const bool of_argument = why.argument != no_index;
    const std::string argument = "argument " + std::to_string(why.argument);
    const std::string first_use = "argument " + std::to_string(why.first_use);
    switch (why.reason) {
    case error::none:
        break;
    case error::buffer_does_not_fit:
        return "Error allocating device buffer: " + attempt_in_words(why) + "; (" + chip_in_words(where.at) + ")";
    case error::code_does_not_fit:
    case error::scratch_does_not_fit:
        return load_in_words(why, name, where);
    case error::range_is_taken:
        return "the range to be taken is not free, or reaches beyond the memory";
    case error::size_too_large:
        if (why.alignment > why.requested)
            return "an alignment of " + std::to_string(why.alignment) +
                   " bytes is more quanta than the manager's placement can count";
        return std::to_string(why.requested) +
               " bytes are more quanta than the manager's placement can count; a placement of 64 bits counts further";
    case error::bad_alignment:
        return "an alignment is a power of two, an imported range is made of whole quanta";
    case error::negative_size:
        return "the size is negative";
    case error::bad_quantum:
        return "the quantum of the memory is no power of two";
    case error::bounce_too_large:
        return "the bounce region of the memory is larger than what is reserved at the top";
    case error::too_many_quanta:
        return "the memory has more quanta than the placement can count: take a placement with quanta of 64 bits, such "
               "as hbm::basic_best_fit<std::uint64_t> in place of hbm::best_fit, or a larger quantum";
    case error::top_too_large:
        return "more is reserved at the top of memory than its capacity has";
    case error::no_devices:
        return "the mesh has no devices: its shape has none, or it was given another number of them";
    case error::wrong_shares:
        return (of_argument ? "output " + std::to_string(why.argument) : std::string("the buffer")) +
               " has not as many shares as the mesh has devices";
    case error::stale_handle:
        if (of_argument) return argument + " is gone: it was freed, or donated to an earlier run";
        return "the buffer or program is gone: it was freed, donated or unloaded";
    case error::foreign_handle:
        return (of_argument ? argument : std::string("the handle")) + " was given out by another manager";
    case error::wrong_kind:
        return (of_argument ? argument : std::string("the handle")) + " does not name a buffer";
    case error::not_pinned:
        return "the buffer is not pinned";
    case error::too_many_pins:
        return "the buffer is pinned too often";
    case error::donated_twice:
        return argument + " is donated again; it was donated as " + first_use;
    case error::donated_and_used:
        return argument + " is donated but also used as " + first_use;
    case error::bad_argument:
        return (of_argument ? "output " + std::to_string(why.argument) + " is to take over" : "the run keeps") +
               " donated argument " + (why.first_use == no_index ? "(none)" : std::to_string(why.first_use)) +
               ", which the run does not have";
    case error::kept_twice:
        return argument + " is kept twice";
    case error::donor_is_referenced:
        return argument + " is donated but has a reference from outside";
    case error::alias_not_donated:
        return "output " + std::to_string(why.argument) + " must take over " + first_use + ", which the call keeps";
    case error::alias_twice:
        return "output " + std::to_string(why.argument) + " must take over " + first_use +
               ", which another output is bound to";
    case error::alias_never_taken:
        return "output " + std::to_string(why.argument) + " must take over " + first_use +
               ", but the manager's donation policy lets no input be taken over";
    case error::alias_of_other_size:
        return "output " + std::to_string(why.argument) + " must take over " + first_use +
               ", which has another size on the device";
    case error::unknown_fence:
        return "the fence was not given out by this manager";
    case error::device_failed:
        return "a copy on the device failed; what had moved before stays moved and nothing is lost";
    }
    return {};
}

}  // namespace detail

/// Returns the message that a user of the runtime would see. `name` is that of the program, if a program failed.
/// The texts for requests that do not fit are the runtime's, from the XLA documentation and public reports.
/// Arguments are counted from 0, inputs first.
[[nodiscard]] inline std::string message(const failure& why, std::string_view name = {},
                                         const failure_place& where = {}) {
    const std::string words = detail::failure_in_words(why, name, where);
    const std::string code = status_name(status_of(why.reason));
    return words.empty() ? code : code + ": " + words;
}

}  // namespace hbm
