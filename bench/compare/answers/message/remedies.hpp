#pragma once
/// Remedies against an out-of-memory message, in the terms of a program's authors, cheapest first.
///
/// The kinds of remedies are those of XLA's pages on errors E0100, E0101 and E1000; the numbers come from the message.

#include <hbm/core/specs.hpp>

#include <optional>
#include <string>
#include <vector>

#include "compare/answers/message/diagnosis.hpp"
#include "compare/answers/message/remedy_parts.hpp"
#include "compare/read/message/message.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported {

/// Returns the remedies for a message, cheapest first, each a sentence or two, with a number if the message allows one.
/// Empty if the message does not suffice. `may_donate`: true if a donation may be possible.
/// Cost: O(listed allocations).
[[nodiscard]] std::vector<remedy> remedies_for(const memory_message& from, const diagnosis& shortage,
                                               bool may_donate = true);

[[nodiscard]] std::string free_before(const byte_range& missing);

/// Adds remedies that leave less in memory next to the program.
void of_company(remedies& all);

/// Adds the remedy of a smaller KV pool, with its flags and by how much, if the log states the device's memory.
void of_pool(const memory_message& from, const std::optional<byte_range>& missing, remedies& all);

/// Adds remedies for the scratch memory of a program that does not fit, or must fit `room`.
void of_scratch(const memory_message& from, const rounded_size& room, remedies& all);

/// Returns the sentence that no device is large enough, and by how much.
[[nodiscard]] std::string fits_nowhere(const rounded_size& asked);

/// Adds remedies for a program that does not fit next to the contents of memory.
void of_load(const memory_message& from, const diagnosis& shortage, remedies& all);

/// Adds remedies for a program for which enough is free, but not at the bottom of memory.
void of_bottom(const memory_message& from, const diagnosis& shortage, remedies& all);

}  // namespace hbm::imported
