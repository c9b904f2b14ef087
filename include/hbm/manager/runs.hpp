#pragma once

/// Runs: which outputs take over which inputs, where the others go, and what is in use until a run is over.

#include <hbm/core/bytes.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/donation/donation.hpp>
#include <hbm/manager/arguments.hpp>
#include <hbm/manager/programs.hpp>
#include <hbm/manager/refused_run.hpp>

#include <cstdint>
#include <span>

namespace hbm {

/// What a run returns.
struct run_result {
    std::span<const buffer> outputs;  ///< in the order of the spec; valid until the end of the manager's next run,
                                      ///< whose arguments they may be, until `reserve_metadata`, or assignment
    std::span<const std::uint32_t> donors;  ///< for each output which donated input it took over, or `no_index`; valid
                                            ///< until the beginning of the next run, `reserve_metadata`, or assignment
    fence over = {};                        ///< reached when the run is over
    std::uint32_t donated = 0;              ///< how many took over an input
    bool reloaded = false;                  ///< the program had been evicted and came back
};

namespace detail {

/// Lists that a manager keeps from run to run so that it need not ask the host for memory.
template <class Quanta>
struct run_lists {
    trivial_vector<std::uint64_t> donors;           // granted quanta, 0 once taken
    trivial_vector<std::uint32_t> donor_of_output;  // or `no_index`
    trivial_vector<buffer> outputs;                 // of the latest run: arguments of the next may point here
    trivial_vector<buffer> placed;                  // outputs of the run in hand
    trivial_vector<call_part<Quanta>> parts;        // of the run in hand

    constexpr void reserve(std::size_t arguments) {
        donors.reserve(arguments);
        donor_of_output.reserve(arguments);
        outputs.reserve(arguments);
        placed.reserve(arguments);
        parts.reserve(arguments);
    }
};

/// Pairs the outputs that have partners, which are then offered to nobody else; false and `why` as below.
/// `lists.donors` holds what is offered.
template <donation Donation, class Quanta>
constexpr bool match_partners(const run_spec& spec, std::uint64_t quantum, run_lists<Quanta>& lists, failure& why) {
    for (std::uint32_t at = 0; at < spec.outputs.size(); ++at) {
        const output& each = spec.outputs[at];
        if (each.alias == aliasing::any) continue;
        error reason = error::alias_never_taken;
        if constexpr (donates<Donation>) {
            const std::uint64_t offered = lists.donors[each.partner];
            if (offered == *to_quanta<Quanta>(each.bytes, quantum)) {
                lists.donor_of_output[at] = each.partner;
                reason = error::none;
            } else if (offered != 0) {
                reason = error::alias_of_other_size;
            } else {
                reason = error::alias_twice;
                for (const std::uint32_t kept : spec.kept)
                    if (kept == each.partner) reason = error::alias_not_donated;
            }
            lists.donors[each.partner] = 0;
        }
        if (reason != error::none && each.alias == aliasing::must) {
            why.reason = reason;
            why.requested = each.bytes;
            why.argument = at;
            why.first_use = static_cast<std::uint32_t>(spec.inputs.size()) + each.partner;
            return false;
        }
    }
    return true;
}

/// Pairs outputs with donors: `lists.donor_of_output` has a donor's index, or `no_index`, for each output. If an
/// output must take over what it cannot, `why` says which. O(arguments) if the policy takes the first donor of a size.
template <donation Donation, class Quanta>
constexpr bool match_donors(const Donation& policy, const block_map<Quanta>& map, const run_spec& spec,
                            std::uint64_t quantum, run_lists<Quanta>& lists, failure& why) {
    lists.donor_of_output.assign(spec.outputs.size(), no_index);
    lists.donors.clear();
    if constexpr (donates<Donation>) {
        for (const buffer donor : spec.donated) lists.donors.push_back(std::uint64_t{map.granted(donor.index)});
        for (const std::uint32_t kept : spec.kept) lists.donors[kept] = 0;
    }
    if (!match_partners<Donation>(spec, quantum, lists, why)) return false;
    if constexpr (donates<Donation>) {
        std::size_t gone = 0;  // donors before this are taken
        struct {
            Quanta length = 0;
            std::uint32_t ended = 0;
        } searches[64];  // where the last search for a length ended, by a hash of it; a collision begins anew
        for (std::size_t at = 0; at < spec.outputs.size(); ++at) {
            if (spec.outputs[at].alias != aliasing::any) continue;
            const Quanta length = *to_quanta<Quanta>(spec.outputs[at].bytes, quantum);
            while (gone < lists.donors.size() && lists.donors[gone] == 0) ++gone;
            std::size_t from = gone;
            auto& search = searches[static_cast<std::uint32_t>(length * 0x9e3779b1u) >> 26];
            if (takes_first_of_a_size<Donation> && search.length == length && search.ended > from) from = search.ended;
            const std::size_t found = policy.choose(
                std::span<const std::uint64_t>(lists.donors.data() + from, lists.donors.size() - from), length);
            search = {length, static_cast<std::uint32_t>(lists.donors.size())};
            if (found < lists.donors.size() - from && lists.donors[from + found] >= length) {
                lists.donor_of_output[at] = static_cast<std::uint32_t>(from + found);
                search.ended = lists.donor_of_output[at] + 1;
                lists.donors[from + found] = 0;
            }
        }
    }
    return true;
}

/// Keeps a run that was refused; its lists may be those of an earlier run that was kept there. Sizes are rounded up to
/// `quantum`. O(arguments).
template <class Quanta>
[[gnu::cold, gnu::noinline]] constexpr void keep_refused(refused_run& kept, const failure& why, program subject,
                                                         const run_spec& spec, std::uint64_t quantum,
                                                         const run_lists<Quanta>& lists) {
    const auto copy = [](auto& into, const auto& from) {
        if (from.begin() != into.data()) into.assign(from.begin(), from.end());
    };
    kept.why = why;
    kept.subject = subject;
    copy(kept.inputs, spec.inputs);
    copy(kept.donated, spec.donated);
    copy(kept.outputs, spec.outputs);
    copy(kept.kept, spec.kept);
    kept.donors = lists.donor_of_output;
    kept.run_us = spec.run_us;
    kept.fresh_bytes = 0;
    for (std::size_t at = 0; at < kept.outputs.size(); ++at) {
        if (kept.donors[at] != no_index) continue;
        const std::uint64_t bytes = kept.outputs[at].bytes;
        kept.fresh_bytes =
            saturating_add(kept.fresh_bytes, round_up(bytes == 0 ? 1 : bytes, quantum).value_or(~std::uint64_t{0}));
    }
}

/// Whether a run can be understood at all; if not, `why` says so. O(arguments).
template <placement P>
[[nodiscard]] constexpr bool check_run(memory_state<P>& state, program subject, const run_spec& spec, failure& why) {
    why.reason = check_program(state, subject);
    if (why.reason != error::none || !check_arguments(state.blocks.map(), state.salt, spec, why)) return false;
    for (std::uint32_t at = 0; at < spec.outputs.size(); ++at) {
        const output& each = spec.outputs[at];
        if (to_quanta<typename P::quanta>(each.bytes, state.spec.quantum)) continue;
        why.reason = error::size_too_large;
        why.requested = each.bytes;
        why.label = each.label;
        why.argument = at;
        return false;
    }
    return true;
}

/// Appends the outputs of a run that take nothing over; all can be counted. `donors` has a donor's index, or
/// `no_index`, for each output.
template <placement P>
constexpr void add_outputs(const memory_state<P>& state, const run_spec& spec, std::span<const std::uint32_t> donors,
                           trivial_vector<call_part<typename P::quanta>>& parts) {
    for (std::uint32_t at = 0; at < spec.outputs.size(); ++at) {
        if (donors[at] != no_index) continue;
        const output& each = spec.outputs[at];
        parts.push_back({.required = {.length = *to_quanta<typename P::quanta>(each.bytes, state.spec.quantum),
                                      .expected = expected_under(state.blocks, each.expected, each.label)},
                         .output = at});
    }
}

/// One run, once it is known which outputs take over which inputs.
template <placement P, class Transaction>
class run_in_hand {
    using quanta = typename P::quanta;

public:
    constexpr run_in_hand(memory_state<P>& state, policy_interface& policies, run_lists<quanta>& lists,
                          std::uint32_t slot, const run_spec& spec)
        : state_(state), policies_(policies), lists_(lists), executor_(state, policies), slot_(slot), spec_(spec) {}

    /// All or nothing; if nothing, `why` says so.
    constexpr bool run(run_result& done, failure& why) {
        const bool comes_in = !state_.programs[slot_].resident;
        list_parts(comes_in);
        if (!place(why)) return false;
        if (comes_in) {
            own_program<P>(state_, slot_, lists_.parts);
            executor_.report_reservation();
            done.reloaded = count_reload(state_, policies_, slot_);
        }
        note_placed();
        done.over = issue();
        done.donated = hand_over();
        done.outputs = {lists_.outputs.data(), lists_.outputs.size()};
        done.donors = {lists_.donor_of_output.data(), lists_.donor_of_output.size()};
        use(state_, policies_, slot_);
        const program_record& record = state_.programs[slot_];
        if (record.spilled != 0) {
            ++state_.done.spilled_runs;
            state_.done.spill_nanoseconds =
                saturating_add(state_.done.spill_nanoseconds, state_.spec.spill_nanoseconds(record.spilled));
        }
        executor_.report(
            {.what = event_kind::ran, .label = record.label, .subject = slot_, .from = state_.issued.number});
        if (state_.spec.runs_in_flight != 0) limit_flights();
        return true;
    }

    /// What the run needs room for: the program if it is to come in, and the outputs that take nothing over.
    constexpr void list_parts(bool with_program) {
        lists_.parts.clear();
        if (with_program) add_program(state_, slot_, lists_.parts);
        add_outputs(state_, spec_, std::span<const std::uint32_t>(lists_.donor_of_output.data(), spec_.outputs.size()),
                    lists_.parts);
    }

private:
    [[nodiscard]] constexpr quanta length_of(const output& each) const noexcept {
        return *to_quanta<quanta>(each.bytes, state_.spec.quantum);
    }

    constexpr bool place(failure& why) {
        if (lists_.parts.empty() && !uses_what_is_moving()) return true;
        const bool comes_in = !state_.programs[slot_].resident;
        state_.programs[slot_].resident = true;
        if (!uses_what_is_moving() && place_all_or_none<P>(state_, lists_.parts)) return true;
        return relieve(comes_in, why);
    }
    [[gnu::cold, gnu::noinline]] constexpr bool relieve(bool comes_in, failure& why) {
        Transaction placing(state_, policies_, slot_);
        hold_arguments(holding::for_the_call);
        const call_outcome outcome = placing.relieve(lists_.parts);
        hold_arguments(holding::not_any_more);
        if (outcome.reason == error::none) return true;
        if (comes_in) {
            state_.evict(slot_);
            executor_.report_reservation();
        }
        why = outcome.figures;
        why.reason = outcome.reason;
        if (outcome.part < lists_.parts.size()) {
            const call_part<quanta>& part = lists_.parts[outcome.part];
            if (part.kind == part_kind::data) {
                why.requested = state_.bytes(part.required.length);
                why.label = spec_.outputs[part.output].label;
                why.argument = part.output;
            } else {
                why = why_not_loaded(state_, slot_, part.kind, outcome.reason, why);
            }
        }
        why.slot = slot_;
        return false;
    }

    /// True when a move of something has stopped in the middle that the run uses. O(1), O(arguments) while a move has.
    [[nodiscard]] constexpr bool uses_what_is_moving() const noexcept {
        if (!state_.moving) return false;
        const program_record& record = state_.programs[slot_];
        bool uses = state_.is_moving(record.code_block) || state_.is_moving(record.scratch_block);
        for (const list<buffer>& arguments : {spec_.donated, spec_.inputs})
            for (const buffer argument : arguments) uses = uses || state_.is_moving(argument.index);
        return uses;
    }

    enum class holding : std::uint8_t { for_the_call, not_any_more, while_it_flies };
    /// Holds each block that is an argument once, however often it is named, or no longer. O(arguments).
    [[gnu::noinline]] constexpr void hold_arguments(holding how) {
        block_map<quanta>& map = state_.blocks.map();
        for (const list<buffer>& arguments : {spec_.donated, spec_.inputs}) {
            for (const buffer argument : arguments) {
                if (map.marked(argument.index)) continue;
                map.mark(argument.index);
                if (how == holding::while_it_flies)
                    state_.begin_hold(argument.index);
                else if (how == holding::for_the_call)
                    map.hold(argument.index);
                else
                    map.release_hold(argument.index);
            }
        }
        for (const list<buffer>& arguments : {spec_.donated, spec_.inputs})
            for (const buffer argument : arguments) map.unmark(argument.index);
    }

    /// The blocks of the fresh outputs, by output.
    constexpr void note_placed() {
        lists_.placed.assign(spec_.outputs.size(), buffer{});
        for (const call_part<quanta>& part : lists_.parts)
            if (part.kind == part_kind::data)
                lists_.placed[part.output] = {part.block, state_.blocks.map().generation(part.block), state_.salt};
    }

    /// The run's fence. What the run uses is held until it is over, if the memory is for runs in flight.
    constexpr fence issue() {
        ++state_.issued.number;
        if (state_.spec.runs_in_flight == 0) {
            state_.reached = state_.issued;
            return state_.issued;
        }
        const std::size_t before = state_.held.size();
        hold_arguments(holding::while_it_flies);
        const program_record& record = state_.programs[slot_];
        state_.begin_hold(record.code_block);
        if (record.scratch_block != no_block) state_.begin_hold(record.scratch_block);
        for (const buffer fresh : lists_.placed)
            if (fresh) state_.begin_hold(fresh.index);
        state_.flights.push_back({.over = state_.issued,
                                  .slot = slot_,
                                  .holds = static_cast<std::uint32_t>(state_.held.size() - before),
                                  .nanoseconds = saturating_multiply(spec_.run_us, 1000)});
        return state_.issued;
    }
    /// Waits for the oldest runs until there are no more than the memory is for.
    constexpr void limit_flights() {
        const std::size_t most =
            state_.spec.runs_in_flight < max_in_flight ? state_.spec.runs_in_flight : max_in_flight;
        if (state_.flights.size() > most) executor_.reach(state_.flights[state_.flights.size() - 1 - most].over);
    }

    /// Ends the donors and begins the outputs. Returns how many outputs took over an input.
    constexpr std::uint32_t hand_over() {
        block_map<quanta>& map = state_.blocks.map();
        std::uint32_t donated = 0;
        state_.done.donations_offered += spec_.donated.size();
        state_.done.donations_kept += spec_.kept.size();
        for (const std::uint32_t kept : spec_.kept) map.mark(spec_.donated[kept].index);
        for (std::uint32_t at = 0; at < spec_.outputs.size(); ++at) {
            const output& each = spec_.outputs[at];
            if (lists_.donor_of_output[at] == no_index) {
                const block_index fresh = lists_.placed[at].index;
                map.set_tag(fresh, static_cast<std::uint32_t>(each.label));
                executor_.report_block(event_kind::allocated, fresh);
                continue;
            }
            const block_index block = spec_.donated[lists_.donor_of_output[at]].index;
            const std::uint64_t before = state_.bytes(map.granted(block));
            // An output is as well aligned as what it takes over.
            map.renew(block, length_of(each), map.alignment(block));
            map.set_owner(block, block_kind::data, static_cast<std::uint32_t>(each.label));
            if constexpr (shrinks<P>) {
                // While others hold the block, the rest of it is in use as well.
                if (map.holds(block) == 0) state_.blocks.shrink(block, map.granted(block));
            }
            lists_.placed[at] = {block, map.generation(block), state_.salt};
            ++donated;
            ++state_.done.donations_taken;
            state_.done.donated_bytes += state_.bytes(map.granted(block));
            executor_.report({.what = event_kind::donated,
                              .label = each.label,
                              .subject = block,
                              .where = state_.where(block),
                              .from = before - state_.bytes(map.granted(block))});
        }
        for (const buffer donor : spec_.donated)
            if (map.is_live(donor.index, donor.generation) && !map.marked(donor.index))
                executor_.end_buffer(donor.index);
        for (const std::uint32_t kept : spec_.kept) map.unmark(spec_.donated[kept].index);
        lists_.outputs.swap(lists_.placed);
        return donated;
    }

    memory_state<P>& state_;
    policy_interface& policies_;
    run_lists<quanta>& lists_;
    executor<P> executor_;
    std::uint32_t slot_;
    const run_spec& spec_;
};

}  // namespace detail

}  // namespace hbm
