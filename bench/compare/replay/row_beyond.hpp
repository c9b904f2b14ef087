#pragma once
// Traces with more bytes than can be told apart from mistakes, or summed up.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "compare/replay/workload.hpp"

namespace hbm::trace {

/// No trace of a device has more bytes at once: 4 PiB. Below it, sums of all rows stay exact.
inline constexpr std::uint64_t most_bytes_at_once = std::uint64_t{1} << 52;

/// A row with which more is in memory than a limit.
struct row_beyond_limit {
    std::size_t row = 0;      ///< its index
    std::uint64_t bytes = 0;  ///< the largest size in it

    friend bool operator==(const row_beyond_limit&, const row_beyond_limit&) = default;
};

/// The first row with which buffers and programs come to more than `most` bytes if nothing is evicted or donated, or
/// that imports a range which ends beyond it. O(rows).
[[nodiscard]] std::optional<row_beyond_limit> find_row_beyond(const workload& trace, std::uint64_t most);

}  // namespace hbm::trace
