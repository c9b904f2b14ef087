#pragma once
/// The answer to a message in a sentence or two, and the meaning of each of its numbers.

#include <hbm/core/specs.hpp>

#include <string>
#include <utility>
#include <vector>

#include "compare/answers/message/diagnosis.hpp"
#include "compare/read/message/message.hpp"

namespace hbm::imported {

/// Returns `the program`, or `program 'jit_step'` if the message names it.
[[nodiscard]] std::string program_of(const memory_message& from);

/// Returns the answer in a sentence or two. Cost: O(1).
[[nodiscard]] std::string headline(const memory_message& from, const diagnosis& shortage);

/// Returns the numbers of a message and those computed from them, each with its meaning. Cost: O(1).
[[nodiscard]] std::vector<std::pair<std::string, std::string>> figures_of(const memory_message& from,
                                                                          const diagnosis& shortage);

/// Draws the sizes that a message states, one to a line and to one scale, in at most 80 columns. Empty if the message
/// has no request, nothing to compare it with, or sizes that contradict each other. Cost: O(1).
[[nodiscard]] std::string bars(const memory_message& from);

}  // namespace hbm::imported
