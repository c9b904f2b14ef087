#pragma once

#include <hbm/core/stream.hpp>
#include <hbm/manager.hpp>
#include <hbm/manager/late_copies.hpp>
#include <hbm/placement/streams.hpp>
#include <hbm/state/stream_records.hpp>

#include <cstdint>
#include <type_traits>

namespace hbm::inline v0 {

/// Calls of a manager with `streams<P, Lines>`. A fence belongs to a stream; the numbers of all fences ascend.
/// The manager models when work ends: it begins when the work before it on its stream, and all that the stream waits
/// for, is over; streams go on at once. `flights` lists it in that order. Relief waits in that order: it declares over
/// what the model ends by then, on all streams, with `event_kind::reached` for each fence; an observer blocks on each
/// of them. A retired fence ends the work before it on its stream and what that waited for, nothing else.
/// Requires: work that uses what other streams write, or writes what they use, is ordered by `wait`.
template <class Manager, std::uint32_t Lines>
requires(Lines > 1) struct stream_calls<Manager, Lines> {
public:
    /// Issues work of the user's own, such as a transfer or a collective. Its buffers are in use until the fence that
    /// it returns: they do not move, and memory of those that are freed returns no sooner. Finishes an interrupted move
    /// of them first. If more than `max_in_flight` runs and works are in flight, waits for the first that ends.
    /// Fails: `unknown_stream`; the error of the handle `argument` of `uses`; `device_failed` if a move stays pending.
    /// Cost: O(uses + flights + holds); O(uses * blocks) while a pass is open.
    constexpr result<fence> issue(const work_spec& spec) {
        here().calling_.require_outside();
        auto& state = here().state_;
        if (spec.on.number >= Lines) return failure{.reason = error::unknown_stream};
        bool moving = false;
        for (std::uint32_t at = 0; at < spec.uses.size(); ++at) {
            const error why = here().check(spec.uses[at]);
            if (why != error::none) return failure{.reason = why, .argument = at};
            moving = moving || state.is_moving(spec.uses[at].index);
        }
        fence over;
        // One executor, which keeps an exception of observer or device until the call is complete.
        here().with_executor([&](auto& moves) {
            if (moving && !moves.finish_moving()) return;
            const on_stream now(state, spec.on);
            over = begin_work(spec);
            state.streams.limit(state, moves, false);
        });
        if (over == fence{}) return failure{.reason = error::device_failed};
        return over;
    }

    /// Lets what `waiting` does next begin after a fence. Work that was issued before goes on. The caller orders the
    /// device's streams in the same way. Without effect if the fence is over.
    /// Fails: `unknown_stream`, `unknown_fence`.
    constexpr result<done> wait(stream waiting, fence until) {
        here().calling_.require_outside();
        if (waiting.number >= Lines) return failure{.reason = error::unknown_stream};
        if (until > here().state_.issued) return failure{.reason = error::unknown_fence};
        here().state_.streams.wait(here().state_, waiting.number, until);
        return done{};
    }

    /// Runs a program on a stream; runs without one are on stream 0. `runs_in_flight` counts on each stream.
    /// Fails: `unknown_stream`, without an event; else like `run(subject, spec)`.
    [[nodiscard]] constexpr result<run_result> run(program subject, const run_spec& spec, stream on) {
        if (on.number >= Lines) return failure{.reason = error::unknown_stream};
        const on_stream now(here().state_, on);
        return here().run(subject, spec);
    }
    template <class Ran>
    constexpr result<done> run(program subject, const run_spec& spec, Ran& ran, stream on) {
        if (on.number >= Lines) return failure{.reason = error::unknown_stream};
        const on_stream now(here().state_, on);
        return here().run(subject, spec, ran);
    }

    /// Begins moves of at most `budget` bytes that merge holes, by a device `copies_later<D>`, and returns at once.
    /// Both places of a block are taken until the fence is over; then the blocks whose copies arrived have moved.
    /// Blocks that are pinned, donated, freed, evicted, or used by work of the user's own meanwhile stay where they
    /// are. Calls with the same budget terminate; then the longest hole is not shorter, and holes are not more, than
    /// before.
    /// Fails: `device_failed` if an interrupted move stays pending.
    /// Cost: that of `pass_moves`.
    constexpr result<begun_compaction> begin_compaction(std::uint64_t budget) {
        static_assert(
            requires { std::remove_reference_t<decltype(here().device())>::copies_on; },
            "begin_compaction needs a device that copies later: copies_later<D>");
        auto& state = here().state_;
        auto calls = here().bind_policies();
        executor<typename Manager::placement_type> moves(state, calls);
        if (state.moving && !moves.finish_moving()) return failure{.reason = error::device_failed};
        return detail::begin_late_copies(state, calls, moves, budget);
    }

    /// Returns the fence of the latest work of a stream; `fence{}` if there was none.
    [[nodiscard]] constexpr fence issued(stream line) const noexcept {
        return line.number < Lines ? here().state_.streams.issued(line.number) : fence{};
    }
    /// Returns the fence of the latest work of a stream that is over; `fence{}` if there is none. `reached()` is the
    /// fence up to which all streams are over.
    [[nodiscard]] constexpr fence reached(stream line) const noexcept {
        return line.number < Lines ? here().state_.streams.reached.on[line.number] : fence{};
    }
    /// Returns true if a fence was issued and is over.
    /// Cost: O(log(flights)).
    [[nodiscard]] constexpr bool is_over(fence until) const noexcept {
        return until <= here().state_.issued && here().state_.is_over(until);
    }
    /// Returns the modelled nanoseconds until a fence is over if the caller waits from now on; 0 if it is over, or was
    /// not issued.
    /// Cost: O(flights).
    [[nodiscard]] constexpr std::uint64_t nanoseconds_until(fence until) const noexcept {
        const auto& state = here().state_;
        return until > state.issued ? 0 : state.streams.nanoseconds_until(state, until);
    }

    friend constexpr bool operator==(const stream_calls&, const stream_calls&) = default;

private:
    friend Manager;
    constexpr stream_calls() = default;

    /// Names the stream of a call, until the call ends.
    class on_stream {
    public:
        constexpr on_stream(memory_state<typename Manager::placement_type>& state, stream on)
            : current_(state.streams.current) {
            current_ = on.number;
        }
        on_stream(const on_stream&) = delete;
        on_stream& operator=(const on_stream&) = delete;
        constexpr ~on_stream() { current_ = 0; }

    private:
        std::uint32_t& current_;
    };

    /// Puts work in flight that holds its buffers. Returns its fence.
    constexpr fence begin_work(const work_spec& spec) {
        auto& state = here().state_;
        auto& map = here().map();
        flight work{.over = {++state.issued.number}, .nanoseconds = saturating_multiply(spec.us, 1000)};
        for (const buffer used : spec.uses) {
            if (map.marked(used.index)) continue;
            map.mark(used.index);
            state.begin_hold(used.index);
            state.drop_copies(used.index);
            ++work.holds;
        }
        for (const buffer used : spec.uses) map.unmark(used.index);
        state.flights.push_back(work);
        state.streams.begin(state);
        return work.over;
    }

    [[nodiscard]] constexpr Manager& here() noexcept { return static_cast<Manager&>(*this); }
    [[nodiscard]] constexpr const Manager& here() const noexcept { return static_cast<const Manager&>(*this); }
};

}  // namespace hbm::inline v0
