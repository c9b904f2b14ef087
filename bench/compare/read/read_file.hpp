#pragma once
/// Files as texts: logs, files of other programs, and whatever can be replayed.

#include <cstddef>
#include <string>
#include <string_view>

#include "compare/read/file_kind.hpp"
#include "compare/replay/workload.hpp"

namespace hbm::compare {

/// Limit on the size of a log: users must cut the relevant part out of a larger one.
inline constexpr std::size_t max_log_bytes = std::size_t{64} << 20U;

/// Limit on the size of a file of another program.
inline constexpr std::size_t max_dump_bytes = std::size_t{256} << 20U;

/// Returns the bytes of the file at `path`, `-` being stdin, unpacked if they are gzip. The bytes of a pipe can be read
/// again. Throws `read_error`: for a file that cannot be read, that has more than `most` bytes, packed or not, or that
/// unpacks to more than `most_unpacked` allows.
[[nodiscard]] std::string read_text(const std::string& path, std::size_t most = ~std::size_t{0});

/// Returns the text of a log, `-` being stdin. Throws `read_error`, also for folders and text in UTF-16.
[[nodiscard]] std::string read_log(const std::string& path);

/// The content of a file of another program.
struct imported_file {
    std::string path;
    std::string text;  ///< unpacked content
    imported::file_kind kind = imported::file_kind::unknown;
};

/// Reads a file of at most `most` bytes and recognises its kind. Throws `read_error`: for one that no reader supports,
/// it names the file to use instead.
[[nodiscard]] imported_file read_imported_file(const std::string& path, std::size_t most = max_dump_bytes);

}  // namespace hbm::compare

namespace hbm::imported {

/// Reads a trace in any grammar, or a device memory profile of JAX, out of its text; the content determines which.
/// `device` selects one of several devices of a profile by name; empty for the first. `name` becomes the workload's.
/// Throws `read_error`.
[[nodiscard]] trace::workload read_trace_text(std::string_view text, std::string name, std::string_view device = {});

/// Reads such a file.
[[nodiscard]] trace::workload read_trace(const std::string& path, std::string_view device = {});

}  // namespace hbm::imported
