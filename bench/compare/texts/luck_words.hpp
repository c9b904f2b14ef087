#pragma once
/// Luck in needs, as a sentence.

#include <string>

#include "compare/cells/grid.hpp"

namespace hbm::compare {

/// Returns a sentence with the median and the range of each manager's need over variants of a workload; empty if there
/// were no variants.
[[nodiscard]] std::string luck_words(const comparison& compared, const selection& selected);

}  // namespace hbm::compare
