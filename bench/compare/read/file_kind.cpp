#include "compare/read/file_kind.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "compare/read/log_file.hpp"
#include "compare/read/message/message.hpp"
#include "compare/read/samples/samples.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

std::size_t find_line(std::string_view text, std::string_view mark) noexcept {
    std::size_t at = text.find(mark);
    for (; at != std::string_view::npos; at = text.find(mark, at + 1)) {
        std::size_t begin = at;
        while (begin != 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) --begin;
        const bool after_byte_order_mark = begin == 3 && text.starts_with("\xEF\xBB\xBF");
        if (begin == 0 || after_byte_order_mark) break;
        const char before = text[begin - 1];
        if (before == '\n' || before == '\r' || before == '`') break;
    }
    return at;
}

namespace {

/// Returns true if a line of the text begins with `mark`.
bool has_line(std::string_view text, std::string_view mark) noexcept {
    return find_line(text, mark) != std::string_view::npos;
}

/// Returns the stamp before the first `HloModule ` of a text in which none begins a line; empty without one.
std::string_view stamp_in(std::string_view text) noexcept {
    constexpr std::string_view mark = "HloModule ";
    constexpr std::size_t longest = 200;
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos || has_line(text, mark)) return {};
    const std::size_t end = text.rfind('\n', at);
    const std::size_t begin = end == std::string_view::npos ? 0 : end + 1;
    return at - begin <= longest ? text.substr(begin, at - begin) : std::string_view{};
}

/// Returns the length of the stamp of a line that is like `stamp` but for its numbers; 0 without one.
std::size_t stamp_length(std::string_view line, std::string_view stamp) noexcept {
    std::size_t at = 0;
    for (std::size_t like = 0; like < stamp.size();) {
        if (at >= line.size()) return 0;
        if (!is_digit(stamp[like])) {
            if (line[at++] != stamp[like++]) return 0;
            continue;
        }
        if (!is_digit(line[at])) return 0;
        while (like < stamp.size() && is_digit(stamp[like])) ++like;
        while (at < line.size() && is_digit(line[at])) ++at;
    }
    return at;
}

/// Calls `use` with every line of the text without its stamp, until it returns false.
template <class Use>
void for_each_unstamped(std::string_view text, Use use) {
    const std::string_view stamp = stamp_in(text);
    if (stamp.empty()) return;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        std::string_view line = text.substr(at, end - at);
        line.remove_prefix(stamp_length(line, stamp));
        if (!use(line)) return;
        at = end;
    }
}

/// Returns true for the HLO text of a computation without its header.
bool is_entry_alone(std::string_view text) noexcept {
    return has_line(text, "ENTRY ") && text.find(" parameter(") != std::string_view::npos;
}

/// Reads a number of a proto, of at most 5 bytes. Returns false at its end.
bool read_varint(std::string_view& text, std::size_t& value) noexcept {
    value = 0;
    for (unsigned shift = 0; shift < 35 && !text.empty(); shift += 7) {
        const auto byte = static_cast<unsigned char>(text.front());
        text.remove_prefix(1);
        value |= static_cast<std::size_t>(byte & 127U) << shift;
        if (byte < 128) return true;
    }
    return false;
}

/// Returns true if a proto goes on with a field `key`, a name of printable characters.
bool has_name(std::string_view text, char key) noexcept {
    std::size_t length = 0;
    if (!text.starts_with(key)) return false;
    text.remove_prefix(1);
    if (!read_varint(text, length) || length == 0 || length > text.size()) return false;
    const std::string_view name = text.substr(0, length);
    return std::all_of(name.begin(), name.end(), [](char letter) { return letter >= ' ' && letter != '\x7f'; });
}

/// Returns the kind of a binary proto whose first field is 1. In a profile of JAX this is a message of two numbers, in
/// an HLO proto a module, whose first field is its name, and in a trace of XProf a plane with an id and a name.
file_kind kind_of_proto(std::string_view text) noexcept {
    if (has_name(text, '\x0a')) return file_kind::hlo_proto;  // a module without the proto around it
    text.remove_prefix(1);
    std::size_t length = 0;
    if (!read_varint(text, length)) return file_kind::profile;
    if (has_name(text, '\x0a')) return file_kind::hlo_proto;
    if (text.starts_with('\x08')) {
        text.remove_prefix(1);
        if (!read_varint(text, length)) return file_kind::profile;
    }
    return has_name(text, '\x12') ? file_kind::xplane : file_kind::profile;
}

/// Returns true if the first row names the columns of a trace, of an instance of MiniMalloc or of an RMM log.
bool is_trace(std::string_view text) {
    std::size_t line = 0;
    const std::optional<std::string_view> row = next_line(text, line);
    if (!row) return false;
    std::vector<std::string_view> cells;
    split_cells(*row, ',', cells);
    const auto has_all = [&](const auto&... names) {
        const auto has = [&](std::string_view name) {
            return std::any_of(cells.begin(), cells.end(),
                               [&](std::string_view cell) { return trimmed(cell) == name; });
        };
        return (has(names) && ...);
    };
    return has_all("op", "id", "bytes") || has_all("id", "lower", "upper", "size") ||
           has_all("Action", "Pointer", "Size");
}

/// Returns true for a log with a message, or with words that say that memory ran out.
bool holds_message(std::string_view text) {
    constexpr std::string_view marks[] = {"RESOURCE_EXHAUSTED", "Resource exhausted", "ut of memory"};
    if (has_any(text, marks)) return true;
    return text.size() <= compare::max_log_bytes && !read_messages(text).messages.empty();
}

}  // namespace

bool has_stamped_module(std::string_view text) noexcept {
    bool has_entry = false;
    for_each_unstamped(text, [&](std::string_view line) {
        has_entry = line.starts_with("ENTRY ") && line.find('{') != std::string_view::npos;
        return !has_entry;
    });
    return has_entry;
}

std::string without_stamps(std::string_view text) {
    std::string result;
    for_each_unstamped(text, [&](std::string_view line) {
        result += line;
        return true;
    });
    return result;
}

std::vector<std::string> modules_in(std::string_view text) {
    constexpr std::string_view mark = "HloModule ";
    const std::string unstamped = has_line(text, mark) ? std::string{} : without_stamps(text);
    if (!unstamped.empty()) text = unstamped;
    std::vector<std::string> modules;
    for (;;) {
        const std::size_t first = find_line(text, mark);
        const std::size_t next = first == std::string_view::npos ? first : find_line(text.substr(first + 1), mark);
        if (next == std::string_view::npos) break;
        modules.emplace_back(text.substr(0, first + 1 + next));
        text.remove_prefix(first + 1 + next);
    }
    modules.emplace_back(text);
    return modules;
}

file_kind recognise(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    if (text.find_first_not_of(blanks) == std::string_view::npos) return file_kind::empty;
    constexpr std::string_view packers[] = {"\x1f\x8b", "\xfd\x37zXZ", "\x28\xb5\x2f\xfd", "BZh"};
    for (const std::string_view magic : packers)
        if (text.starts_with(magic)) return file_kind::packed;
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) return file_kind::wide_text;
    if (text.starts_with("PK\x03\x04")) return file_kind::zip;
    if (text.size() > 1 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5) return file_kind::snapshot;
    for (const char letter : text.substr(0, 4096)) {
        const auto byte = static_cast<unsigned char>(letter);
        if (byte >= 0x20 || (byte >= 0x09 && byte <= 0x0d) || byte == 0x1b) continue;
        // A pprof profile of JAX begins with field 1, a message: key 0x0a.
        return text[0] == '\x0a' ? kind_of_proto(text) : file_kind::binary;
    }
    if (has_line(text, "BufferAssignment:")) return file_kind::assignment;
    if (has_line(text, "HloModule ")) return file_kind::module;
    if (has_line(text, "entry_computation_layout {")) return file_kind::config;
    if (has_line(text, "Total bytes used:") || has_line(text, "Memory Space: ")) return file_kind::report;
    if (has_line(text, "module @") || has_line(text, "module attributes") || has_line(text, "func.func ") ||
        has_line(text, "#loc"))
        return file_kind::mlir;
    if (is_entry_alone(text)) return file_kind::module;
    if (is_trace(text)) return file_kind::trace;
    if (looks_like_samples(text)) return file_kind::samples;
    if (holds_message(text)) return file_kind::message;
    if (has_stamped_module(text)) return file_kind::module;
    if (text.find("stablehlo.") != std::string_view::npos || text.find("mhlo.") != std::string_view::npos)
        return file_kind::mlir;
    return series_of_log(text).empty() ? file_kind::unknown : file_kind::samples;
}

}  // namespace hbm::imported
