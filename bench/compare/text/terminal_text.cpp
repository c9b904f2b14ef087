#include "compare/text/terminal_text.hpp"

#include <algorithm>
#include <cstddef>

#include "compare/text/text.hpp"

namespace hbm::compare {

namespace {

/// The length of a colour of tables, or of its end, at the beginning of a text; 0 without.
std::size_t colour_length(std::string_view text) {
    for (const std::string_view each : {"\x1b[0m", "\x1b[1m", "\x1b[31m", "\x1b[32m"})
        if (text.starts_with(each)) return each.size();
    return 0;
}

}  // namespace

std::string terminal_text(std::string_view text, bool coloured) {
    constexpr std::string_view kept = "\n\t";
    if (!coloured) return trace::printable(text, kept);
    std::string made;
    while (!text.empty()) {
        const std::size_t colour = colour_length(text);
        made += text.substr(0, colour);
        text.remove_prefix(colour);
        const std::size_t plain = std::min(text.find('\x1b', colour == 0 ? 1 : 0), text.size());
        made += trace::printable(text.substr(0, plain), kept);
        text.remove_prefix(plain);
    }
    return made;
}

}  // namespace hbm::compare
