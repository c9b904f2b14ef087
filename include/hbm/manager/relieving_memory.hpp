#pragma once

/// Memory in which requests are placed and, where that fails, relieved.

#include <hbm/core/request.hpp>
#include <hbm/eviction/eviction.hpp>
#include <hbm/manager/moving_memory.hpp>
#include <hbm/relief/relief.hpp>

#include <optional>
#include <vector>

namespace hbm {

/// What decides who leaves and what moves. A manager adds handles, programs and runs.
template <placement Placement, eviction Eviction, relief Relief, hbm::device Device, observer Events>
class relieving_memory : public moving_memory<Placement, Device, Events> {
    using base = moving_memory<Placement, Device, Events>;

public:
    using typename base::quanta;
    using relief_type = Relief;

    /// After so many evictions in a row in which two programs were each other's victims, they are said to be thrashing.
    static constexpr std::uint32_t thrashing_begins = 3;

protected:
    using base::finish_moving;
    using base::reach;
    using base::report;
    using base::state_;
    using base::totals_;

    constexpr relieving_memory() = default;
    constexpr relieving_memory(const Eviction& eviction_policy, const Relief& relief_policy, const Device& device,
                               const Events& events)
        : base(device, events), eviction_(eviction_policy), relief_(relief_policy) {}

    // -- place, and relieve where that fails --

    /// Places a need, or makes the reservation that it describes, with relief where it must be, which begins with what
    /// is pending. May have relieved in vain when it fails, so it is rehearsed first. `no_block` on failure.
    constexpr block_index place_or_relieve(const need<quanta>& wanted, std::uint32_t protected_slot) {
        block_index block = place(wanted);
        if (block != no_block) return block;
        if (state_.moving) {
            if (!finish_moving()) return no_block;
            if (block = place(wanted); block != no_block) return block;
        }
        if (script_at_ == script_.size()) {
            if (only_scripted_) return no_block;
            std::optional<plan> way = find_plan(wanted, protected_slot);
            if (!way) return no_block;
            script_.push_back(static_cast<plan&&>(*way));
        }
        const plan found = script_[script_at_++];
        for (const step& next : found.steps) {
            if (only_scripted_ && next.what == step_kind::move && !state_.can_carry_out(next)) return no_block;
            if (!carry_out(next, protected_slot)) return no_block;
        }
        learn_from(found);
        return place(wanted);
    }

    /// Carries out what comes before all placing, for the program in `slot`; what is pending comes before that. False
    /// when that is not possible.
    constexpr bool begin_script(std::uint32_t slot) {
        if (!first_.steps.empty() && !finish_moving()) return false;
        for (const step& next : first_.steps) {
            if (next.what == step_kind::evict && !state_.can_evict(next.subject)) return false;
            carry_out(next, slot);
        }
        if (!first_.steps.empty()) learn_from(first_);
        return true;
    }

    /// A block, or, for a reservation that was made, any number but `no_block`.
    constexpr block_index place(const need<quanta>& wanted) {
        if constexpr (reserves<Placement>) {
            if (wanted.anchored) return state_.blocks.reserve(state_.reservation_for(wanted)) ? 0 : no_block;
        }
        return state_.blocks.place(wanted);
    }

    [[nodiscard]] constexpr std::optional<plan> find_plan(const need<quanta>& wanted,
                                                          std::uint32_t protected_slot) const {
        const std::vector<std::uint64_t> scores = scores_now();
        return relief_.choose(planner<Placement>{state_, wanted, Eviction::choice, scores, protected_slot,
                                                 waits_for_all_ ? state_.flights.size() : 0});
    }
    /// The same, and where there is none, what is known of why.
    [[nodiscard]] constexpr planning_result verdict_on(const need<quanta>& wanted) const {
        planning_result said;
        if (state_.fits(wanted)) {
            said.found = plan{};
            return said;
        }
        const std::vector<std::uint64_t> scores = scores_now();
        const planner<Placement> ways{state_, wanted, Eviction::choice, scores, no_index};
        said.found = relief_.choose(ways);
        if (said.found) {
            const std::uint64_t least = ways.min_nanoseconds();
            said.found->lower_bound = least < said.found->nanoseconds ? least : said.found->nanoseconds;
            said.lower_bound = said.found->lower_bound;
        } else if (planning_result all = ways.cheapest(); !all.found)
            said = static_cast<planning_result&&>(all);
        return said;
    }
    /// What losing each program costs, by slot, as the eviction policy says.
    [[nodiscard]] constexpr std::vector<std::uint64_t> scores_now() const {
        std::vector<std::uint64_t> scores(state_.programs.size(), 0);
        if constexpr (evicts<Eviction>) {
            for (std::uint32_t slot = 0; slot < state_.programs.size(); ++slot)
                if (state_.programs[slot].resident) scores[slot] = eviction_.score(state_.programs[slot], clock_);
        }
        return scores;
    }

    constexpr void learn_from(const plan& done) {
        if constexpr (learns_from_relief<Relief>) relief_.relieved(done);
    }

    /// Carries one step of relief out, on the device as well; it is for the program in `slot`, if for one. Nothing is
    /// pending. False when the device failed to copy; then this step was not taken, or is pending.
    constexpr bool carry_out(const step& next, std::uint32_t slot = no_index) {
        if (next.what == step_kind::wait) {
            if (next.to > state_.reached.number) {
                ++totals_.waits;
                for (const flight& run : state_.flights)
                    if (run.over <= fence{next.to})
                        totals_.wait_nanoseconds = saturating_add(totals_.wait_nanoseconds, run.nanoseconds);
            }
            reach(fence{next.to});
        } else if (next.what == step_kind::evict) {
            detect_thrashing(slot, next.subject);
            const event gone = this->describe_program(event_kind::evicted, next.subject);
            const std::uint64_t reserved = this->reserved_bytes();
            if constexpr (learns_from_evictions<Eviction>) eviction_.evicted(state_.programs[next.subject]);
            ++totals_.evictions;
            totals_.evicted_bytes += state_.programs[next.subject].code;
            state_.evict(next.subject);
            report(gone);
            this->report_reservation(reserved);
        } else {
            return this->move(pending_move{next.subject, next.from, next.to, next.bytes});
        }
        return true;
    }

    /// Recognises a pair of programs that push each other out again and again: `victim` leaves for the one in `slot`.
    constexpr void detect_thrashing(std::uint32_t slot, std::uint32_t victim) {
        program_record& gone = state_.programs[victim];
        const bool again = slot != no_index && state_.programs[slot].evicted_for == victim;
        gone.evicted_for = slot;
        gone.mutual_evictions = again ? state_.programs[slot].mutual_evictions + 1 : 0;
        if (gone.mutual_evictions < thrashing_begins) return;
        ++totals_.thrashing;
        report({.what = event_kind::thrashing, .label = state_.programs[slot].label, .subject = slot, .from = victim});
    }

    friend constexpr bool operator==(const relieving_memory& a, const relieving_memory& b) {
        return static_cast<const base&>(a) == b && a.clock_ == b.clock_ && a.eviction_ == b.eviction_ &&
               a.relief_ == b.relief_;
    }

    plan first_;                // found in rehearsal: who leaves before anything is placed
    std::vector<plan> script_;  // the same: plans in the order in which they are needed
    std::size_t script_at_ = 0;
    bool only_scripted_ = false;  // no more plans are found, and those in the script may not be possible
    bool waits_for_all_ = false;  // plans that wait for less are not good enough
    std::uint64_t clock_ = 0;     // one tick a load or run
    [[no_unique_address]] Eviction eviction_;
    [[no_unique_address]] Relief relief_;
};

}  // namespace hbm
