#pragma once
// Writes a workload in this project's grammar. Reading it back gives the same workload.

#include <string>

#include "compare/replay/workload.hpp"

namespace hbm::trace {

/// Returns the workload as a trace in this project's grammar, which has neither `skipped`, nor notes, nor the name.
std::string to_csv(const workload& made);

}  // namespace hbm::trace
