#pragma once

/// Everything that relief may change: the blocks, which programs are in memory, and what is not over yet.

#include <hbm/core/memory_spec.hpp>
#include <hbm/core/program_record.hpp>
#include <hbm/core/result.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/events/events.hpp>
#include <hbm/placement/placement.hpp>
#include <hbm/state/flight.hpp>
#include <hbm/state/pending_move.hpp>
#include <hbm/state/plan.hpp>
#include <hbm/state/totals.hpp>

#include <bit>
#include <cstddef>

namespace hbm {

/// What is known of a memory besides its blocks. A regular value.
struct memory_records {
    trivial_vector<program_record> programs;
    trivial_vector<flight> flights;          ///< oldest first
    trivial_vector<block_index> held;        ///< what the flights hold, in their order
    trivial_vector<deferred_free> deferred;  ///< walls until they are retired
    fence issued;                            ///< of the latest run
    fence reached;                           ///< of the latest run that is over
    memory_spec spec;
    unsigned quantum_shift = std::countr_zero(default_quantum);  ///< of the spec: asked for in every call
    pending_move moving = {};  ///< the move that has stopped in the middle, if one has: there is never a second
    totals done;               ///< what the manager has done so far
    std::uint64_t clock = 0;   ///< one tick a load or run
    std::uint32_t salt = 0;    ///< tells the handles of this memory, and of its copies, from those of others

    constexpr void describe(const memory_spec& described) noexcept {
        spec = described;
        quantum_shift = static_cast<unsigned>(std::countr_zero(spec.quantum));
    }

    friend constexpr bool operator==(const memory_records&, const memory_records&) = default;
};

/// Receives what returns when runs end, before it is reported.
class retirement_log {
public:
    /// Adds `reached`, `retired` before the block is freed, or `trimmed` after the block was cut, which had `before`
    /// quanta.
    virtual constexpr void add(event_kind what, block_index block = no_block, std::uint64_t before = 0) = 0;

protected:
    constexpr ~retirement_log() = default;
};

/// All that a fork of a manager copies: everything but policies, device and observer. Plans are tried on copies of it.
/// A regular value.
template <placement P>
struct memory_state : memory_records {
    using quanta = typename P::quanta;

    P blocks;

    constexpr memory_state() = default;
    [[gnu::always_inline]] constexpr explicit memory_state(quanta capacity) : memory_records{}, blocks(capacity) {}
    constexpr memory_state(const memory_records& records, P&& placed)
        : memory_records(records), blocks(static_cast<P&&>(placed)) {}
    constexpr memory_state(const memory_state&) = default;
    constexpr memory_state& operator=(const memory_state&) = default;
    /// Leaves an empty memory without capacity. Cost: an allocation on the host.
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
    constexpr ~memory_state() = default;

    /// The same under another placement, which keeps the blocks where they are. O(blocks).
    template <placement Other>
    [[nodiscard]] constexpr memory_state<Other> under() const {
        static_assert(reserves<Other> == reserves<P>,
                      "scratch stays where it is: both placements reserve at the bottom, "
                      "or neither does");
        return {static_cast<const memory_records&>(*this), Other(blocks)};
    }

    /// How many places a size in quanta is shifted to be a size in bytes.
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

    /// True when a move of the block has stopped in the middle. O(1).
    [[nodiscard]] constexpr bool is_moving(block_index block) const noexcept {
        return moving.block == block && block != no_block;
    }
    /// True when the block is no wall, given the permission to move: neither in use nor the reservation nor about to be
    /// freed, nor half moved. O(1).
    [[nodiscard]] constexpr bool can_move(block_index block) const noexcept {
        const block_kind kind = blocks.map().kind(block);
        return kind != block_kind::reservation && kind != block_kind::deferred && !blocks.map().is_held(block) &&
               !is_moving(block);
    }
    /// True when the program in `slot` is in memory and not running. O(1).
    [[nodiscard]] constexpr bool can_evict(std::uint32_t slot) const noexcept {
        const program_record& record = programs[slot];
        return record.resident && record.code_block != no_block && !blocks.map().is_held(record.code_block);
    }

    /// Scratch reserved at the bottom, and what it can grow by without relief, in bytes; 0 under placements that cannot
    /// reserve. O(1), for buddy O(log capacity).
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

    /// The figures of now that every failure has, without a reason. Cost of the placement's `largest_free`.
    [[nodiscard, gnu::cold, gnu::noinline]] constexpr failure figures() const {
        return {.free = bytes(blocks.map().free()),
                .largest_free = bytes(blocks.largest_free()),
                .reserved = reserved_bytes(),
                .reservable = reservable_bytes()};
    }

    /// The most scratch that one program may have. O(1).
    [[nodiscard]] constexpr std::uint64_t scratch_limit() const noexcept {
        if (spec.scratch_percent >= 100) return ~std::uint64_t{0};
        const std::uint64_t capacity = bytes(blocks.map().capacity());
        const std::uint64_t most = capacity / 100 * spec.scratch_percent + capacity % 100 * spec.scratch_percent / 100;
        return most / spec.quantum * spec.quantum;
    }
    /// The reservation that the programs in memory need: their largest scratch, or the sum, which stops at the largest
    /// number. O(programs).
    [[nodiscard]] constexpr std::uint64_t scratch_level() const noexcept {
        std::uint64_t level = 0;
        if constexpr (reserves<P>) {
            for (const program_record& record : programs) {
                if (!record.resident) continue;
                if (P::sharing == scratch_sharing::per_program) {
                    level = record.scratch > ~std::uint64_t{0} - level ? ~std::uint64_t{0} : level + record.scratch;
                } else if (record.scratch > level) {
                    level = record.scratch;
                }
            }
        }
        return level;
    }

    /// Frees a block; a move of it that has stopped in the middle is given up, and both places are free.
    [[gnu::always_inline]] constexpr void release(block_index block) {
        abandon_move(block);
        blocks.release(block);
    }
    /// What is left of a pending move of this block, if there is one, is never done: its bytes are of no use any more.
    [[gnu::always_inline]] constexpr void abandon_move(block_index block) noexcept {
        if (moving.block == block) [[unlikely]]
            abandon_move();
    }
    [[gnu::cold, gnu::noinline]] constexpr void abandon_move() noexcept { moving = {}; }

    /// A move has stopped in the middle: its block owns both places until it is finished. Nothing else is pending, and
    /// everything between the two places is free. O(blocks on the way).
    [[gnu::cold]] constexpr void begin_move(const pending_move& begun) {
        if constexpr (stretches<P>) {
            if (blocks.stretch(begun.block, quanta_of(begun.both_places()))) moving = begun;
        }
    }
    /// The pending move, if there is one, is finished: its block is at its target. O(blocks on the way).
    [[gnu::cold]] constexpr void finish_moving() {
        if constexpr (stretches<P>) {
            if (moving) blocks.stretch(moving.block, quanta_of({moving.to, moving.bytes}));
            moving = {};
        }
    }

    /// Takes the program in `slot` out of memory; the record stays. Its scratch goes as far as nobody else needs it.
    [[gnu::cold]] constexpr void evict(std::uint32_t slot) {
        program_record& record = programs[slot];
        if (record.code_block != no_block) release(record.code_block);
        if (record.scratch_block != no_block) release(record.scratch_block);
        record.code_block = record.scratch_block = no_block;
        record.resident = false;
        if constexpr (reserves<P>) {
            if (const std::uint64_t level = scratch_level(); level <= bytes(blocks.map().capacity()))
                blocks.reserve(in_quanta(level));
        }
    }

    /// True when there is something to wait for. O(1).
    [[nodiscard]] constexpr bool can_wait() const noexcept { return !deferred.empty() || !flights.empty(); }

    /// Ends the runs up to `upto`, which was issued: what only they held is free to move or go, donated blocks give
    /// back what their new owners do not need, and frees that nothing stands against any more take effect. Adds
    /// each to `log`, unless null. Cost: O(holds that end + deferred frees).
    [[gnu::cold, gnu::noinline]] constexpr void retire(fence upto, retirement_log* log = nullptr) {
        end_holds(upto, log);
        std::size_t left = 0;
        for (const deferred_free& waiting : deferred) {
            if (waiting.until > reached || blocks.map().holds(waiting.block) != 0) {
                deferred[left++] = waiting;
                continue;
            }
            if (log != nullptr) log->add(event_kind::retired, waiting.block);
            blocks.map().drop_pins(waiting.block);
            release(waiting.block);
        }
        deferred.erase(deferred.begin() + static_cast<std::ptrdiff_t>(left), deferred.end());
    }

    /// Holds a block for the run that is about to fly, once.
    [[gnu::noinline]] constexpr void begin_hold(block_index block) {
        blocks.map().hold(block);
        held.push_back(block);
    }

    /// The step that moves a block to `to`, with its price. O(1).
    [[nodiscard]] constexpr step move_of(block_index block, quanta to) const noexcept {
        return move_of(block, blocks.map().offset(block), to);
    }
    /// The same once it is at `from`.
    [[nodiscard]] constexpr step move_of(block_index block, quanta from, quanta to,
                                         step_purpose purpose = step_purpose::room) const noexcept {
        return move_step(spec, block, bytes(from), bytes(to), where(block).size, purpose);
    }

    /// The step that evicts the program in a slot, with its price. O(1).
    [[nodiscard]] constexpr step eviction_of(std::uint32_t slot) const noexcept {
        return eviction_step(slot, programs[slot]);
    }

    /// What stands against a plan once the pending move is finished, be it made for another memory: fences that are not
    /// issued, `unknown_fence`; programs that are others by now, not in memory, or in use, `stale_handle`; moves of
    /// what must stay or is not where it was, or onto what is not free but for itself or no whole quanta,
    /// `range_is_taken`. O(blocks), and the steps.
    [[nodiscard, gnu::cold]] constexpr error check(const plan& steps) const {
        memory_state later = *this;
        later.finish_moving();
        return later.try_out(steps);
    }
    /// Checks each step and carries it out, without device, until one fails: what came before that has been done then.
    [[nodiscard, gnu::cold]] constexpr error try_out(const plan& steps) {
        for (const step& next : steps.steps) {
            if (const error why = check(next); why != error::none) return why;
            if (!apply(next)) return error::range_is_taken;
        }
        return error::none;
    }
    /// Carries one step out, without device. False when it cannot be. The step is one that `check` has nothing against.
    [[gnu::cold]] constexpr bool apply(const step& next) {
        if (next.what == step_kind::move) {
            if constexpr (relocates<P>) return blocks.relocate(next.subject, in_quanta(next.to));
            return false;
        }
        if (next.what == step_kind::wait)
            retire(fence{next.to});
        else
            evict(next.subject);
        return true;
    }

    friend constexpr bool operator==(const memory_state&, const memory_state&) = default;

private:
    [[gnu::cold, gnu::noinline]] constexpr void clear() noexcept {
        static_cast<memory_records&>(*this) = {};
        blocks = P(0);
    }
    /// What stands against a step, but for what lies where a block is to go: `apply` finds that out.
    [[nodiscard, gnu::cold]] constexpr error check(const step& next) const {
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

    /// What only the runs up to `upto` held is held no more.
    [[gnu::always_inline]] constexpr void end_holds(fence upto, retirement_log* log) {
        if (upto > reached) {
            reached = upto;
            if (log != nullptr) log->add(event_kind::reached);
        }
        std::size_t over = 0;
        std::size_t release_hold = 0;
        for (; over < flights.size() && flights[over].over <= reached; ++over)
            for (std::uint32_t i = 0; i < flights[over].holds; ++i) end_hold(held[release_hold++], log);
        flights.erase(flights.begin(), flights.begin() + static_cast<std::ptrdiff_t>(over));
        held.erase(held.begin(), held.begin() + static_cast<std::ptrdiff_t>(release_hold));
    }
    [[gnu::always_inline]] constexpr void end_hold(block_index block, [[maybe_unused]] retirement_log* log) {
        blocks.map().release_hold(block);
        if constexpr (shrinks<P>) {
            const auto& map = blocks.map();
            const quanta before = map.size(block);
            if (before == map.granted(block) || map.holds(block) != 0 || map.kind(block) != block_kind::data) return;
            blocks.shrink(block, map.granted(block));
            if (log != nullptr && before != map.size(block)) log->add(event_kind::trimmed, block, before);
        }
    }
};

}  // namespace hbm
