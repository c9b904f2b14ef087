#pragma once
/// What helps against an out-of-memory message, in the terms of those who write programs, cheapest first.
///
/// The kinds of remedies are those of XLA's pages on errors E0100, E0101 and E1000; the numbers come from the message.

#include <hbm/core/specs.hpp>

#include <string>
#include <vector>

#include "compare/answers/message/diagnosis.hpp"
#include "compare/answers/message/remedy_parts.hpp"
#include "compare/read/message/message.hpp"
#include "compare/text/byte_range.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported {

/// The remedies for a message, cheapest first, each a sentence or two, with a number where the message allows one.
/// Empty if the message is about a small memory on the chip, or says too little. `may_donate`: whether something may be
/// left to donate. O(listed allocations).
[[nodiscard]] std::vector<std::string> remedies_for(const memory_message& from, const diagnosis& found,
                                                    bool may_donate = true);

[[nodiscard]] std::string free_before(const byte_range& missing);

/// Less in memory beside the program.
void of_company(remedies& all);

/// Less scratch memory for a program that does not fit, or no more than `room`.
void of_scratch(const memory_message& from, const rounded_size& room, remedies& all);

/// That no device is large enough, and by how much.
[[nodiscard]] std::string fits_nowhere(const rounded_size& asked);

/// A program that does not fit beside what is in memory.
void of_load(const memory_message& from, const diagnosis& found, remedies& all);

/// A program for which enough is free, but not at the bottom of memory.
void of_bottom(const memory_message& from, remedies& all);

}  // namespace hbm::imported
