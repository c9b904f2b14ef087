#pragma once

/// Files that a result must not replace.

#include <string>

#include "compare/command_line/options.hpp"

namespace hbm::compare {

/// Returns true if both paths mean a single file, existing or not.
[[nodiscard]] bool same_file(const std::string& a, const std::string& b);

/// A file that is read and that a result would replace, or two results in a single file or on stdout. Returns what is
/// wrong, or an empty text.
[[nodiscard]] std::string find_overwritten(const options& asked);

}  // namespace hbm::compare
