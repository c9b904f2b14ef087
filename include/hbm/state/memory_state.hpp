#pragma once

#include <hbm/core/memory_spec.hpp>
#include <hbm/core/program_record.hpp>
#include <hbm/core/result.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/events/events.hpp>
#include <hbm/placement/placement.hpp>
#include <hbm/planning/plan.hpp>
#include <hbm/state/flight.hpp>
#include <hbm/state/pending_move.hpp>
#include <hbm/state/totals.hpp>

#include <bit>
#include <cstddef>

namespace hbm::inline v0 {

/// The state of a memory besides its blocks: programs, runs in flight, deferred frees. A regular value.
struct memory_records {
    trivial_vector<program_record> programs;
    trivial_queue<flight> flights;           ///< oldest first
    trivial_queue<block_index> held;         ///< blocks held by the flights, in their order
    trivial_vector<deferred_free> deferred;  ///< walls until they are retired
    fence issued;                            ///< fence of the latest run
    fence reached;                           ///< fence of the latest run that is over
    memory_spec spec;
    unsigned quantum_shift = std::countr_zero(default_quantum);  ///< from the spec; cached because every call needs it
    pending_move moving = {};                                    ///< the interrupted move, if any; there is at most one
    totals done;                                                 ///< counts of the manager
    std::uint64_t clock = 0;                                     ///< ticks, one for each load or run
    std::uint32_t salt = 0;  ///< distinguishes handles of this memory and its copies from those of others

    constexpr void describe(const memory_spec& described) noexcept {
        spec = described;
        quantum_shift = static_cast<unsigned>(std::countr_zero(spec.quantum));
    }

    friend constexpr bool operator==(const memory_records&, const memory_records&) = default;
};

/// A receiver of the blocks that return when runs end, before they are reported.
class retirement_log {
public:
    /// Adds `reached`, `retired` before the block is freed, or `trimmed` after its cut from `before` quanta.
    virtual constexpr void add(event_kind what, block_index block = no_block, std::uint64_t before = 0) = 0;

protected:
    constexpr ~retirement_log() = default;
};

/// The state that a fork copies: all except policies, device and observer. Plans are tried on copies. A regular value.
template <placement P>
struct memory_state : memory_records {
    using quanta = typename P::quanta;

    P blocks;

    constexpr memory_state() = default;
    [[gnu::always_inline]] constexpr explicit memory_state(quanta capacity) : memory_records{}, blocks(capacity) {}
    constexpr memory_state(const memory_records& records, P&& placed)
        : memory_records(records), blocks(static_cast<P&&>(placed)) {}
    [[gnu::noinline]] constexpr memory_state(const memory_state&) = default;
    constexpr memory_state& operator=(const memory_state&) = default;
    /// Takes over all of `other`, and leaves `other` empty, with a capacity of 0.
    /// Cost: an allocation on the host.
    constexpr memory_state(memory_state&& other) noexcept
        : memory_records(static_cast<memory_records&&>(other)), blocks(static_cast<P&&>(other.blocks)) {
        other.clear();
    }
    constexpr memory_state& operator=(memory_state&& other) noexcept {
        static_cast<memory_records&>(*this) = static_cast<memory_records&&>(other);
        blocks = static_cast<P&&>(other.blocks);
        other.clear();
        return *this;
    }
    [[gnu::noinline]] constexpr ~memory_state() {}  // out of line, as are copies: they are many

    /// Returns the state under another placement, with all blocks in place.
    /// Cost: O(blocks).
    template <placement Other>
    [[nodiscard]] constexpr memory_state<Other> under() const {
        static_assert(reserves<Other> == reserves<P>,
                      "scratch stays where it is: both placements reserve at the bottom, or neither does");
        return {static_cast<const memory_records&>(*this), Other(blocks)};
    }

    [[nodiscard]] constexpr unsigned shift() const noexcept { return quantum_shift; }
    [[nodiscard]] constexpr std::uint64_t bytes(quanta size) const noexcept { return std::uint64_t{size} << shift(); }
    [[nodiscard]] constexpr quanta in_quanta(std::uint64_t bytes) const noexcept {
        return static_cast<quanta>(bytes >> shift());
    }
    [[nodiscard]] constexpr basic_extent<quanta> quanta_of(extent range) const noexcept {
        return {in_quanta(range.offset), in_quanta(range.size)};
    }
    [[nodiscard]] constexpr extent where(block_index block) const noexcept {
        return {bytes(blocks.map().offset(block)), bytes(blocks.map().size(block))};
    }

    [[nodiscard]] constexpr bool is_moving(block_index block) const noexcept {
        return moving.block == block && block != no_block;
    }
    /// Returns true if the block is not a wall: not in use, reserved, about to be freed, or half moved.
    /// Requires: the manager may move blocks.
    [[nodiscard]] constexpr bool can_move(block_index block) const noexcept {
        const block_kind kind = blocks.map().kind(block);
        return kind != block_kind::reservation && kind != block_kind::deferred && !blocks.map().is_held(block) &&
               !is_moving(block);
    }
    [[nodiscard]] constexpr bool can_evict(std::uint32_t slot) const noexcept {
        // A program in flight is held by its code: every run holds that block, whatever else it uses.
        const program_record& record = programs[slot];
        return record.resident && record.code_block != no_block && !blocks.map().is_held(record.code_block);
    }

    /// Scratch reserved at the bottom, and its possible growth without relief; 0 if the placement cannot reserve.
    [[nodiscard]] constexpr std::uint64_t reserved_bytes() const noexcept {
        if constexpr (reserves<P>)
            return bytes(blocks.reserved());
        else
            return 0;
    }
    [[nodiscard]] constexpr std::uint64_t reservable_bytes() const noexcept {
        if constexpr (reserves<P>)
            return bytes(blocks.reservable());
        else
            return 0;
    }

    /// Returns the present figures of a failure, without a reason.
    /// Cost: that of the placement's `largest_free`.
    [[nodiscard, gnu::cold, gnu::noinline]] constexpr failure figures() const {
        return {.free = bytes(blocks.map().free()),
                .largest_free = bytes(blocks.largest_free()),
                .reserved = reserved_bytes(),
                .reservable = reservable_bytes()};
    }

    [[nodiscard]] constexpr std::uint64_t scratch_limit() const noexcept {
        // Divided before it is multiplied, since a capacity times 100 may exceed 64 bits; then rounded down to quanta.
        if (spec.scratch_percent >= 100) return ~std::uint64_t{0};
        const std::uint64_t capacity = bytes(blocks.map().capacity());
        const std::uint64_t most = capacity / 100 * spec.scratch_percent + capacity % 100 * spec.scratch_percent / 100;
        return most / spec.quantum * spec.quantum;
    }
    /// Returns the reservation that the programs in memory need: their largest scratch, or the saturated sum. The
    /// program in the slot `incoming` counts as one of them.
    [[nodiscard]] constexpr std::uint64_t scratch_level(std::uint32_t incoming = no_index) const noexcept {
        // Recomputed from the programs each time: a cached level would have to be kept right by loads, evictions and
        // failures, and there are few programs.
        std::uint64_t level = 0;
        if constexpr (reserves<P>) {
            for (std::uint32_t slot = 0; slot < programs.size(); ++slot) {
                const program_record& record = programs[slot];
                if (!record.resident && slot != incoming) continue;
                if (P::sharing == scratch_sharing::per_program)
                    level = record.scratch > ~std::uint64_t{0} - level ? ~std::uint64_t{0} : level + record.scratch;
                else if (record.scratch > level)
                    level = record.scratch;
            }
        }
        return level;
    }

    /// Frees a block, and both places if a move of it was interrupted.
    [[gnu::always_inline]] constexpr void release(block_index block) {
        abandon_move(block);
        blocks.release(block);
    }
    [[gnu::always_inline]] constexpr void abandon_move(block_index block) noexcept {
        if (moving.block == block) [[unlikely]]
            abandon_move();
    }
    [[gnu::cold, gnu::noinline]] constexpr void abandon_move() noexcept { moving = {}; }

    /// Marks a move as interrupted: its block owns both places until it is finished.
    /// Requires: no other move is pending, and everything between the two places is free.
    [[gnu::cold]] constexpr void begin_move(const pending_move& begun) {
        if constexpr (stretches<P>)
            if (blocks.stretch(begun.block, quanta_of(begun.both_places()))) moving = begun;
    }
    /// Moves the block of the pending move, if any, to its target.
    [[gnu::cold]] constexpr void finish_moving() {
        if constexpr (stretches<P>) {
            if (moving) blocks.stretch(moving.block, quanta_of({moving.to, moving.bytes}));
            moving = {};
        }
    }

    /// Removes the program in `slot` from memory; the record stays. Shrinks the reservation to what others need, and
    /// `incoming`, for which it leaves, if any.
    [[gnu::cold]] constexpr void evict(std::uint32_t slot, std::uint32_t incoming = no_index) {
        // The reservation shrinks with the last program that needed it, so an eviction may give back more than code. It
        // shrinks to what the incoming program needs, not below: growing again could fail once something lies there.
        program_record& record = programs[slot];
        if (record.code_block != no_block) release(record.code_block);
        if (!reserves<P> && record.scratch_block != no_block) release(record.scratch_block);
        record.code_block = record.scratch_block = no_block;
        record.resident = false;
        shrink_reservation(incoming);
    }
    /// Shrinks the reservation to what programs in memory and `incoming` need. A program that comes in raises it only
    /// once it is placed: plans use the space until then.
    [[gnu::cold]] constexpr void shrink_reservation([[maybe_unused]] std::uint32_t incoming = no_index) {
        if constexpr (reserves<P>)
            if (const std::uint64_t level = scratch_level(incoming) >> shift(); level < blocks.reserved())
                blocks.reserve(static_cast<quanta>(level));
    }

    [[nodiscard]] constexpr bool can_wait() const noexcept { return !deferred.empty() || !flights.empty(); }
    [[nodiscard]] constexpr bool is_over(fence until) const noexcept { return until <= reached; }

    /// Ends the runs up to `upto`: releases holds, shrinks donated blocks, completes frees. Adds each to `log`, if any.
    /// Requires: `upto` was issued.
    /// Cost: amortised O(holds that end + deferred frees).
    [[gnu::cold, gnu::noinline]] constexpr void retire(fence upto, retirement_log* log = nullptr) {
        // Runs end first, for their holds are what frees wait for. A free that waits for a fence may still have a hold
        // of work with a later fence; it stays in the list, whose order is kept.
        end_holds(upto, log);
        std::size_t left = 0;
        for (const deferred_free& waiting : deferred) {
            if (!is_over(waiting.until) || blocks.map().holds(waiting.block) != 0) {
                deferred[left++] = waiting;
                continue;
            }
            if (log != nullptr) log->add(event_kind::retired, waiting.block);
            blocks.map().drop_pins(waiting.block);
            release(waiting.block);
        }
        deferred.erase(deferred.begin() + static_cast<std::ptrdiff_t>(left), deferred.end());
    }

    /// Holds a block once for the run that is about to start.
    [[gnu::noinline]] constexpr void begin_hold(block_index block) {
        blocks.map().hold(block);
        held.push_back(block);
    }

    /// Ends one hold of a block; the last cuts off what a donated block does not need.
    [[gnu::always_inline]] constexpr void end_hold(block_index block, [[maybe_unused]] retirement_log* log) {
        // An output may have taken over a donor that is longer than itself. While a run uses the block, all of it
        // stays; the tail that nobody needs returns with the last hold.
        blocks.map().release_hold(block);
        if constexpr (shrinks<P>) {
            const auto& map = blocks.map();
            const quanta before = map.size(block);
            if (before == map.granted(block) || map.holds(block) != 0 || map.kind(block) != block_kind::data) return;
            blocks.shrink(block, map.granted(block));
            if (log != nullptr && before != map.size(block)) log->add(event_kind::trimmed, block, before);
        }
    }

    [[nodiscard]] constexpr step move_of(block_index block, quanta to) const noexcept {
        return move_of(block, blocks.map().offset(block), to);
    }
    [[nodiscard]] constexpr step move_of(block_index block, quanta from, quanta to,
                                         step_purpose purpose = step_purpose::room) const noexcept {
        return move_step(spec, block, bytes(from), bytes(to), where(block).size, purpose);
    }

    [[nodiscard]] constexpr step eviction_of(std::uint32_t slot) const noexcept {
        return eviction_step(slot, programs[slot]);
    }

    /// Returns an error if a plan cannot be carried out once the pending move is finished.
    /// `unknown_fence`: a fence is not issued. `stale_handle`: a program was replaced, is not in memory, or is in use.
    /// `range_is_taken`: a block may not move or is elsewhere, or its target is not free or not of whole quanta.
    /// Cost: O(blocks + steps).
    [[nodiscard, gnu::cold]] constexpr error check(const plan& steps) const {
        // Steps depend on each other: the target of a move may be free only because of the step before. So a plan is
        // checked by carrying it out, on a copy.
        memory_state later = *this;
        later.finish_moving();
        return later.try_out(steps);
    }
    /// Validates a step, except whether its target is free (see `apply`).
    [[nodiscard, gnu::cold]] constexpr error check(const step& next) const {
        // A step carries the figures it was planned with, and all are compared: the generation and code of a program,
        // the place and size of a block. A plan that is older than the memory is refused by the first step that is no
        // longer true.
        if (next.what == step_kind::wait) return next.to > issued.number ? error::unknown_fence : error::none;
        if (next.what == step_kind::evict) {
            if (next.subject >= programs.size() || !can_evict(next.subject)) return error::stale_handle;
            const program_record& record = programs[next.subject];
            return record.generation == next.from && record.code == next.bytes ? error::none : error::stale_handle;
        }
        if constexpr (!relocates<P>) return error::range_is_taken;
        const bool there = blocks.map().is_index(next.subject) && !blocks.map().is_hole(next.subject);
        const std::uint64_t capacity = bytes(blocks.map().capacity());
        if (next.to % spec.quantum != 0 || next.to > capacity || next.bytes > capacity - next.to)
            return error::range_is_taken;
        const bool can = there && can_move(next.subject) && where(next.subject) == extent{next.from, next.bytes};
        return can ? error::none : error::range_is_taken;
    }
    /// Checks and carries out each step, without device, until one fails; earlier steps are kept.
    [[nodiscard, gnu::cold]] constexpr error try_out(const plan& steps, std::uint32_t incoming = no_index) {
        for (const step& next : steps.steps) {
            if (const error why = check(next); why != error::none) return why;
            if (!apply(next, incoming)) return error::range_is_taken;
        }
        return error::none;
    }
    /// Carries out one step, without device. Returns false if it is impossible.
    /// Requires: `check` accepts the step.
    [[gnu::cold]] constexpr bool apply(const step& next, std::uint32_t incoming = no_index) {
        if (next.what == step_kind::move) {
            if constexpr (relocates<P>) return blocks.relocate(next.subject, in_quanta(next.to));
            return false;
        }
        if (next.what == step_kind::wait)
            retire(fence{next.to});
        else
            evict(next.subject, incoming);
        return true;
    }

    friend constexpr bool operator==(const memory_state&, const memory_state&) = default;

private:
    [[gnu::cold, gnu::noinline]] constexpr void clear() noexcept {
        static_cast<memory_records&>(*this) = {};
        blocks = P(0);
    }
    [[gnu::always_inline]] constexpr void end_holds(fence upto, retirement_log* log) {
        // Fences are reached in order, so the runs that are over are the first ones, and their holds the first in
        // `held`: both are queues, and a run says how many holds are its own.
        if (upto > reached) {
            reached = upto;
            if (log != nullptr) log->add(event_kind::reached);
        }
        std::size_t over = 0;
        std::size_t release_hold = 0;
        for (; over < flights.size() && flights[over].over <= reached; ++over)
            for (std::uint32_t i = 0; i < flights[over].holds; ++i) end_hold(held[release_hold++], log);
        flights.pop_front(over);
        held.pop_front(release_hold);
    }
};

}  // namespace hbm::inline v0
