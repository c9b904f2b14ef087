#include "compare/text/wrapped.hpp"

namespace hbm::imported {

std::string wrapped(std::string_view words, std::string_view first) {
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
