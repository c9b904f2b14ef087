#pragma once

/// Buffers, programs and time: all that can be asked of a manager but to run a program. A request becomes a need, the
/// placement finds it a place; where there is none, relief waits, moves and evicts until there is, after a rehearsal on
/// a copy has shown that it will; and whatever happened is reported.

#include <hbm/blocks/tag_names.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/manager/running_memory.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace hbm {

/// What a manager is apart from its donation policy. Sizes are in bytes and rounded up to the quantum; costs of the
/// calls are those of the placement unless relief is needed.
template <placement Placement, eviction Eviction, relief Relief, hbm::device Device, observer Events>
class managed_memory : public running_memory<Placement, Eviction, Relief, Device, Events> {
    using base = running_memory<Placement, Eviction, Relief, Device, Events>;

    static_assert(!copies<Device> || !compacts<Placement> || stretches<Placement>,
                  "where real bytes move, a copy may fail in the middle of a move: the placement lets a block occupy "
                  "both places meanwhile with bool stretch(block_index, basic_extent<quanta>)");

public:
    using base::check;
    using typename base::quanta;

    /// A memory whose space above the last block never runs out: the largest capacity that the placement takes.
    [[nodiscard]] static constexpr memory_spec unlimited(std::uint64_t quantum = default_quantum) noexcept {
        memory_spec spec{.name = "unlimited", .quantum = quantum};
        if (quantum == 0) return spec;
        const std::uint64_t most = ~std::uint64_t{0} / quantum;
        const std::uint64_t wanted = Placement::unlimited;
        spec.capacity = quantum * (wanted <= most ? wanted : std::has_single_bit(wanted) ? std::bit_floor(most) : most);
        return spec;
    }

    // -- buffers --

    /// Allocates a buffer.
    [[nodiscard]] constexpr result<buffer> allocate(const request& wanted) {
        if (const quanta length = plain_length(wanted); length != 0) [[likely]] {
            const lifetime expected = expected_under(state_.blocks, wanted.expected, wanted.label);
            const block_index block = state_.blocks.place({.length = length, .expected = expected});
            if (block != no_block) [[likely]]
                return begin_buffer(block, wanted.label);
        }
        return allocate_with_care(wanted);
    }
    [[nodiscard]] constexpr result<buffer> allocate(std::uint64_t bytes) { return allocate(request{.bytes = bytes}); }
    /// The same with a name for people; see `name_of`.
    [[nodiscard]] constexpr result<buffer> allocate(std::uint64_t bytes, const char* label) {
        return allocate(request{.bytes = bytes, .label = names_.intern(label)});
    }

    /// Takes a given range over as a buffer that is pinned once: it is held from outside. `range_is_taken` if not all
    /// of it is free, `bad_alignment` if it is empty or not made of whole quanta. Needs a placement that imports.
    [[nodiscard]] constexpr result<buffer> import(extent where, tag label = tag::none) requires imports<Placement> {
        if (unusable_ != error::none) return refuse(unusable_, where.size, label);
        if (((where.offset | where.size) & (state_.spec.quantum - 1)) != 0 || where.size == 0)
            return refuse(error::bad_alignment, where.size, label);
        if (where.offset > this->capacity_bytes() || where.size > this->capacity_bytes() - where.offset)
            return refuse(error::range_is_taken, where.size, label);
        const block_index block = state_.blocks.occupy({state_.in_quanta(where.offset), state_.in_quanta(where.size)});
        if (block == no_block) return refuse(error::range_is_taken, where.size, label);
        const buffer imported = begin_buffer(block, label);
        map().pin(block);
        return imported;
    }

    /// Frees a buffer; its handles go stale. The memory of one that runs in flight use returns when the last of them is
    /// over. Freeing overrides pins: the memory of a pinned buffer returns when frees next take effect, at `retire`,
    /// `sync`, or before a request would fail, although nobody unpinned it; who still uses it frees it as of a fence.
    constexpr result<done> free(buffer freed) {
        if (freed.salt != salt_ || !map().is_plain(freed.index, freed.generation)) [[unlikely]] {
            if (const error why = check(freed); why != error::none) return failure{.reason = why};
            this->defer(freed.index);
            return done{};
        }
        release_buffer(freed.index);
        return done{};
    }

    /// The same for a buffer that somebody else uses until a fence is reached: its memory returns no sooner. A move of
    /// it that has stopped in the middle is given up: both places stay as they are until then, but not what is in the
    /// bounce region.
    constexpr result<done> free(buffer freed, fence until) {
        if (const error why = check(freed); why != error::none) return failure{.reason = why};
        if (until > state_.issued) return failure{.reason = error::unknown_fence};
        if (until <= state_.reached) return free(freed);
        this->defer(freed.index, until);
        return done{};
    }

    /// Pins a buffer, as a reference from outside does: it is a wall and cannot be donated until it has been unpinned
    /// as often, 4,095 times at most, or freed: `free` does not wait for it to be unpinned. A move of it that has
    /// stopped in the middle is finished first: `device_failed` if it cannot be.
    constexpr result<done> pin(buffer pinned) {
        if (const error why = check(pinned); why != error::none) return failure{.reason = why};
        if (map().pins(pinned.index) == block_map<quanta>::max_pins) return failure{.reason = error::too_many_pins};
        if (state_.is_moving(pinned.index) && !this->finish_moving()) return failure{.reason = error::device_failed};
        map().pin(pinned.index);
        return done{};
    }
    /// Takes one pin back.
    constexpr result<done> unpin(buffer pinned) {
        if (const error why = check(pinned); why != error::none) return failure{.reason = why};
        if (map().pins(pinned.index) == 0) return failure{.reason = error::not_pinned};
        map().unpin(pinned.index);
        return done{};
    }

    // -- time --

    /// The device has reached a fence: the runs up to it are over, and frees that nothing stands against any more take
    /// effect. O(holds that end + deferred frees).
    constexpr result<done> retire(fence upto) {
        if (upto > state_.issued) return failure{.reason = error::unknown_fence};
        this->reach(upto);
        return done{};
    }
    /// All runs are over, all deferred frees take effect. Cost as above.
    constexpr void sync() { this->reach(state_.issued); }

    // -- programs --

    /// Loads a program: reserves its scratch and places its code and constants. O(blocks + programs): it is rehearsed.
    [[nodiscard]] constexpr result<program> load(const program_spec& spec) {
        const tag label = names_.intern(spec.name);
        if (unusable_ != error::none) return refuse(unusable_, spec.code, label);
        const std::optional<quanta> code = to_quanta<quanta>(spec.code, state_.spec.quantum);
        const std::optional<quanta> scratch = to_quanta<quanta>(spec.scratch, state_.spec.quantum);
        if (!code) return refuse(error::size_too_large, spec.code, label);
        if (!scratch) return refuse(error::size_too_large, spec.scratch, label);
        const std::uint32_t slot = this->free_slot();
        program_record& record = state_.programs[slot];
        const program_record before = record;
        record = {
            .code = state_.bytes(*code), .scratch = spec.scratch == 0 ? 0 : state_.bytes(*scratch), .label = label};
        if (const std::uint64_t most = state_.scratch_limit(); record.scratch > most) {
            record.spilled = record.scratch - most;
            record.scratch = most;
        }
        record.generation = before.generation + 1;
        record.reload_nanoseconds = spec.reload_us > ~std::uint64_t{0} / 1000
                                        ? state_.spec.reload_nanoseconds(record.code)
                                        : spec.reload_us * 1000;
        failure trouble;
        const error why = this->load_slot(slot, trouble);
        if (why != error::none) {
            state_.programs[slot] = before;
            if (before.generation == 0) state_.programs.pop_back();
            return report_failure(why, trouble);
        }
        use(slot);
        this->report_program(event_kind::loaded, slot);
        return program{slot, state_.programs[slot].generation, salt_};
    }

    /// Brings an evicted or unloaded program back; nothing to do for one that is in memory.
    constexpr result<done> load(program wanted) {
        if (const error why = check(wanted); why != error::none) return report_failure(why, {});
        if (state_.programs[wanted.index].resident) return done{};
        failure trouble;
        const error why = this->reload_slot(wanted.index, trouble);
        if (why != error::none) return report_failure(why, trouble);
        use(wanted.index);
        return done{};
    }

    /// Evicts a program by hand once its runs are over; its handle stays good. Nothing to do for one that is not in
    /// memory.
    constexpr result<done> evict(program victim) {
        if (const error why = check(victim); why != error::none) return failure{.reason = why};
        this->wait_for(victim.index);
        if (state_.programs[victim.index].resident) this->carry_out(state_.eviction_of(victim.index));
        return done{};
    }

    /// Takes a program out of memory once its runs are over; its handle stays good, and `run` and `load(program)` bring
    /// it back. Unlike `evict` this is no relief: it counts as no eviction, tells the eviction policy nothing, and
    /// coming back is no reload; uses are counted anew. A program that was evicted before counts as unloaded from then
    /// on. Failures: a handle that is not good. Cost of releasing two blocks, and O(programs) for the reservation.
    constexpr result<done> unload_for_now(program subject) {
        if (const error why = check(subject); why != error::none) return failure{.reason = why};
        this->wait_for(subject.index);
        program_record& record = state_.programs[subject.index];
        if (record.resident) {
            const event gone = this->describe_program(event_kind::unloaded, subject.index);
            const std::uint64_t reserved = this->reserved_bytes();
            state_.evict(subject.index);
            this->report(gone);
            this->report_reservation(reserved);
        }
        record = {.code = record.code,
                  .scratch = record.scratch,
                  .spilled = record.spilled,
                  .reload_nanoseconds = record.reload_nanoseconds,
                  .generation = record.generation,
                  .label = record.label,
                  .unloaded = true};
        return done{};
    }

    /// Ends a program once its runs are over; its handles go stale.
    constexpr result<done> unload(program ended) {
        if (const error why = check(ended); why != error::none) return failure{.reason = why};
        this->wait_for(ended.index);
        const event gone = this->describe_program(event_kind::unloaded, ended.index);
        const std::uint64_t reserved = this->reserved_bytes();
        state_.evict(ended.index);
        state_.programs[ended.index] = program_record{.generation = ended.generation + 1};
        this->report(gone);
        this->report_reservation(reserved);
        return done{};
    }

    // -- relief by hand --

    /// What relief would do so that a buffer can be allocated, with a lower bound of what that costs; no steps if it
    /// fits as it is, no plan if the relief policy has none, and then what is known of why. For `relieve`, to look at,
    /// or to drop: nothing is done. Once the pending move is finished, if there is one. See `joint_search` for the
    /// cost.
    [[nodiscard]] constexpr planning_result plan_for(const request& wanted) const {
        need<quanta> converted;
        if (unusable_ != error::none || to_need(wanted, state_.spec.quantum, converted) != error::none)
            return {{}, infeasibility::wrong_call, ~std::uint64_t{0}};
        return this->verdict_once_finished(converted);
    }

    /// Carries a plan out that was made for this memory as it is, or as it will be once the pending move is finished,
    /// which comes first. Where a step is impossible by now it says so, see `memory_state::check`, and does nothing
    /// else; where the device fails, what came before has been done.
    constexpr result<done> relieve(const plan& steps) {
        if (!this->finish_moving()) return failure{.reason = error::device_failed};
        if (const error why = state_.check(steps); why != error::none) return failure{.reason = why};
        for (const step& next : steps.steps)
            if (!this->carry_out(next)) return failure{.reason = error::device_failed};
        this->learn_from(steps);
        return done{};
    }

    /// Finishes the move that has stopped in the middle, if one has; `device_failed` if it stops again. Relief does so
    /// before anything else, and so do a run that uses the block and a pin of it. O(copies).
    constexpr result<done> finish_moves() {
        if (!this->finish_moving()) return failure{.reason = error::device_failed};
        return done{};
    }

    /// Moves at most `budget` bytes towards as few and as long holes as the walls allow: what lies between two walls is
    /// packed to the low end, or, under a placement that reserves at the bottom, to the high one, and blocks jump over
    /// walls where that makes a longer hole. Made for idle time: what is in use stays, nothing is evicted or waited
    /// for, and between two calls everything else may be called. Each call that can moves something, unless the device
    /// fails; calls with the same budget come to an end; and the result says how much is left. A block that is longer
    /// than the budget slides in parts over several calls, and is in two places between them: see `pieces`. A budget of
    /// nothing asks how much there is to do. Only where blocks may move. O(blocks log(blocks)), and as much for each
    /// jump over a wall; and the copies.
    constexpr compaction compact(std::uint64_t budget) requires compacts<Placement> { return this->compact_by(budget); }

    /// Makes the memory longer at its top: `bytes`, rounded down to the quantum, are its capacity from then on. Handles
    /// stay good. False, and nothing done, if that is not more than it has or more than can be counted, or if bytes are
    /// stuck in the bounce region, which goes up with the top. O(blocks).
    constexpr bool extend(std::uint64_t bytes) requires requires(Placement p) { p.extend(quanta{}); }
    {
        if (unusable_ != error::none || bytes >> state_.shift() > std::numeric_limits<quanta>::max()) return false;
        if (state_.moving.bounced != 0) return false;
        if (!state_.blocks.extend(state_.in_quanta(bytes))) return false;
        state_.spec.capacity = state_.bytes(map().capacity()) + state_.spec.top_reserved;
        show_to_observer();
        return true;
    }

    // -- looking; see moving_memory for more --

    /// The tag of a name, for requests; and the name of a tag.
    constexpr tag tag_of(const char* label) { return names_.intern(label); }
    [[nodiscard]] constexpr const char* name_of(tag label) const noexcept { return names_.name(label); }

    /// Room for `blocks` live blocks without asking the host again, and for that many arguments or outputs of a run, or
    /// of all runs in flight together, and frees that are deferred. 48 bytes a block under the fits, 48 an argument.
    constexpr void reserve_metadata(std::size_t blocks, std::size_t arguments = 1024) {
        if constexpr (reserves_metadata<Placement>) state_.blocks.reserve_metadata(blocks);
        donors_.reserve(arguments);
        donor_of_output_.reserve(arguments);
        outputs_.reserve(arguments);
        placing_.reserve(arguments);
        state_.deferred.reserve(arguments);
        if (state_.spec.runs_in_flight == 0) return;
        state_.held.reserve(arguments);
        state_.flights.reserve(max_in_flight + 1);
    }

protected:
    constexpr managed_memory(const memory_spec& spec, std::uint32_t salt, const Eviction& eviction_policy,
                             const Relief& relief_policy, const Device& bytes, const Events& events)
        : base(eviction_policy, relief_policy, bytes, events) {
        salt_ = salt;
        const std::uint64_t managed = spec.capacity - spec.top_reserved;
        if (!std::has_single_bit(spec.quantum))
            unusable_ = error::bad_capacity;
        else if (spec.top_reserved > spec.capacity)
            unusable_ = error::top_too_large;
        else if (!spec.is_sound() || managed >> std::countr_zero(spec.quantum) > std::numeric_limits<quanta>::max())
            unusable_ = error::bad_capacity;
        if (unusable_ == error::none) {
            state_.spec = spec;
            state_.blocks = Placement(state_.in_quanta(managed));
        }
        show_to_observer();
    }

    friend constexpr bool operator==(const managed_memory& a, const managed_memory& b) {
        return static_cast<const base&>(a) == static_cast<const base&>(b) && a.unusable_ == b.unusable_;
    }

    using base::donor_of_output_;
    using base::map;
    using base::outputs_;
    using base::placing_;
    using base::report_failure;
    using base::salt_;
    using base::state_;

    std::vector<std::uint64_t> donors_;  // of the run in hand: granted quanta, 0 once taken
    tag_names names_;
    error unusable_ = error::none;  // or why every request fails

private:
    using base::begin_buffer;
    using base::end_buffer;
    using base::refuse;
    using base::release_buffer;
    using base::use;

    /// Shows the memory to an observer that can look at it, where no event tells what became of it.
    constexpr void show_to_observer() {
        if constexpr (looks_at<Events, managed_memory>) this->events().look_at(*this);
    }

    /// How many quanta a request is for that is nothing but long; 0 where it takes more to tell.
    [[nodiscard]] constexpr quanta plain_length(const request& wanted) const noexcept {
        // For no bytes that is more than any capacity.
        const std::uint64_t last = (wanted.bytes - 1) >> std::countr_zero(state_.spec.quantum);
        const bool plain = wanted.alignment <= 1 && wanted.preferred != side::high;
        return plain && last < std::numeric_limits<quanta>::max() ? static_cast<quanta>(last + 1) : 0;
    }

    [[gnu::noinline]] constexpr result<buffer> allocate_with_care(const request& wanted) {
        need<quanta> length;
        const error why = unusable_ == error::none ? to_need(wanted, state_.spec.quantum, length) : unusable_;
        if (why != error::none) return refuse(why, wanted.bytes, wanted.label, wanted.alignment);
        length.expected = expected_under(state_.blocks, wanted.expected, wanted.label);
        block_index block = state_.blocks.place(length);
        if (block == no_block) {
            const error trouble = this->relieve_and_place(length, block);
            if (trouble != error::none)
                return refuse(trouble, state_.bytes(length.length), wanted.label, wanted.alignment);
        }
        return begin_buffer(block, wanted.label);
    }
};

}  // namespace hbm
