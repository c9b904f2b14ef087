#pragma once

/// Describes the out-of-memory messages of a text in the schema hbm-describe/1.

#include <string>
#include <string_view>

#include "compare/read/description.hpp"
#include "compare/read/message/message.hpp"
#include "compare/read/read_error.hpp"

namespace hbm::imported {

/// Describes the messages of a text: the sums of the first message that states them, as rounded in the text, and all
/// messages in order. Constants are the compiler's `global`.
/// Cost: O(messages).
[[nodiscard]] description describe(const found_messages& found);

/// Reads and describes a text. `file` is for errors. Cost: O(length of the text).
[[nodiscard]] reading<description> describe_message(std::string_view text, const std::string& file);

}  // namespace hbm::imported
