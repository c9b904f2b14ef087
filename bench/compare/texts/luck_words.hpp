#pragma once
/// Luck in needs, in words.

#include <cstdint>
#include <optional>
#include <string>

#include "compare/cells/grid.hpp"

namespace hbm::compare {

/// Returns `117.92M to 121.31M`.
[[nodiscard]] std::string range_in_words(const luck& needs);

/// Returns a need with its range over variants: `119.13M (117.92 to 121.31)`. Without a range if all needs are equal in
/// words, and if there were no variants.
[[nodiscard]] std::string need_with_range(std::uint64_t bytes, const std::optional<luck>& needs);

/// Returns sentences about the ranges of a workload, and about managers whose needs differ by luck alone; empty if
/// there were no variants. Cost: O(managers^2).
[[nodiscard]] std::string luck_note(const comparison& compared, const selection& selected);

}  // namespace hbm::compare
