#pragma once
/// Headlines and remedies of messages without the usual sizes: cut ones, warnings, and memories on the chip.

#include <string>

#include "compare/answers/message/diagnosis.hpp"
#include "compare/answers/message/remedy_parts.hpp"
#include "compare/read/message/message.hpp"

namespace hbm::imported {

/// Returns the first sentences for a message that is cut, a warning, or about a memory on the chip. Empty for others.
[[nodiscard]] std::string special_headline(const memory_message& from, const diagnosis& shortage);

/// Adds the remedies for such a message. Returns false, without any, if the usual remedies apply.
[[nodiscard]] bool add_special(const memory_message& from, const diagnosis& shortage, remedies& all);

}  // namespace hbm::imported
