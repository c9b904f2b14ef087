#pragma once

/// Advice for a file that was given to another option, or to none.

#include <string>

namespace hbm::compare {

/// Returns a sentence with the option that reads the file at `path`. Empty for unreadable files, and for files that no
/// option reads.
[[nodiscard]] std::string option_for_file(const std::string& path);

/// Like `option_for_file()`, but for files of other programs only, and not for logs.
[[nodiscard]] std::string option_for_import(const std::string& path);

}  // namespace hbm::compare
