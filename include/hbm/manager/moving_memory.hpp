#pragma once

/// Memory that can be looked at, whose blocks move, on the device as well, and that says what happens to it.

#include <hbm/blocks/live_blocks.hpp>
#include <hbm/core/bytes.hpp>
#include <hbm/core/result.hpp>
#include <hbm/device/device.hpp>
#include <hbm/events/events.hpp>
#include <hbm/manager/arguments.hpp>
#include <hbm/relief/compactor.hpp>
#include <hbm/state/memory_state.hpp>
#include <hbm/state/totals.hpp>

#include <limits>
#include <span>
#include <vector>

namespace hbm {

/// The state with its device and observer, before any policy decides what becomes of it.
template <placement Placement, hbm::device Device, observer Events>
class moving_memory {
public:
    using quanta = typename Placement::quanta;
    using placement_type = Placement;

    /// True when scratch is reserved at the bottom; and when programs share it.
    static constexpr bool reserves_scratch = reserves<Placement>;
    static constexpr bool shares_scratch = [] {
        if constexpr (reserves<Placement>)
            return Placement::sharing == scratch_sharing::shared;
        else
            return false;
    }();

    /// `error::none`, or why the handle is not good. O(1).
    [[nodiscard]] constexpr error check(buffer held) const noexcept { return check_buffer(map(), salt_, held); }
    [[nodiscard]] constexpr error check(program held) const noexcept {
        if (!held) return error::stale_handle;
        if (held.salt != salt_) return error::foreign_handle;
        const bool good = held.index < state_.programs.size() && held.generation % 2 == 1 &&
                          state_.programs[held.index].generation == held.generation;
        return good ? error::none : error::stale_handle;
    }

    /// The bytes that a buffer occupies; an empty extent when the handle is not good. While a move of it has stopped in
    /// the middle that is both places and all between them; `pieces` says where its bytes are. O(1).
    [[nodiscard]] constexpr extent where(buffer held) const noexcept {
        return check(held) == error::none ? state_.where(held.index) : extent{};
    }
    /// Where a buffer's bytes are, in their order: one piece, or up to three while a move of it has stopped in the
    /// middle, one of which may be in the bounce region; none when the handle is not good. O(1).
    [[nodiscard]] constexpr buffer_pieces pieces(buffer held) const noexcept {
        buffer_pieces found;
        if (check(held) != error::none) return found;
        if (state_.is_moving(held.index)) return state_.moving.pieces(state_.spec);
        found.add(state_.where(held.index));
        return found;
    }
    /// The move that has stopped in the middle, because the device failed or because it was to be done in parts; false
    /// when there is none. There is never a second: relief finishes it before it does anything else.
    [[nodiscard]] constexpr const pending_move& moving() const noexcept { return state_.moving; }
    /// A buffer's bytes as granted; 0 when the handle is not good. O(1).
    [[nodiscard]] constexpr std::uint64_t granted(buffer held) const noexcept {
        return check(held) == error::none ? state_.bytes(map().granted(held.index)) : 0;
    }
    /// How often a buffer is pinned; 0 when the handle is not good. O(1).
    [[nodiscard]] constexpr std::uint32_t pins(buffer held) const noexcept {
        return check(held) == error::none ? map().pins(held.index) : 0;
    }
    /// What is known of a program; an empty record, of generation 0, when the handle is not good. O(1).
    [[nodiscard]] constexpr const program_record& about(program held) const noexcept {
        return check(held) == error::none ? state_.programs[held.index] : no_program;
    }
    /// All live blocks in address order.
    [[nodiscard]] constexpr block_range<quanta> blocks() const noexcept {
        return {map(), state_.shift(), salt_, false};
    }
    /// All live blocks and holes in address order.
    [[nodiscard]] constexpr block_range<quanta> blocks_and_holes() const noexcept {
        return {map(), state_.shift(), salt_, true};
    }
    /// One record a slot; the slots of ended programs have an even generation.
    [[nodiscard]] constexpr std::span<const program_record> programs() const noexcept { return state_.programs; }
    /// The handle of the program in a slot; one that names nothing where there is none. O(1).
    [[nodiscard]] constexpr program handle_of(std::uint32_t slot) const noexcept {
        const bool there = slot < state_.programs.size() && state_.programs[slot].generation % 2 == 1;
        return there ? program{slot, state_.programs[slot].generation, salt_} : program{};
    }

    /// The manager's capacity: what the spec says, less what is reserved at the top, rounded down to the quantum. O(1),
    /// as the next ones.
    [[nodiscard]] constexpr std::uint64_t capacity_bytes() const noexcept { return state_.bytes(map().capacity()); }
    [[nodiscard]] constexpr std::uint64_t free_bytes() const noexcept { return state_.bytes(map().free()); }
    /// The sum of what was granted and is live, programs and reservation included, and the most it ever was.
    [[nodiscard]] constexpr std::uint64_t live_bytes() const noexcept { return state_.bytes(map().live()); }
    [[nodiscard]] constexpr std::uint64_t peak_live_bytes() const noexcept { return state_.bytes(map().peak_live()); }
    /// The end of the highest live block.
    [[nodiscard]] constexpr std::uint64_t highest_end_bytes() const noexcept {
        return state_.bytes(map().highest_end());
    }
    /// The longest contiguous free run. Cost of the placement's `largest_free`.
    [[nodiscard]] constexpr std::uint64_t largest_free_bytes() const {
        return state_.bytes(state_.blocks.largest_free());
    }
    /// Scratch reserved at the bottom, and what it can grow by without relief; 0 under placements that cannot reserve.
    [[nodiscard]] constexpr std::uint64_t reserved_bytes() const noexcept {
        if constexpr (reserves<Placement>)
            return state_.bytes(state_.blocks.reserved());
        else
            return 0;
    }
    [[nodiscard]] constexpr std::uint64_t reservable_bytes() const noexcept {
        if constexpr (reserves<Placement>)
            return state_.bytes(state_.blocks.reservable());
        else
            return 0;
    }

    /// The runs that are not over as far as is known, oldest first; the fence of the latest run; and that of the latest
    /// run that is over.
    [[nodiscard]] constexpr std::span<const flight> flights() const noexcept { return state_.flights; }
    [[nodiscard]] constexpr fence issued() const noexcept { return state_.issued; }
    [[nodiscard]] constexpr fence reached() const noexcept { return state_.reached; }

    [[nodiscard]] constexpr const totals& done_so_far() const noexcept { return totals_; }
    [[nodiscard]] constexpr const memory_spec& spec() const noexcept { return state_.spec; }
    [[nodiscard]] constexpr const memory_state<Placement>& state() const noexcept { return state_; }
    [[nodiscard]] constexpr const Device& device() const noexcept { return device_; }
    [[nodiscard]] constexpr Device& device() noexcept { return device_; }
    [[nodiscard]] constexpr const Events& events() const noexcept { return events_; }
    [[nodiscard]] constexpr Events& events() noexcept { return events_; }

protected:
    constexpr moving_memory() = default;
    constexpr moving_memory(const Device& device, const Events& events) : device_(device), events_(events) {}

    [[nodiscard]] constexpr block_map<quanta>& map() noexcept { return state_.blocks.map(); }
    [[nodiscard]] constexpr const block_map<quanta>& map() const noexcept { return state_.blocks.map(); }

    // -- move --

    /// Moves up to `most` bytes of a block, all of them unless told otherwise. False when it has not arrived: either
    /// the device failed before anything was where its source was, and the move was not begun, or it is pending.
    /// Nothing else is pending; everything between the two places is free if it overlaps itself or is to be done in
    /// parts.
    constexpr bool move(pending_move begun, std::uint64_t most = ~std::uint64_t{0}) {
        advance(begun, most);
        if (begun.left() == 0) {
            state_.apply({step_kind::move, begun.block, begun.from, begun.to, begun.bytes});
            arrived(begun);
            return true;
        }
        if (begun.moved == 0 && begun.bounced == 0) return false;
        state_.begin_move(begun);
        report({.what = event_kind::parted,
                .label = label_of(begun.block),
                .subject = begun.block,
                .where = begun.both_places(),
                .from = begun.from});
        return false;
    }

    /// Moves up to `most` more bytes of what is pending, if anything is. False when it has not arrived.
    constexpr bool finish_moving(std::uint64_t most = ~std::uint64_t{0}) {
        if (!state_.moving) return true;
        advance(state_.moving, most);
        if (state_.moving.left() != 0) return false;
        const pending_move finished = state_.moving;
        state_.finish_moving();
        arrived(finished);
        return true;
    }

    /// Copies, on the device if it has bytes, and counts.
    constexpr void advance(pending_move& begun, std::uint64_t most) {
        copying done;
        if constexpr (copies<Device>)
            done = begun.advance(state_.spec, most, [&](std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
                return device_.copy(to, from, bytes);
            });
        else
            done = begun.advance(state_.spec, most);
        totals_.copies += done.copies;
        totals_.moved_bytes += done.moved;
        totals_.move_nanoseconds = saturating_add(totals_.move_nanoseconds, done.nanoseconds);
    }
    constexpr void arrived(const pending_move& finished) {
        ++totals_.moves;
        report({.what = event_kind::moved,
                .label = label_of(finished.block),
                .subject = finished.block,
                .where = {finished.to, finished.bytes},
                .from = finished.from});
    }

    /// The runs up to `upto` are over.
    constexpr void reach(fence upto) {
        const bool later = upto > state_.reached;
        state_.retire(upto, [&](block_index block) { report_block(event_kind::retired, block); });
        if (later) report({.what = event_kind::reached, .from = upto.number});
    }

    // -- compaction --

    /// Moves up to `budget` bytes of what there is to move until free memory is in as few holes as it can be, what is
    /// pending first.
    constexpr compaction compact_by(std::uint64_t budget) requires compacts<Placement> {
        const totals before = totals_;
        const std::uint64_t quantum = state_.spec.quantum;
        budget = align_down(budget, quantum);
        bool failed = false;
        // What has to come out of the bounce region comes in one piece.
        if (state_.moving && budget != 0 && budget >= state_.moving.bounced)
            failed = stops_before(
                budget, [&] { finish_moving(budget); }, state_.moving.left());

        const compactor<Placement> work = compaction_of(budget);
        const auto& moves = work.moves();
        std::size_t at = 0;
        for (; !failed && !state_.moving && at < moves.size(); ++at) {
            const extent from = state_.where(moves[at].block);
            const std::uint64_t left = budget - (totals_.moved_bytes - before.moved_bytes);
            // What a call can do as a whole waits for the next one rather than be in two places meanwhile.
            if (left < quantum || (left < from.size && from.size <= budget)) break;
            const pending_move next{moves[at].block, from.offset, state_.bytes(moves[at].to), from.size};
            failed = stops_before(
                left, [&] { move(next, left); }, next.bytes);
            if (failed && !state_.moving) break;  // it was not begun
        }

        compaction found{.moved = totals_.moved_bytes - before.moved_bytes,
                         .copies = totals_.copies - before.copies,
                         .nanoseconds = totals_.move_nanoseconds - before.move_nanoseconds,
                         .remaining = state_.moving ? state_.moving.left() : 0,
                         .reason = failed ? error::device_failed : error::none};
        for (; at < moves.size(); ++at)
            found.remaining +=
                state_.is_moving(moves[at].block) ? state_.moving.bytes : state_.where(moves[at].block).size;
        if (found.remaining == 0)
            found.needs = state_.bytes(work.refused());
        else if (found.moved == 0 && !failed)
            found.needs = min_budget();
        return found;
    }

    /// All moves that calls with this budget have to make, once what is pending is finished; with none, all moves.
    [[nodiscard]] constexpr compactor<Placement> compaction_of(std::uint64_t budget) const {
        const std::uint64_t most = std::numeric_limits<quanta>::max();
        const std::uint64_t limit = budget >> state_.shift();
        const auto longest = static_cast<quanta>(limit == 0 || limit > most ? most : limit);
        if (!state_.moving) return {state_, longest};
        memory_state<Placement> later = state_;
        later.finish_moving();
        return {later, longest};
    }
    /// With less than this a call moves nothing; there is something to move.
    [[nodiscard]] constexpr std::uint64_t min_budget() const {
        if (state_.moving) return align_up(state_.moving.bounced == 0 ? 1 : state_.moving.bounced, state_.spec.quantum);
        const compactor<Placement> work = compaction_of(state_.spec.quantum);
        return work.moves().empty() ? state_.bytes(work.refused()) : state_.spec.quantum;
    }
    /// True when `work`, which may move `most` bytes of the `bytes` that there are, moves less: the device failed.
    template <class Work>
    constexpr bool stops_before(std::uint64_t most, Work work, std::uint64_t bytes) {
        const std::uint64_t before = totals_.moved_bytes;
        work();
        return totals_.moved_bytes - before < (most < bytes ? most : bytes);
    }

    // -- report --

    [[nodiscard]] constexpr tag label_of(block_index block) const noexcept {
        const bool of_program = map().kind(block) == block_kind::code || map().kind(block) == block_kind::scratch;
        return of_program ? state_.programs[map().owner(block)].label : static_cast<tag>(map().owner(block));
    }

    [[nodiscard]] constexpr failure figures(error why, std::uint64_t requested, tag label) const {
        return {.reason = why,
                .requested = requested,
                .free = free_bytes(),
                .largest_free = largest_free_bytes(),
                .reserved = reserved_bytes(),
                .reservable = reservable_bytes(),
                .label = label};
    }

    constexpr void report(const event& occurred) {
        if constexpr (hears_events_of<Events, moving_memory>)
            events_.on(occurred, *this);
        else if constexpr (hears_events<Events>)
            events_.on(occurred);
    }
    constexpr void report_block(event_kind what, block_index block) { report(describe_block(what, block)); }
    [[nodiscard]] constexpr event describe_block(event_kind what, block_index block) const noexcept {
        return {.what = what, .label = label_of(block), .subject = block, .where = state_.where(block)};
    }
    [[nodiscard]] constexpr event describe_program(event_kind what, std::uint32_t slot) const noexcept {
        const program_record& record = state_.programs[slot];
        return {.what = what,
                .label = record.label,
                .subject = slot,
                .where = record.code_block == no_block ? extent{} : state_.where(record.code_block),
                .from = record.scratch};
    }
    constexpr void report_program(event_kind what, std::uint32_t slot) { report(describe_program(what, slot)); }
    constexpr void report_reservation(std::uint64_t before) {
        if (reserved_bytes() != before)
            report({.what = event_kind::reserved, .where = {0, reserved_bytes()}, .from = before});
    }

    // Written out, so that comparing a device or an observer need not be constexpr.
    friend constexpr bool operator==(const moving_memory& a, const moving_memory& b) {
        return a.state_ == b.state_ && a.totals_ == b.totals_ && a.salt_ == b.salt_ && a.device_ == b.device_ &&
               a.events_ == b.events_;
    }

    memory_state<Placement> state_;
    totals totals_;
    std::uint32_t salt_ = 0;
    [[no_unique_address]] Device device_;
    [[no_unique_address]] Events events_;
};

}  // namespace hbm
