#pragma once

/// The selection of managers.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "compare/command_line/options.hpp"
#include "compare/managers/manager_entry.hpp"

namespace hbm::compare {

/// The managers of the comparison, in list order, and the baseline that times are compared with.
struct selection {
    std::vector<const manager_entry*> managers;
    std::size_t baseline = 0;                  ///< index into `managers`
    const manager_entry* preferred = nullptr;  ///< manager whose row in a table is called by its name; null: none
};

/// Selects from `all` the managers that the command line names, or the default managers and those of the user. Returns
/// the error, or an empty text.
[[nodiscard]] std::string select_managers(const options& asked, std::span<const manager_entry> all, selection& into);

}  // namespace hbm::compare
