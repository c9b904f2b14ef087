#pragma once

/// The output of --describe: what files of other programs say about the memory that a program needs.

#include <hbm/imported/description.hpp>
#include <hbm/imported/outcome.hpp>

#include <string>
#include <vector>

namespace hbm::compare {

/// Describes the files as JSON, schema hbm-describe/1, in the order given. Returns what is wrong with the first file
/// that cannot be read, or an empty text; `json` is then complete.
[[nodiscard]] std::string describe_files(const std::vector<std::string>& files, std::string& json);

/// What a file says, or why it cannot be read.
[[nodiscard]] imported::outcome<imported::description> describe_file(const std::string& path);

}  // namespace hbm::compare
