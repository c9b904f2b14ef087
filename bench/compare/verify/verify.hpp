#pragma once

/// --verify: the comparison replayed again with an audit of all events.

#include <string>
#include <vector>

#include "compare/cells/grid.hpp"
#include "compare/managers/selection.hpp"
#include "compare/verify/audited_replay.hpp"

namespace hbm::compare {

/// Returns the message about a broken rule in a replay; `cell` names the manager and the workload.
[[nodiscard]] std::string broken_rule(const std::string& cell, const audited_replay& audited);

/// Replays each cell with an audit and prints the count of checked events, or the first broken rule of each cell, to
/// stderr. Returns the exit status.
[[nodiscard]] int verify(const std::vector<comparison>& all, const selection& chosen, bool quiet);

}  // namespace hbm::compare
