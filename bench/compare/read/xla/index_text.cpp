#include "compare/read/xla/index_text.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace hbm::imported::xla {

bool read_index(line_cursor& line, index_path& index) {
    line_cursor ahead = line;
    index_path found;
    if (!ahead.accept("{")) return false;
    ahead.skip_blanks();
    while (!ahead.accept("}")) {
        if (!found.empty() && !ahead.accept(",")) return false;
        ahead.skip_blanks();
        std::uint64_t number = 0;
        if (!ahead.number(number)) return false;
        found.push_back(number);
        ahead.skip_blanks();
    }
    line = ahead;
    index = std::move(found);
    return true;
}

std::optional<index_path> cut_index(std::string_view& text) {
    if (!text.ends_with('}')) return std::nullopt;
    const std::size_t open = text.rfind('{');
    if (open == std::string_view::npos) return std::nullopt;
    index_path index;
    line_cursor inside(text.substr(open));
    if (!read_index(inside, index) || !inside.done()) return std::nullopt;
    text = text.substr(0, open);
    if (text.ends_with(' ')) text.remove_suffix(1);
    return index;
}

std::string index_words(const index_path& index) {
    std::string words = "{";
    for (std::size_t at = 0; at < index.size(); ++at) words += (at == 0 ? "" : ",") + std::to_string(index[at]);
    return words + '}';
}

}  // namespace hbm::imported::xla
