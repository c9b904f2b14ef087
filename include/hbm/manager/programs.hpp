#pragma once

#include <hbm/core/specs.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/manager/call_parts.hpp>
#include <hbm/manager/executor.hpp>

#include <cstdint>
#include <optional>
#include <span>

namespace hbm::inline v0::detail {

[[nodiscard, gnu::cold]] constexpr std::uint32_t free_slot(trivial_vector<program_record>& programs) {
    // A slot is in use if its generation is odd. It keeps its generation when its program ends, so a
    // handle of the old program stays stale when the slot is used again.
    std::uint32_t slot = 0;
    while (slot < programs.size() && programs[slot].generation % 2 == 1) ++slot;
    if (slot == programs.size()) programs.emplace_back();
    return slot;
}

/// Appends the needs of the program in `slot`: its scratch, then its code.
template <placement P>
[[gnu::cold, gnu::noinline]] constexpr void add_program(const memory_state<P>& state, std::uint32_t slot,
                                                        trivial_vector<call_part<typename P::quanta>>& parts) {
    const program_record& record = state.programs[slot];
    if (record.scratch != 0) {
        if constexpr (reserves<P>)
            parts.push_back({.kind = part_kind::reservation});
        else
            parts.push_back({.kind = part_kind::scratch, .required = {.length = state.in_quanta(record.scratch)}});
    }
    parts.push_back({.kind = part_kind::code, .required = {.length = state.in_quanta(record.code)}});
}
template <placement P>
[[gnu::cold, gnu::noinline]] constexpr void own_program(memory_state<P>& state, std::uint32_t slot,
                                                        std::span<const call_part<typename P::quanta>> parts) {
    program_record& record = state.programs[slot];
    record.resident = true;
    for (const call_part<typename P::quanta>& part : parts) {
        if (part.kind == part_kind::scratch) {
            record.scratch_block = part.block;
            state.blocks.map().set_owner(part.block, block_kind::scratch, slot);
        } else if (part.kind == part_kind::code) {
            record.code_block = part.block;
            state.blocks.map().set_owner(part.block, block_kind::code, slot);
        }
    }
}

template <placement P>
[[nodiscard, gnu::cold, gnu::noinline]] constexpr failure
why_not_loaded(const memory_state<P>& state, std::uint32_t slot, part_kind part, error reason, failure figures) {
    const program_record& record = state.programs[slot];
    figures.reason = part == part_kind::code ? error::code_does_not_fit : error::scratch_does_not_fit;
    if (reason == error::device_failed) figures.reason = reason;
    figures.requested = part == part_kind::code ? record.code : record.scratch;
    figures.at_the_bottom = part == part_kind::reservation;
    figures.label = record.label;
    figures.code = record.code;
    figures.scratch = record.scratch;
    return figures;
}

/// Brings the program in `slot` into memory. Returns the failure; its reason is `error::none` if it succeeded.
/// Requires: the program is not in memory.
template <placement P, class Transaction>
[[gnu::cold, gnu::noinline]] constexpr failure bring_in(memory_state<P>& state, policy_interface& policies,
                                                        std::uint32_t slot) {
    trivial_vector<call_part<typename P::quanta>> parts;
    add_program(state, slot, parts);
    // Scratch and code are parts of one call: either both find room, or nothing changes.
    const call_outcome outcome = Transaction(state, policies, slot).run(parts);
    if (outcome.reason != error::none) {
        state.shrink_reservation();  // a failed device may have left it too large
        executor<P>(state, policies).report_reservation();
        return why_not_loaded(state, slot, parts[outcome.part].kind, outcome.reason, outcome.figures);
    }
    own_program<P>(state, slot, parts);
    executor<P>(state, policies).report_reservation();
    return {};
}

/// Counts a reload if the program had been evicted, and returns true then; after `unload_for_now` it is not a reload.
template <placement P>
[[gnu::cold]] constexpr bool count_reload(memory_state<P>& state, policy_interface& policies, std::uint32_t slot) {
    program_record& record = state.programs[slot];
    const bool evicted = !record.unloaded;
    record.unloaded = false;
    if (evicted) {
        ++state.done.reloads;
        state.done.reload_nanoseconds = saturating_add(state.done.reload_nanoseconds, record.reload_nanoseconds);
    }
    executor<P>(state, policies).report_program(evicted ? event_kind::reloaded : event_kind::loaded, slot);
    return evicted;
}

template <placement P>
constexpr void use(memory_state<P>& state, policy_interface& policies, std::uint32_t slot) {
    // The clock ticks first and the credit is asked before `last_use` is written: the policy sees the time of the use
    // before this one.
    program_record& record = state.programs[slot];
    ++state.clock;
    ++record.uses;
    record.credit = policies.credit(record, state.clock);
    record.last_use = state.clock;
}

/// Returns the record of a program before it is loaded; empty if its sizes cannot be counted.
template <placement P>
[[nodiscard, gnu::cold]] constexpr std::optional<program_record> record_of(const memory_state<P>& state,
                                                                           const program_spec& spec) {
    const auto code = to_quanta<typename P::quanta>(spec.code, state.spec.quantum);
    const auto scratch = to_quanta<typename P::quanta>(spec.scratch, state.spec.quantum);
    if (!code || !scratch) return std::nullopt;
    program_record record{.code = state.bytes(*code), .scratch = spec.scratch == 0 ? 0 : state.bytes(*scratch)};
    // Scratch beyond the limit is not refused but spilled: the program runs, and pays for it in each run. A reload time
    // that is too large for nanoseconds means that the caller gave none, and the spec's bandwidth tells.
    if (const std::uint64_t most = state.scratch_limit(); record.scratch > most) {
        record.spilled = record.scratch - most;
        record.scratch = most;
    }
    record.reload_nanoseconds =
        spec.reload_us > ~std::uint64_t{0} / 1000 ? state.spec.reload_nanoseconds(record.code) : spec.reload_us * 1000;
    return record;
}

template <placement P, class Transaction>
[[gnu::cold, gnu::noinline]] constexpr result<program> load_new(memory_state<P>& state, policy_interface& policies,
                                                                const program_spec& spec, tag label) {
    executor<P> says(state, policies);
    std::optional<program_record> record = record_of(state, spec);
    if (!record) {
        const bool countable = to_quanta<typename P::quanta>(spec.code, state.spec.quantum).has_value();
        return says.refuse(error::size_too_large, countable ? spec.scratch : spec.code, label);
    }
    // The record is written first, for planning reads its sizes from there; it is not resident yet, so nothing else
    // sees it. A failure restores the slot, its generation included.
    const std::uint32_t slot = free_slot(state.programs);
    const program_record before = state.programs[slot];
    record->generation = before.generation + 1;
    record->label = label;
    state.programs[slot] = *record;
    const failure why = bring_in<P, Transaction>(state, policies, slot);
    if (why.reason != error::none) {
        state.programs[slot] = before;
        if (before.generation == 0) state.programs.pop_back();
        return says.report_failure(why.reason, why);
    }
    use(state, policies, slot);
    says.report_program(event_kind::loaded, slot);
    return program{slot, state.programs[slot].generation, state.salt};
}

template <placement P, class Transaction>
[[gnu::cold, gnu::noinline]] constexpr result<done> load_again(memory_state<P>& state, policy_interface& policies,
                                                               std::uint32_t slot) {
    failure why = bring_in<P, Transaction>(state, policies, slot);
    // The slot names the program of the failure: a reload can then be explained and tried again from the failure alone.
    why.slot = slot;
    if (why.reason != error::none) return executor<P>(state, policies).report_failure(why.reason, why);
    count_reload(state, policies, slot);
    use(state, policies, slot);
    return done{};
}

/// Removes the program in `slot` from memory once its runs are over. `ends` its handles, or keeps its record.
template <placement P>
[[gnu::cold, gnu::noinline]] constexpr void unload(memory_state<P>& state, policy_interface& policies,
                                                   std::uint32_t slot, bool ends) {
    executor<P> says(state, policies);
    // A program in flight cannot leave: its last run is waited for, which ends all runs before it, too.
    says.wait_for_program(slot);
    const program_record before = state.programs[slot];
    if (ends || before.resident) {
        const event gone = says.describe_program(event_kind::unloaded, slot);
        state.evict(slot);
        if (ends) {
            state.programs[slot] = program_record{.generation = before.generation + 1};
            for (program_record& other : state.programs)  // the slot's next program has evicted nothing
                if (other.evicted_for == slot) other.evicted_for = no_index;
        }
        says.report(gone);
        says.report_reservation();
    }
    if (!ends)
        state.programs[slot] = {.code = before.code,
                                .scratch = before.scratch,
                                .spilled = before.spilled,
                                .reload_nanoseconds = before.reload_nanoseconds,
                                .generation = before.generation,
                                .label = before.label,
                                .unloaded = true};
}

}  // namespace hbm::inline v0::detail
