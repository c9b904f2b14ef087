#pragma once

/// What helps where a program could not be loaded: what XLA's page on error E0101 names, with numbers of the message.

#include <hbm/core/specs.hpp>

#include <string>

#include "compare/answers/message/diagnosis.hpp"
#include "compare/answers/message/remedy_parts.hpp"
#include "compare/read/message/message.hpp"
#include "compare/text/byte_range.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported {

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
