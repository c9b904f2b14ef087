#pragma once
/// The output of --describe: memory of a program according to files of other programs.

#include <string>
#include <vector>

namespace hbm::compare {

/// Describes the files as JSON, schema hbm-describe/1, in the order given. Returns the error of the first file that
/// cannot be read, or an empty text; `json` is then complete.
[[nodiscard]] std::string describe_files(const std::vector<std::string>& files, std::string& json);

/// Reads the snapshot at `path` and writes the layout of `device` as import rows into `csv`. An empty `device` means
/// the first. Returns the error, or an empty text. Appends to `warnings`.
[[nodiscard]] std::string write_layout(const std::string& path, const std::string& device, std::string& csv,
                                       std::vector<std::string>& warnings);

}  // namespace hbm::compare
