#pragma once

/// All that one call needs room for, placed together or not at all: place; where that fails, plan, check, execute,
/// place.

#include <hbm/manager/executor.hpp>
#include <hbm/relief/planner.hpp>
#include <hbm/relief/problem_of.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hbm {

/// What a part of a call is.
enum class part_kind : std::uint8_t {
    reservation,  ///< the program's share of the scratch that is reserved at the bottom
    scratch,      ///< the same as a block of its own
    code,         ///< the program's code and constants
    data,         ///< a buffer, or an output
};

/// Something that a call needs room for.
template <class Quanta>
struct call_part {
    part_kind kind = part_kind::data;
    need<Quanta> required = {};         ///< nothing for the reservation, which follows from the programs in memory
    std::uint32_t output = no_index;    ///< which output of the run
    block_index block = no_block;       ///< once it is placed
};

/// Places the parts of one call. `Plans` says whether blocks may move or programs be evicted for it; a manager where
/// neither is so waits, and holds no planner. A program that comes in is marked resident before; who calls holds what
/// must stay.
template <placement P, bool Plans>
class transaction {
public:
    using quanta = typename P::quanta;
    using parts = std::span<call_part<quanta>>;

    /// `slot` is that of the program which the call is for, if for one.
    constexpr transaction(memory_state<P>& state, policy_interface& policies, std::uint32_t slot)
        : state_(state), policies_(policies), slot_(slot) {}

    /// Which part found no room as things were, and the figures then.
    struct outcome {
        error reason = error::none;  ///< `device_failed` where a copy failed on the way
        std::size_t part = 0;
        failure figures;
    };

    /// Places all parts in their order; where that fails, makes room for all of them first. A call that is refused has
    /// changed nothing. Cost of the two that follow.
    constexpr outcome run(parts all) {
        return place_now(all) ? outcome{} : relieve(all);
    }

    /// Places all parts in their order, without relief: all of them, or none and false. O(parts) searches where one
    /// free run surely holds them all or there is only one part; a copy of the memory otherwise.
    constexpr bool place_now(parts all) {
        if (all.size() > 1 && !surely_fit(all)) {
            memory_state<P> trial = state_;
            if (place(trial, all) != all.size()) return false;
        }
        return place(state_, all) == all.size();
    }

    /// The same with relief, and before anything else what is pending is finished. Nothing is touched before it is
    /// known that all of it will succeed, unless the device fails. O(copies of the memory) and planning: see
    /// `joint_search`.
    [[gnu::noinline]] constexpr outcome relieve(parts all) {
        memory_state<P> later = state_;
        later.finish_moving();
        outcome trouble;
        {
            memory_state<P> trial = later;
            if (const std::size_t at = place(trial, all); at != all.size()) trouble = refused(trial, all, at);
        }
        const bool fits = trouble.reason == error::none;
        std::optional<plan> steps = plan{};
        if (!fits) {
            if constexpr (Plans) {
                const planning_problem problem = problem_for(later, all);
                steps = policies_.relief->choose(planner(problem));
            } else {
                steps = wait_for_room(later, all);
            }
        }
        if (!steps) return trouble;
        const trial_result tried = try_out(static_cast<memory_state<P>&&>(later), all, *steps);
        if (tried == trial_result::impossible) return trouble;

        executor<P> executes(state_, policies_);
        trouble.reason = error::device_failed;
        if (!executes.finish_moving()) return trouble;
        for (const step& next : steps->steps)
            if (!executes.carry_out(next, slot_)) return trouble;
        if (!fits) {
            ++state_.done.relieved;
            if constexpr (Plans) policies_.relief->relieved(*steps);
        }
        if (tried == trial_result::placed_in_order)
            place(state_, all);
        else
            place_as_planned(state_, all, *steps);
        return {};
    }

    /// What relief would do, and what is known of why nothing helps. Nothing is changed.
    [[nodiscard]] constexpr planning_result plan_for(parts all) const {
        memory_state<P> later = state_;
        later.finish_moving();
        {
            memory_state<P> trial = later;
            if (place(trial, all) == all.size()) return {.found = plan{}};
        }
        planning_result result;
        if constexpr (Plans) {
            const planning_problem problem = problem_for(later, all);
            const planner ways(problem);
            if (std::optional<plan> steps = policies_.relief->choose(ways); steps && is_possible(later, all, *steps)) {
                const std::uint64_t least = ways.min_nanoseconds();
                steps->lower_bound = least < steps->nanoseconds ? least : steps->nanoseconds;
                result.lower_bound = steps->lower_bound;
                result.found = steps;
            } else if (planning_result all_ways = ways.cheapest(); !all_ways.found) {
                result = all_ways;
            }
        } else {
            result.found = wait_for_room(later, all);
        }
        return result;
    }

    /// Places the parts in their order. Returns how many were placed: all, or the index of the first without room.
    static constexpr std::size_t place(memory_state<P>& state, parts all) {
        for (std::size_t at = 0; at < all.size(); ++at) {
            if (all[at].kind == part_kind::reservation) {
                if (!reserve(state)) return at;
                continue;
            }
            all[at].block = state.blocks.place(all[at].required);
            if (all[at].block == no_block) return at;
        }
        return all.size();
    }

private:
    /// The parts that are placed as blocks, and what they need.
    [[nodiscard]] static constexpr std::vector<need<quanta>> needs_of(parts all) {
        std::vector<need<quanta>> needs;
        for (const call_part<quanta>& part : all)
            if (part.kind != part_kind::reservation) needs.push_back(part.required);
        return needs;
    }
    [[nodiscard]] constexpr planning_problem problem_for(const memory_state<P>& later, parts all) const {
        std::vector<std::uint64_t> scores(later.programs.size(), 0);
        if (policies_.relief->choice != victims::none)
            for (std::uint32_t slot = 0; slot < later.programs.size(); ++slot)
                if (later.programs[slot].resident) scores[slot] = policies_.relief->score(later.programs[slot], later.clock);
        return problem_of(later, std::span<const need<quanta>>{needs_of(all)}, policies_.relief->choice,
                          std::span<const std::uint64_t>{scores});
    }

    /// True when the longest free run holds all parts, whatever their order. Cost of `largest_free`.
    [[nodiscard]] constexpr bool surely_fit(parts all) const {
        std::uint64_t sum = 0;
        for (const call_part<quanta>& part : all) {
            if (part.kind == part_kind::reservation) return false;
            const need<quanta> required = state_.blocks.requirement(part.required);
            if (required.alignment != 1) return false;
            sum += required.length;
        }
        return sum <= state_.blocks.largest_free();
    }

    static constexpr bool reserve(memory_state<P>& state) {
        if constexpr (reserves<P>) {
            const std::uint64_t level = state.scratch_level();
            if (level <= state.reserved_bytes()) return true;
            return level <= state.bytes(state.blocks.map().capacity()) && state.blocks.reserve(state.in_quanta(level));
        }
        return true;
    }
    /// The same where a plan says. The reservation comes first, wherever it stands among the parts.
    static constexpr bool place_as_planned(memory_state<P>& state, parts all, const plan& steps) {
        if constexpr (imports<P>) {
            std::size_t next = 0;
            for (call_part<quanta>& part : all) {
                if (part.kind == part_kind::reservation) {
                    if (!reserve(state)) return false;
                    continue;
                }
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

    [[nodiscard]] static constexpr outcome refused(const memory_state<P>& state, parts all, std::size_t at) {
        std::uint64_t requested = state.bytes(all[at].required.length);
        if (all[at].kind == part_kind::reservation) requested = 0;
        return {.reason = error::buffer_does_not_fit,
                .part = at,
                .figures = {.requested = requested,
                            .free = state.bytes(state.blocks.map().free()),
                            .largest_free = state.bytes(state.blocks.largest_free()),
                            .reserved = state.reserved_bytes(),
                            .reservable = state.reservable_bytes()}};
    }

    /// How a plan turns out when it is tried on copies.
    enum class trial_result : std::uint8_t { impossible, placed_in_order, placed_as_planned };
    [[nodiscard]] static constexpr trial_result try_out(memory_state<P> later, parts all, const plan& steps) {
        for (const step& next : steps.steps)
            if (!later.apply(next)) return trial_result::impossible;
        memory_state<P> trial = later;
        if (place(trial, all) == all.size()) return trial_result::placed_in_order;
        return place_as_planned(later, all, steps) ? trial_result::placed_as_planned : trial_result::impossible;
    }
    [[nodiscard]] static constexpr bool is_possible(const memory_state<P>& later, parts all, const plan& steps) {
        return try_out(later, all, steps) != trial_result::impossible;
    }

    /// Waits for as few runs as it takes, by halves; empty where waiting for all of them is not enough. O(log(flights))
    /// copies of the memory.
    [[nodiscard]] static constexpr std::optional<plan> wait_for_room(const memory_state<P>& before, parts all) {
        if (!before.can_wait()) return std::nullopt;
        const auto wait_of = [&](std::size_t runs) {
            step wait{.what = step_kind::wait,
                      .to = runs == 0 ? before.reached.number : before.flights[runs - 1].over.number};
            for (std::size_t at = 0; at < runs; ++at)
                wait.nanoseconds = saturating_add(wait.nanoseconds, before.flights[at].nanoseconds);
            return wait;
        };
        std::uint64_t returned = 0;
        const auto enough = [&](std::size_t runs) {
            memory_state<P> later = before;
            later.apply(wait_of(runs));
            const auto more = static_cast<quanta>(later.blocks.map().free() - before.blocks.map().free());
            if (place(later, all) != all.size()) return false;
            returned = before.bytes(more);
            return true;
        };
        std::size_t least = 0;
        std::size_t most = before.flights.size();
        if (!enough(most)) return std::nullopt;
        while (least < most) {
            const std::size_t middle = least + (most - least) / 2;
            if (enough(middle))
                most = middle;
            else
                least = middle + 1;
        }
        plan steps;
        steps.add(wait_of(most));
        steps.steps.back().bytes = returned;
        return steps;
    }

    memory_state<P>& state_;
    policy_interface& policies_;
    std::uint32_t slot_;
};

}  // namespace hbm
