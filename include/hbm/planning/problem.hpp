#pragma once

/// A memory and the needs of a call as numbers, for the planner.

#include <hbm/core/bytes.hpp>
#include <hbm/core/handle.hpp>
#include <hbm/core/search_budget.hpp>
#include <hbm/planning/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace hbm::inline v0 {

/// A run of `length` quanta at a multiple of `alignment`, a power of two.
struct layout_need {
    std::uint64_t length = 1;
    std::uint64_t alignment = 1;

    friend constexpr bool operator==(const layout_need&, const layout_need&) = default;
};

/// The rule by which the reservation follows from the scratch of the resident programs.
enum class scratch_rule : std::uint8_t { none, largest, sum };

/// A run in flight.
struct problem_run {
    fence over;                     ///< reached when the run is over
    std::uint64_t nanoseconds = 0;  ///< from the end of the run before it to its own: the price of a wait
};

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
    trivial_vector<problem_block> blocks;  ///< by offset, without the reservation
    trivial_vector<problem_program> programs;
    trivial_vector<layout_need> needs;    ///< without the reservation, which follows from the programs
    trivial_vector<problem_run> flights;  ///< oldest first
    fence reached;
    std::uint64_t capacity = 0;  ///< quanta
    std::uint64_t bottom = 0;    ///< end of the reservation, in quanta
    scratch_rule rule = scratch_rule::none;
    bool may_move = false;  ///< blocks may move at all
    bool can_wait = false;  ///< a wait changes something, even if only for frees that can take effect now
    victims choice = victims::none;
    memory_spec spec;
    search_budget* budget = nullptr;  ///< limit of planning; null if only the limits of each search hold

    constexpr std::uint64_t bytes(std::uint64_t quanta) const noexcept { return quanta * spec.quantum; }

    /// Returns the bytes that return when the oldest `runs` runs are over.
    [[gnu::cold]] constexpr std::uint64_t returned_after(std::size_t runs) const noexcept {
        std::uint64_t quanta = 0;
        for (const problem_block& block : blocks) {
            if (block.freed_after <= runs)
                quanta += block.size;
            else if (block.cut_after <= runs)
                quanta += block.size - block.size_when_cut;
        }
        return bytes(quanta);
    }
};

// What a manager asks of the planner. Defined in planner.hpp, which only headers of policies that plan include.

/// Returns the plan that a relief policy chooses.
template <class Relief>
constexpr std::optional<plan> plan_by(const Relief& policy, const planning_problem& problem);
/// Returns the cheapest plan found by moving, evicting or both, or the proof that there is none.
constexpr planning_result cheapest_plan(const planning_problem& problem);
/// Returns a lower bound in nanoseconds of all plans; the largest number if none exists.
constexpr std::uint64_t min_nanoseconds(const planning_problem& problem);

}  // namespace hbm::inline v0
