#pragma once

/// All that one call needs room for, placed together or not at all: place; where that fails, plan, check, execute,
/// place.

#include <hbm/core/trivial_vector.hpp>
#include <hbm/manager/call_parts.hpp>
#include <hbm/manager/executor.hpp>
#include <hbm/relief/planner.hpp>
#include <hbm/relief/problem_of.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace hbm {

/// Places the parts of one call, with relief. A program that comes in is marked resident before; who calls holds what
/// must stay.
/// (`Planner` is a parameter so that whoever includes this and never plans does not compile the planner.)
template <placement P, class Planner = planner>
class planning_transaction {
public:
    using quanta = typename P::quanta;
    using parts = std::span<call_part<quanta>>;

    /// `slot` is that of the program which the call is for, if for one.
    [[gnu::cold]] constexpr planning_transaction(memory_state<P>& state, policy_interface& policies, std::uint32_t slot)
        : state_(state), policies_(policies), slot_(slot) {}

    /// Places all parts in their order; where that fails, makes room for all of them first. A call that is refused has
    /// changed nothing.
    [[gnu::cold]] constexpr call_outcome run(parts all) {
        return detail::place_all_or_none(state_, all) ? call_outcome{} : relieve(all);
    }

    /// The same with relief; before anything else what is pending is finished. Nothing is touched before it is known
    /// that all of it will succeed, unless the device fails.
    /// Cost: O(programs + deferred frees) if all that could be free is too little for a single part; else copies of the
    /// memory and planning, see `joint_search`.
    [[gnu::cold, gnu::noinline]] constexpr call_outcome relieve(parts all) {
        if (is_beyond_relief(all))
            return state_.moving || all.size() != 1 ? outcome_in_order(all) : detail::no_room(state_, 0);
        if (!state_.moving && detail::place_with_pending_frees(state_, policies_, all)) return {};
        call_outcome outcome;
        const std::optional<plan> steps = way(all, outcome);
        if (!steps) return outcome;
        const bool needs_relief = outcome.reason != error::none;
        const trial_result tried = try_out(all, *steps);
        if (tried == trial_result::impossible) return outcome;

        executor<P> executes(state_, policies_);
        outcome.reason = error::device_failed;
        if (!executes.finish_moving()) return outcome;
        for (const step& next : steps->steps)
            if (!executes.carry_out(next, slot_)) return outcome;
        if (needs_relief) {
            ++state_.done.relieved;
            policies_.relief->relieved(*steps);
        }
        if (tried == trial_result::placed_in_order)
            detail::place_in_order(state_, all);
        else
            place_as_planned(state_, all, *steps);
        return {};
    }

    /// What relief would do, and what is known of why nothing helps. Nothing is changed.
    [[nodiscard, gnu::cold]] constexpr planning_result plan_for(parts all) const {
        call_outcome outcome;
        planning_result result;
        result.found = way(all, outcome);
        if (result.found && outcome.reason == error::none) return result;
        const planning_problem problem = problem_for(all);
        const Planner ways(problem);
        if (result.found && try_out(all, *result.found) != trial_result::impossible) {
            const std::uint64_t least = ways.min_nanoseconds();
            const std::uint64_t price = result.found->nanoseconds;
            result.lower_bound = result.found->lower_bound = least < price ? least : price;
            return result;
        }
        result = ways.cheapest();
        if (result.found) result = {};
        return result;
    }

private:
    /// Returns a copy of the memory in which what is pending is finished.
    [[nodiscard, gnu::cold]] constexpr memory_state<P> finished() const {
        memory_state<P> later = state_;
        later.finish_moving();
        return later;
    }
    /// Returns the outcome of placing on a copy in which what is pending is finished.
    [[nodiscard, gnu::cold, gnu::noinline]] constexpr call_outcome outcome_in_order(parts all) const {
        memory_state<P> trial = finished();
        return detail::outcome_in_order(trial, all);
    }
    /// The quanta of a block, 0 for `no_block`.
    [[nodiscard, gnu::cold]] constexpr std::uint64_t granted(block_index block) const noexcept {
        return block == no_block ? 0 : state_.blocks.map().granted(block);
    }
    /// True when the parts, and the scratch of the program that the call is for, are longer than all that could ever be
    /// free: without the programs where these may be evicted, the reservation and what waits to be freed. No relief
    /// helps then. O(parts + programs + deferred frees).
    [[nodiscard, gnu::cold]] constexpr bool is_beyond_relief(parts all) const {
        std::uint64_t most = detail::most_after_waits(state_);
        if (policies_.relief->choice != victims::none)
            for (const program_record& record : state_.programs)
                most += granted(record.code_block) + (reserves<P> ? 0 : granted(record.scratch_block));
        std::uint64_t least = detail::least_taken<P>(state_.blocks, all);
        if constexpr (reserves<P>)
            if (slot_ != no_index) least = saturating_add(least, state_.programs[slot_].scratch >> state_.shift());
        return least > most;
    }
    /// Steps after which all parts fit: none if they do anyway, which `outcome` says.
    [[nodiscard, gnu::cold]] constexpr std::optional<plan> way(parts all, call_outcome& outcome) const {
        outcome = outcome_in_order(all);
        if (outcome.reason == error::none) return plan{};
        const planning_problem problem = problem_for(all);
        return policies_.relief->choose(Planner(problem));
    }
    [[nodiscard, gnu::cold]] constexpr planning_problem problem_for(parts all) const {
        trivial_vector<need<quanta>> needs;
        for (const call_part<quanta>& part : all)
            if (part.kind != part_kind::reservation) needs.push_back(part.required);
        trivial_vector<std::uint64_t> scores(state_.programs.size(), 0);
        for (std::uint32_t slot = 0; slot < scores.size(); ++slot)
            if (state_.programs[slot].resident)
                scores[slot] = policies_.relief->score(state_.programs[slot], state_.clock);
        planning_problem problem =
            problem_of(finished(), std::span<const need<quanta>>(needs.data(), needs.size()), policies_.relief->choice,
                       std::span<const std::uint64_t>(scores.data(), scores.size()), slot_);
        problem.budget = policies_.relief->budget;
        return problem;
    }

    /// Places the parts where a plan says. The reservation comes first, wherever it stands among the parts.
    [[gnu::cold]] static constexpr bool place_as_planned(memory_state<P>& state, parts all, const plan& steps) {
        if constexpr (imports<P>) {
            if (!detail::reserve_level(state.blocks, state.scratch_level(), state.shift())) return false;
            std::size_t next = 0;
            for (call_part<quanta>& part : all) {
                if (part.kind == part_kind::reservation) continue;
                if (next == steps.places.size()) return false;
                const need<quanta> required = state.blocks.requirement(part.required);
                part.block = state.blocks.occupy({state.in_quanta(steps.places[next++]), required.length},
                                                 part.required.length, part.required.alignment);
                if (part.block == no_block) return false;
            }
            return true;
        }
        return false;
    }

    /// How a plan turns out when it is tried on copies: what the planner says is not taken on trust.
    enum class trial_result : std::uint8_t { impossible, placed_in_order, placed_as_planned };
    [[nodiscard, gnu::cold]] constexpr trial_result try_out(parts all, const plan& steps) const {
        memory_state<P> later = finished();
        if (later.try_out(steps) != error::none) return trial_result::impossible;
        memory_state<P> trial = later;
        if (detail::place_in_order(trial, all) == all.size()) return trial_result::placed_in_order;
        return place_as_planned(later, all, steps) ? trial_result::placed_as_planned : trial_result::impossible;
    }

    memory_state<P>& state_;
    policy_interface& policies_;
    std::uint32_t slot_;
};

}  // namespace hbm
