#pragma once

/// Why calls fail.

#include <cstdint>

namespace hbm {

/// Why a call failed.
enum class error : std::uint8_t {
    none,
    buffer_does_not_fit,   ///< a buffer, or a program's output, cannot be placed
    code_does_not_fit,     ///< a program's code and constants cannot be placed
    scratch_does_not_fit,  ///< a program's scratch cannot be placed or reserved at the bottom
    range_is_taken,        ///< an import at a given offset meets a block, or the end of memory
    size_too_large,        ///< the request exceeds what 64 bits or the width of the quanta can say
    bad_alignment,         ///< not a power of two
    bad_capacity,          ///< the quantum is no power of two, or the capacity exceeds the width of the quanta
    top_too_large,         ///< more is reserved at the top than the capacity has
    no_devices,            ///< a mesh has none: its shape has none, or another number than it was given
    wrong_shares,          ///< a mesh is asked for more or fewer shares of something than it has devices
    stale_handle,          ///< the handle's block or program is gone: freed, donated or unloaded
    foreign_handle,        ///< the handle was given out by an unrelated manager
    wrong_kind,            ///< the handle's block is not of the kind that the call is for
    not_pinned,            ///< unpin without pin
    too_many_pins,         ///< the pins of one buffer exceed what can be counted
    donated_twice,         ///< one buffer is donated twice in one call
    donated_and_used,      ///< one buffer is both donated and used in one call
    bad_argument,          ///< a run names a donated argument that it does not have
    kept_twice,            ///< a run names one donated argument twice among those that it keeps
    donor_is_referenced,   ///< a donated buffer is pinned: it has a reference from outside
    alias_not_donated,     ///< an output must take over an input that is not donated: the call keeps it
    alias_twice,           ///< an output must take over an input that another output is bound to
    alias_never_taken,     ///< an output must take over an input, and the donation policy lets none be taken over
    alias_of_other_size,   ///< an output must take over an input of another size on the device
    unknown_fence,         ///< the fence was not given out by this manager
    device_failed,         ///< a copy on the device failed; what had moved before stays moved, nothing is lost: a
                           ///< move that stopped in the middle is pending
};

}  // namespace hbm
