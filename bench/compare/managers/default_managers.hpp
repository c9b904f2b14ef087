#pragma once
/// Managers of a comparison without --manager, with names that fit a table.

#include <span>
#include <string_view>

#include "compare/managers/manager_entry.hpp"

namespace hbm::compare {

/// Manager of the default list.
struct default_manager {
    std::string_view name;
    std::string_view alias = {};  ///< short name for tables and the command line; empty: the name is short
};

/// Returns the default managers: the well-known ones, and those that show the contribution of each policy: placement,
/// moving, eviction, donation, and all together.
[[nodiscard]] std::span<const default_manager> default_managers();

/// Returns the alias of a manager, or its name if it has none. Cost: O(default managers).
[[nodiscard]] std::string_view short_name(const manager_entry& subject);

}  // namespace hbm::compare
