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
[[nodiscard]] inline std::string wrapped(std::string_view words, std::string_view first = {}) {
    std::string text(first);
    std::size_t width = first.size();
    bool at_begin = true;
    while (!words.empty()) {
        std::size_t end = words.find(' ');
        if (end != std::string_view::npos && words.substr(end + 1, 1) == "%") end = words.find(' ', end + 1);
        const std::string_view word = words.substr(0, end);
        words.remove_prefix(end == std::string_view::npos ? words.size() : end + 1);
        if (word.empty()) continue;
        if (!at_begin && width + 1 + word.size() > line_width) {
            text += '\n';
            text.append(first.size(), ' ');
            width = first.size();
            at_begin = true;
        }
        if (!at_begin) {
            text += ' ';
            ++width;
        }
        text += word;
        width += word.size();
        at_begin = false;
    }
    return text + '\n';
}

}  // namespace hbm::imported
