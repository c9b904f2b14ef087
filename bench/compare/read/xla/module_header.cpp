#include "compare/read/xla/module_header.hpp"

#include <algorithm>
#include <utility>

namespace hbm::imported {

namespace {

/// Steps over a name, in quotes or up to one of the characters in `ends`.
std::string_view take_name(text_cursor& cursor, std::string_view ends) {
    const std::size_t begin = cursor.at();
    if (cursor.skip_quotes()) return cursor.since(begin).substr(1, cursor.at() - begin - 2);
    std::string_view name = cursor.rest();
    name = name.substr(0, name.find_first_of(ends));
    cursor.go_to(begin + name.size());
    return name;
}

/// Steps over `, key=value` and returns the key; `value` begins the value, which ends at a comma or the end of the
/// line, outside of quotes and brackets. Empty if no key comes next; then the cursor does not move. Throws
/// `text_mistake` if a bracket or quote is not closed.
std::string_view take_attribute(text_cursor& cursor, text_cursor& value) {
    text_cursor ahead = cursor;
    if (!ahead.accept(",")) return {};
    ahead.skip_blanks();
    const std::string_view key = ahead.word();
    if (key.empty() || !ahead.accept("=")) return {};
    value = ahead;
    while (!ahead.done() && ahead.next() != ',' && ahead.next() != '\n') {
        const char letter = ahead.next();
        const bool opens = letter == '(' || letter == '[' || letter == '{';
        if (letter == '"' ? !ahead.skip_quotes() : opens && !ahead.skip_brackets())
            value.fail("brackets and quotes that are closed: the file is cut short here, bring all of it");
        if (letter != '"' && !opens) ahead.go_to(ahead.at() + 1);
    }
    cursor = ahead;
    return key;
}

std::uint64_t take_count(text_cursor cursor) {
    const text_cursor begin = cursor;
    std::uint64_t count = 0;
    if (!cursor.number(count) || count == 0) begin.fail("a number from 1 to 2^64-1");
    return count;
}

/// Steps over `(3, {})` or `(3, {1}, must-alias)`.
void take_parameter(text_cursor& cursor, stated_alias& target) {
    cursor.expect("(", "a parameter in brackets, such as (0, {})");
    cursor.skip_blanks();
    target.parameter = cursor.take_number("the number of a parameter");
    cursor.skip_blanks();
    cursor.expect(",", "a comma");
    cursor.skip_blanks();
    target.index = cursor.take_index("the index in a parameter, such as {}");
    cursor.skip_blanks();
    if (cursor.accept(",")) {
        cursor.skip_blanks();
        target.must = cursor.accept("must-alias");
        if (!target.must) cursor.expect("may-alias", "may-alias or must-alias");
        cursor.skip_blanks();
    }
    cursor.expect(")", "a closing bracket");
}

/// Reads `{ {0}: (0, {}, may-alias), {1, 0}: (1, {}) }`, or without outputs `{ (3, {}), (4, {1}) }`.
void read_aliases(text_cursor cursor, bool has_outputs, std::vector<stated_alias>& target) {
    if (!target.empty()) cursor.fail("aliases and donors only once");
    cursor.expect("{", "aliases or donors in braces");
    for (cursor.skip_blanks(); !cursor.accept("}"); cursor.skip_blanks()) {
        if (!target.empty()) cursor.expect(",", "a comma or the end of the list");
        cursor.skip_blanks();
        stated_alias entry;
        entry.at = cursor.at();
        if (has_outputs) {
            entry.output = cursor.take_index("the index of an output, such as {0}");
            cursor.skip_blanks();
            cursor.expect(":", "a colon");
            cursor.skip_blanks();
        }
        take_parameter(cursor, entry);
        target.push_back(std::move(entry));
    }
}

/// Reads `{(f32[2]{0}, s32[])->f32[2]{0}}`.
void read_layouts(text_cursor cursor, module_header& target) {
    if (target.states_layouts) cursor.fail("a single entry_computation_layout");
    cursor.expect("{", "the shapes of parameters and result in braces");
    cursor.skip_blanks();
    target.parameters_at = cursor.at();
    if (cursor.next() != '(') cursor.fail("the shapes of the parameters in brackets");
    target.parameters = take_leaves(cursor);
    cursor.skip_blanks();
    cursor.expect("->", "-> and the shape of the result");
    target.result = take_leaves(cursor);
    cursor.skip_blanks();
    cursor.expect("}", "the end of entry_computation_layout");
    target.states_layouts = true;
}

}  // namespace

module_header take_header(text_cursor& cursor) {
    module_header header;
    while (cursor.accept(" ")) {
    }
    header.name = take_name(cursor, ", \t\r\n");
    text_cursor value = cursor;
    while (cursor.next() == ',') {
        const std::string_view key = take_attribute(cursor, value);
        if (key.empty()) cursor.fail("a key and its value, as in is_scheduled=true");
        if (key == "is_scheduled") header.is_scheduled = value.accept("true");
        if (key == "num_partitions") header.num_partitions = take_count(value);
        if (key == "replica_count") header.replica_count = take_count(value);
        if (key == "input_output_alias") read_aliases(value, true, header.aliases);
        if (key == "buffer_donor") read_aliases(value, false, header.donors);
        if (key == "entry_computation_layout") read_layouts(value, header);
    }
    return header;
}

namespace {

/// Returns a line of the text without its end.
std::string_view line_at(std::string_view text, std::size_t at) noexcept {
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

std::size_t indent_of(std::string_view line) noexcept {
    return std::min(line.find_first_not_of(" \t"), line.size());
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
std::string_view label_in(std::string_view metadata) {
    constexpr std::string_view mark = "op_name=\"";
    const std::size_t at = metadata.find(mark);
    if (at == std::string_view::npos) return {};
    text_cursor cursor(metadata, at + mark.size() - 1);
    const std::string_view label = take_name(cursor, "\"");
    return label == "xla__device_data" || label == "XLA_Args" ? std::string_view{} : label;
}

/// Notes sharding and label from the attributes that come next.
void read_attributes(text_cursor cursor, entry_value& target) {
    text_cursor value = cursor;
    try {
        for (;;) {
            const std::string_view key = take_attribute(cursor, value);
            if (key.empty()) return;
            const std::string_view text = value.rest().substr(0, cursor.at() - value.at());
            if (key == "sharding") target.sharding = text;
            if (key == "metadata") target.label = label_in(text);
        }
    } catch (const text_mistake&) {  // the text was cut
    }
}

/// Returns true if a line begins an instruction: `[ROOT] [%]NAME = `, or `ROOT` alone.
bool begins_instruction(std::string_view line) noexcept {
    text_cursor cursor(line, indent_of(line));
    if (cursor.accept("ROOT") && (cursor.done() || cursor.next() == ' ')) return true;
    cursor.accept("%");
    std::string_view name;
    if (!cursor.skip_quotes() && (!cursor.until(" ", name) || name.empty())) return false;
    return cursor.accept(" = ") || cursor.rest() == " =";
}

/// Returns the text of the instruction that begins with the line at `at`, with the lines that continue it.
/// Cost: O(length).
std::string_view instruction_at(std::string_view text, std::size_t at) noexcept {
    std::size_t end = std::min(text.find('\n', at), text.size());
    bool is_root_alone = line_at(text, at).substr(indent_of(line_at(text, at))) == "ROOT";
    while (end < text.size()) {
        const std::string_view next = line_at(text, end + 1);
        const std::string_view words = next.substr(indent_of(next));
        if (words.empty() || words.starts_with('}') || words.starts_with("//")) break;
        if (begins_instruction(next) && !is_root_alone) break;
        is_root_alone = false;
        end = std::min(text.find('\n', end + 1), text.size());
    }
    return text.substr(at, end - at);
}

/// Reads `[ROOT] [%]NAME = SHAPE OPCODE(...), key=value`, if the instruction has this form; `at` is its byte in the
/// text.
void read_instruction(std::string_view line, std::size_t at, module_entry& target) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    text_cursor cursor(line, indent_of(line));
    const bool is_root = cursor.accept("ROOT");
    cursor.skip_blanks();
    cursor.accept("%");
    (void)take_name(cursor, " \r\n");
    cursor.skip_blanks();
    if (!cursor.accept("=")) return;
    cursor.skip_blanks();
    entry_value match;
    match.shape_at = at + cursor.at();
    skip_shape(cursor);
    cursor.skip_blanks();
    const bool is_parameter = cursor.accept("parameter(") && cursor.number(match.parameter) && cursor.accept(")");
    if (!is_parameter) {
        std::string_view opcode;
        if (!cursor.until("(", opcode)) return;
        cursor.skip_brackets();
    }
    read_attributes(cursor, match);
    if (is_parameter) target.parameters.push_back(match);
    if (!is_root && target.has_root) return;
    target.has_root = is_root;
    target.result = match;
    target.result->parameter = 0;
}

}  // namespace

std::optional<module_entry> read_module_entry(std::string_view text, std::size_t at) {
    constexpr std::string_view mark = "ENTRY ";
    const auto next_line = [&](std::size_t from) { return std::min(text.find('\n', from), text.size() - 1) + 1; };
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
    entry.name = take_name(cursor, " ({");
    for (at = next_line(at); at < text.size();) {
        line = line_at(text, at);
        // Lines of constants end in braces too, but are indented.
        if (indent_of(line) == indent && line.substr(indent).starts_with('}')) {
            entry.is_whole = true;
            return entry;
        }
        const std::string_view instruction = instruction_at(text, at);
        read_instruction(instruction, at, entry);
        at += instruction.size() + 1;
    }
    if (!entry.has_root) entry.result.reset();  // the text was cut before it
    return entry;
}

}  // namespace hbm::imported
