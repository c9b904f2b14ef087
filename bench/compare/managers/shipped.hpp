#pragma once

/// Shipped managers: every placement, with and without adaptors (bfc, a baseline, only without), with every eviction
/// and donation policy. Some managers differ in a single choice. Those of the default list are types of their own over
/// 32-bit quanta. All also have 64-bit quanta with policies chosen at run time.

#include <vector>

#include "compare/managers/manager_entry.hpp"

namespace hbm::compare {

using manager_entries = std::vector<manager_entry>;

/// Returns all shipped managers in the order of the list: the named managers first. Cost: a copy.
[[nodiscard]] manager_entries shipped_managers();

}  // namespace hbm::compare
