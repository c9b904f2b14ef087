#pragma once
/// The list of managers.

#include <span>
#include <string>

#include "compare/managers/selection.hpp"
#include "compare/managers/shipped.hpp"

namespace hbm::compare {

/// The text of --list: a line for each manager, its name, two blanks or more, and what it is.
[[nodiscard]] std::string list_text(const selection& who);

/// What a manager is, in a few words: what each of its policies does. O(policies).
[[nodiscard]] std::string manager_words(const manager_entry& of);

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
