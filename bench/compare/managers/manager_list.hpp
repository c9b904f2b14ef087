#pragma once

/// The list of managers.

#include <string>

#include "compare/managers/selection.hpp"

namespace hbm::compare {

/// The text of --list: a line for each manager, its name, two blanks or more, and what it is.
[[nodiscard]] std::string list_text(const selection& who);

/// What a manager is, in a few words: what each of its policies does. O(policies).
[[nodiscard]] std::string manager_words(const manager_entry& of);

}  // namespace hbm::compare
