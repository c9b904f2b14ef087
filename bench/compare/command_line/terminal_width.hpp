#pragma once

/// The width of the terminal.

#include <cstddef>

#include "compare/command_line/options.hpp"

namespace hbm::compare {

/// Returns the length of the longest line of the result: COLUMNS, else the width of the terminal, else 120. 120 for a
/// file.
[[nodiscard]] std::size_t terminal_width(const options& asked);

}  // namespace hbm::compare
