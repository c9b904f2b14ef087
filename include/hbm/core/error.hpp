#pragma once

#include <hbm/core/language.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// The reason why a call failed.
enum class error : std::uint8_t {
    none,
    buffer_does_not_fit,   ///< a buffer, or a program's output, cannot be placed
    code_does_not_fit,     ///< the code and constants of a program cannot be placed
    scratch_does_not_fit,  ///< the scratch of a program cannot be placed, or reserved at the bottom
    range_is_taken,        ///< an import at a given offset overlaps a block or the end of memory
    size_too_large,        ///< the request is not representable in 64 bits or in the width of the quanta
    negative_size,         ///< a size is below zero
    bad_alignment,         ///< the alignment is not a power of two
    bad_quantum,           ///< the quantum of a memory is not a power of two
    bounce_too_large,      ///< the bounce region is larger than `top_reserved`
    too_many_quanta,       ///< a memory has more quanta than the placement can count
    top_too_large,         ///< `top_reserved` exceeds the capacity
    no_devices,            ///< a mesh without devices, or whose shape does not match the number of specs
    wrong_shares,          ///< the number of shares differs from the number of devices of the mesh
    stale_handle,          ///< the handle's block or program is gone: freed, donated or unloaded
    foreign_handle,        ///< the handle belongs to an unrelated manager
    wrong_kind,            ///< the block is not of the kind that the call takes
    not_pinned,            ///< unpin of a buffer without a pin
    too_many_pins,         ///< the pin count of a buffer overflows
    donated_twice,         ///< a call donates a buffer twice
    donated_and_used,      ///< a call donates a buffer that is also its input
    bad_argument,          ///< an index of a run does not refer to a donated argument
    kept_twice,            ///< a run keeps a donated argument twice
    donor_is_referenced,   ///< a donated buffer is pinned: it has an external reference
    alias_not_donated,     ///< an output must alias an input that the call does not donate
    alias_twice,           ///< an output must alias an input that another output is bound to
    alias_never_taken,     ///< an output must alias an input, but the donation policy never aliases
    alias_of_other_size,   ///< an output must alias an input of another size on the device
    unknown_fence,         ///< the manager has not issued a fence of this number
    device_failed,         ///< a copy on the device failed; completed moves stay, an interrupted move is pending
};

/// Returns the name of an error as in the source: `buffer_does_not_fit`; `unknown` for a number that is none.
[[nodiscard]] constexpr const char* error_name(error why) noexcept {
    constexpr const char* names[] = {
        "none",
        "buffer_does_not_fit",
        "code_does_not_fit",
        "scratch_does_not_fit",
        "range_is_taken",
        "size_too_large",
        "negative_size",
        "bad_alignment",
        "bad_quantum",
        "bounce_too_large",
        "too_many_quanta",
        "top_too_large",
        "no_devices",
        "wrong_shares",
        "stale_handle",
        "foreign_handle",
        "wrong_kind",
        "not_pinned",
        "too_many_pins",
        "donated_twice",
        "donated_and_used",
        "bad_argument",
        "kept_twice",
        "donor_is_referenced",
        "alias_not_donated",
        "alias_twice",
        "alias_never_taken",
        "alias_of_other_size",
        "unknown_fence",
        "device_failed",
    };
    static_assert(sizeof names / sizeof *names == static_cast<std::size_t>(error::device_failed) + 1,
                  "every error has a name, in the order of the enumeration");
    const auto at = static_cast<std::size_t>(why);
    return at < sizeof names / sizeof *names ? names[at] : "unknown";
}

}  // namespace hbm::inline v0
