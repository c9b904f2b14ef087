#pragma once
/// Modes that do not compare. Each function does all of its mode and returns the exit status.

#include "compare/command_line/options.hpp"

namespace hbm::compare {

/// Runs --growth: detects steady growth of memory.
[[nodiscard]] int tell_growth(const options& settings);

/// Runs --describe: prints the contents of files of other programs.
[[nodiscard]] int tell_described(const options& settings);

/// Runs --message: explains an error message.
[[nodiscard]] int tell_answer(const options& settings);

}  // namespace hbm::compare
