#pragma once

/// The output of --on-oom: for each manager that failed, what was in its memory and what would have helped.

#include <string>
#include <vector>

#include "compare/grid.hpp"
#include "compare/selection.hpp"

namespace hbm::compare {

/// The output as text; managers that cannot differ on a workload share an explanation. Replays the failed cells again.
[[nodiscard]] std::string oom_text(const std::vector<comparison>& all, const selection& who);

/// The same as JSON, for files that end in `.json`.
[[nodiscard]] std::string oom_json(const std::vector<comparison>& all, const selection& who);

}  // namespace hbm::compare
