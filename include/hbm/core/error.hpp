#pragma once

/// Why calls fail.

#include <hbm/core/language.hpp>

#include <cstdint>

namespace hbm {

/// Why a call failed.
enum class error : std::uint8_t {
    none,
    buffer_does_not_fit,   ///< a buffer, or a program's output, cannot be placed
    code_does_not_fit,     ///< a program's code and constants cannot be placed
    scratch_does_not_fit,  ///< a program's scratch cannot be placed or reserved at the bottom
    range_is_taken,        ///< an import at a given offset meets a block, or the end of memory
    size_too_large,        ///< the request exceeds what 64 bits or the width of the quanta can express
    negative_size,         ///< a size below zero was asked for
    bad_alignment,         ///< the alignment is not a power of two
    bad_quantum,           ///< the quantum of a memory is no power of two
    bounce_too_large,      ///< the bounce region of a memory is larger than what is reserved at the top
    too_many_quanta,       ///< a memory has more quanta than the placement can count
    top_too_large,         ///< more is reserved at the top than the capacity has
    no_devices,            ///< a mesh has no devices: its shape has none, or not as many as specs were given
    wrong_shares,          ///< a mesh is asked for more or fewer shares of something than it has devices
    stale_handle,          ///< the handle's block or program is gone: freed, donated or unloaded
    foreign_handle,        ///< the handle was given out by an unrelated manager
    wrong_kind,            ///< the handle's block is not of the kind that the call is for
    not_pinned,            ///< an unpin of a buffer that has no pin
    too_many_pins,         ///< the pins of one buffer exceed what can be counted
    donated_twice,         ///< a call donates the same buffer twice
    donated_and_used,      ///< a call donates a buffer that is also its input
    bad_argument,          ///< an index of a run is not that of a donated argument
    kept_twice,            ///< a run keeps the same donated argument twice
    donor_is_referenced,   ///< a donated buffer is pinned: it has a reference from outside
    alias_not_donated,     ///< an output must take over an input that is not donated: the call keeps it
    alias_twice,           ///< an output must take over an input that another output is bound to
    alias_never_taken,     ///< an output must take over an input, but the donation policy takes none over
    alias_of_other_size,   ///< an output must take over an input of another size on the device
    unknown_fence,         ///< the fence was not given out by this manager
    device_failed,         ///< a copy on the device failed. Nothing is lost: what had moved before stays moved, and
                           ///< a move that stopped in the middle is pending
};

}  // namespace hbm
