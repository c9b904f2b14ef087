#pragma once

#include <hbm/adapt/detail/address_failure.hpp>
#include <hbm/adapt/mapped_range.hpp>

#include <cstdint>
#include <string>
#include <system_error>

namespace hbm::inline v0 {

namespace detail {

[[nodiscard]] inline std::string hexadecimal(std::uint64_t number) {
    std::string digits;
    do {
        digits += "0123456789abcdef"[number % 16];
        number /= 16;
    } while (number != 0);
    return "0x" + std::string(digits.rbegin(), digits.rend());
}

/// Returns the failure of a manager in short; see `explain` for details.
[[nodiscard]] inline std::string call_failure_in_words(const address_failure& why) {
    const std::string amount = std::to_string(why.requested) + " bytes ";
    switch (why.reason) {
    case error::buffer_does_not_fit:
        return amount + "do not fit: " + std::to_string(why.free) + " bytes are free, the longest free run has " +
               std::to_string(why.largest_free) + ". hbm::explain(memory.manager(), failure) says what would help.";
    case error::size_too_large: return amount + "are more than any memory of this manager can have.";
    case error::not_pinned: return "The buffer has no pin that could be taken back.";
    case error::too_many_pins: return "The buffer has as many pins as can be counted: unpin it first.";
    case error::device_failed:
        return "The device failed to copy. Nothing is lost: call finish_moves() when it works again.";
    case error::bad_quantum:
        return "The quantum of this memory is not a power of two: nothing can be allocated. Change its memory_spec.";
    case error::top_too_large:
    case error::bounce_too_large:
        return "More is reserved at the top of this memory than it has: nothing can be allocated. Give it another "
               "memory_spec.";
    case error::too_many_quanta:
        return "This memory has more quanta than its placement can count: nothing can be allocated. Take a larger "
               "quantum, or a placement with quanta of 64 bits.";
    default: return "The manager refused the call.";
    }
}

}  // namespace detail

/// Returns a failure as a sentence, with a remedy if there is one.
[[nodiscard]] inline std::string in_words(const address_failure& why) {
    const std::string address = "The address " + detail::hexadecimal(why.address);
    const std::string from = " bytes from " + detail::hexadecimal(why.begin) + " on";
    switch (why.what) {
    case address_error::none: return "Nothing is wrong.";
    case address_error::call_failed: return detail::call_failure_in_words(why);
    case address_error::null_pointer: return "The pointer is null: nothing was allocated there.";
    case address_error::outside:
        return address + " is not in this memory, the " + std::to_string(why.size) + from +
               ": it belongs to somebody else.";
    case address_error::inside_a_buffer:
        return address + " is " + std::to_string(why.address - why.begin) + " bytes inside a live buffer, the " +
               std::to_string(why.size) + from + ": pass the buffer's first address.";
    case address_error::not_live:
        return "No live buffer begins at the address " + detail::hexadecimal(why.address) +
               ": it was freed before, or never given out.";
    case address_error::no_power_of_two:
        return "The alignment " + std::to_string(why.alignment) + " is not a power of two.";
    case address_error::base_is_aligned_to_less:
        return "The alignment " + std::to_string(why.alignment) +
               " is more than this memory can give: its base is a multiple of " +
               std::to_string(why.largest_alignment) +
               " and of no larger power of two. Make it of memory that begins at such a multiple: "
               "address_range::aligned_to, mapped_range::map(bytes, alignment).";
    }
    return "Something is wrong that this version of the library does not know.";
}

[[nodiscard]] inline std::string in_words(const mapping_failure& why) {
    return "Mapping " + std::to_string(why.bytes) + " bytes with the alignment " + std::to_string(why.alignment) +
           " failed: " + std::generic_category().message(why.number) + " (errno " + std::to_string(why.number) + ").";
}

}  // namespace hbm::inline v0
