#include "compare/read/xla/module/module_header.hpp"

#include <algorithm>
#include <utility>

#include "compare/read/xla/text_cursor.hpp"

namespace hbm::imported::xla {

bool module_header_reader::read(module_header& target) {
    read_name(target);
    while (cursor_.next() == ',') {
        std::string_view key;
        std::size_t value = 0;
        const std::size_t comma = cursor_.at();
        if (!next_attribute(cursor_, key, value))
            return cursor_.at() == comma ? fail("a key and its value, as in is_scheduled=true")
                                         : fail("brackets and quotes that are closed: the file is cut short here, "
                                                "bring all of it");
        const std::size_t end = cursor_.at();
        cursor_.go_to(value);
        if (!read_value(target, key)) return false;
        cursor_.go_to(end);
    }
    return true;
}

bool module_header_reader::fail(std::string_view expected) noexcept {
    expected_ = expected;
    return false;
}

void module_header_reader::read_name(module_header& target) noexcept {
    while (cursor_.next() == ' ') cursor_.accept(" ");
    const std::size_t begin = cursor_.at();
    if (cursor_.skip_quotes()) {
        target.name = text_.substr(begin + 1, cursor_.at() - begin - 2);
        return;
    }
    const std::size_t end = text_.find_first_of(", \t\r\n", begin);
    cursor_.go_to(end == std::string_view::npos ? text_.size() : end);
    target.name = cursor_.since(begin);
}

bool module_header_reader::read_value(module_header& target, std::string_view key) {
    if (key == "is_scheduled") {
        target.is_scheduled = cursor_.accept("true");
        return true;
    }
    if (key == "num_partitions") return read_count(target.num_partitions);
    if (key == "replica_count") return read_count(target.replica_count);
    if (key == "input_output_alias") return read_aliases(target.aliases);
    if (key == "buffer_donor") return read_donors(target.donors);
    if (key == "entry_computation_layout") return read_layouts(target);
    return true;
}

bool module_header_reader::read_count(std::uint64_t& target) {
    const std::size_t begin = cursor_.at();
    if (cursor_.number(target) && target != 0) return true;
    cursor_.go_to(begin);
    return fail("a number from 1 to 2^64-1");
}

bool module_header_reader::read_aliases(std::vector<stated_alias>& target) {
    if (!target.empty()) return fail("input_output_alias only once");
    if (!cursor_.accept("{")) return fail("aliases in braces");
    for (cursor_.skip_blanks(); !cursor_.accept("}"); cursor_.skip_blanks()) {
        if (!target.empty() && !cursor_.accept(",")) return fail("a comma or the end of the aliases");
        cursor_.skip_blanks();
        stated_alias entry;
        entry.at = cursor_.at();
        if (!cursor_.index(entry.output)) return fail("the index of an output, such as {0}");
        cursor_.skip_blanks();
        if (!cursor_.accept(":")) return fail("a colon");
        cursor_.skip_blanks();
        if (!read_parameter(entry)) return false;
        target.push_back(std::move(entry));
    }
    return true;
}

bool module_header_reader::read_donors(std::vector<stated_alias>& target) {
    if (!target.empty()) return fail("buffer_donor only once");
    if (!cursor_.accept("{")) return fail("donors in braces");
    for (cursor_.skip_blanks(); !cursor_.accept("}"); cursor_.skip_blanks()) {
        if (!target.empty() && !cursor_.accept(",")) return fail("a comma or the end of the donors");
        cursor_.skip_blanks();
        stated_alias entry;
        entry.at = cursor_.at();
        if (!read_parameter(entry)) return false;
        target.push_back(std::move(entry));
    }
    return true;
}

bool module_header_reader::read_parameter(stated_alias& target) {
    if (!cursor_.accept("(")) return fail("a parameter in brackets, such as (0, {})");
    cursor_.skip_blanks();
    if (!cursor_.number(target.parameter)) return fail("the number of a parameter");
    cursor_.skip_blanks();
    if (!cursor_.accept(",")) return fail("a comma");
    cursor_.skip_blanks();
    if (!cursor_.index(target.index)) return fail("the index in a parameter, such as {}");
    cursor_.skip_blanks();
    if (cursor_.accept(",")) {
        cursor_.skip_blanks();
        target.must = cursor_.accept("must-alias");
        if (!target.must && !cursor_.accept("may-alias")) return fail("may-alias or must-alias");
        cursor_.skip_blanks();
    }
    return cursor_.accept(")") || fail("a closing bracket");
}

bool module_header_reader::read_layouts(module_header& target) {
    if (target.states_layouts) return fail("a single entry_computation_layout");
    if (!cursor_.accept("{")) return fail("the shapes of parameters and result in braces");
    cursor_.skip_blanks();
    target.parameters_at = cursor_.at();
    if (cursor_.next() != '(') return fail("the shapes of the parameters in brackets");
    target.parameters.clear();
    target.result.clear();
    if (!read_shape(target.parameters)) return false;
    cursor_.skip_blanks();
    if (!cursor_.accept("->")) return fail("-> and the shape of the result");
    if (!read_shape(target.result)) return false;
    cursor_.skip_blanks();
    target.states_layouts = true;
    return cursor_.accept("}") || fail("the end of entry_computation_layout");
}

bool module_header_reader::read_shape(std::vector<shape_leaf>& target) {
    shape_reader reader(text_, cursor_.at());
    const bool is_shape = reader.read_leaves(target);
    cursor_.go_to(reader.at());
    return is_shape || fail(reader.expected());
}

bool next_attribute(text_cursor& cursor, std::string_view& key, std::size_t& value) noexcept {
    text_cursor ahead = cursor;
    if (!ahead.accept(",")) return false;
    ahead.skip_blanks();
    key = ahead.word();
    if (key.empty() || !ahead.accept("=")) return false;
    value = ahead.at();
    while (!ahead.done() && ahead.next() != ',' && ahead.next() != '\n') {
        const char letter = ahead.next();
        const bool opens = letter == '(' || letter == '[' || letter == '{';
        if (letter == '"' ? !ahead.skip_quotes() : opens && !ahead.skip_brackets()) {
            cursor.go_to(value);
            return false;
        }
        if (letter != '"' && !opens) ahead.go_to(ahead.at() + 1);
    }
    cursor = ahead;
    return true;
}

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
void read_attributes(text_cursor cursor, std::string_view line, entry_value& target) noexcept {
    std::string_view key;
    std::size_t value = 0;
    while (next_attribute(cursor, key, value)) {
        if (key == "sharding") target.sharding = line.substr(value, cursor.at() - value);
        if (key == "metadata") target.label = label_in(line.substr(value, cursor.at() - value));
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
    text_cursor cursor(line, indent_of(line));
    const bool is_root = cursor.accept("ROOT");
    cursor.skip_blanks();
    cursor.accept("%");
    if (!cursor.skip_quotes()) {
        const std::size_t blank = line.find_first_of(" \r\n", cursor.at());
        if (blank == std::string_view::npos) return;
        cursor.go_to(blank);
    }
    cursor.skip_blanks();
    if (!cursor.accept("=")) return;
    cursor.skip_blanks();
    entry_value match;
    match.shape_at = at + cursor.at();
    skip_shape(cursor);
    cursor.skip_blanks();
    const bool is_parameter = cursor.accept("parameter(") && cursor.number(match.parameter) && cursor.accept(")");
    if (!is_parameter) {
        const std::size_t open = line.find('(', cursor.at());
        if (open == std::string_view::npos) return;
        cursor.go_to(open);
        cursor.skip_brackets();
    }
    read_attributes(cursor, line, match);
    if (is_parameter) target.parameters.push_back(match);
    if (!is_root && target.has_root) return;
    target.has_root = is_root;
    target.result = match;
    target.result->parameter = 0;
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
    for (at = next_line(at); at < text.size();) {
        line = line_at(text, at);
        // Lines of constants end in braces too, but are indented.
        if (indent_of(line) == indent && line.substr(indent).starts_with('}')) {
            entry.is_whole = true;
            return entry;
        }
        const std::string_view instruction = instruction_at(text, at);
        read_instruction(instruction.substr(0, instruction.size() - (instruction.ends_with('\r') ? 1 : 0)), at, entry);
        at += instruction.size() + 1;
    }
    if (!entry.has_root) entry.result.reset();  // the text was cut before it
    return entry;
}

}  // namespace hbm::imported::xla
