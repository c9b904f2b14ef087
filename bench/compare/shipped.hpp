#pragma once

/// The shipped managers: every placement, plain and adapted (but for bfc, which is a baseline), with every eviction and
/// donation, and a few that are compared for one thing (see families.hpp). They are compiled in portions: a family of
/// one width each.

#include <vector>

#include "compare/manager_entry.hpp"

namespace hbm::compare {

using manager_entries = std::vector<manager_entry>;

struct best_fits;
struct other_fits;
struct other_placements;

/// The managers of a family over 32-bit quanta, without their drivers over 64-bit ones. Compiled in
/// portions/narrow.cpp.
template <class Family>
manager_entries narrow_managers();

/// The drivers of the same managers, in the same order, over 64-bit quanta. Compiled in portions/wide.cpp.
template <class Family>
std::vector<driver> wide_drivers();

/// All shipped managers, each with both widths, in the order of the list.
[[nodiscard]] manager_entries shipped_managers();

}  // namespace hbm::compare
