#pragma once
// The steps of a program in its trace.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compare/replay/workload.hpp"

namespace hbm::trace {

/// End of a step.
enum class step_end : std::uint8_t {
    run,     ///< a run of a program
    sync,    ///< a sync row
    period,  ///< the end of a period of repeated rows
    rows,    ///< no mark in the trace: a fixed number of rows
};

/// Steps of a trace.
struct trace_steps {
    step_end how = step_end::rows;
    std::uint64_t rows = 0;         ///< rows of a step, for a period and for rows
    std::vector<std::size_t> ends;  ///< number of the row after the last of each step, increasing
    bool is_even = true;  ///< true if rows repeat in all parts of the trace except its beginning, unlike those of the
                          ///< layers of a single step

    friend bool operator==(const trace_steps&, const trace_steps&) = default;
};

/// Returns true if at least half of the rows equal the row `period` rows later, in each eighth of the trace. The first
/// eighth, in which a program starts, does not count.
/// Cost: O(rows).
[[nodiscard]] bool is_even(const std::vector<std::uint64_t>& all, std::size_t period);

/// Returns the steps that `trace` marks: every run of a program; without runs, every sync. No ends without either.
/// Cost: O(rows).
[[nodiscard]] trace_steps marked_steps_of(const workload& trace);

/// Returns the steps of `trace`: every run of a program; without runs, every sync. Without either, the period after
/// which its rows repeat; else 1,024 equal parts, of 16 rows at the least. Rows after the last whole step belong to
/// none.
/// Cost: O(rows).
[[nodiscard]] trace_steps steps_of(const workload& trace);

}  // namespace hbm::trace
