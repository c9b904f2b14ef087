#pragma once

/// Files of other programs, read as a whole and unpacked.

#include <cstddef>
#include <string>

#include "compare/read/file_kind.hpp"
#include "compare/read/reading.hpp"

namespace hbm::compare {

/// The content of a file of another program.
struct imported_file {
    std::string path;
    std::string text;  ///< unpacked
    imported::file_kind kind = imported::file_kind::unknown;
};

/// Nothing is unpacked to more than these bytes.
inline constexpr std::size_t most_unpacked_bytes = std::size_t{256} << 20U;

/// Reads the file at `path`, unpacks it if it is compressed with gzip, to at most `most` bytes, and tells its kind by
/// its content. A file that no reader can make sense of is an error that says what to bring instead.
[[nodiscard]] imported::outcome<imported_file> read_imported_file(const std::string& path,
                                                                  std::size_t most = most_unpacked_bytes);

}  // namespace hbm::compare
