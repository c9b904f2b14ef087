#pragma once
// Reads any file that can be replayed: a trace in any grammar, or a device memory profile of JAX.

#include <cstddef>
#include <string>
#include <string_view>

#include "compare/read/csv/read.hpp"
#include "compare/read/file_kind.hpp"
#include "compare/read/read_error.hpp"

namespace hbm::imported {

/// Reads a trace of unpacked bytes; `recognise` determines the kind. `device` selects one of several devices by name or
/// number; empty for the first. `name` appears in messages and becomes the workload's name.
[[nodiscard]] trace::read_result read_trace_text(std::string_view text, std::string name, std::string_view device = {});

/// Reads a trace file; see `read_trace_text`. A gzip file is recognised by its first bytes.
[[nodiscard]] trace::read_result read_trace(const std::string& path, std::string_view device = {});

}  // namespace hbm::imported

namespace hbm::compare {

/// The content of a file of another program.
struct imported_file {
    std::string path;
    std::string text;  ///< unpacked content
    imported::file_kind kind = imported::file_kind::unknown;
};

/// Limit on the size of an unpacked file, in bytes.
inline constexpr std::size_t most_unpacked_bytes = std::size_t{256} << 20U;

/// Reads the file at `path`, unpacks gzip to at most `most` bytes, and recognises its kind.
/// Fails: for a file that no reader supports, the error names the file to use instead.
[[nodiscard]] imported::reading<imported_file> read_imported_file(const std::string& path,
                                                                  std::size_t most = most_unpacked_bytes);

}  // namespace hbm::compare
