#pragma once

/// Bad case of the buddy system: repeated runs of Robson's sequence above the end of the last.

#include <hbm/blocks/block_map.hpp>
#include <hbm/placement/placement.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "compare/generate/adversaries/memory_under_attack.hpp"
#include "compare/generate/adversaries/robson_sequence.hpp"

namespace hbm::testing {

/// Returns a bound for `buddy` with sizes that are powers of two up to `largest`: the smallest power of two at or above
/// `robson_bound`. It takes a higher half only if no free part of the lower one is long enough, so Robson's bound
/// limits the lower half. But a block in the higher half attracts others, up to its end. Requires: `largest` is a power
/// of two, `live` a multiple of twice that.
/// Cost: O(1).
[[nodiscard]] constexpr std::uint64_t buddy_bound(std::uint64_t live, std::uint64_t largest) noexcept {
    return std::bit_ceil(robson_bound(live, largest));
}

/// Runs Robson's sequence as long as each run needs more memory than the one before. Between two runs only the highest
/// block stays, because the smallest free blocks, which buddy takes first, are next to it. Drives `buddy` to 9/10 of
/// `buddy_bound`.
/// Cost: O(live log largest) requests a run, O(log) runs.
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
