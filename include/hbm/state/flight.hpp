#pragma once

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/handle.hpp>

#include <cstdint>

namespace hbm::inline v0 {

/// A run in flight, which the device may not have finished. Its code, arguments and outputs are walls until then.
/// Work that `issue` began is a flight, too, and holds nothing.
struct flight {
    fence over;                     ///< reached when the run is over
    std::uint32_t slot = no_index;  ///< slot of the program; `no_index` for work that is no run
    std::uint32_t holds = 0;        ///< count of blocks held by the run
    std::uint64_t nanoseconds = 0;  ///< from the latest end of earlier flights to its own: the price of a wait

    friend constexpr bool operator==(const flight&, const flight&) = default;
};

/// A buffer that was freed while in use. Its memory returns when no run holds it and `until` is reached.
struct deferred_free {
    block_index block = no_block;
    fence until;

    friend constexpr bool operator==(const deferred_free&, const deferred_free&) = default;
};

}  // namespace hbm::inline v0
