#pragma once

/// The sizes of a message as bars.

#include <string>

#include "compare/read/message/message.hpp"

namespace hbm::imported {

/// Draws the sizes that a message states, one to a line and to one scale, in at most 80 columns. Empty if the message
/// has no request, nothing to compare it with, or sizes that contradict each other. Cost: O(1).
[[nodiscard]] std::string bars(const memory_message& from);

}  // namespace hbm::imported
