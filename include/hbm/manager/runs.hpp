#pragma once

#include <hbm/blocks/tag_names.hpp>
#include <hbm/core/bytes.hpp>
#include <hbm/core/run_result.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/donation/donation.hpp>
#include <hbm/manager/arguments.hpp>
#include <hbm/manager/failed_run.hpp>
#include <hbm/manager/programs.hpp>

#include <cstdint>
#include <limits>
#include <span>

namespace hbm::inline v0 {

namespace detail {

/// Lists reused from run to run, to save allocations on the host.
template <class Quanta>
struct run_lists {
    trivial_vector<output> named;                   // outputs with tags for names
    trivial_vector<Quanta> lengths;                 // lengths of the outputs
    trivial_vector<std::uint64_t> donors;           // granted quanta, 0 once taken
    trivial_vector<std::uint32_t> donor_of_output;  // index, or `no_index`
    trivial_vector<std::uint32_t> fresh;            // outputs that take nothing over
    trivial_vector<buffer> outputs;                 // outputs of the current run
    trivial_vector<call_part<Quanta>> parts;        // parts of the current run
    trivial_vector<moved_argument> moved;           // arguments of the current run that relief moved
    donors_by_size by_size;

    constexpr void reserve(std::size_t arguments) {
        lengths.reserve(arguments);
        donors.reserve(arguments);
        donor_of_output.reserve(arguments);
        fresh.reserve(arguments);
        outputs.reserve(arguments);
        parts.reserve(arguments);
        by_size.reserve(arguments);
    }
};

/// Replaces the names of outputs by tags.
template <placement P>
[[gnu::cold, gnu::noinline]] constexpr void name_outputs(run_spec& spec, tag_names& names, const memory_state<P>& state,
                                                         run_lists<typename P::quanta>& lists) {
    lists.named.assign(spec.outputs.begin(), spec.outputs.end());
    // Known names first: they may be in the registry itself, which reallocates for a new name.
    for (const bool only_known : {true, false}) {
        for (output& each : lists.named) {
            if (each.name == nullptr || (only_known && !names.knows(each.name))) continue;
            each.label = names.intern(each.name);
            each.name = nullptr;
        }
    }
    spec.outputs = lists.named;
    names.forget_unused(state);
}

/// Pairs the outputs that have partners, which are then offered to no other output.
/// Fails: see `match_donors`.
/// Requires: `lists.donors` has the offers.
template <donation Donation, class Quanta>
[[gnu::cold, gnu::noinline]] constexpr bool match_partners(const run_spec& spec, run_lists<Quanta>& lists,
                                                           failure& why) {
    lists.donor_of_output.assign(spec.outputs.size(), no_index);
    for (std::uint32_t at = 0; at < spec.outputs.size(); ++at) {
        const output& output = spec.outputs[at];
        if (output.alias == aliasing::any) continue;
        error reason = error::alias_never_taken;
        if constexpr (donates<Donation>) {
            const std::uint64_t offered = lists.donors[output.partner];
            if (offered == lists.lengths[at]) {
                lists.donor_of_output[at] = output.partner;
                reason = error::none;
            } else if (offered != 0) {
                reason = error::alias_of_other_size;
            } else {
                reason = error::alias_twice;
                for (const std::uint32_t kept : spec.kept)
                    if (kept == output.partner) reason = error::alias_not_donated;
            }
            lists.donors[output.partner] = 0;
        }
        if (reason != error::none && output.alias == aliasing::must) {
            why.reason = reason;
            why.requested = output.bytes;
            why.argument = at;
            why.first_use = static_cast<std::uint32_t>(spec.inputs.size()) + output.partner;
            return false;
        }
    }
    return true;
}

/// Frees donors that were reserved for partners that did not take them.
template <class Quanta>
[[gnu::cold, gnu::noinline]] constexpr void free_missed_partners(const run_spec& spec, run_lists<Quanta>& lists) {
    // Donors of partners were set to 0, so that no other output took them. Those that their partners did not take are
    // donated all the same, and end with the run like others.
    for (std::size_t at = 0; at < spec.outputs.size(); ++at)
        if (spec.outputs[at].alias != aliasing::any && lists.donor_of_output[at] == no_index)
            lists.donors[spec.outputs[at].partner] = 1;
    for (const std::uint32_t donor : lists.donor_of_output)
        if (donor != no_index) lists.donors[donor] = 0;
    for (const std::uint32_t kept : spec.kept) lists.donors[kept] = 0;
}

/// Pairs outputs with donors: sets `donor_of_output`, `fresh`, and `donors`, to 0 for each donor that is taken or kept.
/// `bound` is false only if no output has a partner.
/// Fails: returns false and sets `why` if an output cannot take over what it must.
/// Cost: O(arguments) if the policy takes the first donor of a size.
template <donation Donation, class Quanta>
constexpr bool match_donors(const Donation& policy, const run_spec& spec, bool bound, run_lists<Quanta>& lists,
                            failure& why) {
    // Partners first, since nobody else may take their donors; then the policy, output by output. A donor that is taken
    // is 0 in the list from then on. The number of fresh outputs is not known before, so the list of them is written as
    // if each output were fresh, and only the step to the next entry depends on it: without a branch.
    const std::size_t outputs = spec.outputs.size();
    lists.donor_of_output.resize_for_overwrite(outputs);
    lists.fresh.resize_for_overwrite(outputs);
    if (bound && !match_partners<Donation>(spec, lists, why)) return false;
    const std::span<std::uint64_t> offered{lists.donors.data(), lists.donors.size()};
    if (!bound && offered.empty()) {
        for (std::uint32_t at = 0; at < outputs; ++at) {
            lists.donor_of_output[at] = no_index;
            lists.fresh[at] = at;
        }
        return true;
    }
    if constexpr (takes_first_of_a_size<Donation>) lists.by_size.list(offered);
    std::uint32_t* fresh = lists.fresh.data();
    std::size_t gone = 0;  // donors before this are taken
    for (std::uint32_t at = 0; at < outputs; ++at) {
        *fresh = at;
        if (bound && spec.outputs[at].alias != aliasing::any) {
            fresh += lists.donor_of_output[at] == no_index;
            continue;
        }
        const Quanta length = lists.lengths[at];
        std::uint32_t donor = no_index;
        if constexpr (takes_first_of_a_size<Donation>) {
            donor = lists.by_size.take(offered, length);
        } else if constexpr (donates<Donation>) {
            while (gone < offered.size() && offered[gone] == 0) ++gone;
            const std::size_t chosen = policy.choose(offered.subspan(gone), length);
            const bool good = chosen < offered.size() - gone && offered[gone + chosen] >= length;
            if (good) donor = static_cast<std::uint32_t>(gone + chosen);
        }
        lists.donor_of_output[at] = donor;
        fresh += donor == no_index;
        if (donor != no_index) offered[donor] = 0;
    }
    lists.fresh.resize_for_overwrite(static_cast<std::size_t>(fresh - lists.fresh.data()));
    if (bound) free_missed_partners(spec, lists);
    return true;
}

/// Keeps a refused run; its lists may be parts of those of the run kept before. Sizes are rounded up to `quantum`.
template <class Quanta>
[[gnu::cold, gnu::noinline]] constexpr void keep_refused(failed_run& kept, const failure& why, program subject,
                                                         const run_spec& spec, std::uint64_t quantum,
                                                         run_lists<Quanta>& lists) {
    kept.why = why;
    kept.subject = subject;
    kept.inputs.assign(spec.inputs.begin(), spec.inputs.end());
    kept.donated.assign(spec.donated.begin(), spec.donated.end());
    kept.outputs.assign(spec.outputs.begin(), spec.outputs.end());
    kept.kept.assign(spec.kept.begin(), spec.kept.end());
    kept.donors.swap(lists.donor_of_output);
    kept.run_us = spec.run_us;
    kept.arguments_may_move = spec.arguments_may_move;
    kept.fresh_bytes = 0;
    for (const std::uint32_t at : lists.fresh)
        kept.fresh_bytes = saturating_add(kept.fresh_bytes, saturating_multiply(lists.lengths[at], quantum));
}

template <class Quanta>
[[gnu::cold, gnu::noinline]] constexpr void find_uncountable(const run_spec& spec, std::uint64_t quantum,
                                                             failure& why) {
    std::uint32_t at = 0;
    while (to_quanta<Quanta>(spec.outputs[at].bytes, quantum)) ++at;
    why.reason = error::size_too_large;
    why.requested = spec.outputs[at].bytes;
    why.label = spec.outputs[at].label;
    why.argument = at;
}

/// Checks a run, replaces names by tags, and sets the lengths of its outputs and its offers in `lists`.
/// Sets `bound` to false if no output has a partner.
template <placement P>
[[nodiscard]] constexpr bool check_run(memory_state<P>& state, tag_names& names, run_spec& spec, bool& bound,
                                       run_lists<typename P::quanta>& lists, failure& why) {
    using quanta = typename P::quanta;
    bool named = false;
    bool countable = true;
    // One pass without early exits over outputs, as nearly all runs are good: the three questions are answered by
    // flags, and only a run that needs it pays for a closer look. A size that cannot be counted still gets a length,
    // which nobody uses. Handles are checked before names are made, so that a run with a bad one makes none.
    const unsigned shift = state.shift();
    const std::uint64_t most = ~std::uint64_t{0} >> shift;
    const std::uint64_t limit = most < std::numeric_limits<quanta>::max() ? most : std::numeric_limits<quanta>::max();
    lists.lengths.resize_for_overwrite(spec.outputs.size());
    quanta* length = lists.lengths.data();
    for (const output& output : spec.outputs) {
        named |= output.name != nullptr;
        bound |= output.alias != aliasing::any;
        const std::uint64_t whole = (output.bytes - (output.bytes != 0)) >> shift;  // without the last quantum
        countable &= whole < limit;
        *length++ = static_cast<quanta>(whole + 1);
    }
    if (!check_arguments(state.blocks.map(), state.salt, spec, bound, lists.donors, why)) return false;
    if (named) name_outputs(spec, names, state, lists);
    if (!countable) find_uncountable<quanta>(spec, state.spec.quantum, why);
    return countable;
}

template <class Quanta>
[[nodiscard, gnu::always_inline]] constexpr need<Quanta> need_of(const output& output, Quanta length) noexcept {
    return {.length = length, .expected = output.expected};
}

template <placement P>
constexpr void add_outputs(const memory_state<P>& state, const run_spec& spec, std::span<const std::uint32_t> donors,
                           trivial_vector<call_part<typename P::quanta>>& parts) {
    for (std::uint32_t at = 0; at < spec.outputs.size(); ++at) {
        if (donors[at] != no_index) continue;
        const output& output = spec.outputs[at];
        const auto length = *to_quanta<typename P::quanta>(output.bytes, state.spec.quantum);
        parts.push_back({.required = need_of(output, length), .output = at});
    }
}

template <placement P, class Transaction>
class prepared_run {
    using quanta = typename P::quanta;

public:
    constexpr prepared_run(memory_state<P>& state, policy_interface& policies, run_lists<quanta>& lists,
                           std::uint32_t slot, const run_spec& spec)
        : state_(state), policies_(policies), lists_(lists), executor_(state, policies), slot_(slot), spec_(spec) {}

    /// Runs, all or nothing. Sets `why` if it returns false.
    constexpr bool run(run_result& done, failure& why) {
        // All that can fail comes first: the placing. After that the run is issued, donors change hands, and the
        // caller's result takes the lists over by swapping, so that its memory serves the next run.
        lists_.outputs.resize_for_overwrite(spec_.outputs.size());
        bool reloaded = false;
        lists_.moved.clear();
        if (!place_at_once() && !place_slow(reloaded, why)) return false;
        done.reloaded = reloaded;
        done.over = issue();
        done.donated = hand_over();
        done.outputs.swap(lists_.outputs);
        done.donors.swap(lists_.donor_of_output);
        done.moved.swap(lists_.moved);
        use(state_, policies_, slot_);
        if (state_.programs[slot_].spilled != 0 || policies_.hears) [[unlikely]]
            count_spilled_and_report();
        if (!state_.flights.empty()) limit_flights();
        return true;
    }

private:
    /// Fast path: places the fresh outputs one after the other.
    /// Fails: returns false, without effect, if there is more to do, or several outputs may not fit in one free run.
    constexpr bool place_at_once() {
        // With one fresh output its placing is the test, and a failure has no effect. With several, the second could
        // fail when the first is placed, and undoing would change the lists of holes; so one free run has to hold them
        // all for sure.
        if (!state_.programs[slot_].resident || state_.moving) return false;
        if (lists_.fresh.size() > 1 && !has_run_of_all()) return false;
        for (const std::uint32_t at : lists_.fresh)
            if (!place_one(at)) return false;  // the only output
        return true;
    }
    /// Returns true if one free run surely holds all fresh outputs.
    [[nodiscard]] constexpr bool has_run_of_all() const {
        std::uint64_t sum = 0;
        for (const std::uint32_t at : lists_.fresh)
            sum = saturating_add(sum, most_taken(state_.blocks, need_of(spec_.outputs[at], lists_.lengths[at])));
        return has_run_of(state_.blocks, sum);
    }
    [[gnu::always_inline]] constexpr bool place_one(std::uint32_t at) {
        const block_index fresh = state_.blocks.place(need_of(spec_.outputs[at], lists_.lengths[at]));
        if (fresh != no_block) begin_output(at, fresh);
        return fresh != no_block;
    }
    constexpr void begin_output(std::size_t at, block_index fresh) {
        block_map<quanta>& map = state_.blocks.map();
        map.set_tag(fresh, static_cast<std::uint32_t>(spec_.outputs[at].label));
        lists_.outputs[at] = buffer::of(fresh, map.generation(fresh), state_.salt);
    }

    /// Slow path: brings the program in if needed, and makes room.
    [[gnu::cold, gnu::noinline]] constexpr bool place_slow(bool& reloaded, failure& why) {
        // Program and outputs are parts of one call. The program comes first, since a run without it is none, and its
        // scratch at the bottom limits where outputs may go. It becomes resident only when all parts are placed.
        const bool comes_in = !state_.programs[slot_].resident;
        lists_.parts.clear();
        if (comes_in) add_program(state_, slot_, lists_.parts);
        add_outputs(state_, spec_, std::span<const std::uint32_t>(lists_.donor_of_output.data(), spec_.outputs.size()),
                    lists_.parts);
        if (!place(why)) return false;
        if (comes_in) {
            own_program<P>(state_, slot_, lists_.parts);
            executor_.report_reservation();
            reloaded = count_reload(state_, policies_, slot_);
        }
        for (const call_part<quanta>& part : lists_.parts)
            if (part.kind == part_kind::data) begin_output(part.output, part.block);
        return true;
    }
    [[gnu::cold]] constexpr bool place(failure& why) {
        const bool waits_for_move = uses_what_is_moving();
        if (lists_.parts.empty() && !waits_for_move) return true;
        if (!waits_for_move && place_all_or_none<P>(state_, lists_.parts, slot_)) return true;
        return relieve(why);
    }
    [[gnu::cold, gnu::noinline]] constexpr bool relieve(failure& why) {
        // Relief may evict and move anything but the program of the run and, unless the caller allows it, its
        // arguments. Where these were is noted before, to tell the caller afterwards which have moved.
        const trivial_vector<std::uint64_t> places = places_of_arguments();
        trivial_vector<block_index> walls;
        if (!spec_.arguments_may_move) for_each_argument([&](block_index argument) { walls.push_back(argument); });
        const call_outcome outcome =
            Transaction(state_, policies_, slot_, {walls.data(), walls.size()}).relieve(lists_.parts);
        if (outcome.reason == error::none) {
            list_moved(places);
            return true;
        }
        if (!state_.programs[slot_].resident) {
            state_.shrink_reservation();  // a failed device may have left it too large
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

    /// Returns where the arguments begin before relief, inputs first. Only relief moves them.
    [[nodiscard, gnu::cold]] constexpr trivial_vector<std::uint64_t> places_of_arguments() const {
        trivial_vector<std::uint64_t> places;
        for (const list<buffer>& arguments : {spec_.inputs, spec_.donated})
            for (const buffer argument : arguments)
                places.push_back(state_.is_moving(argument.index) ? state_.moving.from
                                                                  : state_.where(argument.index).offset);
        return places;
    }
    /// Lists the arguments that are no longer in `places`.
    [[gnu::cold]] constexpr void list_moved(const trivial_vector<std::uint64_t>& places) {
        std::uint32_t at = 0;
        for (const list<buffer>& arguments : {spec_.inputs, spec_.donated}) {
            for (const buffer argument : arguments) {
                const extent now = state_.where(argument.index);
                if (now.offset != places[at]) lists_.moved.push_back({at, places[at], now.offset, now.size});
                ++at;
            }
        }
    }

    /// Returns true if the run uses a block whose move was interrupted.
    [[nodiscard, gnu::cold]] constexpr bool uses_what_is_moving() const noexcept {
        if (!state_.moving) return false;
        const program_record& record = state_.programs[slot_];
        bool uses = state_.is_moving(record.code_block) || state_.is_moving(record.scratch_block);
        for (const list<buffer>& arguments : {spec_.donated, spec_.inputs})
            for (const buffer argument : arguments) uses = uses || state_.is_moving(argument.index);
        return uses;
    }

    /// Calls `act` with the block of each argument once, however often it is listed.
    template <class Act>
    [[gnu::always_inline]] constexpr void for_each_argument(Act act) {
        // Marks in the map find repeated arguments in one pass; there may be thousands.
        block_map<quanta>& map = state_.blocks.map();
        for (const list<buffer>& arguments : {spec_.donated, spec_.inputs}) {
            for (const buffer argument : arguments) {
                if (map.marked(argument.index)) continue;
                map.mark(argument.index);
                act(argument.index);
            }
        }
        for (const list<buffer>& arguments : {spec_.donated, spec_.inputs})
            for (const buffer argument : arguments) map.unmark(argument.index);
    }

    /// Returns the run's fence; holds its arguments until it is over if the memory allows runs in flight, or if work is
    /// in flight, which ends first: then `limit_flights` waits for both.
    constexpr fence issue() {
        ++state_.issued.number;
        if (state_.spec.runs_in_flight == 0 && state_.flights.empty())
            state_.reached = state_.issued;
        else
            fly();
        return state_.issued;
    }
    [[gnu::noinline]] constexpr void fly() {
        // A run in flight holds all that the device may touch: arguments, code, scratch and fresh outputs. An output
        // that took over a donor is held as an argument.
        const std::size_t before = state_.held.size();
        for_each_argument([this](block_index argument) { state_.begin_hold(argument); });
        const program_record& record = state_.programs[slot_];
        state_.begin_hold(record.code_block);
        if (record.scratch_block != no_block) state_.begin_hold(record.scratch_block);
        for (const std::uint32_t at : lists_.fresh) state_.begin_hold(lists_.outputs[at].index);
        state_.flights.push_back({.over = state_.issued,
                                  .slot = slot_,
                                  .holds = static_cast<std::uint32_t>(state_.held.size() - before),
                                  .nanoseconds = saturating_multiply(spec_.run_us, 1000)});
    }
    [[gnu::cold, gnu::noinline]] constexpr void count_spilled_and_report() {
        const program_record& record = state_.programs[slot_];
        if (record.spilled != 0) {
            ++state_.done.spilled_runs;
            state_.done.spill_nanoseconds =
                saturating_add(state_.done.spill_nanoseconds, state_.spec.spill_nanoseconds(record.spilled));
        }
        executor_.report(
            {.what = event_kind::ran, .label = record.label, .subject = slot_, .from = state_.issued.number});
    }
    constexpr void limit_flights() {
        // Only the oldest runs are waited for, as many as are too many; the fence of the last of them ends all before
        // it.
        const std::size_t most =
            state_.spec.runs_in_flight < max_in_flight ? state_.spec.runs_in_flight : max_in_flight;
        if (state_.flights.size() > most) executor_.wait_for(state_.flights[state_.flights.size() - 1 - most].over);
    }

    /// Passes donors to their outputs and ends the others. Returns the number of outputs that took over an input.
    constexpr std::uint32_t hand_over() {
        // Outputs that are fresh are reported first, then donors as they become outputs, then the end of the others.
        const auto donated = static_cast<std::uint32_t>(spec_.outputs.size() - lists_.fresh.size());
        state_.done.donations_offered += spec_.donated.size();
        state_.done.donations_kept += spec_.kept.size();
        state_.done.donations_taken += donated;
        if (policies_.hears) [[unlikely]]  // before donors are cut to the outputs that take them over
            for (const std::uint32_t at : lists_.fresh) report_output(event_kind::allocated, lists_.outputs[at].index);
        std::uint64_t taken = 0;
        for (std::size_t at = 0; at < spec_.outputs.size() && donated != 0; ++at)
            if (const std::uint32_t donor = lists_.donor_of_output[at]; donor != no_index)
                taken += take_over(at, spec_.donated[donor].index);
        state_.done.donated_bytes += taken << state_.shift();
        end_donors();
        return donated;
    }
    /// Passes a donor to an output, which keeps its alignment. Returns its quanta.
    [[gnu::always_inline]] constexpr quanta take_over(std::size_t at, block_index block) {
        // The block stays and gets a new generation: the donor's handles become stale, those of the output are new. The
        // bytes do not move, which is the point of a donation.
        block_map<quanta>& map = state_.blocks.map();
        const quanta before = map.granted(block);
        const quanta granted = lists_.lengths[at];
        map.renew(block, static_cast<std::uint32_t>(spec_.outputs[at].label));
        lists_.outputs[at] = buffer::of(block, map.generation(block), state_.salt);
        quanta given_back = 0;
        if (granted != before) [[unlikely]]
            given_back = give_back_rest(block, granted);
        if (policies_.hears) [[unlikely]]
            report_output(event_kind::donated, block, state_.bytes(given_back));
        return granted;
    }
    /// Frees what an output does not need; if the block is in use, the runs that end do so. Returns the freed quanta.
    [[gnu::cold, gnu::noinline]] constexpr quanta give_back_rest(block_index block, quanta granted) {
        block_map<quanta>& map = state_.blocks.map();
        map.regrant(block, granted);
        const quanta before = map.size(block);
        if constexpr (shrinks<P>)
            if (map.holds(block) == 0) state_.blocks.shrink(block, granted);
        return static_cast<quanta>(before - map.size(block));
    }
    [[gnu::cold, gnu::noinline]] constexpr void report_output(event_kind what, block_index block,
                                                              std::uint64_t given_back = 0) {
        event output = executor_.describe_block(what, block);
        output.from = given_back;
        executor_.report(output);
    }
    constexpr void end_donors() {
        // The fast release is for a block that nobody watches and no run holds: in flight, the donor is held by this
        // very run and its memory returns later.
        for (std::size_t at = 0; at < spec_.donated.size(); ++at) {
            if (lists_.donors[at] == 0) continue;
            const block_index donor = spec_.donated[at].index;
            if (policies_.hears || state_.blocks.map().is_held(donor)) [[unlikely]]
                executor_.end_buffer(donor);
            else
                state_.release(donor);
        }
    }

    memory_state<P>& state_;
    policy_interface& policies_;
    run_lists<quanta>& lists_;
    executor<P> executor_;
    std::uint32_t slot_;
    const run_spec& spec_;
};

}  // namespace detail

}  // namespace hbm::inline v0
