#pragma once

/// The shipped managers: every placement, plain and adapted (but for bfc, which is a baseline), with every eviction and
/// donation, and a few that are compared for one thing (see families.hpp). They are compiled in portions, half a family
/// of placements of one width each.

#include <vector>

#include "compare/manager_entry.hpp"

namespace hbm::compare {

using manager_entries = std::vector<manager_entry>;

manager_entries shipped_best_fit();
manager_entries shipped_best_fit_reserving();
manager_entries shipped_best_fit_wide();
manager_entries shipped_best_fit_lifo();
manager_entries shipped_best_fit_lifo_reserving();
manager_entries shipped_best_fit_lifo_wide();
manager_entries shipped_first_fit();
manager_entries shipped_first_fit_reserving();
manager_entries shipped_first_fit_wide();
manager_entries shipped_good_fit();
manager_entries shipped_good_fit_reserving();
manager_entries shipped_good_fit_wide();
manager_entries shipped_buddy();
manager_entries shipped_buddy_reserving();
manager_entries shipped_buddy_wide();
manager_entries shipped_bfc();
manager_entries shipped_bfc_wide();
manager_entries shipped_singly();
manager_entries shipped_singly_wide();

/// All shipped managers, each with both widths, in the order of the list.
[[nodiscard]] manager_entries shipped_managers();

}  // namespace hbm::compare
