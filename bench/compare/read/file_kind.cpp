#include "compare/read/file_kind.hpp"

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

template <std::size_t Count>
bool has_any(std::string_view text, const std::string_view (&marks)[Count]) noexcept {
    for (const std::string_view mark : marks)
        if (text.find(mark) != std::string_view::npos) return true;
    return false;
}

/// Marks of messages of the TPU compiler and runtime, and of what JAX and PyTorch/XLA print next to them.
constexpr std::string_view message_marks[] = {
    "Ran out of memory in memory space",
    "Exceeded hbm capacity",
    "HLO temporaries (",
    "donated buffers were not usable",
    "by rematerialization",
    "allocation offset upper bound",
    "Total hbm usage",
    "Program hbm requirement",
    "HBM capacity",
    "Error loading program",
    "Error allocating device buffer",
    "Attempting to allocate",
    "Attempting to reserve",
    "program allocations in hbm",
    "unlikely to have enough memory",
    "exceeding available bytes",
    "would exceed memory",
    "bytes allocatable",
    "BufferAssignment OOM Debugging",
    "program HBM usage",
    "CompiledMemoryStats(",
    "Post Compilation Analysis",
    "RESOURCE_EXHAUSTED",
    "Resource exhausted",
    "Out of memory",
    "out of memory",
};

}  // namespace

file_kind recognise(std::string_view text) noexcept {
    constexpr std::string_view blanks = " \t\r\n";
    if (text.find_first_not_of(blanks) == std::string_view::npos) return file_kind::empty;
    constexpr std::string_view packers[] = {"\x1f\x8b", "\xfd\x37zXZ", "\x28\xb5\x2f\xfd", "BZh"};
    for (const std::string_view magic : packers)
        if (text.starts_with(magic)) return file_kind::packed;
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) return file_kind::wide_text;
    if (text.starts_with("PK\x03\x04")) return file_kind::zip;
    if (text.size() > 1 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5) return file_kind::snapshot;
    for (const char each : text.substr(0, 4096)) {
        const auto byte = static_cast<unsigned char>(each);
        if (byte >= 0x20 || (byte >= 0x09 && byte <= 0x0d) || byte == 0x1b) continue;
        // A pprof profile of JAX begins with field 1, a message: key 0x0a, and its length, which is small.
        return text[0] == '\x0a' ? file_kind::profile : file_kind::binary;
    }
    if (has_line(text, "BufferAssignment:")) return file_kind::assignment;
    if (has_line(text, "HloModule ")) return file_kind::module;
    if (has_line(text, "entry_computation_layout {")) return file_kind::config;
    if (has_line(text, "Total bytes used:") || has_line(text, "Memory Space: ")) return file_kind::report;
    if (has_line(text, "module @") || has_line(text, "module attributes") || has_line(text, "func.func ") ||
        has_line(text, "#loc"))
        return file_kind::mlir;
    if (has_any(text, message_marks)) return file_kind::message;
    if (text.find("stablehlo.") != std::string_view::npos || text.find("mhlo.") != std::string_view::npos)
        return file_kind::mlir;
    return file_kind::unknown;
}

}  // namespace hbm::imported
