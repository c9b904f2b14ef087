#pragma once
// Which kind of file a text is, told by its content: names of files are lost when people copy and paste.

#include <hbm/core/language.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hbm::imported {

/// Kinds of files that other programs write about the memory of a device.
enum class file_kind : std::uint8_t {
    unknown,
    module,      ///< text of an HLO module: `HloModule NAME`
    assignment,  ///< XLA's buffer assignment
    report,      ///< XLA's memory usage report
    config,      ///< the configuration of a module as text proto, in dumps for TPU
    message,     ///< text that holds an out-of-memory message
    profile,     ///< JAX's device memory profile, a pprof file, unpacked
    snapshot,    ///< PyTorch's memory snapshot, a pickle
    mlir,        ///< StableHLO or another MLIR dialect: has no layouts, so it is not read
    empty,       ///< no bytes, or blanks only
    zip,         ///< a zip archive, as `torch.save` writes
    packed,      ///< gzip, xz, zstd or bzip2, which the caller unpacks first
    wide_text,   ///< text in UTF-16, as some shells of Windows write it
    binary,      ///< any other file that is not text: a proto, for example
};

/// The name of a kind in the schema `hbm-describe/1`; for kinds that are not read, words for what the file is.
[[nodiscard]] constexpr std::string_view kind_name(file_kind kind) noexcept {
    switch (kind) {
    case file_kind::module:
        return "module";
    case file_kind::assignment:
        return "assignment";
    case file_kind::report:
        return "report";
    case file_kind::config:
        return "config";
    case file_kind::message:
        return "oom";
    case file_kind::profile:
        return "pprof";
    case file_kind::snapshot:
        return "snapshot";
    case file_kind::mlir:
        return "MLIR (StableHLO), which does not say how arrays lie in memory";
    case file_kind::empty:
        return "an empty file";
    case file_kind::zip:
        return "a zip archive";
    case file_kind::packed:
        return "compressed data";
    case file_kind::wide_text:
        return "text in UTF-16";
    case file_kind::binary:
        return "binary data that is neither a pprof profile nor a pickle";
    case file_kind::unknown:
        break;
    }
    return "text without any of the marks that tell the kind of a file";
}

/// The kind in words for messages, with the option of hbm_compare that reads it.
[[nodiscard]] constexpr std::string_view kind_in_words(file_kind kind) noexcept {
    switch (kind) {
    case file_kind::module:
        return "an HLO module (see --program)";
    case file_kind::assignment:
        return "a buffer assignment (see --program)";
    case file_kind::report:
        return "a memory usage report (see --program)";
    case file_kind::config:
        return "the configuration of a module (see --program)";
    case file_kind::message:
        return "an out-of-memory message (see --message)";
    case file_kind::profile:
        return "a device memory profile of JAX (see --growth --trace)";
    case file_kind::snapshot:
        return "a memory snapshot of PyTorch (see --trace)";
    default:
        return kind_name(kind);
    }
}

/// The byte of the text at which `mark` begins a line, after blanks, or follows a backquote, which people put around
/// what they paste; npos if it does nowhere. O(length).
[[nodiscard]] inline std::size_t find_line(std::string_view text, std::string_view mark) noexcept {
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

namespace file_kind_detail {

/// Whether a line of the text begins with `mark`.
[[nodiscard]] inline bool has_line(std::string_view text, std::string_view mark) noexcept {
    return find_line(text, mark) != std::string_view::npos;
}

template <std::size_t Count>
[[nodiscard]] bool has_any(std::string_view text, const std::string_view (&marks)[Count]) noexcept {
    for (const std::string_view mark : marks)
        if (text.find(mark) != std::string_view::npos) return true;
    return false;
}

/// What the messages of the TPU compiler and runtime hold, and what JAX and PyTorch/XLA print beside them.
inline constexpr std::string_view message_marks[] = {
    "Ran out of memory in memory space",
    "Exceeded hbm capacity",
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

}  // namespace file_kind_detail

/// The kind of a file with these bytes. What is compressed must have been unpacked; a pprof profile, which usually is
/// compressed, is recognised unpacked. Marks of whole files come before those of messages, which
/// stand amid other text. O(size of the file).
[[nodiscard]] inline file_kind recognise(std::string_view text) noexcept {
    using namespace file_kind_detail;
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
