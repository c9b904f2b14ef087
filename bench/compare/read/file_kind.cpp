#include "compare/read/file_kind.hpp"

#include <algorithm>
#include <optional>

#include "compare/read/jax/wire_reader.hpp"
#include "compare/read/message/message.hpp"
#include "compare/read/read_file.hpp"
#include "compare/read/samples/samples.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

namespace {

/// What people are told about a kind.
struct kind_row {
    std::string_view name;     ///< of the schema, or a description
    std::string_view words;    ///< with the option that reads it; empty: those of `name`
    std::string_view instead;  ///< the file to bring instead
};

/// In the order of `file_kind`.
constexpr kind_row kinds[] = {
    {"text without any of the marks that tell the kind of a file", "",
     "an HLO module, a buffer assignment, an out-of-memory message or a device memory profile of JAX"},
    {"module", "an HLO module (see --program)", ""},
    {"assignment", "a buffer assignment (see --program)", ""},
    {"oom", "an out-of-memory message (see --message)", ""},
    {"pprof", "a device memory profile of JAX (see --growth --trace)", ""},
    {"samples of the memory in use (see --growth --trace)", "", ""},
    {"a trace (see --trace)", "", ""},
    {"a pickle, such as a memory snapshot of PyTorch", "", "a trace, which examples/snapshot_to_trace.py makes of it"},
    {"a memory usage report of XLA, whose sizes are rounded", "",
     "the *-buffer-assignment.txt of the same program, which the same dump has"},
    {"the configuration of an HLO module", "",
     "the *-buffer-assignment.txt of the same program, which the same dump has"},
    {"MLIR (StableHLO), which does not say how arrays lie in memory", "",
     "the text of the compiled program: print compiled.as_text() in place of lowered.as_text(), or set "
     "XLA_FLAGS=--xla_dump_to=FOLDER and bring the *after_optimizations.txt"},
    {"an empty file", "",
     "an HLO module, a buffer assignment, an out-of-memory message or a device memory profile of JAX"},
    {"an HLO module as binary data (.hlo.pb)", "",
     "its text: set XLA_FLAGS=\"--xla_dump_to=FOLDER --xla_dump_hlo_as_text\" and bring the *-buffer-assignment.txt"},
    {"a trace of XProf (.xplane.pb)", "",
     "what the program wrote itself: jax.profiler.save_device_memory_profile(\"memory.prof\"), or a log of "
     "memory_stats() for --growth"},
    {"compressed data", "",
     "a file that is not compressed, or compressed with gzip: unpack it first (xz -d, zstd -d, bunzip2, unzip)"},
    {"text in UTF-16", "", "text in UTF-8: iconv -f UTF-16 -t UTF-8 FILE"},
    {"binary data that is no pprof profile", "",
     "text: a trace, a log, or the *-buffer-assignment.txt that XLA_FLAGS=\"--xla_dump_to=FOLDER "
     "--xla_dump_hlo_as_text\" writes"},
};

constexpr std::string_view module_mark = "HloModule ";

/// Returns true if a line of the text begins with `mark`.
bool has_line(std::string_view text, std::string_view mark) noexcept {
    return find_line(text, mark) != std::string_view::npos;
}

/// Returns the length of the stamp of a line that is like `stamp` but for its numbers; 0 without one.
std::size_t stamp_length(std::string_view line, std::string_view stamp) noexcept {
    std::size_t at = 0;
    for (std::size_t like = 0; like < stamp.size();) {
        if (at >= line.size() || is_digit(line[at]) != is_digit(stamp[like])) return 0;
        if (!is_digit(stamp[like])) {
            if (line[at++] != stamp[like++]) return 0;
            continue;
        }
        while (like < stamp.size() && is_digit(stamp[like])) ++like;
        while (at < line.size() && is_digit(line[at])) ++at;
    }
    return at;
}

/// Returns the kind of a binary file. A profile of JAX begins with a message of two numbers, an HLO proto with a
/// module, whose first field is its name, and a trace of XProf with a plane, which has an id and a name.
file_kind kind_of_proto(std::string_view bytes) noexcept {
    if (!bytes.starts_with('\x0a')) return file_kind::binary;
    const auto is_name = [](const wire_field& entry) {
        return entry.type == wire_field::encoding::bytes && !entry.bytes.empty() &&
               std::none_of(entry.bytes.begin(), entry.bytes.end(),
                            [](char letter) { return (letter >= 0 && letter < ' ') || letter == '\x7f'; });
    };
    wire_field outer;
    wire_field inner;
    if (wire_reader whole(bytes); !whole.next(outer)) return file_kind::profile;
    if (is_name(outer)) return file_kind::hlo_proto;  // a module without the proto around it
    wire_reader message(outer.bytes);
    if (!message.next(inner)) return file_kind::profile;
    if (inner.number == 1 && is_name(inner)) return file_kind::hlo_proto;
    if (inner.number == 1 && !message.next(inner)) return file_kind::profile;
    return inner.number == 2 && is_name(inner) ? file_kind::xplane : file_kind::profile;
}

/// Returns true if the first row names the columns of a trace, of an instance of MiniMalloc or of an RMM log.
bool is_trace(std::string_view text) {
    std::size_t line = 0;
    const std::optional<std::string_view> row = next_line(text, line);
    if (!row) return false;
    const std::vector<std::string_view> cells = cells_of(*row, ',');
    const auto has_all = [&](const auto&... names) {
        return ((std::find(cells.begin(), cells.end(), names) != cells.end()) && ...);
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

std::string_view kind_name(file_kind kind) noexcept {
    return kinds[static_cast<std::size_t>(kind)].name;
}

std::string_view kind_in_words(file_kind kind) noexcept {
    const kind_row& row = kinds[static_cast<std::size_t>(kind)];
    return row.words.empty() ? row.name : row.words;
}

std::string_view instead_of(file_kind kind) noexcept {
    return kinds[static_cast<std::size_t>(kind)].instead;
}

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

std::string without_stamps(std::string_view text) {
    constexpr std::size_t longest = 200;
    const std::size_t module = text.find(module_mark);
    if (module == std::string_view::npos || has_line(text, module_mark)) return {};
    const std::size_t begin = text.rfind('\n', module) + 1;  // 0 in the first line
    if (module - begin > longest) return {};
    const std::string_view stamp = text.substr(begin, module - begin);
    std::string result;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
        result += line.substr(stamp_length(line, stamp));
        text.remove_prefix(line.size());
    }
    const std::size_t entry = find_line(result, "ENTRY ");
    const bool is_module = entry != std::string::npos && result.find('{', entry) < result.find('\n', entry);
    return is_module ? result : std::string{};
}

std::vector<std::string> modules_in(std::string_view text) {
    const std::string unstamped = without_stamps(text);
    if (!unstamped.empty()) text = unstamped;
    std::vector<std::string> modules;
    for (;;) {
        const std::size_t first = find_line(text, module_mark);
        const std::size_t next =
            first == std::string_view::npos ? first : find_line(text.substr(first + 1), module_mark);
        if (next == std::string_view::npos) break;
        modules.emplace_back(text.substr(0, first + 1 + next));
        text.remove_prefix(first + 1 + next);
    }
    modules.emplace_back(text);
    return modules;
}

bool is_text(std::string_view bytes) noexcept {
    for (const std::string_view magic : {"PK\x03\x04", "BZh", "\xff\xfe", "\xfe\xff"})
        if (bytes.starts_with(magic)) return false;
    bytes = bytes.substr(0, 4096);
    return std::none_of(bytes.begin(), bytes.end(), [](char letter) {
        return letter >= 0 && letter < ' ' && (letter < '\t' || letter > '\r') && letter != '\x1b';
    });
}

file_kind recognise(std::string_view text) {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return file_kind::empty;
    for (const std::string_view magic : {"\x1f\x8b", "\xfd\x37zXZ", "\x28\xb5\x2f\xfd", "BZh", "PK\x03\x04"})
        if (text.starts_with(magic)) return file_kind::packed;
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) return file_kind::wide_text;
    if (text.size() > 1 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5) return file_kind::snapshot;
    if (!is_text(text)) return kind_of_proto(text);
    const auto has = [&](auto... marks) { return (has_line(text, marks) || ...); };
    if (has("BufferAssignment:")) return file_kind::assignment;
    if (has(module_mark)) return file_kind::module;
    if (has("entry_computation_layout {")) return file_kind::config;
    if (has("Total bytes used:", "Memory Space: ")) return file_kind::report;
    if (has("module @", "module attributes", "func.func ", "#loc")) return file_kind::mlir;
    const bool is_entry_alone = has("ENTRY ") && text.find(" parameter(") != std::string_view::npos;
    if (is_entry_alone) return file_kind::module;
    if (is_trace(text)) return file_kind::trace;
    if (looks_like_samples(text)) return file_kind::samples;
    if (holds_message(text)) return file_kind::message;
    if (!without_stamps(text).empty()) return file_kind::module;
    if (text.find("stablehlo.") != std::string_view::npos || text.find("mhlo.") != std::string_view::npos)
        return file_kind::mlir;
    return series_of_log(text).empty() ? file_kind::unknown : file_kind::samples;
}

}  // namespace hbm::imported
