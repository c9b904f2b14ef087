#pragma once

/// Near-optimal packings of hundreds of thousands of blocks. Packs the large blocks first and improves them by local
/// search while they are few; then lays smaller and smaller blocks into the gaps and continues the search.

#include <hbm/core/bisect.hpp>
#include <hbm/core/heap_sort.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/pack/block.hpp>
#include <hbm/pack/greedy.hpp>
#include <hbm/pack/local_search.hpp>
#include <hbm/pack/sections.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace hbm::inline v0::pack::detail {

/// Returns true if a block lives for more than an eighth of all time. Such blocks are packed with the large ones.
[[nodiscard]] constexpr bool is_long(const section_range& life, const sections& cut) noexcept {
    return life.last - life.first > cut.count / 8;
}

/// Returns the peak of live bytes of the blocks of up to `size` bytes.
[[nodiscard]] constexpr std::uint64_t peak_of_small(std::span<const block> blocks, const sections& cut,
                                                    std::uint64_t size) {
    std::uint64_t peak = 0;
    for (const std::uint64_t live : live_bytes(blocks, cut, [&](std::uint32_t which) {
             return blocks[which].bytes <= size && !is_long(cut.lives[which], cut);
         }))
        if (live > peak) peak = live;
    return peak;
}

/// Returns the largest size for which the blocks of up to that size never have more than `share` bytes in total, or 0.
[[nodiscard]] constexpr std::uint64_t small_size(std::span<const block> blocks, const sections& cut,
                                                 const trivial_vector<std::uint64_t>& sizes, std::uint64_t share) {
    // The peak rises with the size, so the size is found by halves.
    const std::size_t fitting = *least_enough(sizes.size(), [&](std::size_t at) {
        return at == sizes.size() || peak_of_small(blocks, cut, sizes[at]) > share;
    });
    return fitting == 0 ? 0 : sizes[fitting - 1];
}

/// Returns the distinct sizes of blocks in ascending order.
[[nodiscard]] constexpr trivial_vector<std::uint64_t> sizes_of(std::span<const block> blocks) {
    trivial_vector<std::uint64_t> all;
    for (const block& item : blocks)
        if (takes_room(item)) all.push_back(item.bytes);
    heap_sort(all, [](std::uint64_t a, std::uint64_t b) { return a < b; });
    trivial_vector<std::uint64_t> sizes;
    for (const std::uint64_t size : all)
        if (sizes.empty() || sizes.back() != size) sizes.push_back(size);
    return sizes;
}

/// A subset of the blocks of a problem, in its sections.
struct some_blocks {
    trivial_vector<block> blocks;
    trivial_vector<std::uint32_t> names;  ///< number of each block in the problem
    sections cut;
};
/// Returns the blocks of more than `size` bytes, those with long lives, and those with a given offset.
[[nodiscard]] constexpr some_blocks larger_than(std::uint64_t size, std::span<const block> blocks,
                                                const sections& cut) {
    some_blocks subset;
    subset.cut.count = cut.count;
    for (std::uint32_t which = 0; which < blocks.size(); ++which) {
        if (!takes_room(blocks[which])) continue;
        if (blocks[which].bytes <= size && blocks[which].offset == anywhere && !is_long(cut.lives[which], cut))
            continue;
        subset.blocks.push_back(blocks[which]);
        subset.names.push_back(which);
        subset.cut.lives.push_back(cut.lives[which]);
    }
    return subset;
}

/// Returns the best greedy packing, or the first that ends at `target`; empty if a block cannot lie anywhere.
[[nodiscard]] constexpr packing best_greedy(std::span<const block> blocks, const sections& cut, std::uint64_t target,
                                            std::uint64_t& looks) {
    packing best;
    for (const greedy_order order :
         {greedy_order::size, greedy_order::stay, greedy_order::area, greedy_order::duration}) {
        packing trial = pack_by_priority(blocks, cut, priorities_of(blocks, order), looks);
        if (!trial.offsets.empty() && (best.offsets.empty() || trial.bytes < best.bytes)) best = trial;
        if (!best.offsets.empty() && best.bytes <= target) break;
    }
    return best;
}

/// Packs `blocks`, which live in the sections `cut`, until the packing ends at `enough`, or `looks_left` placed blocks
/// were visited; subtracts the visits from `looks_left`. Blocks that end above `target` are laid earlier the next time.
/// The result is never worse than `start`, a packing of these blocks. If interrupted, returns the best so far.
/// Requires: the peak of live bytes <= `target` <= `enough`.
[[nodiscard]] constexpr packing pack_near_optimally(std::span<const block> blocks, const sections& cut,
                                                    const packing& start, std::uint64_t target, std::uint64_t enough,
                                                    std::uint64_t& looks_left, interruption early = {}) {
    // From coarse to fine: first the blocks that matter for the height, of which there are few, improved by local
    // search; then smaller ones, whose share of the memory is a quarter each time. What was laid stays while smaller
    // blocks are laid between, and is free again in the local search that follows. With the last divisor all blocks are
    // there.
    const auto take = [&](std::uint64_t looks) { looks_left -= looks < looks_left ? looks : looks_left; };
    const trivial_vector<std::uint64_t> sizes = sizes_of(blocks);
    const std::uint64_t nearly = target + target / 1024 < enough ? target + target / 1024 : enough;
    packing result;  // packing of the blocks of more than `size` bytes
    std::uint64_t size = ~std::uint64_t{0};
    // Small blocks with a thousandth of the memory fit into gaps; those with a tenth do not.
    for (const std::uint64_t divisor : {64U, 256U, 1024U, 0U}) {
        if (early.is_wished()) return start;
        const std::uint64_t small = divisor == 0 ? 0 : small_size(blocks, cut, sizes, target / divisor);
        if (small == size) continue;
        const some_blocks large = larger_than(small, blocks, cut);
        if (large.blocks.empty()) continue;
        std::uint64_t looks = 0;
        packing trial;
        if (result.offsets.empty()) {
            // Long lives lie together, so that all windows of time see the same room above them.
            trial = pack_by_priority(large.blocks, large.cut, priorities_of(large.blocks, greedy_order::stay), looks);
        } else {
            trivial_vector<block> fixed = large.blocks;
            for (std::size_t at = 0; at < fixed.size(); ++at)
                if (fixed[at].bytes > size || is_long(large.cut.lives[at], cut))
                    fixed[at].offset = result.offsets[large.names[at]];
            trial = pack_by_priority(fixed, large.cut, priorities_of(fixed, greedy_order::size), looks);
        }
        take(looks);
        if (trial.offsets.empty()) return start;
        // The greedy packing may be better than what has come of the levels: then the last search begins from that.
        if (small == 0 && start.bytes < trial.bytes) {
            for (std::size_t at = 0; at < large.names.size(); ++at) trial.offsets[at] = start.offsets[large.names[at]];
            trial.bytes = start.bytes;
        }
        local_search(large.blocks, large.cut, trial, early).lower(target, small == 0 ? enough : nearly, looks_left);
        result.offsets.resize(blocks.size(), 0);
        for (std::size_t at = 0; at < large.names.size(); ++at) result.offsets[large.names[at]] = trial.offsets[at];
        result.bytes = trial.bytes;
        size = small;
    }
    return result.offsets.empty() || start.bytes <= result.bytes ? start : result;
}

}  // namespace hbm::inline v0::pack::detail
