#pragma once

/// What helps against an out-of-memory message, in the terms of those who write programs, cheapest first.
///
/// The kinds of remedies are those of XLA's pages on errors E0100, E0101 and E1000; the numbers come from the message.

#include <hbm/core/specs.hpp>

#include <string>
#include <vector>

#include "compare/answers/message/diagnosis.hpp"
#include "compare/read/message/message.hpp"

namespace hbm::imported {

/// The remedies for a message, cheapest first, each a sentence or two, with a number where the message allows one.
/// Empty if the message is about a small memory on the chip, or says too little. `may_donate`: whether something may be
/// left to donate. O(listed allocations).
[[nodiscard]] std::vector<std::string> remedies_for(const memory_message& from, const diagnosis& found,
                                                    bool may_donate = true);

}  // namespace hbm::imported
