#pragma once
/// The histories of a page: columns of numbers and names that its script reads.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compare/replay/history.hpp"
#include "compare/replay/workload.hpp"

namespace hbm::compare {

/// Returns base64 with padding (RFC 4648), on a single line. Cost: O(bytes).
[[nodiscard]] std::string base64(std::string_view bytes);

/// Returns the element of a page that has `bytes`, deflated if the build has zlib.
[[nodiscard]] std::string packed_part(const std::string& id, std::string_view bytes);

/// Returns the microseconds from the first row to the end of the last, which lasts the mean of the others, and at least
/// one. Empty if the trace has no times, or if a double does not represent them exactly.
[[nodiscard]] std::optional<std::uint64_t> duration_of(const trace::workload& load);

/// Returns what all histories of a workload share: the columns of times, lines and ends of steps, each empty if the
/// workload has none, and then the names of its buffers and programs as a JSON array. Cost: O(rows).
[[nodiscard]] std::string packed_workload(const trace::workload& load);

/// Returns the columns of a history, sizes and addresses in quanta: of the blocks subject (from 1), tag and kind; of
/// the places block, begin, length in rows, offset and size; of the reliefs kind, row and block; of the rows the
/// highest end. Cost: O(blocks + places + rows).
[[nodiscard]] std::string packed_history(const trace::history& made, std::uint64_t quantum);

}  // namespace hbm::compare
