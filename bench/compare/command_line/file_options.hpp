#pragma once
/// Options that read a file, by its content.

#include <string>
#include <vector>

#include "compare/command_line/options.hpp"

namespace hbm::compare {

/// Returns the error message about a trace and, if the file is not a trace, a sentence with the option that reads it.
[[nodiscard]] std::string with_option(const options& settings, const std::string& message);

/// Returns a sentence with the option that reads the file at `path`. Empty for unreadable files, and for files that no
/// option reads.
[[nodiscard]] std::string option_for_file(const std::string& path);

/// Like `option_for_file()`, but for files of other programs only, and not for logs.
[[nodiscard]] std::string option_for_import(const std::string& path);

/// Returns the options that a file without an option stands for; the last takes its path. A file of unknown content is
/// a trace.
/// Cost: reads the file.
[[nodiscard]] std::vector<std::string> options_of_file(const std::string& path);

}  // namespace hbm::compare
