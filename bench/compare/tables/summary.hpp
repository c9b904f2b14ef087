#pragma once
/// Table of all managers on all workloads.

#include <vector>

#include "compare/tables/report.hpp"
#include "compare/texts/recommendation.hpp"

namespace hbm::compare {

/// Adds the table to a report, with sentences that explain it. Managers stand in the order of the recommendation.
/// Cost: O(managers x comparisons).
void add_summary(report& target, const std::vector<comparison>& compared, const selection& chosen,
                 const recommendation& best, const report_layout& layout);

/// Returns a title in lines of at most `width` characters if possible, broken after `_`, `,`, `:` and blanks.
/// Cost: O(length).
[[nodiscard]] std::string broken_title(std::string_view title, std::size_t width);

}  // namespace hbm::compare
