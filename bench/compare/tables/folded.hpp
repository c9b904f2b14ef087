#pragma once

/// Rows of the table, in which managers that cannot differ on a workload share a row.

#include <string>
#include <vector>

#include "compare/cells/grid.hpp"

namespace hbm::compare {

/// Row of the table, for a manager or several managers with the same figures.
struct folded_row {
    const manager_entry* who = nullptr;  ///< first of its managers in list order
    std::size_t others = 0;              ///< number of its other managers, without a second name of `who`
    const trace::figures* found = nullptr;
    bool is_yardstick = false;  ///< true for the yardstick, which is not a manager and not ranked

    /// Returns `best_fit`, or `best_fit (and 11 more)`.
    [[nodiscard]] std::string label() const;
    /// Returns the minimum capacity; empty if unknown.
    [[nodiscard]] std::optional<std::uint64_t> minimum() const;
    /// Returns the footprint in unlimited memory; empty if unknown. It is another measure than the minimum capacity:
    /// the two are never ranked together.
    [[nodiscard]] std::optional<std::uint64_t> footprint() const;
};

/// Returns the rows of a workload, best first. Managers that complete come before managers that fail. Then those come
/// first that need less memory, spend less on relief, or fragment less. `tpu::runtime_memory` comes before all of them
/// if it takes part and the workload has programs: it is the manager in use today.
[[nodiscard]] std::vector<folded_row> fold(const comparison& of, const selection& who);

}  // namespace hbm::compare
