#pragma once

/// The selection of managers.

#include <string>
#include <vector>

#include "compare/command_line/options.hpp"
#include "compare/managers/manager_entry.hpp"
#include "compare/managers/shipped.hpp"

namespace hbm::compare {

/// The managers of the comparison, in list order.
struct selection {
    std::vector<const manager_entry*> managers;
};

/// Selects from `all` the managers that the command line names, or the default managers and those of the user. A name
/// that is not listed is added to `all`. Throws `usage_error`.
void select_managers(const options& asked, manager_entries& all, selection& into);

}  // namespace hbm::compare
