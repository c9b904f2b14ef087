#pragma once
/// Tables of the terminal on the page: managers by points of a sweep, and the names of managers with their types.

#include <string>
#include <vector>

#include "compare/cells/grid.hpp"
#include "compare/managers/selection.hpp"

namespace hbm::compare {

/// Returns the table of managers by workloads, the seeds of a workload in one column: `4 of 5 seeds`. Empty if no
/// workload has several seeds. Cost: O(managers x comparisons).
[[nodiscard]] std::string seeds_html(const std::vector<comparison>& all, const selection& chosen);

/// Returns the short names of managers with the types that they stand for; empty if every name is a type.
[[nodiscard]] std::string names_html(const selection& chosen);

}  // namespace hbm::compare
