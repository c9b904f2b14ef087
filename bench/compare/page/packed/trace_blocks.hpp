#pragma once

/// The buffers of a workload, as its rows alone tell them: what all managers share.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/replay/workload.hpp"

namespace hbm::compare {

/// The largest number that the page can count to, because its numbers are doubles.
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

/// The buffers in the order in which they begin. O(rows and their operands).
[[nodiscard]] std::vector<trace_block> trace_blocks(const trace::workload& load, std::uint64_t quantum);

/// What all managers share of a workload, for the page: the buffers with their names, and the lines of the rows. The
/// format is described in bench/README.md. O(rows and their operands).
[[nodiscard]] std::string packed_trace(const trace::workload& load, const std::vector<trace_block>& blocks,
                                       std::uint64_t quantum);

/// How long the trace takes, in microseconds from its first row: its last row is taken to last as long as others do on
/// average, and at least a microsecond. Empty if the trace has no times, or if they are beyond what the page counts to.
[[nodiscard]] std::optional<std::uint64_t> duration_of(const trace::workload& load);

}  // namespace hbm::compare
