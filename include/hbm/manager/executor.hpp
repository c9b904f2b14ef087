#pragma once

#include <hbm/core/result.hpp>
#include <hbm/manager/policy_interface.hpp>
#include <hbm/state/memory_state.hpp>

#include <cstdint>

namespace hbm::inline v0 {

/// The number of mutual evictions in a row after which two programs are thrashing.
inline constexpr std::uint32_t thrashing_begins = 3;

/// Changes a memory and its device step by step, and reports events. Refers to state and policies, for one call.
template <placement P>
class executor {
public:
    using quanta = typename P::quanta;

    constexpr executor(memory_state<P>& state, policy_interface& policies) : state_(state), policies_(policies) {}

    /// Carries out a plan for the memory with its pending move finished, for the program in `slot`, if any, which may
    /// be about to come in.
    /// Fails: `device_failed`; the error of `memory_state::check` if a step is impossible. Earlier steps are kept.
    [[gnu::cold]] constexpr error carry_out(const plan& steps, std::uint32_t slot = no_index) {
        // Each step is checked again although the plan was tried on a copy: a caller may carry out a plan that is no
        // longer true, and an observer or a device may have failed since. Then earlier steps stay, each of which is
        // complete.
        if (!finish_moving()) return error::device_failed;
        for (const step& next : steps.steps) {
            if (const error why = state_.check(next); why != error::none) return why;
            if (next.what == step_kind::wait)
                wait_for(fence{next.to});
            else if (next.what == step_kind::evict)
                evict(next.subject, slot);
            else if (!move(pending_move{next.subject, next.from, next.to, next.bytes}))
                return error::device_failed;
        }
        return error::none;
    }

    [[gnu::cold]] constexpr void wait_for(fence until) {
        // The price of a wait is that of all runs up to the fence, each from the end of the one before.
        if (!state_.is_over(until)) {
            ++state_.done.waits;
            for (const flight& run : state_.flights) {
                if (run.over > until) break;
                state_.done.wait_nanoseconds = saturating_add(state_.done.wait_nanoseconds, run.nanoseconds);
            }
        }
        reach(until);
    }
    /// Ends the runs up to `upto` and completes frees. Reports the fence, then each range that returned.
    [[gnu::cold]] constexpr void reach(fence upto) {
        state_.retire(upto, policies_.hears ? &policies_ : nullptr);
        if (policies_.hears) [[unlikely]]
            policies_.report_retired();
    }
    [[gnu::cold]] constexpr void wait_for_program(std::uint32_t slot) {
        // From the newest flight back: the first match is the last run of the program, and reaching its fence ends all
        // earlier ones.
        for (std::size_t at = state_.flights.size(); at-- > 0;)
            if (state_.flights[at].slot == slot) return reach(state_.flights[at].over);
    }

    [[gnu::cold]] constexpr void evict(std::uint32_t victim, std::uint32_t slot = no_index) {
        // The event is described before the program goes, for it names the range of the code, and reported after, as
        // observers may look at the memory.
        detect_thrashing(slot, victim);
        const event gone = describe_program(event_kind::evicted, victim);
        policies_.evicted(state_.programs[victim]);
        ++state_.done.evictions;
        state_.done.evicted_bytes += state_.programs[victim].code;
        state_.evict(victim, slot);
        report(gone);
        report_reservation();
    }

    /// Moves up to `most` bytes of a block.
    /// Requires: no move is pending; if the move overlaps itself or is partial, all between its places is free.
    /// Fails: returns false if it has not arrived: it is pending, or not begun because the first copy failed.
    [[gnu::cold]] constexpr bool move(pending_move begun, std::uint64_t most = ~std::uint64_t{0}) {
        // The device copies first, and only bytes that have arrived change the state. If none has, nothing happened. If
        // some have, the block owns both places and all between, so that nothing is placed where its bytes are.
        advance(begun, most);
        if (begun.left() == 0) {
            state_.apply({step_kind::move, begun.block, begun.from, begun.to, begun.bytes});
            arrived(begun);
            return true;
        }
        if (begun.moved == 0 && begun.bounced == 0) return false;
        state_.begin_move(begun);
        report({.what = event_kind::parted,
                .kind = state_.blocks.map().kind(begun.block),
                .label = label_of(begun.block),
                .subject = begun.block,
                .where = begun.both_places(),
                .from = begun.from});
        return false;
    }

    /// Moves up to `most` more bytes of the pending move, if any.
    /// Fails: returns false if it has not arrived.
    [[gnu::cold]] constexpr bool finish_moving(std::uint64_t most = ~std::uint64_t{0}) {
        // The move is copied out before the state forgets it, for the event needs its places.
        if (!state_.moving) return true;
        advance(state_.moving, most);
        if (state_.moving.left() != 0) return false;
        const pending_move finished = state_.moving;
        state_.finish_moving();
        arrived(finished);
        return true;
    }

    /// Ends a buffer and its handle; defers the free while it is in use. Abandons an interrupted move.
    [[gnu::noinline]] constexpr void end_buffer(block_index block) {
        // The event is described while the block exists and reported when it is gone, so that an observer sees the
        // memory after it.
        if (state_.blocks.map().is_held(block)) return defer(block);
        const event freed = describe_block(event_kind::freed, block);
        state_.release(block);
        report(freed);
    }
    [[gnu::cold]] constexpr void defer(block_index block, fence until = {}) {
        // The handle ends at once, the memory later: the block becomes one of the kind `deferred`, which no call
        // accepts, and keeps its holds and pins until the free takes effect.
        state_.abandon_move(block);  // keeps both places until the free takes effect
        block_map<quanta>& map = state_.blocks.map();
        map.invalidate_handles(block);
        map.set_owner(block, block_kind::deferred, map.owner(block));
        state_.deferred.push_back({block, until});
        report_block(event_kind::deferred, block);
    }

    constexpr void report(const event& occurred) {
        if (policies_.hears) [[unlikely]]
            tell(occurred);
    }
    constexpr void report_block(event_kind what, block_index block) {
        if (policies_.hears) [[unlikely]]
            tell(describe_block(what, block));
    }
    [[gnu::cold]] constexpr void report_program(event_kind what, std::uint32_t slot) {
        if (policies_.hears) [[unlikely]]
            tell(describe_program(what, slot));
    }
    [[gnu::cold]] constexpr void report_reservation() {
        // Called wherever the reservation may have changed, so it compares with what was reported last: a load that
        // fails and restores it reports nothing.
        const std::uint64_t before = policies_.heard_reservation;
        if (state_.reserved_bytes() == before) return;
        policies_.heard_reservation = state_.reserved_bytes();
        report({.what = event_kind::reserved, .where = {0, state_.reserved_bytes()}, .from = before});
    }
    [[gnu::cold, gnu::noinline]] constexpr failure report_failure(error why, failure reported) {
        reported.reason = why;
        report({.what = event_kind::failed, .reason = why, .label = reported.label, .where = {0, reported.requested}});
        return reported;
    }

    [[gnu::cold, gnu::noinline]] constexpr failure refuse(error why, std::uint64_t requested, tag label,
                                                          std::uint64_t alignment = 0) {
        failure refused = state_.figures();
        refused.requested = requested;
        refused.label = label;
        refused.alignment = alignment;
        return report_failure(why, refused);
    }

    [[nodiscard, gnu::cold]] constexpr event describe_block(event_kind what, block_index block) const noexcept {
        return {.what = what, .label = label_of(block), .subject = block, .where = state_.where(block)};
    }
    [[nodiscard, gnu::cold]] constexpr event describe_program(event_kind what, std::uint32_t slot) const noexcept {
        const program_record& record = state_.programs[slot];
        return {.what = what,
                .label = record.label,
                .subject = slot,
                .where = record.code_block == no_block ? extent{} : state_.where(record.code_block),
                .from = record.scratch};
    }

private:
    [[gnu::cold, gnu::noinline]] constexpr void tell(const event& occurred) { policies_.on(occurred); }
    [[nodiscard, gnu::cold]] constexpr tag label_of(block_index block) const noexcept {
        const auto& map = state_.blocks.map();
        const bool of_program = map.kind(block) == block_kind::code || map.kind(block) == block_kind::scratch;
        return of_program ? state_.programs[map.owner(block)].label : static_cast<tag>(map.owner(block));
    }

    [[gnu::cold]] constexpr void advance(pending_move& begun, std::uint64_t most) {
        copying done;
        if (policies_.has_bytes)
            done = begun.advance(state_.spec, most, [&](std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
                return policies_.copy(to, from, bytes);
            });
        else
            done = begun.advance(state_.spec, most);
        state_.done.copies += done.copies;
        state_.done.moved_bytes += done.moved;
        state_.done.move_nanoseconds = saturating_add(state_.done.move_nanoseconds, done.nanoseconds);
    }
    [[gnu::cold]] constexpr void arrived(const pending_move& finished) {
        ++state_.done.moves;
        report({.what = event_kind::moved,
                .kind = state_.blocks.map().kind(finished.block),
                .label = label_of(finished.block),
                .subject = finished.block,
                .where = {finished.to, finished.bytes},
                .from = finished.from});
    }

    /// Detects a pair of programs that evict each other repeatedly: `victim` leaves for the program in `slot`.
    [[gnu::cold]] constexpr void detect_thrashing(std::uint32_t slot, std::uint32_t victim) {
        // Each program remembers for whom it left. If the one that comes in left for the one that leaves now, the pair
        // takes turns; the count grows with each turn and starts anew as soon as a third program is involved.
        program_record& gone = state_.programs[victim];
        const bool again = slot != no_index && state_.programs[slot].evicted_for == victim;
        gone.evicted_for = slot;
        gone.mutual_evictions = again ? state_.programs[slot].mutual_evictions + 1 : 0;
        if (gone.mutual_evictions < thrashing_begins) return;
        ++state_.done.thrashing;
        report({.what = event_kind::thrashing, .label = state_.programs[slot].label, .subject = slot, .from = victim});
    }

    memory_state<P>& state_;
    policy_interface& policies_;
};

}  // namespace hbm::inline v0
