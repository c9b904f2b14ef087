#pragma once
/// Replays on a model of streams, in which moves take time.

#include <hbm/core/memory_spec.hpp>
#include <hbm/state/totals.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

#include "compare/replay/stream_clock.hpp"
#include "compare/replay/workload.hpp"

namespace hbm::compare {

/// Handling of moves in a replay on streams.
struct move_choice {
    trace::copying how = trace::copying::on_compute;
    std::uint64_t pass_bytes = 0;  ///< the most bytes of a pass, which begins after each run; 0: no passes
};

/// Figures of a replay on streams. Times in nanoseconds.
struct stream_figures {
    std::size_t rows = 0;              ///< rows that succeeded
    std::string error;                 ///< message of the row that failed; empty if all rows succeeded
    totals sums;                       ///< totals of the manager, with the moves of passes
    std::uint64_t moved_by_calls = 0;  ///< bytes
    std::uint64_t passed = 0;          ///< bytes that passes copied
    std::uint64_t end = 0;             ///< time until all runs are over
    std::uint64_t stalled = 0;         ///< part of it that moves cost
};

/// Sets the duration of each run or work that has none: the time until the trace's next run or work, or its last row.
/// Returns false if no run takes time.
/// Cost: O(rows).
bool set_durations(trace::workload& load);

/// Replays a workload under the README's `tpu_memory` with 64 streams. Host calls take no time. Streams do their work
/// in order and next to each other. A call that waits for a run, or for copies, lets the host's time pass until it is
/// over. A pass begins after a run if none is open, and ends when its copies are over, or the next call needs the
/// places. Requires: `set_durations(load)`.
[[nodiscard]] stream_figures measure_streams(const trace::workload& load, const memory_spec& spec, move_choice moves);

}  // namespace hbm::compare
