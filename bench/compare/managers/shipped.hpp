#pragma once

/// Managers that are listed: the named ones, the default ones, and for every shipped policy a manager that has it. Any
/// other combination of policies is found by its name: see chosen_managers.hpp.

#include <vector>

#include "compare/managers/manager_entry.hpp"

namespace hbm::compare {

using manager_entries = std::vector<manager_entry>;

/// Returns the listed managers in the order of the list, the named managers first.
[[nodiscard]] manager_entries shipped_managers();

}  // namespace hbm::compare
