#pragma once

/// A manager's type as C++ to paste.

#include <string>

#include "compare/managers/manager_entry.hpp"

namespace hbm::compare {

/// The type of a shipped manager as it is written after `#include <hbm/hbm.hpp>`: `hbm::tpu::runtime_memory` for a
/// named manager, else `hbm::manager<...>`; the name alone for a manager of a user. `is_wide`: over 64-bit quanta, for
/// memories of more than 2^32 - 1 quanta. O(length of the name).
[[nodiscard]] std::string type_text(const manager_entry& of, bool is_wide);

/// How many choices make up the manager: policies and adaptors that are not the null or default choice, beside the
/// placement itself. The fewer, the simpler. O(length of the name).
[[nodiscard]] std::size_t choices_of(const manager_entry& of);

}  // namespace hbm::compare
