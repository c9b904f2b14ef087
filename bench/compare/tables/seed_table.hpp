#pragma once

/// The table of a workload over several seeds: how often a manager completes, and quantiles of its figures.

#include "compare/tables/report.hpp"

namespace hbm::compare {

/// The report of all comparisons. Where a workload was generated from several seeds, a chapter is about all of them.
[[nodiscard]] report make_report_over_seeds(const std::vector<comparison>& of, const selection& who,
                                            const report_layout& layout = {});

/// The nearest-rank quantile of sorted values that are not empty: the least value that at least `percent` of 100 of
/// them do not exceed; 0 percent is the least.
[[nodiscard]] std::size_t nearest_rank(std::size_t count, std::size_t percent);

}  // namespace hbm::compare
