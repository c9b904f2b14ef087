#pragma once
/// The output of --describe: what files of other programs say about the memory that a program needs.

#include <string>
#include <vector>

namespace hbm::compare {

/// Describes the files as JSON, schema hbm-describe/1, in the order given. Returns what is wrong with the first file
/// that cannot be read, or an empty text; `json` is then complete.
[[nodiscard]] std::string describe_files(const std::vector<std::string>& files, std::string& json);

/// Reads the snapshot at `path` and writes the layout of the device `device`, or of the first if that is empty, as
/// import rows into `csv`. Returns what is wrong, or an empty text. Appends to `warnings` what is said beside it.
[[nodiscard]] std::string write_layout(const std::string& path, const std::string& device, std::string& csv,
                                       std::vector<std::string>& warnings);

}  // namespace hbm::compare
