#pragma once

#include <hbm/core/bisect.hpp>
#include <hbm/manager/call_parts.hpp>
#include <hbm/manager/executor.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace hbm::inline v0 {

/// Finds the fewest runs whose end makes room for the parts of one call, on copies of the state.
template <placement P>
class wait_planner {
public:
    using parts = std::span<call_part<typename P::quanta>>;

    [[gnu::cold]] constexpr wait_planner(const memory_state<P>& state, std::uint32_t slot)
        : state_(state), slot_(slot) {}

    [[nodiscard, gnu::cold]] constexpr planning_result plan_for(parts all) const {
        // The same search as in `relieve`, but its result is a plan of a single step.
        if (outcome_after(all, false, 0).reason == error::none) return {.found = plan{}};
        const std::optional<std::size_t> runs = fewest_waits(all);
        if (!runs) return {};
        step wait{.what = step_kind::wait, .to = fence_after(*runs).number};
        for (std::size_t at = 0; at < *runs; ++at)
            wait.nanoseconds = saturating_add(wait.nanoseconds, state_.flights[at].nanoseconds);
        memory_state<P> later = state_;
        later.apply(wait);
        wait.bytes = later.bytes(later.blocks.map().free()) - state_.bytes(state_.blocks.map().free());
        planning_result result{.found = plan{}};
        result.found->add(wait);
        return result;
    }

    [[nodiscard, gnu::cold]] constexpr fence fence_after(std::size_t runs) const noexcept {
        return runs == 0 ? state_.reached : state_.flights[runs - 1].over;
    }
    [[nodiscard, gnu::noinline, gnu::cold]] constexpr call_outcome outcome_after(parts all, bool waits,
                                                                                 std::size_t runs) const {
        memory_state<P> later = state_;
        if (waits) later.retire(fence_after(runs));
        return detail::outcome_in_order(later, all, slot_);
    }
    /// Returns how many of the oldest runs must be over; empty if waiting for all is not enough.
    [[nodiscard, gnu::cold]] constexpr std::optional<std::size_t> fewest_waits(parts all) const {
        if (!state_.can_wait()) return std::nullopt;
        return least_enough(state_.flights.size(),
                            [&](std::size_t runs) { return outcome_after(all, true, runs).reason == error::none; });
    }

private:
    const memory_state<P>& state_;
    std::uint32_t slot_;
};

/// Places the parts of one call, all or none, for managers without moves and evictions: only waiting helps.
template <placement P>
class waiting_transaction {
public:
    using parts = std::span<call_part<typename P::quanta>>;

    /// `slot` is that of the program that the call is for, in memory or about to come in. Nothing moves: all walls
    /// stay.
    [[gnu::cold]] constexpr waiting_transaction(memory_state<P>& state, policy_interface& policies, std::uint32_t slot,
                                                std::span<const block_index> /*walls*/ = {})
        : state_(state), policies_(policies), planner_(state, slot), slot_(slot) {}

    /// Places all parts; if that fails, waits for the fewest runs that suffice. A refused call changes nothing.
    /// Cost: O(log(flights)) copies of the memory.
    [[gnu::cold]] constexpr call_outcome run(parts all) {
        return detail::place_all_or_none(state_, all, slot_) ? call_outcome{} : relieve(all);
    }

    /// Waits and places all parts.
    /// Requires: they do not fit at present.
    /// Cost: O(programs + deferred frees) for a single part if waiting cannot help; else that of `run`.
    [[gnu::cold, gnu::noinline]] constexpr call_outcome relieve(parts all) {
        // Hopeless calls first, by sums alone; then frees that wait for nothing; then the fewest runs, by halves, for
        // waiting longer never leaves less room. Each trial is on a copy, so nothing waits in vain.
        const bool can_help = detail::least_taken<P>(state_.blocks, all) <= detail::most_after_waits(state_);
        if (can_help && detail::place_with_pending_frees(state_, policies_, all, slot_)) return {};
        const std::optional<std::size_t> enough = can_help ? planner_.fewest_waits(all) : std::nullopt;
        if (!enough) return all.size() == 1 ? detail::no_room(state_, 0) : planner_.outcome_after(all, false, 0);
        executor<P>(state_, policies_).wait_for(planner_.fence_after(*enough));
        ++state_.done.relieved;
        detail::place_in_order(state_, all, slot_);
        return {};
    }

private:
    memory_state<P>& state_;
    policy_interface& policies_;
    wait_planner<P> planner_;
    std::uint32_t slot_;
};

}  // namespace hbm::inline v0
