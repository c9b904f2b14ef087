#pragma once
// Kinds of files, recognised by content: names of files are lost when people copy and paste.

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

/// Returns the name of a kind in the schema `hbm-describe/1`. For kinds that are not read, returns a description.
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

/// Returns the kind in words for messages, with the option of hbm_compare that reads it.
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

/// Returns the offset at which `mark` begins a line, after blanks or after a backquote, which people put around pasted
/// text. Returns npos if there is none.
/// Cost: O(length).
[[nodiscard]] std::size_t find_line(std::string_view text, std::string_view mark) noexcept;

/// Returns the kind of a file with these bytes. Requires: compressed files are unpacked, even pprof profiles. Marks of
/// whole files come before those of messages, which stand amid other text.
/// Cost: O(size of the file).
[[nodiscard]] file_kind recognise(std::string_view text) noexcept;

}  // namespace hbm::imported
