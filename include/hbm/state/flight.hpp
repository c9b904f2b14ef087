#pragma once

/// What takes time: runs that are not over yet, and frees that wait for something.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/handle.hpp>

#include <cstdint>

namespace hbm {

/// A run that the device may not have finished. Its program's code, its arguments and outputs are walls until its fence
/// is reached.
struct flight {
    fence over;                     ///< reached when it is
    std::uint32_t slot = no_index;  ///< of the program
    std::uint32_t holds = 0;        ///< how many blocks it holds
    std::uint64_t nanoseconds = 0;  ///< what it takes: the price of waiting for it when those before it are over;
                                    ///< how much of it has passed is not known

    friend constexpr bool operator==(const flight&, const flight&) = default;
};

/// A buffer whose user is done with it while it is still in use: its memory returns when no run holds it and `until` is
/// reached.
struct deferred_free {
    block_index block = no_block;
    fence until;

    friend constexpr bool operator==(const deferred_free&, const deferred_free&) = default;
};

}  // namespace hbm
