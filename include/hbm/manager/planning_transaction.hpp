#pragma once

#include <hbm/core/trivial_vector.hpp>
#include <hbm/manager/call_parts.hpp>
#include <hbm/manager/executor.hpp>
#include <hbm/state/problem_of.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace hbm::inline v0 {

/// Finds what makes room for the parts of one call, on copies of the state, which it never changes.
template <placement P>
class call_planner {
public:
    using quanta = typename P::quanta;
    using parts = std::span<call_part<quanta>>;

    [[gnu::cold]] constexpr call_planner(const memory_state<P>& state, const relief_interface& relief,
                                         std::uint32_t slot)
        : state_(state), relief_(relief), slot_(slot) {}

    [[nodiscard, gnu::cold]] constexpr planning_result plan_for(parts all) const {
        // Without relief, with it, or not at all: the last is told apart from a search that gave up, by the planner's
        // proof. Its way without limits of the policy is asked only if the policy has found nothing.
        if (outcome_without_relief(all).reason == error::none) return {.found = plan{}};
        memory_state<P> later = finished();
        const planning_problem problem = problem_for(later, all);
        planning_result result{.found = relief_.choose(problem)};
        if (result.found && try_out(later, all, *result.found) != trial_result::impossible) {
            const std::uint64_t least = min_nanoseconds(problem);
            const std::uint64_t price = result.found->nanoseconds;
            result.lower_bound = result.found->lower_bound = least < price ? least : price;
            return result;
        }
        result = cheapest_plan(problem);
        if (result.found) result = {};
        return result;
    }

    [[nodiscard, gnu::cold, gnu::noinline]] constexpr memory_state<P> finished() const {
        memory_state<P> later = state_;
        later.finish_moving();
        return later;
    }
    [[nodiscard, gnu::cold, gnu::noinline]] constexpr call_outcome outcome_without_relief(parts all) const {
        memory_state<P> trial = finished();
        return detail::outcome_in_order(trial, all, slot_);
    }
    /// Returns true if the call requests more quanta than waits, moves and evictions can free.
    [[nodiscard, gnu::cold]] constexpr bool is_beyond_relief(parts all) const {
        // Sums only: if all programs left and all waits were over, would the bytes suffice at all? Where they lie, and
        // what moves could do, does not matter for that. So a request for far too much costs no plan.
        std::uint64_t most = detail::most_after_waits(state_);
        if (relief_.choice != victims::none)
            for (const program_record& record : state_.programs)
                most += granted(record.code_block) + (reserves<P> ? 0 : granted(record.scratch_block));
        std::uint64_t least = detail::least_taken<P>(state_.blocks, all);
        if constexpr (reserves<P>)
            if (slot_ != no_index) least = saturating_add(least, state_.programs[slot_].scratch >> state_.shift());
        return least > most;
    }
    [[nodiscard, gnu::cold]] constexpr planning_problem problem_for(const memory_state<P>& later, parts all) const {
        // The reservation is no need of its own: the planner knows from the programs how far it has to reach.
        trivial_vector<need<quanta>> needs;
        for (const call_part<quanta>& part : all)
            if (part.kind != part_kind::reservation) needs.push_back(part.required);
        trivial_vector<std::uint64_t> scores(state_.programs.size(), 0);
        for (std::uint32_t slot = 0; slot < scores.size(); ++slot)
            if (state_.programs[slot].resident) scores[slot] = relief_.score(state_.programs[slot], state_.clock);
        planning_problem problem =
            problem_of(later, std::span<const need<quanta>>(needs.data(), needs.size()), relief_.choice,
                       std::span<const std::uint64_t>(scores.data(), scores.size()), slot_);
        problem.budget = relief_.budget;
        return problem;
    }

    [[gnu::cold]] constexpr bool place_as_planned(memory_state<P>& state, parts all, const plan& steps) const {
        // The reservation has to come first, for the planner has kept its bytes free at the bottom. Places are listed
        // in the order of the parts, without it.
        if constexpr (imports<P>) {
            if (!detail::reserve_level(state.blocks, state.scratch_level(slot_), state.shift())) return false;
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

    /// The outcome of a plan that was tried. After it the parts fit in order, as they would without relief; or, at
    /// times, only in the places that the planner has found for them.
    enum class trial_result : std::uint8_t { impossible, placed_in_order, placed_as_planned };
    /// Tries a plan for `later`, which has its move finished, and changes it.
    /// Cost: another copy if the parts do not fit in order.
    [[nodiscard, gnu::cold]] constexpr trial_result try_out(memory_state<P>& later, parts all,
                                                            const plan& steps) const {
        // The placement has the last word on where blocks go, and mostly it finds the room that was made. If it takes
        // it for another part, all are put where the planner meant them to go, on a fresh copy.
        if (later.try_out(steps, slot_) != error::none) return trial_result::impossible;
        if (detail::place_in_order(later, all, slot_) == all.size()) return trial_result::placed_in_order;
        memory_state<P> again = finished();
        const bool good = again.try_out(steps, slot_) == error::none && place_as_planned(again, all, steps);
        return good ? trial_result::placed_as_planned : trial_result::impossible;
    }

private:
    [[nodiscard, gnu::cold]] constexpr std::uint64_t granted(block_index block) const noexcept {
        return block == no_block ? 0 : state_.blocks.map().granted(block);
    }

    const memory_state<P>& state_;
    const relief_interface& relief_;
    std::uint32_t slot_;
};

/// Places the parts of one call, all or none: places; if that fails, plans, tries the plan on a copy, executes, and
/// places.
///
/// The state is copied once. A plan is made for the copy, tried on it, and the parts are placed there: a plan is
/// verified, not trusted, and what was seen to work is repeated on the state, step by step. Only then does anything
/// change, so a refused call changes nothing. Why the call fails without relief is found out on a second copy, if it
/// fails; before, if a device may fail on the way, for then the state is another one.
template <placement P>
class planning_transaction {
public:
    using quanta = typename P::quanta;
    using parts = std::span<call_part<quanta>>;
    using trial_result = typename call_planner<P>::trial_result;

    /// `slot` is that of the program that the call is for, in memory or about to come in; it is not evicted. `walls`
    /// may not move: the arguments of the call.
    [[gnu::cold]] constexpr planning_transaction(memory_state<P>& state, policy_interface& policies, std::uint32_t slot,
                                                 std::span<const block_index> walls = {})
        : state_(state), policies_(policies), planner_(state, *policies.relief, slot), slot_(slot), walls_(walls) {}

    /// Places all parts in order; if that fails, makes room for all first. A refused call changes nothing.
    [[gnu::cold]] constexpr call_outcome run(parts all) {
        return detail::place_all_or_none(state_, all, slot_) ? call_outcome{} : relieve(all);
    }

    /// Finishes the pending move, makes room, places all parts. Changes nothing unless all succeed or the device fails.
    /// Requires: no move is pending, and the parts do not fit; or one is pending.
    /// Cost: O(programs + deferred frees) if a single part exceeds all free memory; else copies, and `joint_search`.
    [[gnu::cold, gnu::noinline]] constexpr call_outcome relieve(parts all) {
        // What costs nothing comes first: sums that rule the call out, then frees that are due. A pending move is
        // finished before a plan is made, since plans assume it, and may already be the help that is needed. The walls
        // are pinned on the copy, so that the planner sees arguments of the run like any pinned block.
        if (planner_.is_beyond_relief(all))
            return state_.moving || all.size() != 1 ? planner_.outcome_without_relief(all) : detail::no_room(state_, 0);
        if (!state_.moving && detail::place_with_pending_frees(state_, policies_, all, slot_)) return {};
        call_outcome outcome{.reason = error::buffer_does_not_fit};
        if (state_.moving || policies_.has_bytes) outcome = planner_.outcome_without_relief(all);
        const bool needs_relief = outcome.reason != error::none;  // a finished move may be enough
        memory_state<P> later = planner_.finished();
        for (const block_index wall : walls_) later.blocks.map().pin(wall);
        std::optional<plan> steps = plan{};
        if (needs_relief) steps = policies_.relief->choose(planner_.problem_for(later, all));
        const trial_result tried = steps ? planner_.try_out(later, all, *steps) : trial_result::impossible;
        if (tried == trial_result::impossible)
            return state_.moving || policies_.has_bytes ? outcome : planner_.outcome_without_relief(all);

        outcome.reason = executor<P>(state_, policies_).carry_out(*steps, slot_);
        if (outcome.reason != error::none) return outcome;
        if (needs_relief) {
            ++state_.done.relieved;
            policies_.relieved(*steps);
        }
        if (tried == trial_result::placed_as_planned)
            planner_.place_as_planned(state_, all, *steps);
        else
            detail::place_in_order(state_, all, slot_);
        return {};
    }

private:
    memory_state<P>& state_;
    policy_interface& policies_;
    call_planner<P> planner_;
    std::uint32_t slot_;
    std::span<const block_index> walls_;
};

}  // namespace hbm::inline v0
