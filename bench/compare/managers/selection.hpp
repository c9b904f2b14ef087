#pragma once

/// The managers that take part.

#include <span>
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

/// Managers, and the selected ones.
struct chosen_managers {
    chosen_managers() = default;
    chosen_managers(const chosen_managers&) = delete;  // `who` points into `all`
    chosen_managers& operator=(const chosen_managers&) = delete;

    manager_entries all;  ///< shipped managers, models, those of the user, and those named on the command line
    selection who;
};

/// Selects the managers that the command line names, or the default managers and those in `own`; with --list and
/// without
/// --manager all of them. Throws `usage_error`.
void choose_managers(const options& asked, std::span<const manager_entry> own, chosen_managers& into);

/// Returns the text of --list: a line for each manager, with its name, two blanks or more, and a description.
[[nodiscard]] std::string list_text(const selection& who);

}  // namespace hbm::compare
