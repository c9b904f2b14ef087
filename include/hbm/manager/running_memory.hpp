#pragma once

/// Memory in which programs run: what a run does once it is known which of its outputs take over which inputs.

#include <hbm/manager/arguments.hpp>
#include <hbm/manager/refused_run.hpp>
#include <hbm/manager/rehearsing_memory.hpp>

#include <cstdint>
#include <span>
#include <vector>

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

/// What runs do apart from donation's choice.
template <placement Placement, eviction Eviction, relief Relief, hbm::device Device, observer Events>
class running_memory : public rehearsing_memory<Placement, Eviction, Relief, Device, Events> {
    using base = rehearsing_memory<Placement, Eviction, Relief, Device, Events>;

public:
    using base::check;
    using typename base::quanta;

    /// The latest run that found no room, for those who explain it. Its failure is no part of the memory: equal
    /// managers may have refused different runs, and a fork has refused none.
    [[nodiscard]] constexpr const refused_run& refused() const noexcept { return refused_; }

protected:
    using base::base;
    using base::begin_buffer;
    using base::donor_of_output_;
    using base::end_buffer;
    using base::length_of;
    using base::map;
    using base::outputs_;
    using base::placing_;
    using base::report_failure;
    using base::salt_;
    using base::state_;
    using base::totals_;
    using base::use;

    /// The outputs of a run that take nothing over.
    struct fresh_outputs {
        std::uint32_t count = 0;
        std::uint64_t bytes = 0;  ///< how long a free run surely holds them; the largest number where that depends on
                                  ///< where it lies
    };

    /// Whether the run can be understood at all. O(arguments).
    [[nodiscard]] constexpr failure check_run(program wanted, const run_spec& spec) {
        if (const error why = check(wanted); why != error::none) return {.reason = why};
        if (const failure why = check_arguments(map(), salt_, spec); why.reason != error::none) return why;
        for (std::uint32_t at = 0; at < spec.outputs.size(); ++at)
            if (!to_quanta<quanta>(spec.outputs[at].bytes, state_.spec.quantum))
                return {.reason = error::size_too_large,
                        .requested = spec.outputs[at].bytes,
                        .label = spec.outputs[at].label,
                        .argument = at};
        return {};
    }

    /// Runs a program whose outputs have been paired with donors, as `donor_of_output_` says. All or nothing.
    constexpr result<run_result> run_paired(program wanted, const run_spec& spec, const fresh_outputs& fresh) {
        const bool comes_in = !state_.programs[wanted.index].resident;
        const bool reloaded = comes_in && !state_.programs[wanted.index].unloaded;
        failure trouble;
        error why = error::none;
        // One is placed or not; the longest run that holds them all does so in whatever order they come.
        const bool at_once = !comes_in && !this->uses_what_is_moving(wanted.index, spec) &&
                             (fresh.count <= 1 || fresh.bytes <= this->largest_free_bytes());
        if (!at_once || !this->place_at_once(spec)) why = this->relieve_and_place_outputs(wanted.index, spec, trouble);
        if (why != error::none) return keep_refused(wanted, spec, report_failure(why, trouble));
        ++state_.issued.number;
        if (state_.spec.runs_in_flight == 0)
            state_.reached = state_.issued;
        else
            hold_arguments(wanted.index, spec);
        const std::uint32_t donated = hand_over(spec);
        use(wanted.index);
        if (const std::uint64_t spilled = state_.programs[wanted.index].spilled; spilled != 0) {
            ++totals_.spilled_runs;
            totals_.spill_nanoseconds =
                saturating_add(totals_.spill_nanoseconds, state_.spec.spill_nanoseconds(spilled));
        }
        this->report({.what = event_kind::ran,
                      .label = state_.programs[wanted.index].label,
                      .subject = wanted.index,
                      .from = state_.issued.number});
        if (state_.spec.runs_in_flight != 0) launch();
        return run_result{outputs_, donor_of_output_, state_.issued, donated, reloaded};
    }

    /// Remembers a run that is refused for want of room: what explains it has to try all of it.
    [[gnu::noinline]] constexpr failure keep_refused(program wanted, const run_spec& spec, const failure& why) {
        // Who tries the same run again may name these very lists.
        const auto copy = [](auto& into, const auto& from) {
            if (from.begin() != into.data()) into.assign(from.begin(), from.end());
        };
        refused_.why = why;
        refused_.wanted = wanted;
        copy(refused_.inputs, spec.inputs);
        copy(refused_.donated, spec.donated);
        copy(refused_.outputs, spec.outputs);
        copy(refused_.kept, spec.kept);
        refused_.donors = donor_of_output_;
        refused_.run_us = spec.run_us;
        refused_.fresh_bytes = 0;
        for (std::size_t at = 0; at < spec.outputs.size(); ++at) {
            if (donor_of_output_[at] != no_index) continue;
            refused_.fresh_bytes = saturating_add(refused_.fresh_bytes, state_.bytes(length_of(spec.outputs[at])));
        }
        return why;
    }

    /// What a run that is about to fly uses is held until it is over.
    constexpr void hold_arguments(std::uint32_t slot, const run_spec& spec) {
        const std::size_t before = state_.held.size();
        this->for_each_argument(spec, [&](block_index block) { state_.begin_hold(block); });
        this->for_each_block_of(slot, [&](block_index block) { state_.begin_hold(block); });
        for (const buffer placed : placing_)
            if (placed) state_.begin_hold(placed.index);
        state_.flights.push_back(
            {.over = state_.issued,
             .slot = slot,
             .holds = static_cast<std::uint32_t>(state_.held.size() - before),
             .nanoseconds = spec.run_us > ~std::uint64_t{0} / 1000 ? ~std::uint64_t{0} : spec.run_us * 1000});
    }
    /// Waits for the oldest runs until there are no more than the memory is for.
    constexpr void launch() {
        const std::size_t most =
            state_.spec.runs_in_flight < max_in_flight ? state_.spec.runs_in_flight : max_in_flight;
        if (state_.flights.size() > most) this->reach(state_.flights[state_.flights.size() - 1 - most].over);
    }

    /// Ends the donors and begins the outputs.
    constexpr std::uint32_t hand_over(const run_spec& spec) {
        std::uint32_t donated = 0;
        totals_.donations_offered += spec.donated.size();
        totals_.donations_kept += spec.kept.size();
        for (const std::uint32_t kept : spec.kept) map().mark(spec.donated[kept].index);
        for (std::uint32_t at = 0; at < spec.outputs.size(); ++at) {
            const output& wanted = spec.outputs[at];
            if (donor_of_output_[at] == no_index) {
                begin_buffer(placing_[at].index, wanted.label);
                continue;
            }
            const block_index block = spec.donated[donor_of_output_[at]].index;
            const std::uint64_t before = state_.bytes(map().granted(block));
            // An output is as well aligned as what it takes over.
            map().renew(block, length_of(wanted), map().alignment(block));
            map().set_owner(block, block_kind::data, static_cast<std::uint32_t>(wanted.label));
            if constexpr (shrinks<Placement>) {
                // While others hold the block, the rest of it is in use as well.
                if (map().holds(block) == 0) state_.blocks.shrink(block, map().granted(block));
            }
            placing_[at] = {block, map().generation(block), salt_};
            ++donated;
            ++totals_.donations_taken;
            totals_.donated_bytes += state_.bytes(map().granted(block));
            this->report({.what = event_kind::donated,
                          .label = wanted.label,
                          .subject = block,
                          .where = state_.where(block),
                          .from = before - state_.bytes(map().granted(block))});
        }
        for (const buffer donor : spec.donated)
            if (map().is_live(donor.index, donor.generation) && !map().marked(donor.index)) end_buffer(donor.index);
        for (const std::uint32_t kept : spec.kept) map().unmark(spec.donated[kept].index);
        outputs_.swap(placing_);
        return donated;
    }

    refused_run refused_;
};

}  // namespace hbm
