#pragma once

/// Robson's sequence: an attack on every placement that does not move blocks.

#include <hbm/blocks/block_map.hpp>
#include <hbm/placement/placement.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "compare/generate/adversaries/memory_under_attack.hpp"

namespace hbm::testing {

/// Returns the quanta that sizes of powers of two up to `largest` can force from every placement that does not move
/// blocks. With at most `live` quanta live, it is live * (log2(largest) / 2 + 1) - largest + 1. See Robson, Bounds for
/// some functions concerning dynamic storage allocation, JACM 21, 1974. An optimal placement needs no more for such
/// sizes. Requires: `largest` is a power of two, `live` a multiple of twice that.
/// Cost: O(1).
[[nodiscard]] constexpr std::uint64_t robson_bound(std::uint64_t live, std::uint64_t largest) noexcept {
    const auto doublings = static_cast<std::uint64_t>(std::countr_zero(largest));
    return live + live * doublings / 2 - largest + 1;
}

/// Returns true if a block has a quantum at an offset that is `place` modulo `period`. Cost: O(1).
[[nodiscard]] constexpr bool occupies(const attacked_block& block, std::uint64_t place, std::uint64_t period) noexcept {
    return (place + period - block.offset % period) % period < block.size;
}

/// Requests blocks of a size as long as the budget lasts. Cost: O(budget / size) requests.
template <placement P>
constexpr void fill(memory_under_attack<P>& memory, std::uint64_t size) {
    while (memory.affords(size)) memory.allocate(size);
}

/// Runs Robson's sequence (1974; here after Cohen and Petrank, Limitations of partial compaction, PLDI 2013). Blocks of
/// one quantum fill the memory. Then the period doubles each time. Of two places in the period the adversary takes the
/// one whose blocks leave more room in their periods. It frees all others, and fills free quanta again with blocks as
/// long as the period. Blocks that are live before count as all others. Drives every placement that does not move to at
/// least `robson_bound`.
/// Cost: O(live log largest) requests.
template <placement P>
constexpr void run_robson_sequence(memory_under_attack<P>& memory, std::uint64_t largest) {
    fill(memory, 1);
    std::uint64_t place = 0;
    for (std::uint64_t period = 2; period <= largest; period *= 2) {
        const std::vector<std::size_t> live = memory.live_blocks();
        const auto room_at = [&](std::uint64_t at) {
            std::uint64_t room = 0;
            for (const std::size_t block : live)
                if (occupies(memory[block], at, period)) room += period - std::min(period, memory[block].size);
            return room;
        };
        if (room_at(place + period / 2) > room_at(place)) place += period / 2;
        for (const std::size_t block : live)
            if (!occupies(memory[block], place, period)) memory.free(block);
        fill(memory, period);
    }
}

}  // namespace hbm::testing
