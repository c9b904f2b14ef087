#pragma once

#include <hbm/core/bisect.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/planning/price.hpp>
#include <hbm/planning/problem.hpp>
#include <hbm/state/memory_state.hpp>

#include <cstdint>
#include <span>

namespace hbm::inline v0 {

namespace detail {

/// Returns by block the number of runs in flight that must end before none of them holds it.
template <class Records>
[[nodiscard, gnu::cold]] constexpr trivial_vector<std::size_t> last_holds(const Records& records) {
    // The holds of all flights stand one after another in `held`, oldest flight first, and each flight says how many
    // are its own. A later flight overwrites the number of an earlier one, so the last one stays.
    trivial_vector<std::size_t> last;
    std::size_t at = 0;
    for (std::size_t run = 0; run < records.flights.size(); ++run)
        for (std::uint32_t i = 0; i < records.flights[run].holds; ++i) {
            const std::uint32_t block = block_map<std::uint32_t>::number_of(records.held[at++]);
            if (block >= last.size()) last.resize(std::size_t{block} + 1, 0);
            last[block] = run + 1;
        }
    return last;
}
/// Returns the number of runs in flight that must end before `until` is reached.
/// Cost: O(log(flights)).
template <class Records>
[[nodiscard, gnu::cold]] constexpr std::size_t runs_until(const Records& records, fence until) {
    // Fences of flights ascend, so the question is monotone. A fence beyond all flights needs all of them to end.
    const std::size_t most = records.flights.size();
    return *least_enough(most, [&](std::size_t runs) {
        return runs == most || until <= (runs == 0 ? records.reached : records.flights[runs - 1].over);
    });
}

}  // namespace detail

/// Returns the planning problem of `state` and `needs`; `scores` (by slot) and `choice` are the eviction policy's.
/// The program in `protected_slot` is not evicted; it may be about to come in: then it is not resident and has no
/// blocks. Blocks held by anything except runs in flight stay. Requires: `state` has no pending move. Cost: O(blocks +
/// programs + holds), and O(log(flights)) a deferred free.
template <placement P>
[[nodiscard, gnu::cold]] constexpr planning_problem
problem_of(const memory_state<P>& state, std::span<const need<typename P::quanta>> needs, victims choice,
           std::span<const std::uint64_t> scores, std::uint32_t protected_slot = no_index) {
    const auto& map = state.blocks.map();
    planning_problem problem;
    for (const flight& run : state.flights) problem.flights.push_back({run.over, run.nanoseconds});
    problem.reached = state.reached;
    problem.capacity = map.capacity();
    problem.may_move = compacts<P>;
    problem.can_wait = state.can_wait();
    problem.choice = choice;
    problem.spec = state.spec;
    if constexpr (reserves<P>) {
        problem.bottom = state.blocks.reserved();
        problem.rule = P::sharing == scratch_sharing::shared ? scratch_rule::largest : scratch_rule::sum;
    }
    for (const need<typename P::quanta>& request : needs) {
        // The planner sees what the placement really takes, rounded up by its rules, so that it need not know them.
        const need<typename P::quanta> required = state.blocks.requirement(request);
        problem.needs.push_back({.length = required.length, .alignment = required.alignment});
    }

    // All that runs in flight hold is free after some number of them: the planner weighs waits as numbers of runs, not
    // as fences. What somebody else holds, such as a call in progress, never becomes free: it is a wall.
    trivial_vector<std::size_t> last = detail::last_holds(state);
    // Other holders keep a block longer than any run.
    trivial_vector<std::uint32_t> held_by_runs(last.size(), 0);
    for (const block_index block : state.held) ++held_by_runs[map.number_of(block)];
    for (const deferred_free& waiting : state.deferred) {
        const std::uint32_t at = map.number_of(waiting.block);
        if (at >= last.size()) last.resize(std::size_t{at} + 1);
        const std::size_t until = detail::runs_until(state, waiting.until);
        if (last[at] < until) last[at] = until;
    }
    const auto released_after = [&](block_index block) -> std::size_t {
        const std::uint32_t at = map.number_of(block);
        const std::uint32_t by_runs = at < held_by_runs.size() ? held_by_runs[at] : 0;
        if (map.holds(block) > by_runs) return never;
        return at < last.size() ? last[at] : 0;
    };

    trivial_vector<std::uint32_t> program_at(state.programs.size(), no_index);  // by slot
    for (std::uint32_t slot = 0; slot < state.programs.size(); ++slot) {
        const program_record& record = state.programs[slot];
        if (!record.resident && slot != protected_slot) continue;
        // The protected program counts even before it comes in: its scratch belongs to the reservation that the plan
        // must leave room for. But it never leaves, nor does one without code in memory.
        program_at[slot] = static_cast<std::uint32_t>(problem.programs.size());
        problem.programs.push_back({.slot = slot,
                                    .score = scores[slot],
                                    .scratch = record.scratch >> state.shift(),
                                    .evictable_after = record.code_block == no_block || slot == protected_slot
                                                           ? never
                                                           : released_after(record.code_block),
                                    .eviction = eviction_step(slot, record)});
    }

    // Blocks in address order, as the planner needs them. Holes are what lies between, and the reservation is a number.
    bool some_may_be_cut = false;
    problem.blocks.reserve(map.live_blocks());
    for (block_index block = map.first(); block != no_block; block = map.next(block)) {
        const block_kind kind = map.kind(block);
        if (kind == block_kind::hole || kind == block_kind::reservation) continue;
        problem_block& entry = problem.blocks.emplace_back();
        entry.offset = map.offset(block);
        entry.size = map.size(block);
        entry.block = block;
        entry.generation = map.generation(block);
        entry.alignment = map.alignment(block);
        if (kind == block_kind::code || kind == block_kind::scratch) entry.program = program_at[map.owner(block)];
        const std::size_t released = released_after(block);
        if (kind == block_kind::deferred) {
            // A freed block is never moved: it is a wall until it is gone.
            entry.freed_after = released;
            continue;
        }
        entry.pinned = map.pins(block) != 0;
        entry.movable_unpinned = released;
        if (!entry.pinned) entry.movable_after = released;
        entry.price = as_move_price(state.spec.move_nanoseconds(state.bytes(map.size(block))));
        if (kind == block_kind::data && map.granted(block) < map.size(block)) some_may_be_cut = true;
    }
    if constexpr (shrinks<P>) {
        if (some_may_be_cut && !state.held.empty()) {
            P trial = state.blocks;  // only the placement computes the cut
            for (problem_block& entry : problem.blocks) {
                if (map.kind(entry.block) != block_kind::data || map.granted(entry.block) == map.size(entry.block))
                    continue;
                const std::size_t released = released_after(entry.block);
                if (released == 0) continue;
                trial.shrink(entry.block, map.granted(entry.block));
                entry.size_when_cut = trial.map().size(entry.block);
                entry.cut_after = released;
            }
        }
    }
    return problem;
}

}  // namespace hbm::inline v0
