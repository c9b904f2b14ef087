#pragma once

/// Comparison from shards, for outputs that take more than rows: tables, the page, files for viewers.

#include <span>
#include <string>
#include <vector>

#include "compare/cells/grid.hpp"
#include "compare/managers/manager_list.hpp"
#include "compare/sweeps/shard.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

/// State of a single run of the command. Its members point into each other.
struct merged_comparison {
    options asked;  ///< options of the command that made the shards, and of `merge`
    chosen_managers managers;
    std::vector<scenario> scenarios;
    std::vector<comparison> compared;
};

/// Reads or generates the workloads again and takes the figures from the shards. Workloads and managers must be those
/// of the shards. Returns an error message, with a remedy, or an empty text.
[[nodiscard]] std::string restore(const options& asked, std::span<const manager_entry> own, const merged_shards& from,
                                  merged_comparison& into);

}  // namespace hbm::compare
