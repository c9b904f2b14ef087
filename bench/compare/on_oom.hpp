#pragma once

/// The output of --on-oom: for each manager that failed, what was in its memory and what would have helped.

#include <cstdint>
#include <string>
#include <vector>

#include "compare/grid.hpp"
#include "compare/selection.hpp"

namespace hbm::compare {

/// The output as text; managers that cannot differ on a workload share an explanation. Replays the failed cells again.
/// `effort`: see `explain_options`.
[[nodiscard]] std::string oom_text(const std::vector<comparison>& all, const selection& who, std::uint64_t effort);

/// The same as JSON, for files that end in `.json`.
[[nodiscard]] std::string oom_json(const std::vector<comparison>& all, const selection& who, std::uint64_t effort);

}  // namespace hbm::compare
