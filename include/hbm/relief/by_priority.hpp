#pragma once

#include <hbm/blocks/buffer_table.hpp>
#include <hbm/core/bytes.hpp>
#include <hbm/relief/planning_problem.hpp>
#include <hbm/relief/relief.hpp>

#include <cstdint>
#include <optional>

namespace hbm::inline v0 {

/// Priorities of buffers; a buffer without one has 0.
using buffer_priorities = buffer_table<std::uint32_t>;

/// A relief policy: the plan of `R`, unless other buffers can move in place of those of high priority.
///
///     hbm::buffer_priorities priorities;
///     memory_type memory(spec, {.relief = {.priorities = &priorities}});
///     priorities[*weights] = 1;
///
/// While a plan moves buffers that have a priority, all buffers of the highest of these and of higher ones stay, and
/// `R` plans again. The last plan that costs at most `max_price` times the first is chosen. So priorities are hints: no
/// request fails because of them. Waits and evictions have their price as ever. `compact` ignores priorities.
/// A donated buffer ends with its run: the output that takes it over has priority 0 until it gets another.
/// Requires: the table outlives the manager, its copies and forks, and has buffers of this manager only.
/// Cost: that of `R` once, and once more for each priority that moves; O(moves * blocks) to look the priorities up.
template <class R>
struct by_priority {
    static_assert(chooses_plans<R>,
                  "by_priority<R> takes a relief policy that chooses plans, such as relieve_cheapest");
    static constexpr auto name = fixed_string{"by_priority<"} + R::name + fixed_string{">"};

    const buffer_priorities* priorities = nullptr;  ///< null: each buffer has priority 0
    std::uint32_t max_price = 2;                    ///< times the price of the plan without priorities
    R unaware{};                                    ///< finds the plans

    template <class Planner>
    [[nodiscard]] constexpr std::optional<plan> choose(const Planner& ways) const {
        std::optional<plan> best = unaware.choose(ways);
        if (priorities == nullptr || !best || highest_moved(*best, ways.problem().blocks) == 0) return best;
        const std::uint64_t most = saturating_multiply(best->nanoseconds, max_price);
        const std::uint64_t lower_bound = best->lower_bound;
        auto problem = ways.problem();
        while (const std::uint32_t highest = highest_moved(*best, problem.blocks)) {
            for (auto& block : problem.blocks)
                if (priority_of(block) >= highest) block.movable_after = never;
            std::optional<plan> next = unaware.choose(Planner(problem));
            if (!next || next->nanoseconds > most) break;
            best = static_cast<std::optional<plan>&&>(next);
            best->lower_bound = lower_bound;
        }
        return best;
    }
    constexpr void relieved(const plan& done) requires learns_from_relief<R> { unaware.relieved(done); }

    friend constexpr bool operator==(const by_priority&, const by_priority&) = default;

private:
    template <class Block>
    [[nodiscard]] constexpr std::uint32_t priority_of(const Block& block) const noexcept {
        const std::uint32_t* const priority = priorities->find(block.block, block.generation);
        return priority == nullptr ? 0 : *priority;
    }
    /// Returns the highest priority of the blocks that a plan moves.
    template <class Blocks>
    [[nodiscard]] constexpr std::uint32_t highest_moved(const plan& steps, const Blocks& blocks) const noexcept {
        std::uint32_t highest = 0;
        for (const step& next : steps.steps) {
            if (next.what != step_kind::move) continue;
            for (const auto& block : blocks)
                if (block.block == next.subject && priority_of(block) > highest) highest = priority_of(block);
        }
        return highest;
    }
};

}  // namespace hbm::inline v0
