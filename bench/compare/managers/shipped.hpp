#pragma once

/// Managers that are listed: the named ones, the default ones, and for every shipped policy a manager that has it. Any
/// other combination of policies is found by its name: see chosen_managers.hpp.

#include <string_view>
#include <vector>

#include "compare/managers/manager_entry.hpp"

namespace hbm::compare {

using manager_entries = std::vector<manager_entry>;

/// Returns the listed managers in the order of the list, the default managers first.
[[nodiscard]] manager_entries shipped_managers();

/// Returns true for a manager that is compared without --manager: what TPUs and GPUs use, the manager of README.md, one
/// with the other policies, and plain placements. Users' own managers are, too.
[[nodiscard]] bool is_default(const manager_entry& entry);

/// Returns a name that fits a table, or the name itself. Cost: O(listed managers).
[[nodiscard]] std::string_view short_name(const manager_entry& entry);

}  // namespace hbm::compare
