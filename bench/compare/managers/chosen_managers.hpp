#pragma once

/// All managers that a command line may name, and those that it does.

#include <span>
#include <string>

#include "compare/managers/selection.hpp"
#include "compare/managers/shipped.hpp"

namespace hbm::compare {

/// Managers, and those of them that take part.
struct chosen_managers {
    chosen_managers() = default;
    chosen_managers(const chosen_managers&) = delete;  // `who` points into `all`
    chosen_managers& operator=(const chosen_managers&) = delete;

    manager_entries all;  ///< the shipped managers, then those of the user
    selection who;
};

/// Chooses from the shipped managers and those in `own`; with --list and without --manager all of them. Returns what is
/// wrong, or an empty text.
[[nodiscard]] std::string choose_managers(const options& asked, std::span<const manager_entry> own,
                                          chosen_managers& into);

}  // namespace hbm::compare
