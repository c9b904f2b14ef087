#pragma once
/// The result of a comparison as text: a table, Markdown, CSV or JSON.

#include <string>
#include <vector>

#include "compare/command_line/options.hpp"
#include "compare/grid/result.hpp"

namespace hbm::compare {

/// Returns what there is to say of a workload besides its figures: why it fails, and notes on its programs. Lines after
/// the first of a sentence are already indented.
[[nodiscard]] std::vector<std::string> findings(const comparison& of, const selection& who);

/// Returns the text of --format: the answer, the tables, the names.
[[nodiscard]] std::string result_text(const options& settings, const result& of);

}  // namespace hbm::compare
