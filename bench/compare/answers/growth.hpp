#pragma once

/// The output of --growth: steady growth in traces, workloads and samples of memory in use.

#include <string>
#include <vector>

#include "compare/command_line/options.hpp"
#include "compare/growth/growth.hpp"

namespace hbm::compare {

/// Judges the sources of the command line, or the default workloads. A file whose header row names a column of bytes in
/// use holds samples, every other is a trace. Returns the error, or an empty text.
[[nodiscard]] std::string judge_growth(const options& asked, std::vector<growth_summary>& into,
                                       std::vector<std::string>& warnings);

/// Returns the summaries as text.
[[nodiscard]] std::string growth_text(const std::vector<growth_summary>& all);

/// Returns the summaries as JSON, schema hbm-growth/1.
[[nodiscard]] std::string growth_json(const std::vector<growth_summary>& all);

}  // namespace hbm::compare
