#pragma once

/// A recorded attack beside its formula.

#include <string>

#include "compare/cells/grid.hpp"

namespace hbm::compare {

/// Of a workload `worst_case`: which placement was attacked, what it needed, and the formula with its value and the
/// ratio to it. Empty for every other workload. O(managers + largest).
[[nodiscard]] std::string worst_case_words(const comparison& of, const selection& who);

}  // namespace hbm::compare
