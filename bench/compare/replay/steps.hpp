#pragma once
// Where the steps of a program end in its trace.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compare/replay/workload.hpp"

namespace hbm::trace {

/// What ends a step.
enum class step_end : std::uint8_t {
    run,     ///< a run of a program
    sync,    ///< a sync row
    period,  ///< as many rows as it takes until the rows repeat
    rows,    ///< nothing in the trace: so many rows
};

/// The steps of a trace.
struct trace_steps {
    step_end how = step_end::rows;
    std::uint64_t rows = 0;         ///< for a period and for rows: how many rows a step has
    std::vector<std::size_t> ends;  ///< for each step the number of the row after its last, increasing
    bool is_even = true;  ///< for a period: whether rows repeat in all parts of the trace but its beginning; those of
                          ///< the layers of a single step repeat in some parts only

    friend bool operator==(const trace_steps&, const trace_steps&) = default;
};

/// Whether at least half of the rows are as the row `period` rows later in each eighth of the trace but the first,
/// where a program starts. O(rows).
[[nodiscard]] bool is_even(const std::vector<std::uint64_t>& all, std::size_t period);

/// The steps of `trace`: every run of a program; without runs, every sync; without either, the period after which its
/// rows repeat; else 1,024 equal parts, of 16 rows at the least. Rows after the last whole step belong to none.
/// O(rows).
[[nodiscard]] trace_steps steps_of(const workload& trace);

}  // namespace hbm::trace
