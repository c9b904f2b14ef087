#pragma once

/// Which managers cannot differ on a workload, so that a replay serves them all.

#include <cstddef>
#include <vector>

#include "compare/managers/selection.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

/// The cell of each manager, and a manager for each cell.
struct sharing {
    std::vector<std::size_t> cell_of;         ///< by manager
    std::vector<const manager_entry*> first;  ///< by cell: the first of its managers that is timed, or the first
};

/// Shares cells. O(managers x log managers).
[[nodiscard]] sharing share(const selection& who, const scenario& in);

}  // namespace hbm::compare
