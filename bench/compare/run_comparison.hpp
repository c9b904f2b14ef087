#pragma once

/// Runs the comparison of a command line.

#include "compare/command_line/options.hpp"
#include "compare/managers/selection.hpp"

namespace hbm::compare {

/// Replays all workloads under all managers and writes the requested outputs. Returns the exit status.
[[nodiscard]] int run_comparison(const options& settings, const selection& chosen);

}  // namespace hbm::compare
