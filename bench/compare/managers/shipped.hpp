#pragma once

/// The shipped managers: every placement, with and without adaptors (bfc, a baseline, only without), with every
/// eviction and donation policy, and some managers that differ in a single choice. Those of the default list are types
/// of their own over 32-bit quanta; all have 64-bit quanta and policies that are chosen at run time, besides.

#include <vector>

#include "compare/managers/manager_entry.hpp"

namespace hbm::compare {

using manager_entries = std::vector<manager_entry>;

/// All shipped managers in the order of the list: the named managers first. Cost of a copy.
[[nodiscard]] manager_entries shipped_managers();

}  // namespace hbm::compare
