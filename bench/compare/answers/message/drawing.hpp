#pragma once

/// Drawings of memory for a message: the smallest memory that agrees with it, or what a program needs beside what the
/// device has.

#include <hbm/core/specs.hpp>
#include <hbm/explain/explanation.hpp>
#include <hbm/explain/words.hpp>

#include <string>

#include "compare/answers/message/smallest_memory.hpp"
#include "compare/read/message/message.hpp"
#include "compare/text/byte_range.hpp"

namespace hbm::imported {

/// The drawing of a memory that agrees with a message of the runtime.
[[nodiscard]] std::string in_words(const drawn_memory& drawn, const memory_message& from);

/// What a program needs, drawn to scale with the end of the device's memory. Empty if the message names no parts, or
/// no capacity.
[[nodiscard]] std::string drawing_of_program(const memory_message& from);

}  // namespace hbm::imported
