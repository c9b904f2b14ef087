#pragma once

/// Reads the out-of-memory messages of the TPU's compiler and runtime, wherever they stand in a text.

#include <cstddef>
#include <string_view>

#include "compare/read/message/message.hpp"
#include "compare/read/reading.hpp"

namespace hbm::imported {

/// Reads all messages in `text`, which may have anything else around them: prefixes, stamps of logs, Markdown, written
/// out line ends, other lines. Messages that stand there several times are kept once, with a count; of more than 64
/// different messages the first 63 and the last. `file` is for errors: a number
/// that is no size, and a text without any message. O(length of the text).
/// `portion`: bytes read at once, at least 64 KiB.
[[nodiscard]] outcome<found_messages> read_messages(std::string_view file, std::string_view text,
                                                    std::size_t portion = std::size_t{4} << 20);

}  // namespace hbm::imported
