#pragma once
// Rows that break a rule of traces.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "compare/replay/workload.hpp"

namespace hbm::trace {

/// Part of a row that is wrong; each is a column of the trace grammar.
enum class field : std::uint8_t {
    time,
    operation,
    name,
    bytes,
    tag,
    inputs,
    donated,
    outputs,
    scratch,
    reload_us,
    offset
};

/// Failure of a row: what breaks a rule, and the rule.
struct row_failure {
    field where = field::name;       ///< part of the row that breaks it
    std::string found;               ///< "id `a`, which is not live"
    const char* expected = nullptr;  ///< "a live buffer"; null if the row was accepted

    /// Returns true if the row was accepted.
    bool ok() const { return expected == nullptr; }
};

/// Limit on the bytes of a trace at once: 4 PiB, more than any device has. Below it, sums of all rows stay exact.
inline constexpr std::uint64_t most_bytes_at_once = std::uint64_t{1} << 52;

/// Row with which more is in memory than a limit.
struct row_beyond_limit {
    std::size_t row = 0;      ///< index of the row
    std::uint64_t bytes = 0;  ///< largest size in it

    friend bool operator==(const row_beyond_limit&, const row_beyond_limit&) = default;
};

/// Returns the first row with which buffers and programs exceed `most` bytes without evictions or donations. Also finds
/// an import whose range ends beyond it.
/// Cost: O(rows).
[[nodiscard]] std::optional<row_beyond_limit> find_row_beyond(const workload& trace, std::uint64_t most);

}  // namespace hbm::trace
