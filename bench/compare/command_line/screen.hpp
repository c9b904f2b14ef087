#pragma once

/// What the terminal is like.

#include <cstddef>

#include "compare/command_line/options.hpp"

namespace hbm::compare {

/// How many characters a line of the result may have: COLUMNS, else the width of the terminal, else 120; 120 for a
/// file.
[[nodiscard]] std::size_t width_of_screen(const options& asked);

}  // namespace hbm::compare
