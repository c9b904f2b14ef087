#pragma once

/// Words for people: sizes and failures as the TPU runtime prints them.

#include <hbm/core/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace hbm {

/// `bytes` as the runtime prints sizes: `512B`, `4.0K`, `147.64M`, `29.49G`; binary units, K with one decimal, larger
/// ones with two. A unit is left only at 1024 times the next, and what is cut off on the way up is not rounded.
[[nodiscard]] inline std::string size_in_words(std::uint64_t bytes) {
    if (bytes < 1024) return std::to_string(bytes) + "B";
    const char* unit = "KMGTPE";
    for (; bytes >= 1024 * 1024; bytes /= 1024) ++unit;
    const unsigned decimals = *unit == 'K' ? 1 : 2;
    const std::uint64_t scaled = bytes * (decimals == 1 ? 10 : 100);
    std::uint64_t digits = scaled / 1024;
    if (scaled % 1024 > 512 || (scaled % 1024 == 512 && digits % 2 == 1)) ++digits;  // ties to even, as printf has it
    std::string text = std::to_string(digits);
    text.insert(text.size() - decimals, ".");
    return text + *unit;
}

/// The message that a user of the runtime would see. `name` is the program's, where a program failed.
[[nodiscard]] inline std::string message(const failure& why, std::string_view name = {}) {
    const auto loading = [&] { return "RESOURCE_EXHAUSTED: Error loading program '" + std::string(name) + "': "; };
    const std::string attempt = "Attempting to allocate " + size_in_words(why.requested) +
                                ". That was not possible. There are " + size_in_words(why.free) + " free.";
    const std::string scattered = why.free < why.requested
                                      ? std::string{}
                                      : " The largest contiguous region of free memory is " +
                                            size_in_words(why.largest_free) + " due to fragmentation.";
    switch (why.reason) {
    case error::none:
        return "OK";
    case error::buffer_does_not_fit:
        return "RESOURCE_EXHAUSTED: Error allocating device buffer: " + attempt + scattered + "; (0x0x0_HBM0)";
    case error::code_does_not_fit:
        return loading() + attempt + scattered;
    case error::scratch_does_not_fit:
        if (!why.at_the_bottom) return loading() + attempt + scattered;
        return loading() + "Attempting to reserve " + size_in_words(why.requested) +
               " at the bottom of memory. That was not possible. There are " + size_in_words(why.free) + " free, " +
               size_in_words(why.reserved) + " reserved, and " + size_in_words(why.reservable) + " reservable.";
    case error::range_is_taken:
        return "INVALID_ARGUMENT: the range to be imported is not free, or reaches beyond the memory";
    case error::size_too_large:
        return "RESOURCE_EXHAUSTED: " + std::to_string(why.requested) +
               " bytes are more than can be counted; no memory is that large";
    case error::bad_alignment:
        return "INVALID_ARGUMENT: an alignment is a power of two, an imported range is made of whole quanta";
    case error::bad_capacity:
        return "INVALID_ARGUMENT: the quantum is no power of two, or the capacity has more quanta than the placement "
               "can count";
    case error::stale_handle:
        return "INVALID_ARGUMENT: the buffer or program is gone: it was freed, donated or unloaded";
    case error::foreign_handle:
        return "INVALID_ARGUMENT: the handle was given out by another manager";
    case error::wrong_kind:
        return "INVALID_ARGUMENT: the handle does not name a buffer";
    case error::not_pinned:
        return "INVALID_ARGUMENT: the buffer is not pinned";
    case error::too_many_pins:
        return "RESOURCE_EXHAUSTED: the buffer is pinned too often";
    case error::donated_twice:
        return "INVALID_ARGUMENT: argument " + std::to_string(why.argument) +
               " is donated again; it was donated as argument " + std::to_string(why.first_use);
    case error::donated_and_used:
        return "INVALID_ARGUMENT: argument " + std::to_string(why.argument) + " is donated but also used as argument " +
               std::to_string(why.first_use);
    case error::bad_argument:
        return "INVALID_ARGUMENT: the run names a donated argument that it does not have";
    case error::donor_is_referenced:
        return "INVALID_ARGUMENT: argument " + std::to_string(why.argument) +
               " is donated but has a reference from outside";
    case error::alias_not_donated:
        return "INVALID_ARGUMENT: output " + std::to_string(why.argument) + " must take over argument " +
               std::to_string(why.first_use) + ", which is not donated";
    case error::alias_of_other_size:
        return "INVALID_ARGUMENT: output " + std::to_string(why.argument) + " must take over argument " +
               std::to_string(why.first_use) + ", which has another size on the device";
    case error::unknown_fence:
        return "INVALID_ARGUMENT: the fence was not given out by this manager";
    case error::device_failed:
        return "INTERNAL: a copy on the device failed; what had moved before stays moved and nothing is lost";
    }
    return "UNKNOWN";
}

}  // namespace hbm
