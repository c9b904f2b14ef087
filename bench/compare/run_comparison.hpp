#pragma once

/// The comparison of a command line, a part of it, and parts put together. Each function does all of it and returns the
/// status of the run.

#include <span>

#include "compare/command_line/options.hpp"
#include "compare/managers/manager_entry.hpp"
#include "compare/managers/selection.hpp"

namespace hbm::compare {

/// Replays all workloads under all managers and writes what was asked for.
[[nodiscard]] int run_comparison(const options& asked, const selection& who);

/// --shard: a part of the rows, as JSON.
[[nodiscard]] int run_shard(const options& asked, const selection& who);

/// `merge`: shards put together, and written as a single run had written them.
[[nodiscard]] int run_merge(const options& asked, std::span<const manager_entry> own);

}  // namespace hbm::compare
