#pragma once

/// Rows of the table, in which managers that cannot differ on a workload share a row.

#include <string>
#include <vector>

#include "compare/cells/grid.hpp"

namespace hbm::compare {

/// A row of the table, for a manager or several managers with the same figures.
struct folded_row {
    const manager_entry* who = nullptr;  ///< the first of its managers in list order
    std::size_t others = 0;              ///< how many other managers it has; a second name of `who` does not count
    const trace::figures* found = nullptr;
    bool is_yardstick = false;  ///< no manager, and ranked with none

    /// `best_fit`, or `best_fit (and 11 more)`.
    [[nodiscard]] std::string label() const;
    /// The minimum capacity; empty if it is not known.
    [[nodiscard]] std::optional<std::uint64_t> minimum() const;
    /// The footprint in unlimited memory; empty if it is not known. It is another measure than the minimum capacity:
    /// the two are never ranked together.
    [[nodiscard]] std::optional<std::uint64_t> footprint() const;
};

/// The rows of a workload, best first: managers that complete come before managers that fail; then those that need less
/// memory, spend less on relief, or fragment less come first. Before all of them comes `tpu::runtime_memory`, if it
/// takes part and the workload has programs: it is what people have, and the others are seen beside it.
[[nodiscard]] std::vector<folded_row> fold(const comparison& of, const selection& who);

}  // namespace hbm::compare
