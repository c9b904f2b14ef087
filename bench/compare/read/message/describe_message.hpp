#pragma once

/// The out-of-memory messages in a text, as a description of the schema hbm-describe/1.

#include <string>
#include <string_view>

#include "compare/read/description.hpp"
#include "compare/read/message/message.hpp"
#include "compare/read/reading.hpp"

namespace hbm::imported {

/// What the messages of a text say of a program: the sums of the first message that states them, as rounded as the text
/// has them, and all messages in the order of the text. Constants are what the compiler calls `global`. O(messages).
[[nodiscard]] description describe(const found_messages& found);

/// Reads and describes a text. `file` is for errors. O(length of the text).
[[nodiscard]] reading<description> describe_message(std::string_view text, const std::string& file);

}  // namespace hbm::imported
