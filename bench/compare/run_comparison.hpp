#pragma once

/// Runs the comparison of a command line, a part of it, or a merge. Each function does all of it and returns the exit
/// status.

#include <span>

#include "compare/command_line/options.hpp"
#include "compare/managers/manager_entry.hpp"
#include "compare/managers/selection.hpp"

namespace hbm::compare {

/// Replays all workloads under all managers and writes the requested outputs.
[[nodiscard]] int run_comparison(const options& settings, const selection& chosen);

/// Runs --shard: writes a part of the rows, as JSON.
[[nodiscard]] int run_shard(const options& settings, const selection& chosen);

/// Runs `merge`: joins shards, and writes them as a single run would.
[[nodiscard]] int run_merge(const options& settings, std::span<const manager_entry> own);

}  // namespace hbm::compare
