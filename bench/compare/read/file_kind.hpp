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
    samples,     ///< samples of the memory in use: a table, or a log in which they were printed
    trace,       ///< a trace: a table of allocations
    snapshot,    ///< PyTorch's memory snapshot or another pickle
    report,      ///< XLA's memory usage report: the buffer assignment next to it says more
    config,      ///< the configuration of a module as text proto, in dumps for TPU
    mlir,        ///< StableHLO or another MLIR dialect: has no layouts, so it is not read
    empty,       ///< no bytes, or blanks only
    hlo_proto,   ///< an HLO module as a binary proto: `.hlo.pb`
    xplane,      ///< a trace of XProf: `.xplane.pb`
    packed,      ///< xz, zstd, bzip2 or zip, which the user unpacks first; gzip is unpacked by then
    wide_text,   ///< text in UTF-16, as some shells of Windows write it
    binary,      ///< any other file that is not text
};

/// Returns the name of a kind in the schema `hbm-describe/1`; for one without, its description.
[[nodiscard]] std::string_view kind_name(file_kind kind) noexcept;

/// Returns the kind in words for messages, with the option of hbm_compare that reads it.
[[nodiscard]] std::string_view kind_in_words(file_kind kind) noexcept;

/// Returns the file to bring instead of one of a kind that is not read; empty for the others.
[[nodiscard]] std::string_view instead_of(file_kind kind) noexcept;

/// Returns the offset at which `mark` begins a line, after blanks or after a backquote, which people put around pasted
/// text. Returns npos if there is none.
/// Cost: O(length).
[[nodiscard]] std::size_t find_line(std::string_view text, std::string_view mark) noexcept;

/// Returns the text of a log that has stamps before the lines of a module, such as
/// `I0000 00:00:17.3 42 dump.cc:9] HloModule f`, without those. Stamps are like that of the first module's first line
/// but for their numbers; lines without one stay. Empty for a text without such stamps. Cost: O(length).
[[nodiscard]] std::string without_stamps(std::string_view text);

/// Returns the modules of a text, in its order: each from its header to the next, the first with what is before it.
/// Stamps of a log are left out. A text without a header is one module.
/// Cost: O(length).
[[nodiscard]] std::vector<std::string> modules_in(std::string_view text);

/// Returns true if the first bytes are those of a text in ASCII or UTF-8. Cost: O(1).
[[nodiscard]] bool is_text(std::string_view bytes) noexcept;

/// Returns the kind of a file with these bytes. Marks of whole files come before those of messages, which stand amid
/// other text.
/// Cost: O(size of the file).
[[nodiscard]] file_kind recognise(std::string_view text);

}  // namespace hbm::imported
