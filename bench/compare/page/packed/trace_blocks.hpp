#pragma once

/// The buffers of a workload, from its rows alone: they are the same for all managers.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/replay/workload.hpp"

namespace hbm::compare {

/// The bound of the numbers that a double, and so the page, holds exactly.
inline constexpr std::uint64_t max_exact_number = std::uint64_t{1} << 53;

/// A buffer from the row that makes it to the row that frees or donates it.
struct trace_block {
    trace::id subject = 0;
    std::uint32_t tag = 0;    ///< index into `workload::tags`
    std::uint64_t bytes = 0;  ///< rounded up to the quantum
    std::size_t begin = 0;
    std::size_t end = 0;  ///< the number of rows if nothing ends it

    friend bool operator==(const trace_block&, const trace_block&) = default;
};

/// Returns the buffers in the order in which they begin. Cost: O(rows and their operands).
[[nodiscard]] std::vector<trace_block> trace_blocks(const trace::workload& load, std::uint64_t quantum);

/// Returns the data that all managers share of a workload: the buffers with their names, and the lines of the rows.
/// bench/README.md describes the format. Cost: O(rows and their operands).
[[nodiscard]] std::string packed_trace(const trace::workload& load, const std::vector<trace_block>& blocks,
                                       std::uint64_t quantum);

/// Returns the microseconds from the first row to the end of the last, which lasts the mean of the others, and at least
/// one. Empty if the trace has no times, or if they are beyond `max_exact_number`.
[[nodiscard]] std::optional<std::uint64_t> duration_of(const trace::workload& load);

}  // namespace hbm::compare
