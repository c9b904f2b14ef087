#include "compare/text/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <vector>

#include "compare/text/json_writer.hpp"

namespace hbm::trace {

bool parse_number(std::string_view text, std::uint64_t& value) {
    const char* const end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, value);
    return problem == std::errc{} && stop == end;
}

void append_number(std::string& text, std::uint64_t value) {
    std::array<char, std::numeric_limits<std::uint64_t>::digits10 + 1> digits{};
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    text.append(digits.data(), written.ptr);
}

std::string decimal(std::uint64_t value) {
    std::string text;
    append_number(text, value);
    return text;
}

std::string printable(std::string_view text, std::string_view kept) {
    constexpr std::string_view hexadecimal = "0123456789abcdef";
    std::string result;
    while (!text.empty()) {
        const std::string_view character = json_writer::take_character(text);
        const auto lead = static_cast<unsigned char>(character.front());
        const bool is_control =
            lead < 0x20 || lead == 0x7f || (lead == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0);
        if (!is_control || kept.find(character.front()) != std::string_view::npos) {
            result += character;
            continue;
        }
        for (const char letter : character) {
            const auto byte = static_cast<unsigned char>(letter);
            result += "\\x";
            result += hexadecimal[byte >> 4U];
            result += hexadecimal[byte & 15U];
        }
    }
    return result;
}

std::string quoted(std::string_view text) {
    constexpr std::size_t longest = 60;
    std::string result = "`";
    while (!text.empty()) {
        const std::string character = printable(json_writer::take_character(text));
        if (result.size() + character.size() > longest + 1) return result + "...`";
        result += character;
    }
    return result + '`';
}

std::string shell_word(std::string_view text) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./%@";
    if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos) return std::string(text);
    std::string result = "'";
    for (const char each : text) result += each == '\'' ? std::string("'\\''") : std::string(1, each);
    return result + '\'';
}

std::size_t edit_distance(std::string_view left, std::string_view right) {
    std::vector<std::size_t> before(right.size() + 1);  // distances two lines above, for swaps
    std::vector<std::size_t> above(right.size() + 1);
    std::vector<std::size_t> here(right.size() + 1);
    for (std::size_t column = 0; column <= right.size(); ++column) here[column] = column;
    for (std::size_t line = 1; line <= left.size(); ++line) {
        before.swap(above);
        above.swap(here);
        here[0] = line;
        for (std::size_t column = 1; column <= right.size(); ++column) {
            const bool is_equal = left[line - 1] == right[column - 1];
            here[column] =
                std::min({above[column] + 1, here[column - 1] + 1, above[column - 1] + (is_equal ? 0U : 1U)});
            const bool is_swapped =
                line > 1 && column > 1 && left[line - 1] == right[column - 2] && left[line - 2] == right[column - 1];
            if (is_swapped) here[column] = std::min(here[column], before[column - 2] + 1);
        }
    }
    return here[right.size()];
}

}  // namespace hbm::trace

namespace hbm {

std::string lower_case(std::string_view text) {
    std::string result(text);
    for (char& letter : result)
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    return result;
}

bool has_any(std::string_view text, std::span<const std::string_view> parts) noexcept {
    return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return text.find(part) != text.npos; });
}

std::string_view quoted_field(std::string_view text, std::string_view field) noexcept {
    const std::size_t at = text.find(field);
    if (at == std::string_view::npos) return {};
    const std::string_view value = text.substr(at + field.size());
    return value.substr(0, value.find('"'));
}

void append_item(std::string& list, std::string_view item, std::string_view separator) {
    if (!list.empty()) list += separator;
    list += item;
}

std::string_view first_characters(std::string_view text, std::size_t bytes) noexcept {
    if (text.size() <= bytes) return text;
    while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0U) == 0x80) --bytes;
    return text.substr(0, bytes);
}

std::string valid_text(std::string_view text) {
    std::string result;
    while (!text.empty()) result += json_writer::take_character(text);
    return result;
}

}  // namespace hbm

namespace hbm::imported {

std::string wrapped(std::string_view words, std::string_view first, std::size_t width) {
    std::string text(first);
    std::size_t column = first.size();
    bool at_begin = true;
    while (!words.empty()) {
        std::size_t end = words.find(' ');
        if (end != std::string_view::npos && words.substr(end + 1, 1) == "%") end = words.find(' ', end + 1);
        const std::string_view word = words.substr(0, end);
        words.remove_prefix(end == std::string_view::npos ? words.size() : end + 1);
        if (word.empty()) continue;
        if (!at_begin && column + 1 + word.size() > width) {
            text += '\n';
            text.append(first.size(), ' ');
            column = first.size();
            at_begin = true;
        }
        if (!at_begin) {
            text += ' ';
            ++column;
        }
        text += word;
        column += word.size();
        at_begin = false;
    }
    return text + '\n';
}

std::string aligned(const std::vector<std::vector<std::string>>& rows, std::string_view first, bool is_last_left) {
    std::vector<std::size_t> widths;
    for (const std::vector<std::string>& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t column = 0; column < row.size(); ++column)
            widths[column] = std::max(widths[column], row[column].size());
    }
    std::string text;
    for (const std::vector<std::string>& row : rows) {
        text += first;
        for (std::size_t column = 0; column < row.size(); ++column) {
            const std::string padding(widths[column] - row[column].size(), ' ');
            const bool is_last = column + 1 == row.size();
            const bool is_left = column == 0 || (is_last && is_last_left);
            text += column == 0 ? "" : "  ";
            text += is_left ? row[column] + (is_last ? "" : padding) : padding + row[column];
        }
        text += '\n';
    }
    return text;
}

}  // namespace hbm::imported

namespace hbm::compare {

namespace {

/// Returns the length of a colour of tables, or of its end, at the beginning of a text; 0 without one.
std::size_t colour_length(std::string_view text) {
    for (const std::string_view each : {"\x1b[0m", "\x1b[1m", "\x1b[31m", "\x1b[32m"})
        if (text.starts_with(each)) return each.size();
    return 0;
}

}  // namespace

std::string terminal_text(std::string_view text, bool coloured) {
    constexpr std::string_view kept = "\n\t";
    if (!coloured) return trace::printable(text, kept);
    std::string result;
    while (!text.empty()) {
        const std::size_t colour = colour_length(text);
        result += text.substr(0, colour);
        text.remove_prefix(colour);
        const std::size_t plain = std::min(text.find('\x1b', colour == 0 ? 1 : 0), text.size());
        result += trace::printable(text.substr(0, plain), kept);
        text.remove_prefix(plain);
    }
    return result;
}

namespace {

/// Returns the column at which the rest of a long line begins: that of its last column of text in the left half, or two
/// blanks further than the line itself.
std::size_t hang_of(std::string_view line, std::size_t width) {
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t gap = line.substr(0, width / 2).rfind("  ");
    if (gap != std::string_view::npos && gap > begin) return gap + 2;
    return begin + 2 < width / 2 ? begin + 2 : 0;
}

/// Returns the byte after `count` characters in UTF-8.
std::size_t byte_after(std::string_view text, std::size_t count) {
    std::size_t at = 0;
    for (; at < text.size(); ++at) {
        const bool is_first = (static_cast<unsigned char>(text[at]) & 0xc0U) != 0x80U;
        if (is_first && count-- == 0) break;
    }
    return at;
}

}  // namespace

std::string fold_lines(std::string_view text, std::size_t width) {
    std::string result;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        const bool is_ended = end != text.size();
        text.remove_prefix(is_ended ? end + 1 : end);
        const std::size_t hang = hang_of(line, width);
        std::size_t column = 0;
        while (line.find('\x1b') == std::string_view::npos) {
            const std::size_t limit = byte_after(line, width - column);
            if (limit == line.size()) break;
            const std::size_t blank = line.rfind(' ', limit);
            const bool has_word = blank != std::string_view::npos && blank > line.find_first_not_of(' ');
            result += line.substr(0, has_word ? blank : limit);
            line.remove_prefix(has_word ? blank + 1 : limit);
            result += '\n' + std::string(hang, ' ');
            column = hang;
        }
        result += line;
        if (is_ended) result += '\n';
    }
    return result;
}

}  // namespace hbm::compare
