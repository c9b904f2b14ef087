#pragma once
// A memory usage report of XLA: the file `...-memory-usage-report.txt` of a dump.
//
// It lists the allocations of the buffer assignment, largest first, with rounded sizes. A first table stops when the
// rest is small; a second table has all of them. Until 2026 there is a single total for all memory spaces; since then
// there are a total and tables for each.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/description.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/xla/allocation.hpp"
#include "compare/read/xla/assignment/assignment.hpp"

namespace hbm::imported::xla {

/// The total of a memory space in a report since 2026.
struct reported_space {
    std::string name;  ///< such as `default` or `vmem`
    std::uint32_t color = 0;
    std::optional<std::uint64_t> bytes;
};

/// A memory usage report.
struct memory_report {
    std::optional<std::uint64_t> used_bytes;  ///< until 2026: all memory spaces together, exact
    std::vector<reported_space> spaces;       ///< memory spaces; since 2026
    std::vector<allocation> allocations;      ///< each once, in the order of the file; sizes are rounded
    std::uint64_t not_shown = 0;              ///< number of allocations that the first tables leave out
    /// Expected number of allocations. Empty if the file was cut in a first table.
    std::optional<std::uint64_t> allocation_count;
    std::size_t cut_line = not_cut;           ///< line at which the file stops too early, from 1; else `not_cut`
    std::size_t first_unknown_flag_line = 0;  ///< first line with an unsupported flag; 0: none

    /// Returns true if no allocation is missing.
    [[nodiscard]] bool has_all_allocations() const { return allocation_count == allocations.size(); }

    /// Returns the exact total of all memory spaces, if the report states it.
    [[nodiscard]] std::optional<std::uint64_t> total_bytes() const;
};

/// Reads a memory usage report. `file` appears in messages. Cost: O(size x log(allocations)).
reading<memory_report> read_memory_report(std::string_view text, std::string file);

/// Describes a memory usage report. Sums are those of rounded sizes; for a file that was cut they are left out.
/// Cost: O(allocations).
[[nodiscard]] description describe(const memory_report& subject);

}  // namespace hbm::imported::xla
