#pragma once

/// Managers under any shipped placement with any shipped policies, all chosen at run time.

#include <optional>
#include <string_view>

#include "compare/managers/manager_entry.hpp"

namespace hbm::compare {

/// Returns the manager of a name `placement/eviction/donation/relief`, whose trailing null policies may be left out;
/// `placement` may have the adaptors `compacting<...>`, `bottom_reserve<...>` or both. Empty for any other text. The
/// texts of its names are kept until the program ends.
[[nodiscard]] std::optional<manager_entry> chosen_manager(std::string_view name);

}  // namespace hbm::compare
