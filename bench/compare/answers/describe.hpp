#pragma once

/// The output of --describe: what files of other programs say about the memory that a program needs.

#include <string>
#include <vector>

namespace hbm::compare {

/// Describes the files as JSON, schema hbm-describe/1, in the order given. Returns what is wrong with the first file
/// that cannot be read, or an empty text; `json` is then complete.
[[nodiscard]] std::string describe_files(const std::vector<std::string>& files, std::string& json);

}  // namespace hbm::compare
