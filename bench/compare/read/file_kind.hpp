#pragma once
// Kinds of files, recognised by content: names of files are lost when people copy and paste.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hbm::imported {

/// Kinds of files that other programs write about the memory of a device.
enum class file_kind : std::uint8_t {
    unknown,
    module,      ///< text of an HLO module: `HloModule NAME`
    assignment,  ///< XLA's buffer assignment
    message,     ///< text that holds an out-of-memory message
    profile,     ///< JAX's device memory profile, a pprof file, unpacked
    snapshot,    ///< PyTorch's memory snapshot or another pickle
    report,      ///< XLA's memory usage report: the buffer assignment next to it says more
    config,      ///< the configuration of a module as text proto, in dumps for TPU
    mlir,        ///< StableHLO or another MLIR dialect: has no layouts, so it is not read
    empty,       ///< no bytes, or blanks only
    hlo_proto,   ///< an HLO module as a binary proto: `.hlo.pb`
    xplane,      ///< a trace of XProf: `.xplane.pb`
    zip,         ///< a zip archive, as `torch.save` writes
    packed,      ///< gzip, xz, zstd or bzip2, which the caller unpacks first
    wide_text,   ///< text in UTF-16, as some shells of Windows write it
    binary,      ///< any other file that is not text: a proto, for example
    samples,     ///< samples of the memory in use: a table, or a log in which they were printed
    trace,       ///< a trace: a table of allocations
};

/// Names of the kinds in the schema `hbm-describe/1`, in their order. For kinds that are not read, descriptions.
inline constexpr std::string_view kind_names[] = {
    "text without any of the marks that tell the kind of a file",
    "module",
    "assignment",
    "oom",
    "pprof",
    "a pickle, such as a memory snapshot of PyTorch",
    "a memory usage report of XLA, whose sizes are rounded",
    "the configuration of an HLO module",
    "MLIR (StableHLO), which does not say how arrays lie in memory",
    "an empty file",
    "an HLO module as binary data (.hlo.pb)",
    "a trace of XProf (.xplane.pb)",
    "a zip archive",
    "compressed data",
    "text in UTF-16",
    "binary data that is no pprof profile",
    "samples of the memory in use (see --growth --trace)",
    "a trace (see --trace)",
};

/// Returns the name of a kind, or its description if it is not read.
[[nodiscard]] constexpr std::string_view kind_name(file_kind kind) noexcept {
    return kind_names[static_cast<std::size_t>(kind)];
}

/// Returns the kind in words for messages, with the option of hbm_compare that reads it.
[[nodiscard]] constexpr std::string_view kind_in_words(file_kind kind) noexcept {
    constexpr std::string_view read_kinds[] = {
        "an HLO module (see --program)",
        "a buffer assignment (see --program)",
        "an out-of-memory message (see --message)",
        "a device memory profile of JAX (see --growth --trace)",
    };
    const bool is_read = kind >= file_kind::module && kind <= file_kind::profile;
    return is_read ? read_kinds[static_cast<std::size_t>(kind) - 1] : kind_name(kind);
}

/// Returns the offset at which `mark` begins a line, after blanks or after a backquote, which people put around pasted
/// text. Returns npos if there is none.
/// Cost: O(length).
[[nodiscard]] std::size_t find_line(std::string_view text, std::string_view mark) noexcept;

/// Returns true if the text of a module stands in a log with a stamp before its lines, such as
/// `I0000 00:00:17.3 42 dump.cc:9] HloModule f`. Cost: O(length).
[[nodiscard]] bool has_stamped_module(std::string_view text) noexcept;

/// Returns the text of such a log without the stamps. Stamps are like that of the first module's first line but for
/// their numbers; lines without one stay.
/// Cost: O(length).
[[nodiscard]] std::string without_stamps(std::string_view text);

/// Returns the modules of a text, in its order: each from its header to the next, the first with what is before it.
/// Stamps of a log are left out. A text without a header is one module.
/// Cost: O(length).
[[nodiscard]] std::vector<std::string> modules_in(std::string_view text);

/// Returns the kind of a file with these bytes. Requires: compressed files are unpacked, even pprof profiles. Marks of
/// whole files come before those of messages, which stand amid other text.
/// Cost: O(size of the file).
[[nodiscard]] file_kind recognise(std::string_view text);

}  // namespace hbm::imported
