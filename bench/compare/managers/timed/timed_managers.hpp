#pragma once

/// Shipped managers with types of their own, so that their times are meaningful: those of the default list.

#include <hbm/placement/scheduled.hpp>

#include <string>
#include <vector>

#include "compare/command_line/options.hpp"
#include "compare/managers/manager_entry.hpp"

namespace hbm::compare {

/// Returns a driver over 32-bit quanta for each of them, with the names of the manager.
[[nodiscard]] std::vector<manager_entry> timed_fits();
[[nodiscard]] std::vector<manager_entry> timed_movers();

/// Plan of a recorded trace.
struct stored_plan {
    std::vector<scheduled_block> blocks;
    schedule plan;  ///< refers to `blocks`
};

/// Packs the trace of --schedule. Returns the error, or an empty text.
[[nodiscard]] std::string read_plan(const options& chosen, stored_plan& stored);

/// Returns `scheduled<best_fit>`, which follows `plan`.
/// Requires: `plan` outlives the entry.
[[nodiscard]] manager_entry scheduled_entry(const schedule& plan);

}  // namespace hbm::compare
