#pragma once

#include <hbm/blocks/live_blocks.hpp>

#include <cstdint>
#include <vector>

namespace hbm::inline v0::testing {

/// All blocks and holes in address order, in bytes; of a placement in quanta. See `blocks_and_holes()`.
using snapshot = std::vector<block_view>;

struct claimed_sums {
    std::uint64_t capacity = 0;
    std::uint64_t free = 0;
    std::uint64_t live = 0;
    std::uint64_t largest_free = 0;
};

/// Returns null, or the broken rule: tiling of `[0, capacity)` by `quantum`, claimed sums, no holes that touch.
[[nodiscard]] constexpr const char* audit_blocks(const snapshot& blocks, const claimed_sums& claimed,
                                                 std::uint64_t quantum, bool holes_merge) noexcept {
    // Recounts everything from the list alone. Free runs are measured across holes that touch, because some placements
    // do not merge them.
    std::uint64_t end = 0;
    std::uint64_t free = 0;
    std::uint64_t live = 0;
    std::uint64_t run = 0;
    std::uint64_t longest = 0;
    for (const block_view& block : blocks) {
        const bool hole = block.kind == block_kind::hole;
        if (block.where.offset != end) return "the blocks leave a gap or overlap";
        if (block.where.size == 0) return "a block is empty";
        if (block.where.size % quantum != 0) return "a block is not a multiple of the quantum";
        if (block.where.size > claimed.capacity - end) return "a block ends beyond the capacity";
        if (hole && run != 0 && holes_merge) return "two holes touch";
        if (!hole && (block.granted == 0 || block.granted > block.where.size))
            return "a block is smaller than what was granted";
        end += block.where.size;
        run = hole ? run + block.where.size : 0;
        if (run > longest) longest = run;
        (hole ? free : live) += hole ? block.where.size : block.granted;
    }
    if (end != claimed.capacity) return "the blocks do not reach the capacity";
    if (free != claimed.free) return "the free sum is wrong";
    if (live != claimed.live) return "the live sum is wrong";
    if (longest != claimed.largest_free) return "the longest free run is wrong";
    return nullptr;
}

/// Returns true if a free run holds `size` at a multiple of `alignment`, a power of two.
[[nodiscard]] constexpr bool some_run_holds(const snapshot& blocks, std::uint64_t size,
                                            std::uint64_t alignment) noexcept {
    // Holes that touch are one run. In a run the first aligned address is the best: what comes later leaves less behind
    // it.
    std::uint64_t begin = 0;
    std::uint64_t run = 0;
    for (const block_view& block : blocks) {
        if (block.kind != block_kind::hole) {
            run = 0;
            continue;
        }
        if (run == 0) begin = block.where.offset;
        run += block.where.size;
        const std::uint64_t skipped = (alignment - begin % alignment) % alignment;
        if (skipped <= run && run - skipped >= size) return true;
    }
    return false;
}

/// Returns true if `range` is free, except for the block that begins at `except`.
[[nodiscard]] constexpr bool is_free(const snapshot& blocks, extent range,
                                     std::uint64_t except = ~std::uint64_t{0}) noexcept {
    for (const block_view& block : blocks)
        if (block.kind != block_kind::hole && block.where.offset != except && block.where.overlaps(range)) return false;
    return true;
}

}  // namespace hbm::inline v0::testing
