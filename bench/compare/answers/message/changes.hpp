#pragma once

/// Changes since an earlier message or measurement.

#include <string>

#include "compare/read/message/message.hpp"

namespace hbm::imported {

/// Changes since an earlier text: a message of the same kind if it has one, else its last sample of `memory_stats()` or
/// of a program that did fit. Ends with a newline. Cost: O(messages).
[[nodiscard]] std::string changes_in_words(const memory_message& now, const found_messages& before);

}  // namespace hbm::imported
