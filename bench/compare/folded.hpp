#pragma once

/// The result for people: managers that cannot differ on a workload share a row.

#include <string>
#include <vector>

#include "compare/grid.hpp"

namespace hbm::compare {

/// A row of the table, which may stand for several managers.
struct folded_row {
    const manager_entry* who = nullptr;  ///< the first of them in list order
    std::size_t others = 0;              ///< how many more it stands for
    const trace::figures* found = nullptr;

    /// `best_fit`, or `best_fit (and 11 more)`.
    [[nodiscard]] std::string label() const;
    /// What the manager needs: its footprint, or else its minimum capacity; empty when neither is known.
    [[nodiscard]] std::optional<std::uint64_t> needs() const;
};

/// The rows of a workload, best first: who completes stands before who fails, and then who needs less, pays less, or
/// leaves less scattered.
[[nodiscard]] std::vector<folded_row> fold(const comparison& of, const selection& who);

}  // namespace hbm::compare
