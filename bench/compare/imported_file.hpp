#pragma once

/// Files of other programs, read as a whole and unpacked.

#include <hbm/imported/file_kind.hpp>
#include <hbm/imported/outcome.hpp>

#include <string>

namespace hbm::compare {

/// The content of a file of another program.
struct imported_file {
    std::string path;
    std::string text;  ///< unpacked
    imported::file_kind kind = imported::file_kind::unknown;
};

/// Reads the file at `path`, unpacks it if it is compressed with gzip, and tells its kind by its content. A file that
/// no reader can make sense of is an error that says what to bring instead.
[[nodiscard]] imported::outcome<imported_file> read_imported_file(const std::string& path);

}  // namespace hbm::compare
