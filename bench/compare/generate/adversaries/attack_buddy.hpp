#pragma once

/// A bad case of the buddy system: Robson's sequence again and again above what it has reached.

#include <hbm/blocks/block_map.hpp>
#include <hbm/placement/placement.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "compare/generate/adversaries/memory_under_attack.hpp"
#include "compare/generate/adversaries/robson_sequence.hpp"

namespace hbm::testing {

/// What `buddy` never exceeds for sizes that are powers of two up to `largest`: the smallest power of two at or above
/// `robson_bound`. It asks for a higher half only when no part of the lower one is free that is long enough, so the
/// lower half is shorter than what Robson's bound gives; but a block in the higher half draws others there, and so up
/// to its end. `largest` is a power of two, `live` a multiple of twice that. O(1).
[[nodiscard]] constexpr std::uint64_t buddy_bound(std::uint64_t live, std::uint64_t largest) noexcept {
    return std::bit_ceil(robson_bound(live, largest));
}

/// Runs Robson's sequence as long as each run needs more memory than the one before; between two runs only the highest
/// block stays, because the smallest free blocks, which buddy takes first, are beside it. Drives `buddy` to 9/10 of
/// `buddy_bound`. O(live log largest) requests a run, O(log) runs.
template <placement P>
constexpr void attack_buddy(memory_under_attack<P>& memory, std::uint64_t largest) {
    for (std::uint64_t before = ~std::uint64_t{0}; memory.needed() != before;) {
        before = memory.needed();
        run_robson_sequence(memory, largest);
        const std::vector<std::size_t> live = memory.live_blocks();
        for (std::size_t at = 0; at + 1 < live.size(); ++at) memory.free(live[at]);
    }
}

}  // namespace hbm::testing
