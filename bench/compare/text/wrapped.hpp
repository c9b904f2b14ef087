#pragma once

/// Paragraphs of plain text, broken into lines.

#include <cstddef>
#include <string>
#include <string_view>

namespace hbm::imported {

/// The most characters in a line of an answer.
inline constexpr std::size_t line_width = 100;

/// `words` broken into lines of at most `line_width` characters, where a word is not longer; a number and its `%` stay
/// together. The first line begins with `first`, the others with as many spaces. Ends with a newline. O(length).
[[nodiscard]] std::string wrapped(std::string_view words, std::string_view first = {});

}  // namespace hbm::imported
