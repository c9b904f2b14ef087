#pragma once

/// Memory as the search for the cheapest relief sees it: numbers only, apart from any placement.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/bytes.hpp>
#include <hbm/core/memory_spec.hpp>
#include <hbm/core/search_budget.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/search/need_packing.hpp>
#include <hbm/search/price.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

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

/// How the reservation at the bottom follows from the scratch of the programs in memory.
enum class scratch_rule : std::uint8_t { none, largest, sum };

/// All blocks, and the goal: no block begins below `level()`, so that the reservation becomes `[0, level())`, and all
/// needs find room above it at once.
template <class Block>
struct basic_layout {
    trivial_vector<Block> blocks;                // by offset; the reservation is none of them
    trivial_vector<evictable_program> programs;  // that may be evicted
    trivial_vector<layout_need> needs;
    std::uint64_t capacity = 0;
    std::uint64_t bottom = 0;  ///< the end of the present reservation
    scratch_rule rule = scratch_rule::none;
    std::uint64_t scratch_of_others = 0;  ///< of the programs that stay or come in, the largest or the sum
    memory_spec device;                   ///< says what moves cost
    search_budget* budget = nullptr;      ///< what searches may take; null where only their own limits hold

    /// Spends looks at so many blocks, or at all of them. False where they cannot be afforded. O(1).
    [[gnu::cold, gnu::noinline]] constexpr bool look_at(std::uint64_t count) const noexcept {
        return budget == nullptr || budget->spend(count);
    }
    [[gnu::cold, gnu::noinline]] constexpr bool look() const noexcept { return look_at(blocks.size()); }
    /// True when nothing more can be looked at. O(1).
    [[nodiscard, gnu::cold]] constexpr bool is_exhausted() const noexcept {
        return budget != nullptr && budget->left() == 0;
    }

    /// The reservation that is needed with the programs that are still in memory, the largest number where 64 bits
    /// cannot count it; `bottom` where no rule says so. O(programs).
    [[nodiscard, gnu::cold]] constexpr std::uint64_t level() const noexcept {
        if (rule == scratch_rule::none) return bottom;
        std::uint64_t needed = scratch_of_others;
        for (const evictable_program& candidate : programs) {
            if (!candidate.present) continue;
            if (rule == scratch_rule::sum)
                needed = saturating_add(needed, candidate.scratch);
            else if (candidate.scratch > needed)
                needed = candidate.scratch;
        }
        return needed;
    }
    /// The same once all programs have left that may. O(1).
    [[nodiscard, gnu::cold]] constexpr std::uint64_t min_level() const noexcept {
        return rule == scratch_rule::none ? bottom : scratch_of_others;
    }

    /// Takes a program out of memory; the reservation falls as far as nobody else needs it. O(blocks + programs).
    [[gnu::cold]] constexpr void evict(std::uint32_t who) noexcept {
        mark(who, true);
        lower();
    }
    /// Lets the reservation fall to `level()` where it is above. O(programs).
    [[gnu::cold]] constexpr void lower() noexcept {
        if (const std::uint64_t needed = level(); needed < bottom) bottom = needed;
    }
    /// Undoes `evict`; the reservation ends at `bottom_before` again. O(blocks).
    [[gnu::cold]] constexpr void bring_back(std::uint32_t who, std::uint64_t bottom_before) noexcept {
        mark(who, false);
        bottom = bottom_before;
    }
    /// The same memory, in which programs that are still there stay. O(blocks).
    [[nodiscard, gnu::cold]] constexpr basic_layout settled() const {
        basic_layout later = *this;
        later.scratch_of_others = level();
        later.programs.clear();
        later.blocks.clear();
        for (const Block& block : blocks) {
            if (block.gone) continue;
            later.blocks.push_back(block);
            later.blocks.back().program = no_index;
        }
        return later;
    }

    /// Which of `blocks` it is; it is among them. O(log of how far that is from `near`).
    [[nodiscard, gnu::cold]] constexpr std::size_t find(block_index block, std::uint64_t offset,
                                                        std::size_t near) const noexcept {
        std::size_t at = first_from(offset, near);
        while (blocks[at].block != block) ++at;
        return at;
    }
    /// The first of `blocks` that does not begin below an offset. O(log of how far that is from `near`).
    [[nodiscard, gnu::cold, gnu::noinline]] constexpr std::size_t first_from(std::uint64_t offset,
                                                                             std::size_t near = 0) const noexcept {
        std::size_t low = 0;
        std::size_t high = blocks.size();
        std::size_t middle = near;
        // Strides that double lead away from `near` until the place is passed; then the rest is halved.
        for (std::size_t stride = 1; low < high; stride *= 2) {
            if (middle - low >= high - low) middle = low + (high - low) / 2;
            if (blocks[middle].offset < offset) {
                low = middle + 1;
                middle += stride;
            } else {
                high = middle;
                middle -= stride;
            }
        }
        return low;
    }

    /// Moves a block, which changes its place among the others. Returns that. O(log of how many it passes) and a copy
    /// of these.
    [[gnu::cold]] constexpr std::size_t move(std::size_t at, std::uint64_t to) noexcept {
        std::size_t place = at;
        if (to < blocks[at].offset)
            place = first_from(to + 1, at);
        else if (to > blocks[at].offset)
            place = first_from(to, at) - 1;
        look_at(24 + (at < place ? place - at : at - place) / 2);
        blocks[at].offset = to;
        blocks.reposition(at, place);
        return place;
    }

    /// What all needs take together. O(needs).
    [[nodiscard, gnu::cold]] constexpr std::uint64_t length_of_needs() const noexcept {
        std::uint64_t sum = 0;
        for (const layout_need& need : needs) sum = saturating_add(sum, need.length);
        return sum;
    }
    /// How many quanta have to come back before all needs fit above a reservation up to `floor`, wherever blocks are.
    /// O(blocks + needs).
    [[nodiscard]] constexpr std::uint64_t missing_above(std::uint64_t floor) const noexcept {
        std::uint64_t used = saturating_add(floor, length_of_needs());
        for (const Block& block : blocks)
            if (!block.gone) used = saturating_add(used, block.size);
        return used > capacity ? used - capacity : 0;
    }

    /// True when the reservation and all needs find room as things are. Exact for up to `need_packer::max_exact` needs.
    /// O(blocks + programs) for one need; for several see `need_packer`. False where looking cannot be afforded.
    [[nodiscard, gnu::cold]] constexpr bool fits() const {
        if (!look()) return false;
        const std::uint64_t floor = level();
        if (floor > bottom && !is_free_up_to(floor)) return false;
        if (needs.empty()) return true;
        if (needs.size() > 1)
            return need_packer(holes_from(floor), needs, rule != scratch_rule::none).places().has_value();
        std::uint64_t end = floor;
        for (const Block& block : blocks) {
            if (block.gone) continue;
            if (range_of_quanta{end, block.offset}.holds(needs[0])) return true;
            end = block.end();
        }
        return range_of_quanta{end, capacity}.holds(needs[0]);
    }
    /// Where each need goes, in their order; empty when they do not fit. Cost as for `fits`.
    [[nodiscard, gnu::cold]] constexpr std::optional<trivial_vector<std::uint64_t>> places() const {
        const std::uint64_t floor = level();
        if (floor > bottom && !is_free_up_to(floor)) return std::nullopt;
        return need_packer(holes_from(floor), needs, rule != scratch_rule::none).places();
    }
    /// The free runs from an offset on, which is not below the end of the reservation; the first may be empty.
    /// O(blocks).
    [[nodiscard, gnu::cold]] constexpr trivial_vector<range_of_quanta> holes_from(std::uint64_t floor) const {
        trivial_vector<range_of_quanta> holes;
        std::uint64_t end = floor;
        for (const Block& block : blocks) {
            if (block.gone) continue;
            if (end < block.offset || holes.empty()) holes.push_back({end, block.offset});
            end = block.end();
        }
        if (end < capacity || holes.empty()) holes.push_back({end, capacity});
        return holes;
    }

    /// The free runs that hold a need. O(blocks).
    [[nodiscard, gnu::cold]] constexpr trivial_vector<range_of_quanta> runs_that_fit(const layout_need& need) const {
        trivial_vector<range_of_quanta> runs;
        for (const range_of_quanta& hole : holes_from(level()))
            if (hole.holds(need)) runs.push_back(hole);
        return runs;
    }
    /// The free run in which `block` lies, which begins at `offset`; nothing if it does not. O(log blocks), and O(those
    /// that are gone) there.
    [[nodiscard, gnu::cold]] constexpr range_of_quanta run_without(block_index block,
                                                                   std::uint64_t offset) const noexcept {
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
    [[nodiscard, gnu::cold]] constexpr bool is_free_but_for(std::uint64_t low, std::uint64_t high,
                                                            block_index block) const noexcept {
        if (low < bottom || high > capacity) return false;
        std::size_t at = first_from(low);
        while (at > 0 && (blocks[at - 1].gone || blocks[at - 1].block == block)) --at;
        if (at > 0 && blocks[at - 1].end() > low) return false;
        for (; at < blocks.size() && blocks[at].offset < high; ++at)
            if (!blocks[at].gone && blocks[at].block != block && blocks[at].end() > low) return false;
        return true;
    }

private:
    /// Notes whether a program has left memory, with its blocks. O(blocks).
    [[gnu::cold, gnu::noinline]] constexpr void mark(std::uint32_t who, bool is_gone) noexcept {
        look_at(blocks.size() / 4);
        programs[who].present = !is_gone;
        for (Block& block : blocks)
            if (block.program == who) block.gone = is_gone;
    }
    /// True when no block begins below an offset. O(those that are gone there).
    [[nodiscard, gnu::cold]] constexpr bool is_free_up_to(std::uint64_t floor) const noexcept {
        if (floor > capacity) return false;
        for (const Block& block : blocks)
            if (!block.gone) return block.offset >= floor;
        return true;
    }
};
using layout = basic_layout<layout_block>;

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
