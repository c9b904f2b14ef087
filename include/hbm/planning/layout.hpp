#pragma once

/// Memory as numbers, for the search for the cheapest relief; independent of placements.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/bytes.hpp>
#include <hbm/core/memory_spec.hpp>
#include <hbm/core/search_budget.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/planning/needs.hpp>
#include <hbm/planning/price.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace hbm::inline v0 {

/// A live block. Offset and size are in quanta; the price is that of one move to a disjoint place.
struct layout_block {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint64_t alignment = 1;
    std::uint64_t price = 0;
    block_index block = no_block;      ///< none if it stands for a need that was given this place
    std::uint32_t program = no_index;  ///< index in `layout::programs` if it may be evicted
    bool movable = false;
    bool gone = false;   ///< its program was evicted
    bool fixed = false;  ///< must not move for now

    constexpr std::uint64_t end() const noexcept { return offset + size; }
};

/// A program that may be evicted, or was. Sizes are in quanta.
struct evictable_program {
    std::uint32_t slot = no_index;
    std::uint64_t price = 0;    ///< price of a reload
    std::uint64_t score = 0;    ///< score of the eviction policy; breaks ties of the price
    std::uint64_t scratch = 0;  ///< scratch at the bottom of memory
    std::uint64_t size = 0;     ///< total size of its blocks
    std::uint32_t blocks = 0;
    bool present = true;
};

/// Memory as numbers, which searches change and copy: a block that leaves stays in the list as `gone`, so that it can
/// come back, and blocks that move are sorted in anew.
/// All blocks, and the goal: no block begins below `level()`, so that the reservation becomes `[0, level())`, and all
/// needs fit above it together.
/// Cost: at most O(blocks + programs + needs) per call, except for several needs.
struct layout {
    trivial_vector<layout_block> blocks;         // sorted by offset, without the reservation
    trivial_vector<evictable_program> programs;  // programs that may be evicted
    trivial_vector<layout_need> needs;
    std::uint64_t capacity = 0;
    std::uint64_t bottom = 0;  ///< end of the present reservation
    scratch_rule rule = scratch_rule::none;
    std::uint64_t scratch_of_others = 0;  ///< largest or sum, of the programs that stay or are loaded
    memory_spec device;                   ///< device that determines the cost of moves
    search_budget* budget = nullptr;      ///< limit of searches; null: only their own limits

    /// Spends looks for `count` blocks, or for all of them. Returns false if the budget is exhausted.
    [[gnu::cold]] constexpr bool look_at(std::uint64_t count) const noexcept {
        return budget == nullptr || budget->spend(count);
    }
    [[gnu::cold]] constexpr bool look() const noexcept { return look_at(blocks.size()); }
    [[gnu::cold]] constexpr bool is_exhausted() const noexcept { return budget != nullptr && budget->left() == 0; }

    /// Returns the reservation that the resident programs need, saturating; `bottom` without a rule.
    [[gnu::cold]] constexpr std::uint64_t level() const noexcept {
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
    /// Returns the reservation after all evictions.
    [[gnu::cold]] constexpr std::uint64_t min_level() const noexcept {
        return rule == scratch_rule::none ? bottom : scratch_of_others;
    }

    /// Evicts a program and lowers the reservation.
    [[gnu::cold]] constexpr void evict(std::uint32_t victim) noexcept {
        mark(victim, true);
        lower();
    }
    /// Lowers the reservation to `level()`.
    [[gnu::cold]] constexpr void lower() noexcept {
        if (const std::uint64_t needed = level(); needed < bottom) bottom = needed;
    }
    /// Undoes `evict`; the reservation ends at `bottom_before` again.
    [[gnu::cold]] constexpr void bring_back(std::uint32_t victim, std::uint64_t bottom_before) noexcept {
        mark(victim, false);
        bottom = bottom_before;
    }
    /// Returns a copy without evicted blocks, in which no program may be evicted any more.
    [[gnu::cold]] constexpr layout settled() const {
        layout later = *this;
        later.scratch_of_others = level();
        later.programs.clear();
        later.blocks.clear();
        for (const layout_block& block : blocks) {
            if (block.gone) continue;
            later.blocks.push_back(block);
            later.blocks.back().program = no_index;
        }
        return later;
    }

    /// Returns the index of the first block that begins at or above `offset`. Cost: O(log(blocks)).
    constexpr std::size_t first_from(std::uint64_t offset) const noexcept {
        std::size_t low = 0;
        std::size_t high = blocks.size();
        while (low < high) {
            const std::size_t middle = low + (high - low) / 2;
            if (blocks[middle].offset < offset)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }
    /// Returns the index of `block` at `offset`, or the number of blocks if it is not there. Blocks that are gone may
    /// begin at the same offset.
    [[gnu::cold]] constexpr std::size_t find(block_index block, std::uint64_t offset) const noexcept {
        for (std::size_t at = first_from(offset); at < blocks.size() && blocks[at].offset == offset; ++at)
            if (blocks[at].block == block) return at;
        return blocks.size();
    }
    /// Moves a block. Returns its new index.
    /// Cost: O(log of the number of blocks passed), and a copy of these.
    [[gnu::cold]] constexpr std::size_t move(std::size_t at, std::uint64_t to) noexcept {
        // Only the blocks between the two places shift in the list; the budget pays for finding and shifting.
        std::size_t place = at;
        if (to < blocks[at].offset)
            place = first_from(to + 1);
        else if (to > blocks[at].offset)
            place = first_from(to) - 1;
        look_at(24 + (at < place ? place - at : at - place) / 2);
        blocks[at].offset = to;
        blocks.reposition(at, place);
        return place;
    }

    [[gnu::cold]] constexpr std::uint64_t length_of_needs() const noexcept {
        std::uint64_t sum = 0;
        for (const layout_need& need : needs) sum = saturating_add(sum, need.length);
        return sum;
    }
    /// Returns the quanta that must be freed before all needs fit above `floor`, regardless of positions.
    constexpr std::uint64_t missing_above(std::uint64_t floor) const noexcept {
        std::uint64_t used = saturating_add(floor, length_of_needs());
        for (const layout_block& block : blocks)
            if (!block.gone) used = saturating_add(used, block.size);
        return used > capacity ? used - capacity : 0;
    }

    /// Returns true if the goal is met, exactly for `max_needs_packed_exactly` needs; false if the budget is exhausted.
    [[gnu::hot]] constexpr bool fits() const {
        if (!look()) return false;
        const std::uint64_t floor = level();
        if (floor > bottom && !is_free_up_to(floor)) return false;
        if (needs.empty()) return true;
        if (needs.size() > 1)
            return need_packer(holes_from(floor), needs, rule != scratch_rule::none).places().has_value();
        std::uint64_t end = floor;
        for (const layout_block& block : blocks) {
            if (block.gone) continue;
            if (range_of_quanta{end, block.offset}.takes(needs[0])) return true;
            end = block.end();
        }
        return range_of_quanta{end, capacity}.holds(needs[0]);
    }
    /// Returns the offset of each need, or `nullopt` if they do not fit.
    [[gnu::cold]] constexpr std::optional<trivial_vector<std::uint64_t>> places() const {
        const std::uint64_t floor = level();
        if (floor > bottom && !is_free_up_to(floor)) return std::nullopt;
        return need_packer(holes_from(floor), needs, rule != scratch_rule::none).places();
    }
    /// Returns the free runs above `floor` that are as long as the shortest need, and the first, which may be empty.
    /// Requires: `floor` is not inside the reservation.
    [[gnu::cold]] constexpr trivial_vector<range_of_quanta> holes_from(std::uint64_t floor) const {
        std::uint64_t shortest = capacity;
        for (const layout_need& need : needs) shortest = need.length < shortest ? need.length : shortest;
        trivial_vector<range_of_quanta> holes;
        std::uint64_t end = floor;
        for (const layout_block& block : blocks) {
            if (block.gone) continue;
            if (block.offset - end >= shortest || holes.empty()) holes.push_back({end, block.offset});
            end = block.end();
        }
        if (capacity - end >= shortest || holes.empty()) holes.push_back({end, capacity});
        return holes;
    }

    /// Returns true if the range holds nothing but possibly `block`.
    [[gnu::cold]] constexpr bool is_free_but_for(std::uint64_t low, std::uint64_t high,
                                                 block_index block) const noexcept {
        // Blocks that are gone overlap others in the list, so it goes back over them to the one that may reach into
        // the range.
        if (low < bottom || high > capacity) return false;
        std::size_t at = first_from(low);
        while (at > 0 && (blocks[at - 1].gone || blocks[at - 1].block == block)) --at;
        if (at > 0 && blocks[at - 1].end() > low) return false;
        for (; at < blocks.size() && blocks[at].offset < high; ++at)
            if (!blocks[at].gone && blocks[at].block != block && blocks[at].end() > low) return false;
        return true;
    }

    /// Returns the free run that a block would leave if it were gone.
    [[gnu::cold]] constexpr range_of_quanta run_around(std::size_t at) const noexcept {
        range_of_quanta run{level(), capacity};
        for (std::size_t before = at; before-- > 0;) {
            if (blocks[before].gone) continue;
            run.low = blocks[before].end();
            break;
        }
        for (std::size_t after = at + 1; after < blocks.size(); ++after) {
            if (blocks[after].gone) continue;
            run.high = blocks[after].offset;
            break;
        }
        return run;
    }

private:
    /// Records the eviction of a program and its blocks.
    [[gnu::cold]] constexpr void mark(std::uint32_t victim, bool is_gone) noexcept {
        look_at(blocks.size() / 4);
        programs[victim].present = !is_gone;
        for (layout_block& block : blocks)
            if (block.program == victim) block.gone = is_gone;
    }
    [[gnu::cold]] constexpr bool is_free_up_to(std::uint64_t floor) const noexcept {
        if (floor > capacity) return false;
        for (const layout_block& block : blocks)
            if (!block.gone) return block.offset >= floor;
        return true;
    }
};

/// A step of a plan. Offsets are in quanta.
struct change {
    bool evicts = false;
    std::uint32_t subject = 0;  ///< the block, or the index in `layout::programs`
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    bool aside = false;  ///< makes room for a block that must move

    friend constexpr bool operator==(const change&, const change&) = default;
};

}  // namespace hbm::inline v0
