#pragma once
/// The list of managers.

#include <span>
#include <string>

#include "compare/managers/selection.hpp"
#include "compare/managers/shipped.hpp"

namespace hbm::compare {

/// Returns the text of --list: a line for each manager, with its name, two blanks or more, and a description.
[[nodiscard]] std::string list_text(const selection& who);

/// Returns a description of a manager in a few words, policy by policy. Cost: O(policies).
[[nodiscard]] std::string manager_words(const manager_entry& of);

/// Managers, and the selected ones.
struct chosen_managers {
    chosen_managers() = default;
    chosen_managers(const chosen_managers&) = delete;  // `who` points into `all`
    chosen_managers& operator=(const chosen_managers&) = delete;

    manager_entries all;  ///< shipped managers, then those of the user
    selection who;
};

/// Chooses from the shipped managers and those in `own`; with --list and without --manager all of them. Throws
/// `usage_error`.
void choose_managers(const options& asked, std::span<const manager_entry> own, chosen_managers& into);

}  // namespace hbm::compare
