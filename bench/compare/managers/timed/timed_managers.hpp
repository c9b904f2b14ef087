#pragma once

/// Shipped managers with types of their own, so that their times are meaningful: those of the default list.


#include <vector>

#include "compare/managers/manager_entry.hpp"

namespace hbm::compare {

/// Returns a driver over 32-bit quanta for each of them, with the names of the manager.
[[nodiscard]] std::vector<manager_entry> timed_fits();
[[nodiscard]] std::vector<manager_entry> timed_movers();

}  // namespace hbm::compare
