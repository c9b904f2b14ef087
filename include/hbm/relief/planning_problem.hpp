#pragma once

#include <hbm/core/memory_spec.hpp>
#include <hbm/core/search_budget.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/eviction/eviction.hpp>
#include <hbm/search/layout.hpp>
#include <hbm/state/flight.hpp>
#include <hbm/state/plan.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// A number of runs in flight that is never reached.
inline constexpr std::size_t never = ~std::size_t{0};

/// A live block, now and after waiting: its state depends on how many of the oldest runs are over. In quanta.
struct problem_block {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint64_t alignment = 1;
    std::uint64_t price = 0;  ///< price of a move farther than its length
    std::uint64_t size_when_cut = 0;
    std::size_t movable_after = never;  ///< count of runs
    std::size_t freed_after = never;    ///< its free takes effect
    std::size_t cut_after = never;      ///< a donated block shrinks to `size_when_cut`, the need of its new owner
    block_index block = no_block;
    std::uint32_t generation = 0;          ///< with `block`: those of the buffer's handle
    std::uint32_t program = no_index;      ///< index in `planning_problem::programs`
    bool pinned = false;                   ///< pinned; unpinned, it could move after `movable_unpinned`
    std::size_t movable_unpinned = never;  ///< count of runs
};

/// A program in memory, or the program of the call, which cannot be evicted for it.
struct problem_program {
    std::uint32_t slot = no_index;
    std::uint64_t score = 0;              ///< score of the eviction policy
    std::uint64_t scratch = 0;            ///< quanta of the reservation at the bottom
    std::size_t evictable_after = never;  ///< count of runs
    step eviction;                        ///< the step that evicts it
};

/// The input of the planner: the needs of a call, and the memory now and after waiting.
/// Numbers only, so that it is compiled once for all placements.
struct planning_problem {
    using layout_type = layout;

    trivial_vector<problem_block> blocks;  ///< by offset, without the reservation
    trivial_vector<problem_program> programs;
    trivial_vector<layout_need> needs;  ///< without the reservation, which follows from the programs
    trivial_vector<flight> flights;     ///< oldest first
    fence reached;
    std::uint64_t capacity = 0;  ///< quanta
    std::uint64_t bottom = 0;    ///< end of the reservation, in quanta
    scratch_rule rule = scratch_rule::none;
    bool may_move = false;  ///< blocks may move at all
    bool can_wait = false;  ///< a wait changes something, even if only for frees that can take effect now
    victims choice = victims::none;
    memory_spec spec;
    search_budget* budget = nullptr;  ///< limit of planning; null if only the limits of each search hold

    [[nodiscard]] constexpr std::uint64_t bytes(std::uint64_t quanta) const noexcept { return quanta * spec.quantum; }

    /// Returns the memory once the oldest `runs` runs are over; programs with `may_leave(program)` may be evicted.
    /// Cost: O(blocks + programs^2).
    template <class MayLeave>
    [[nodiscard, gnu::cold]] constexpr layout after(std::size_t runs, MayLeave may_leave) const {
        layout seen;
        seen.budget = budget;
        seen.look_at(blocks.size());
        seen.device = spec;
        seen.capacity = capacity;
        seen.bottom = bottom;
        seen.rule = rule;
        seen.needs = needs;
        trivial_vector<std::uint32_t> evictable(programs.size(), no_index);
        for (std::uint32_t at = 0; at < programs.size(); ++at) {
            const problem_program& candidate = programs[at];
            if (candidate.evictable_after > runs || !may_leave(candidate)) {
                if (rule == scratch_rule::sum)
                    seen.scratch_of_others = saturating_add(seen.scratch_of_others, candidate.scratch);
                else if (candidate.scratch > seen.scratch_of_others)
                    seen.scratch_of_others = candidate.scratch;
                continue;
            }
            evictable[at] = static_cast<std::uint32_t>(seen.programs.size());
            seen.programs.push_back({.slot = candidate.slot,
                                     .price = as_price(candidate.eviction.nanoseconds),
                                     .score = candidate.score,
                                     .scratch = rule == scratch_rule::none ? 0 : candidate.scratch});
        }
        rank_by_score(seen.programs);
        seen.blocks.reserve(blocks.size());
        for (const problem_block& block : blocks) {
            if (block.freed_after <= runs) continue;
            layout_block& placed = seen.blocks.emplace_back();
            placed.offset = block.offset;
            const bool cut = block.cut_after <= runs;
            placed.size = cut ? block.size_when_cut : block.size;
            placed.block = block.block;
            placed.alignment = block.alignment;
            placed.price = cut ? as_move_price(spec.move_nanoseconds(bytes(placed.size))) : block.price;
            placed.movable = may_move && block.movable_after <= runs;
            if (block.program == no_index) continue;
            placed.program = evictable[block.program];
            if (placed.program == no_index) continue;
            seen.programs[placed.program].size += placed.size;
            ++seen.programs[placed.program].blocks;
        }
        return seen;
    }

    /// Returns the bytes that return when the oldest `runs` runs are over.
    [[nodiscard, gnu::cold]] constexpr std::uint64_t returned_after(std::size_t runs) const noexcept {
        std::uint64_t quanta = 0;
        for (const problem_block& block : blocks) {
            if (block.freed_after <= runs)
                quanta += block.size;
            else if (block.cut_after <= runs)
                quanta += block.size - block.size_when_cut;
        }
        return bytes(quanta);
    }

private:
    /// Breaks ties in the cost of programs by score; all ranks together stay below one nanosecond.
    template <class Programs>
    [[gnu::cold]] static constexpr void rank_by_score(Programs& programs) {
        const std::size_t count = programs.size();
        for (auto& candidate : programs) {
            std::uint64_t rank = 0;
            for (const auto& other : programs)
                rank += candidate.score > other.score;  // `score <` would name the concept
            constexpr std::uint64_t nanosecond = std::uint64_t{1} << tie_bits;
            candidate.price += count * count < nanosecond ? rank : rank * nanosecond / (count * count);
        }
    }
};

}  // namespace hbm::inline v0
