#include "compare/read/samples/samples_cells.hpp"

#include <algorithm>

#include "compare/text/text.hpp"

namespace hbm::imported {

std::string_view trimmed(std::string_view text) noexcept {
    const auto outer = [](char each) { return each == ' ' || each == '\t' || each == '\r' || each == '"'; };
    while (!text.empty() && outer(text.front())) text.remove_prefix(1);
    while (!text.empty() && outer(text.back())) text.remove_suffix(1);
    return text;
}

std::string lower(std::string_view text) {
    std::string made{text};
    for (char& each : made)
        if (each >= 'A' && each <= 'Z') each = static_cast<char>(each - 'A' + 'a');
    return made;
}

char separator_of(std::string_view header) noexcept {
    for (const char each : {',', ';', '\t'})
        if (header.find(each) != std::string_view::npos) return each;
    return ',';
}

void split(std::string_view line, char separator, std::vector<std::string_view>& cells) {
    cells.clear();
    for (std::size_t from = 0; from <= line.size();) {
        std::size_t end = from;
        for (bool quoted = false; end < line.size() && (quoted || line[end] != separator); ++end)
            quoted ^= line[end] == '"';
        cells.push_back(line.substr(from, end - from));
        from = end + 1;
    }
}

bool read_decimal(std::string_view text, std::uint64_t scale, std::uint64_t& value) {
    const std::size_t point = std::min(text.find('.'), text.size());
    const std::string_view fraction = text.substr(std::min(point + 1, text.size()));
    std::uint64_t whole = 0;
    if (!trace::parse_number(text.substr(0, point), whole)) return false;
    for (const char each : fraction)
        if (each < '0' || each > '9') return false;
    if (whole > ~std::uint64_t{0} / scale) return false;
    value = whole * scale;
    std::uint64_t unit = scale;
    for (const char each : fraction) {
        unit /= 10;
        const std::uint64_t more = unit * static_cast<std::uint64_t>(each - '0');
        if (more > ~value) return false;
        value += more;
    }
    return true;
}

bool is_missing(std::string_view text) {
    const std::string word = lower(text);
    return word.empty() || word == "nan" || word == "none" || word == "null";
}

std::optional<std::string_view> next_line(std::string_view& text, std::size_t& line) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view found = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++line;
        if (!trimmed(found).empty() && found.front() != '#') return found;
    }
    return std::nullopt;
}

std::string_view unmarked(std::string_view text) noexcept {
    return text.substr(0, 3) == "\xEF\xBB\xBF" ? text.substr(3) : text;
}

std::size_t first_row(std::string_view text) {
    text = unmarked(text);
    std::size_t line = 0;
    (void)next_line(text, line);
    return line;
}

bool looks_like_samples(std::string_view text) {
    text = unmarked(text);
    std::size_t line = 0;
    const std::optional<std::string_view> first = next_line(text, line);
    if (!first) return false;
    std::vector<std::string_view> cells;
    split(*first, separator_of(*first), cells);
    for (const std::string_view each : cells)
        for (const column_name& known : names)
            if (known.which == in_use && known.name == lower(trimmed(each))) return true;
    return false;
}

}  // namespace hbm::imported
