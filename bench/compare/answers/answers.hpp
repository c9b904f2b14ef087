#pragma once

/// What the program does instead of comparing. Each function does all of it and returns the status of the run.

#include "compare/command_line/options.hpp"

namespace hbm::compare {

/// --growth: whether memory grows steadily.
[[nodiscard]] int tell_growth(const options& asked);

/// --layout: what lies where at the end of a snapshot.
[[nodiscard]] int tell_layout(const options& asked);

/// --describe: what files of other programs say.
[[nodiscard]] int tell_described(const options& asked);

/// --message: what an error says.
[[nodiscard]] int tell_answer(const options& asked);

}  // namespace hbm::compare
