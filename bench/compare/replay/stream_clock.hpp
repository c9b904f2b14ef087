#pragma once
// Model of time: streams of a device, and the host that enqueues work on them.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hbm::trace {

/// Streams that execute their work in order and next to each other. Calls of the host take no time: its time passes
/// only while it waits. All times are nanoseconds since the start, and saturate.
class stream_clock {
public:
    /// Constructs streams without work; at least one.
    explicit stream_clock(std::size_t streams) : ends_(streams, 0) {}

    /// Enqueues work: it begins now, or when the stream is done with earlier work. Returns its end.
    std::uint64_t enqueue(std::size_t stream, std::uint64_t nanoseconds) noexcept;

    /// Lets later work of a stream begin at `until` at the earliest.
    void hold(std::size_t stream, std::uint64_t until) noexcept;

    /// Lets the host wait until a time; without effect if that is over.
    void wait(std::uint64_t until) noexcept;

    /// Returns the time of the host.
    [[nodiscard]] std::uint64_t now() const noexcept { return now_; }

private:
    std::vector<std::uint64_t> ends_;
    std::uint64_t now_ = 0;
};

/// Stream that copies the blocks of moves.
enum class copying : std::uint8_t {
    on_compute,  ///< stream 0, which computes: it stands still meanwhile
    on_its_own,  ///< a further stream: what needs the places waits, and nothing else
};

/// Time of a replay, and the part of it that moves cost. It runs two clocks that are equal except that copies take no
/// time on the second: the difference of their ends is the stall. Waits for runs, reloads and work of the user's own
/// count on both.
class replay_clock {
public:
    /// Time on both clocks.
    struct moment {
        std::uint64_t with = 0;     ///< with copies that take time
        std::uint64_t without = 0;  ///< with copies that take none
    };

    /// Constructs a clock of `streams` streams, in addition to that of copies. Stream 0 computes.
    explicit replay_clock(copying how, std::size_t streams = 1);

    /// Enqueues a run, or work of the user's own. `fence` is its number; numbers may have gaps.
    void run(std::size_t stream, std::uint64_t nanoseconds, std::uint64_t fence);
    void work(std::size_t stream, std::uint64_t nanoseconds, std::uint64_t fence);

    /// Reloads a program for a run on a stream, which stands still, whichever stream copies blocks.
    void reload(std::size_t stream, std::uint64_t nanoseconds);

    /// Moves blocks whose places are needed at once: the host waits for the copies.
    void move(std::uint64_t nanoseconds);

    /// Begins copies that the host does not wait for. Returns their end.
    moment begin_moves(std::uint64_t nanoseconds);

    /// Lets the host wait until a moment, or for a fence.
    void wait(moment until) noexcept;
    void wait_for(std::uint64_t fence) noexcept;

    /// Lets what a stream does next begin after a fence.
    void hold(std::size_t stream, std::uint64_t fence) noexcept;

    /// Returns true if the host has reached a moment.
    [[nodiscard]] bool is_over(moment ended) const noexcept { return ended.with <= with_.now(); }

    /// Returns the nanoseconds until all runs are over.
    [[nodiscard]] std::uint64_t end() const noexcept { return runs_over_.with; }

    /// Returns how many of them moves cost.
    [[nodiscard]] std::uint64_t stalled() const noexcept { return runs_over_.with - runs_over_.without; }

private:
    [[nodiscard]] moment over(std::uint64_t fence) const noexcept;

    std::size_t copies_;  // stream of copies
    stream_clock with_;
    stream_clock without_;
    moment runs_over_;
    std::vector<moment> fences_;  // ends by number of fence
};

}  // namespace hbm::trace
