#pragma once

/// --verify: the comparison replayed again with an audit of all events.

#include <hbm/core/memory_spec.hpp>

#include <optional>
#include <string>
#include <vector>

#include "compare/cells/grid.hpp"
#include "compare/managers/audited_replay.hpp"
#include "compare/managers/selection.hpp"

namespace hbm::compare {

/// Replays a workload with an audit. Returns nothing for a manager that is not shipped.
[[nodiscard]] std::optional<audited_replay> replay_audited(const manager_entry& entry, const trace::workload& load,
                                                           const memory_spec& spec);

/// Returns the message about a broken rule in a replay; `cell` names the manager and the workload.
[[nodiscard]] std::string broken_rule(const std::string& cell, const audited_replay& audited);

/// Replays each cell with an audit and prints the count of checked events, or the first broken rule of each cell, to
/// stderr. Returns the exit status.
[[nodiscard]] int verify(const std::vector<comparison>& all, const selection& chosen, bool quiet);

}  // namespace hbm::compare
