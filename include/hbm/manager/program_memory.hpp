#pragma once

/// Memory in which programs live: bringing them in and back, and placing what their runs put out.

#include <hbm/core/bytes.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/manager/relieving_memory.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace hbm {

/// What is done with programs and runs, be it in earnest or in rehearsal.
template <placement Placement, eviction Eviction, relief Relief, hbm::device Device, observer Events>
class program_memory : public relieving_memory<Placement, Eviction, Relief, Device, Events> {
    using base = relieving_memory<Placement, Eviction, Relief, Device, Events>;

public:
    using typename base::quanta;

protected:
    using base::clock_;
    using base::describe_block;
    using base::eviction_;
    using base::figures;
    using base::map;
    using base::place_or_relieve;
    using base::report;
    using base::report_block;
    using base::report_program;
    using base::report_reservation;
    using base::salt_;
    using base::state_;
    using base::totals_;

    using base::base;

    // -- programs --

    [[nodiscard]] constexpr std::uint32_t free_slot() {
        std::uint32_t slot = 0;
        while (slot < state_.programs.size() && state_.programs[slot].generation % 2 == 1) ++slot;
        if (slot == state_.programs.size()) state_.programs.emplace_back();
        return slot;
    }

    /// Reserves scratch and places code for the program in `slot`, which is not in memory; undone when one of them
    /// fails.
    constexpr error bring_in(std::uint32_t slot, failure& trouble) {
        program_record& record = state_.programs[slot];
        const std::uint64_t reserved = this->reserved_bytes();
        record.resident = true;
        if (!bring_in_scratch(slot)) {
            trouble = figures(error::scratch_does_not_fit, record.scratch, record.label);
            trouble.at_the_bottom = reserves<Placement>;
        } else if (const block_index code = place_or_relieve({.length = state_.in_quanta(record.code)}, slot);
                   code == no_block) {
            trouble = figures(error::code_does_not_fit, record.code, record.label);
        } else {
            map().set_owner(code, block_kind::code, slot);
            record.code_block = code;
            report_reservation(reserved);
            return error::none;
        }
        trouble.code = record.code;
        trouble.scratch = record.scratch;
        state_.evict(slot);
        return trouble.reason;
    }

    constexpr bool bring_in_scratch(std::uint32_t slot) {
        program_record& record = state_.programs[slot];
        if (record.scratch == 0) return true;
        if (record.scratch > this->capacity_bytes()) return false;
        if constexpr (reserves<Placement>) {
            const std::uint64_t level = state_.scratch_level();
            if (level <= this->reserved_bytes()) return true;
            quanta length = state_.in_quanta(level);
            if (level > this->capacity_bytes()) {  // relief may lower it yet, where programs keep scratch of their own
                if (map().capacity() == std::numeric_limits<quanta>::max()) return false;
                length = static_cast<quanta>(map().capacity() + 1);
            }
            return place_or_relieve({.length = length, .anchored = true}, slot) != no_block;
        } else {
            record.scratch_block = place_or_relieve({.length = state_.in_quanta(record.scratch)}, slot);
            if (record.scratch_block == no_block) return false;
            map().set_owner(record.scratch_block, block_kind::scratch, slot);
            return true;
        }
    }

    constexpr error reload(std::uint32_t slot, failure& trouble) {
        const error why = bring_in(slot, trouble);
        trouble.slot = slot;
        if (why != error::none) return why;
        if (state_.programs[slot].unloaded) {
            state_.programs[slot].unloaded = false;
            report_program(event_kind::loaded, slot);
            return why;
        }
        ++totals_.reloads;
        totals_.reload_nanoseconds =
            saturating_add(totals_.reload_nanoseconds, state_.programs[slot].reload_nanoseconds);
        report_program(event_kind::reloaded, slot);
        return why;
    }

    constexpr void use(std::uint32_t slot) {
        program_record& record = state_.programs[slot];
        ++clock_;
        ++record.uses;
        if constexpr (gives_credit<Eviction>) record.credit = eviction_.credit(record, clock_);
        record.last_use = clock_;
    }

    // -- runs --

    /// How many quanta an output becomes; it was checked that they can be counted.
    [[nodiscard]] constexpr quanta length_of(const output& wanted) const noexcept {
        return *to_quanta<quanta>(wanted.bytes, state_.spec.quantum);
    }

    [[nodiscard]] constexpr need<quanta> need_of(const output& wanted) const noexcept {
        return {.length = length_of(wanted), .expected = expected_under(state_.blocks, wanted.expected, wanted.label)};
    }

    /// Places the outputs that take nothing over, without relief. All, or none and false.
    constexpr bool place_at_once(const run_spec& spec) {
        placing_.clear();
        for (std::uint32_t at = 0; at < spec.outputs.size(); ++at) {
            placing_.emplace_back();
            if (donor_of_output_[at] != no_index) continue;
            const block_index block = state_.blocks.place(need_of(spec.outputs[at]));
            if (block == no_block) {
                for (const buffer placed : placing_)
                    if (placed) state_.release(placed.index);
                return false;
            }
            placing_.back() = {block, map().generation(block), salt_};
        }
        return true;
    }

    /// The same with relief. All or none.
    constexpr error place_outputs(std::uint32_t slot, const run_spec& spec, failure& trouble) {
        placing_.clear();
        for (std::uint32_t at = 0; at < spec.outputs.size() && trouble.reason == error::none; ++at) {
            placing_.emplace_back();
            if (donor_of_output_[at] != no_index) continue;
            const need<quanta> wanted = need_of(spec.outputs[at]);
            const block_index block = place_or_relieve(wanted, slot);
            if (block == no_block) {
                trouble = figures(error::buffer_does_not_fit, state_.bytes(wanted.length), spec.outputs[at].label);
                trouble.argument = at;
                trouble.slot = slot;
            } else {
                map().hold(block);  // relief for later outputs leaves it alone
                placing_.back() = {block, map().generation(block), salt_};
            }
        }
        for (std::size_t at = placing_.size(); at-- > 0;) {
            if (!placing_[at]) continue;
            map().release_hold(placing_[at].index);
            if (trouble.reason != error::none) state_.release(placing_[at].index);
        }
        return trouble.reason;
    }

    /// The same under relief: the arguments are walls meanwhile, and the program, which comes back first if it was
    /// evicted, too.
    constexpr error place_with_arguments_held(std::uint32_t slot, const run_spec& spec, failure& trouble) {
        if (uses_what_is_moving(slot, spec) && !this->finish_moving()) return error::device_failed;
        for_each_argument(spec, [&](block_index block) { map().hold(block); });
        trouble = {};
        error why = this->begin_script(slot) ? error::none : error::buffer_does_not_fit;
        if (why == error::none && !state_.programs[slot].resident) why = reload(slot, trouble);
        if (why == error::none) {
            for_each_block_of(slot, [&](block_index block) { map().hold(block); });
            why = place_outputs(slot, spec, trouble);
            for_each_block_of(slot, [&](block_index block) { map().release_hold(block); });
        }
        for_each_argument(spec, [&](block_index block) { map().release_hold(block); });
        return why;
    }

    /// True when a move of something has stopped in the middle that the run uses. O(1), O(arguments) while one has.
    [[nodiscard]] constexpr bool uses_what_is_moving(std::uint32_t slot, const run_spec& spec) const noexcept {
        if (!state_.moving) return false;
        const program_record& record = state_.programs[slot];
        bool uses = state_.is_moving(record.code_block) || state_.is_moving(record.scratch_block);
        for (const list<buffer>& arguments : {spec.donated, spec.inputs})
            for (const buffer argument : arguments) uses = uses || state_.is_moving(argument.index);
        return uses;
    }

    /// Each block that is an argument, once, however often it is named. O(arguments).
    template <class Visit>
    constexpr void for_each_argument(const run_spec& spec, Visit visit) {
        for (const list<buffer>& arguments : {spec.donated, spec.inputs}) {
            for (const buffer argument : arguments) {
                if (map().marked(argument.index)) continue;
                map().mark(argument.index);
                visit(argument.index);
            }
        }
        for (const list<buffer>& arguments : {spec.donated, spec.inputs})
            for (const buffer argument : arguments) map().unmark(argument.index);
    }
    /// The blocks of a program that is in memory.
    template <class Visit>
    constexpr void for_each_block_of(std::uint32_t slot, Visit visit) const {
        const program_record& record = state_.programs[slot];
        visit(record.code_block);
        if (record.scratch_block != no_block) visit(record.scratch_block);
    }

    // -- time --

    /// Waits for the runs of the program in `slot`: what it is made of is about to go.
    constexpr void wait_for(std::uint32_t slot) {
        for (std::size_t at = state_.flights.size(); at-- > 0;)
            if (state_.flights[at].slot == slot) return this->reach(state_.flights[at].over);
    }

    // -- beginnings and ends, and what is said of them --

    constexpr buffer begin_buffer(block_index block, tag label) {
        map().set_tag(block, static_cast<std::uint32_t>(label));
        report_block(event_kind::allocated, block);
        return {block, map().generation(block), salt_};
    }

    constexpr void end_buffer(block_index block) {
        if (map().is_held(block))
            defer(block);
        else
            release_buffer(block);
    }
    constexpr void release_buffer(block_index block) {
        const event freed = describe_block(event_kind::freed, block);
        state_.release(block);
        report(freed);
    }
    /// Ends a buffer that is still in use, or will be until a fence is reached, as far as its user can tell: nobody can
    /// free it again.
    [[gnu::noinline]] constexpr void defer(block_index block, fence until = {}) {
        state_.abandon_move(block);  // it keeps both places until the free takes effect
        map().invalidate_handles(block);
        map().set_owner(block, block_kind::deferred, map().owner(block));
        state_.deferred.push_back({block, until});
        report_block(event_kind::deferred, block);
    }

    constexpr failure refuse(error why, std::uint64_t requested, tag label, std::uint64_t alignment = 0) {
        failure trouble = figures(why, requested, label);
        trouble.alignment = alignment;
        return report_failure(why, trouble);
    }
    constexpr failure report_failure(error why, failure trouble) {
        trouble.reason = why;
        report({.what = event_kind::failed, .reason = why, .label = trouble.label, .where = {0, trouble.requested}});
        return trouble;
    }

    std::vector<std::uint32_t> donor_of_output_;  // of the run in hand: each output's donor, or `no_index`
    std::vector<buffer> outputs_;                 // of the latest run: arguments of the next may point here
    std::vector<buffer> placing_;                 // of the run in hand
};

}  // namespace hbm
