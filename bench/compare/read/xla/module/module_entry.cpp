#include "compare/read/xla/module/module_entry.hpp"

#include <algorithm>

#include "compare/read/xla/module/module_header.hpp"
#include "compare/read/xla/text_cursor.hpp"

namespace hbm::imported::xla {

namespace {

/// Returns a line of the text without its end.
std::string_view line_at(std::string_view text, std::size_t at) noexcept {
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

std::size_t indent_of(std::string_view line) noexcept {
    const std::size_t indent = line.find_first_not_of(" \t");
    return indent == std::string_view::npos ? line.size() : indent;
}

/// Steps over a shape without reading it.
void skip_shape(text_cursor& cursor) noexcept {
    if (cursor.next() == '(') {
        cursor.skip_brackets();
        return;
    }
    cursor.word();
    while (cursor.next() == '[' || cursor.next() == '{')
        if (!cursor.skip_brackets()) return;
}

/// Returns the name that metadata={op_name="..."} has for a parameter. PyTorch and TensorFlow put words of their own
/// there.
std::string_view label_in(std::string_view metadata) noexcept {
    constexpr std::string_view mark = "op_name=";
    text_cursor cursor(metadata, std::min(metadata.find(mark), metadata.size()));
    if (!cursor.accept(mark)) return {};
    const std::size_t begin = cursor.at();
    if (!cursor.skip_quotes()) return {};
    const std::string_view label = metadata.substr(begin + 1, cursor.at() - begin - 2);
    return label == "xla__device_data" || label == "XLA_Args" ? std::string_view{} : label;
}

/// Notes sharding and label from the attributes that come next.
void read_attributes(text_cursor cursor, std::string_view line, entry_value& into) noexcept {
    std::string_view key;
    std::size_t value = 0;
    while (next_attribute(cursor, key, value)) {
        if (key == "sharding") into.sharding = line.substr(value, cursor.at() - value);
        if (key == "metadata") into.label = label_in(line.substr(value, cursor.at() - value));
    }
}

/// Reads `[ROOT] [%]NAME = SHAPE OPCODE(...), key=value`, if the line has this form; `at` is its byte in the text.
void read_instruction(std::string_view line, std::size_t at, module_entry& into) {
    text_cursor cursor(line, indent_of(line));
    const bool is_root = cursor.accept("ROOT ");
    cursor.accept("%");
    if (!cursor.skip_quotes()) {
        const std::size_t blank = line.find(' ', cursor.at());
        if (blank == std::string_view::npos) return;
        cursor.go_to(blank);
    }
    if (!cursor.accept(" = ")) return;
    entry_value found;
    found.shape_at = at + cursor.at();
    skip_shape(cursor);
    if (!cursor.accept(" ")) return;
    const bool is_parameter = cursor.accept("parameter(") && cursor.number(found.parameter) && cursor.accept(")");
    if (!is_parameter) {
        const std::size_t open = line.find('(', cursor.at());
        if (open == std::string_view::npos) return;
        cursor.go_to(open);
        cursor.skip_brackets();
        if (!is_root) return;
    }
    read_attributes(cursor, line, found);
    if (is_parameter) into.parameters.push_back(found);
    if (is_root) {
        into.result = found;
        into.result->parameter = 0;
    }
}

}  // namespace

std::optional<module_entry> read_module_entry(std::string_view text, std::size_t at) {
    constexpr std::string_view mark = "ENTRY ";
    const auto next_line = [&](std::size_t from) {
        const std::size_t end = text.find('\n', from);
        return end == std::string_view::npos ? text.size() : end + 1;
    };
    std::string_view line;
    for (;; at = next_line(at)) {
        if (at >= text.size()) return std::nullopt;
        line = line_at(text, at);
        if (line.substr(indent_of(line)).starts_with(mark)) break;
    }
    module_entry entry;
    const std::size_t indent = indent_of(line);
    text_cursor cursor(line, indent + mark.size());
    cursor.accept("%");
    const std::size_t begin = cursor.at();
    if (cursor.skip_quotes())
        entry.name = line.substr(begin + 1, cursor.at() - begin - 2);
    else
        entry.name = line.substr(begin, line.find_first_of(" ({", begin) - begin);
    for (at = next_line(at); at < text.size(); at = next_line(at)) {
        line = line_at(text, at);
        // Lines of constants end in braces too, but are indented.
        if (indent_of(line) == indent && line.substr(indent).starts_with('}')) {
            entry.is_whole = true;
            return entry;
        }
        read_instruction(line, at, entry);
    }
    return entry;
}

}  // namespace hbm::imported::xla
