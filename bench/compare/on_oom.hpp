#pragma once

/// What --on-oom writes: for each manager that failed what was in its memory, and what would have helped.

#include <string>
#include <vector>

#include "compare/grid.hpp"
#include "compare/selection.hpp"

namespace hbm::compare {

/// For people; managers that cannot differ on a workload share an explanation. Replays once more what failed.
[[nodiscard]] std::string oom_text(const std::vector<comparison>& all, const selection& who);

/// The same as JSON, for a file whose name ends so.
[[nodiscard]] std::string oom_json(const std::vector<comparison>& all, const selection& who);

}  // namespace hbm::compare
