#pragma once

/// Memory as the search for the cheapest relief sees it: numbers only, apart from any placement.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/bytes.hpp>
#include <hbm/core/memory_spec.hpp>
#include <hbm/search/price.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hbm {

/// A live block. Offset and size in quanta, the price of moving it once, as far as it is long or farther.
struct layout_block {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint64_t alignment = 1;
    std::uint64_t price = 0;
    block_index block = no_block;
    std::uint32_t program = no_index;  ///< in `layout::programs`, where it is of one that may be evicted
    bool movable = false;
    bool gone = false;   ///< its program was evicted
    bool fixed = false;  ///< stays where it is for now

    [[nodiscard]] constexpr std::uint64_t end() const noexcept { return offset + size; }
};

/// A program that may be evicted, or was. Sizes in quanta.
struct evictable_program {
    std::uint32_t slot = no_index;
    std::uint64_t price = 0;    ///< of bringing it back
    std::uint64_t score = 0;    ///< the eviction policy's: decides between equal prices
    std::uint64_t scratch = 0;  ///< its part of the reservation at the bottom
    std::uint64_t size = 0;     ///< of its blocks together
    std::uint32_t blocks = 0;
    bool present = true;
};

/// From one offset up to another, in quanta.
struct range_of_quanta {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
};

/// How the reservation at the bottom follows from the scratch of the programs in memory.
enum class scratch_rule : std::uint8_t { none, largest, sum };

/// All blocks, and what is wanted: a run of `length` at a multiple of `alignment`; where it is `anchored`, all of
/// `[0, length)` for the reservation.
struct layout {
    std::vector<layout_block> blocks;         // by offset; the reservation is none of them
    std::vector<evictable_program> programs;  // that may be evicted
    std::uint64_t capacity = 0;
    std::uint64_t bottom = 0;  ///< the end of the reservation
    std::uint64_t length = 0;
    std::uint64_t alignment = 1;
    bool anchored = false;
    scratch_rule rule = scratch_rule::none;
    std::uint64_t scratch_of_others = 0;  ///< that the programs which stay need: the largest, or the sum
    memory_spec device;                   ///< says what moves cost

    /// The scratch that the programs need which are still in memory. O(programs).
    [[nodiscard]] constexpr std::uint64_t level() const noexcept {
        std::uint64_t needed = scratch_of_others;
        for (const evictable_program& one : programs) {
            if (!one.present) continue;
            if (rule == scratch_rule::sum)
                needed += one.scratch;
            else if (one.scratch > needed)
                needed = one.scratch;
        }
        return needed;
    }

    /// Takes a program out of memory; the reservation falls as far as nobody else needs it. O(blocks).
    constexpr void evict(std::uint32_t who) noexcept {
        programs[who].present = false;
        for (layout_block& one : blocks) one.gone = one.gone || one.program == who;
        lower();
    }
    /// The opposite. O(blocks).
    constexpr void bring_back(std::uint32_t who, std::uint64_t bottom_before, std::uint64_t length_before) noexcept {
        programs[who].present = true;
        for (layout_block& one : blocks)
            if (one.program == who) one.gone = false;
        bottom = bottom_before;
        length = length_before;
    }

    /// Which of `blocks` it is; it is among them. O(log blocks).
    [[nodiscard]] constexpr std::size_t find(block_index block, std::uint64_t offset) const noexcept {
        std::size_t at = first_from(offset);
        while (blocks[at].block != block) ++at;
        return at;
    }
    /// The first of `blocks` that does not begin below an offset. O(log blocks).
    [[nodiscard]] constexpr std::size_t first_from(std::uint64_t offset) const noexcept {
        std::size_t low = 0;
        for (std::size_t high = blocks.size(); low < high;) {
            const std::size_t middle = low + (high - low) / 2;
            if (blocks[middle].offset < offset)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    /// Moves a block, which changes its place among the others. Returns that. O(blocks passed).
    constexpr std::size_t move(std::size_t at, std::uint64_t to) noexcept {
        layout_block moved = blocks[at];
        moved.offset = to;
        for (; at > 0 && blocks[at - 1].offset > to; --at) blocks[at] = blocks[at - 1];
        for (; at + 1 < blocks.size() && blocks[at + 1].offset < to; ++at) blocks[at] = blocks[at + 1];
        blocks[at] = moved;
        return at;
    }

    [[nodiscard]] constexpr std::uint64_t free() const noexcept {
        std::uint64_t sum = capacity - (bottom < capacity ? bottom : capacity);
        for (const layout_block& one : blocks)
            if (!one.gone) sum -= one.size;
        return sum;
    }

    /// True when a run as it is wanted is free. O(blocks).
    [[nodiscard]] constexpr bool fits() const noexcept {
        if (anchored && length <= bottom) return true;
        std::uint64_t end = bottom;
        for (const layout_block& one : blocks) {
            if (one.gone) continue;
            if (anchored) return one.offset >= length;
            if (admits(end, one.offset)) return true;
            end = one.end();
        }
        return anchored ? length <= capacity : admits(end, capacity);
    }

    /// The free runs that hold what is wanted, if it is not anchored. O(blocks).
    [[nodiscard]] constexpr std::vector<range_of_quanta> runs_that_fit() const {
        std::vector<range_of_quanta> runs;
        std::uint64_t end = bottom;
        for (const layout_block& one : blocks) {
            if (one.gone) continue;
            if (admits(end, one.offset)) runs.push_back({end, one.offset});
            end = one.end();
        }
        if (admits(end, capacity)) runs.push_back({end, capacity});
        return runs;
    }
    /// The free run in which `block` lies, which begins at `offset`; nothing if it does not. O(log blocks), and O(those
    /// that are gone) there.
    [[nodiscard]] constexpr range_of_quanta run_without(block_index block, std::uint64_t offset) const noexcept {
        std::size_t at = first_from(offset);
        while (at < blocks.size() && blocks[at].block != block && blocks[at].offset == offset) ++at;
        if (at == blocks.size() || blocks[at].block != block) return {};
        std::size_t low = at;
        while (low > 0 && blocks[low - 1].gone) --low;
        std::size_t high = at + 1;
        while (high < blocks.size() && blocks[high].gone) ++high;
        return {low == 0 ? bottom : blocks[low - 1].end(), high == blocks.size() ? capacity : blocks[high].offset};
    }
    /// True when nothing but `block`, if that, lies in the range. O(log blocks), and O(those that are gone) there.
    [[nodiscard]] constexpr bool is_free_but_for(std::uint64_t low, std::uint64_t high,
                                                 block_index block) const noexcept {
        if (low < bottom || high > capacity) return false;
        std::size_t at = first_from(low);
        while (at > 0 && (blocks[at - 1].gone || blocks[at - 1].block == block)) --at;
        if (at > 0 && blocks[at - 1].end() > low) return false;
        for (; at < blocks.size() && blocks[at].offset < high; ++at)
            if (!blocks[at].gone && blocks[at].block != block && blocks[at].end() > low) return false;
        return true;
    }

    /// True when what is wanted fits between the two offsets. O(1).
    [[nodiscard]] constexpr bool admits(std::uint64_t low, std::uint64_t high) const noexcept {
        return holds(low, high, length, alignment);
    }
    /// True when `size` fits between the two offsets at a multiple of `unit`. O(1).
    [[nodiscard]] static constexpr bool holds(std::uint64_t low, std::uint64_t high, std::uint64_t size,
                                              std::uint64_t unit) noexcept {
        const std::uint64_t begin = align_up(low, unit);
        return begin >= low && begin <= high && high - begin >= size;
    }

private:
    constexpr void lower() noexcept {
        if (rule == scratch_rule::none) return;
        const std::uint64_t needed = level();
        if (anchored) {
            if (rule == scratch_rule::sum && needed < length) length = needed;
        } else if (needed < bottom) {
            bottom = needed;
        }
    }
};

/// A step that the search takes. Offsets in quanta.
struct change {
    bool evicts = false;
    std::uint32_t subject = 0;  ///< the block, or which of `layout::programs`
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    bool aside = false;  ///< moves to make room for one that moves out of the way

    friend constexpr bool operator==(const change&, const change&) = default;
};

}  // namespace hbm
