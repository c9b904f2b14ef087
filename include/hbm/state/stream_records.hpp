#pragma once

#include <hbm/core/bisect.hpp>
#include <hbm/core/bytes.hpp>
#include <hbm/core/memory_spec.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/state/begun_move.hpp>
#include <hbm/state/memory_state.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// A move that a device copies, see `copies_later<D>`, until the fence of the copy is over.
struct late_copy {
    fence over;
    begun_move move;
    bool dropped = false;  ///< the user's own work may have written to the block: the copy is out of date

    friend constexpr bool operator==(const late_copy&, const late_copy&) = default;
};

/// Records of the streams of a memory. A run or the user's own work, here called work, is a flight until it is over.
/// A vector clock names the work that is over with a piece of work: all up to a fence on each stream.
/// `memory_records::flights` are in the order in which a model ends them: work begins when all that comes before it is
/// over, lasts as long as its spec says, and streams go on at once. `nanoseconds` is the time from one end to the next,
/// so that the price of waiting is a sum, as it is with one time line. The model has no clock: after a wait, work that
/// it ends no later is over, too, as soon as somebody waits.
template <std::uint32_t Lines>
requires(Lines > 1) struct stream_records<Lines> {
    /// A fence for each stream.
    struct vector_clock {
        fence on[Lines];

        constexpr void include(const vector_clock& other) noexcept {
            for (std::uint32_t at = 0; at < Lines; ++at)
                if (on[at] < other.on[at]) on[at] = other.on[at];
        }
        friend constexpr bool operator==(const vector_clock&, const vector_clock&) = default;
    };
    /// The stream of a flight, and what is over with it.
    struct line_of_flight {
        std::uint32_t stream = 0;
        vector_clock over_with = {};

        friend constexpr bool operator==(const line_of_flight&, const line_of_flight&) = default;
    };

    /// The fence of a flight, and its stream.
    struct open_fence {
        fence over;
        std::uint32_t stream = 0;

        friend constexpr bool operator==(const open_fence&, const open_fence&) = default;
    };

    vector_clock before_next[Lines];       ///< by stream: what is over when its next work begins
    vector_clock reached;                  ///< the latest work on each stream that is over
    trivial_vector<line_of_flight> lines;  ///< in the order of `flights`
    trivial_vector<open_fence> open;       ///< those of `flights`, ascending
    trivial_vector<late_copy> copies;      ///< in the order of their fences
    std::uint32_t copies_on = no_index;    ///< the stream of a device that copies later
    std::uint32_t current = 0;             ///< the stream of the call; 0 between calls

    /// Returns the index of the flight that ends with a fence.
    /// Requires: the fence is issued and not over.
    template <class Records>
    [[nodiscard]] constexpr std::size_t index_of(const Records& records, fence until) const noexcept {
        std::size_t at = 0;
        while (records.flights[at].over != until) ++at;
        return at;
    }
    /// Returns true if a fence is reached that was issued.
    /// Cost: O(log flights).
    template <class Records>
    [[nodiscard]] constexpr bool is_over(const Records& records, fence until) const noexcept {
        if (until <= records.reached) return true;
        const auto not_before = [&](std::size_t at) { return at == open.size() || !(open[at].over < until); };
        const std::size_t at = *least_enough(open.size(), not_before);
        return at == open.size() || open[at].over != until;
    }
    [[nodiscard]] constexpr fence issued(std::uint32_t stream) const noexcept { return before_next[stream].on[stream]; }
    /// Returns the modelled nanoseconds until a fence is reached; 0 if it is over.
    /// Cost: O(flights).
    template <class Records>
    [[nodiscard]] constexpr std::uint64_t nanoseconds_until(const Records& records, fence until) const noexcept {
        std::uint64_t sum = 0;
        if (is_over(records, until)) return sum;
        for (std::size_t at = index_of(records, until) + 1; at-- > 0;)
            sum = saturating_add(sum, records.flights[at].nanoseconds);
        return sum;
    }

    /// Puts the latest flight, whose `nanoseconds` are its duration, on the stream of the call, and in its place.
    /// Cost: O(flights + holds).
    template <class Records>
    constexpr void begin(Records& records) {
        begin(records, current);
    }
    template <class Records>
    constexpr void begin(Records& records, std::uint32_t stream) {
        auto& flights = records.flights;
        const std::size_t last = flights.size() - 1;
        vector_clock& before = before_next[stream];
        std::uint64_t time = 0, begins = 0;
        for (std::size_t at = 0; at < last; ++at) {
            time = saturating_add(time, flights[at].nanoseconds);
            if (flights[at].over <= before.on[lines[at].stream]) begins = time;
        }
        before.on[stream] = flights[last].over;
        const std::uint64_t ends = saturating_add(begins, flights[last].nanoseconds);
        std::size_t place = 0, hold = 0;
        for (time = 0; place < last && flights[place].nanoseconds <= ends - time; ++place) {
            time += flights[place].nanoseconds;
            hold += flights[place].holds;
        }
        flights[last].nanoseconds = ends - time;
        if (place != last) flights[place].nanoseconds -= ends - time;
        records.held.move_last(flights[last].holds, hold);
        flights.move_last(1, place);
        open.push_back({before.on[stream], stream});
        lines.push_back({stream, before});
        lines.reposition(last, place);
    }
    /// Lets all work be over with the last of `flights`, whose fence it returns; the latest fence if there is none.
    template <class Records>
    constexpr fence join_all(const Records& records) noexcept {
        if (lines.empty()) return records.issued;
        for (const vector_clock& before : before_next) lines.back().over_with.include(before);
        return records.flights[lines.size() - 1].over;
    }

    /// Lets the next work on a stream begin after a fence.
    template <class Records>
    constexpr void wait(const Records& records, std::uint32_t waiting, fence until) noexcept {
        if (!is_over(records, until)) before_next[waiting].include(lines[index_of(records, until)].over_with);
    }

    /// Ends the work that is over with `upto`, and adds each fence to `log`, if any, before the blocks that return.
    /// Cost: O(flights + holds), or O(log flights) if `upto` is over.
    template <class State>
    constexpr void end(State& state, fence upto, retirement_log* log) {
        if (is_over(state, upto)) return;
        const std::size_t last = index_of(state, upto);
        const vector_clock over = lines[last].over_with;
        const auto ends = [&](std::size_t at) { return state.flights[at].over <= over.on[lines[at].stream]; };
        for (std::size_t at = 0; at <= last; ++at) {
            if (!ends(at)) continue;
            reached.on[lines[at].stream] = state.flights[at].over;
            if (log != nullptr) log->add(event_kind::reached, no_block, state.flights[at].over.number);
        }
        std::size_t left = 0, hold = 0, held_left = 0;
        state.reached = state.issued;
        for (std::size_t at = 0; at < lines.size(); ++at) {
            flight work = state.flights[at];
            if (ends(at)) {
                for (std::uint32_t i = 0; i < work.holds; ++i) state.end_hold(state.held[hold++], log);
                continue;
            }
            if (work.over <= state.reached) state.reached.number = work.over.number - 1;
            if (at < last) work.nanoseconds = 0;
            for (std::uint32_t i = 0; i < work.holds; ++i) state.held[held_left++] = state.held[hold++];
            lines[left] = lines[at];
            state.flights[left++] = work;
        }
        state.held.resize(held_left);
        state.flights.resize(left);
        lines.resize(left);
        std::size_t kept = 0;
        for (const open_fence& work : open)
            if (work.over > over.on[work.stream]) open[kept++] = work;
        open.resize(kept);
    }

    /// Returns the bytes of the places that blocks are copied to.
    [[nodiscard]] constexpr std::uint64_t arriving_bytes() const noexcept {
        std::uint64_t bytes = 0;
        for (const late_copy& copy : copies) bytes += copy.move.bytes;
        return bytes;
    }
    /// Drops the copies of a block that work may write to.
    constexpr void drop_copies(block_index block) noexcept {
        for (late_copy& copy : copies)
            if (copy.move.block.index == block) copy.dropped = true;
    }
    /// Ends all copies without a device: as if they had arrived.
    template <class State>
    constexpr void finish_copies(State& state) {
        for (std::size_t at = 0; at < copies.size(); ++at) {
            state.wait_for(copies[at].over);
            end_copy(state, copies[at].move, !copies[at].dropped);
        }
        if (copies.empty()) return;
        copies.clear();
        state.retire(state.reached);
    }

    /// Waits until `until` as the model has it: for all flights before it, one by one, and counts the time.
    template <class Records, class Executor>
    constexpr void wait_for(Records& records, Executor& executor, fence until) {
        count_time(records, until);
        while (!is_over(records, until)) executor.reach(records.flights[0].over);
    }

    /// Waits if the run or work just begun is one too many. A run is over at once if the memory has no runs in flight.
    template <class Records, class Executor>
    constexpr void limit(Records& records, Executor& executor, bool is_run = true) {
        const std::uint32_t most = records.spec.runs_in_flight;
        if (is_run && most == 0) return executor.reach(records.issued);
        std::uint32_t runs = 0;
        for (std::size_t at = lines.size(); is_run && at-- > 0;) {
            if (lines[at].stream != current || records.flights[at].slot == no_index || ++runs <= most) continue;
            wait_only_for(records, executor, records.flights[at].over);
            break;
        }
        if (lines.size() > max_in_flight) wait_only_for(records, executor, records.flights[0].over);
    }

    friend constexpr bool operator==(const stream_records&, const stream_records&) = default;

private:
    template <class Records>
    constexpr void count_time(Records& records, fence until) const noexcept {
        records.done.wait_nanoseconds =
            saturating_add(records.done.wait_nanoseconds, nanoseconds_until(records, until));
    }
    /// Waits for what is over with `until`, and lets other work go on.
    template <class Records, class Executor>
    constexpr void wait_only_for(Records& records, Executor& executor, fence until) {
        ++records.done.waits;
        count_time(records, until);
        executor.reach(until);
    }
};

}  // namespace hbm::inline v0
