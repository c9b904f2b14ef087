#pragma once

/// The shipped managers: every placement, with and without adaptors (bfc, a baseline, only without), with every
/// eviction and donation policy, and some managers that differ in a single choice (see families.hpp). They are compiled
/// in portions of a family and a width.

#include <vector>

#include "compare/managers/manager_entry.hpp"

namespace hbm::compare {

using manager_entries = std::vector<manager_entry>;

struct best_fits;
struct other_fits;
struct other_placements;

/// The managers of a family over 32-bit quanta, without their drivers over 64-bit quanta. Compiled in
/// portions/narrow.cpp.
template <class Family>
manager_entries narrow_managers();

/// The drivers of the same managers, in the same order, over 64-bit quanta. Compiled in portions/wide.cpp.
template <class Family>
std::vector<driver> wide_drivers();

/// All shipped managers, each with both widths, in the order of the list: the named managers first.
[[nodiscard]] manager_entries shipped_managers();

}  // namespace hbm::compare
