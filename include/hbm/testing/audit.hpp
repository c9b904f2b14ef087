#pragma once

/// Recounts what a placement or a manager says about its blocks.

#include <hbm/blocks/live_blocks.hpp>

#include <cstdint>
#include <vector>

namespace hbm::testing {

/// All blocks and holes in address order, as `blocks_and_holes()` shows them; in bytes, or in quanta where a placement
/// is looked at.
using snapshot = std::vector<block_view>;

/// The sums that go with a snapshot, in its unit.
struct claimed_sums {
    std::uint64_t capacity = 0;
    std::uint64_t free = 0;
    std::uint64_t live = 0;
    std::uint64_t largest_free = 0;
};

/// Null, or the rule that the blocks break: they tile `[0, capacity)`, touch no other hole where `holes_merge`, are
/// multiples of `quantum`, and add up to what is claimed. O(blocks).
[[nodiscard]] constexpr const char* audit_blocks(const snapshot& blocks, const claimed_sums& claimed,
                                                 std::uint64_t quantum, bool holes_merge) noexcept {
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

/// True when a free run of the snapshot holds `size` at a multiple of `alignment`, a power of two. O(blocks).
[[nodiscard]] constexpr bool some_run_holds(const snapshot& blocks, std::uint64_t size,
                                            std::uint64_t alignment) noexcept {
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

/// True when all of `range` is free, but for blocks that begin where `except` begins. O(blocks).
[[nodiscard]] constexpr bool is_free(const snapshot& blocks, extent range,
                                     std::uint64_t except = ~std::uint64_t{0}) noexcept {
    for (const block_view& block : blocks)
        if (block.kind != block_kind::hole && block.where.offset != except && block.where.offset < range.end() &&
            range.offset < block.where.end())
            return false;
    return true;
}

}  // namespace hbm::testing
