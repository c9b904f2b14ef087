#pragma once

/// Recorded attack compared with its formula.

#include <string>

#include "compare/cells/grid.hpp"

namespace hbm::compare {

/// Returns a sentence about a workload `worst_case`: the attacked placement, its need, and the formula with its value
/// and the ratio to it. Empty for every other workload.
/// Cost: O(managers + largest).
[[nodiscard]] std::string worst_case_words(const comparison& of, const selection& who);

}  // namespace hbm::compare
