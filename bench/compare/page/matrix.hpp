#pragma once

/// The matrix of the report: a row for each manager, a column for each workload.

#include <string>
#include <vector>

#include "compare/page/overview.hpp"

namespace hbm::compare {

/// Returns the matrix as a table of HTML, with its legend.
[[nodiscard]] std::string matrix_html(const std::vector<comparison>& all, const selection& who,
                                      const page_answer& answer);

/// Returns every figure of every manager as a table of HTML for each workload, folded.
[[nodiscard]] std::string figures_html(const std::vector<comparison>& all, const selection& who);

}  // namespace hbm::compare
