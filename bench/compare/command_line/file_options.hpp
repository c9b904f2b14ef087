#pragma once
/// Options that read a file, by its content.

#include <string>
#include <string_view>
#include <vector>

namespace hbm::compare {

/// Returns the options that a file without an option stands for; the last takes its path. A file of unknown content is
/// a trace.
/// Cost: reads the file.
[[nodiscard]] std::vector<std::string_view> options_of_file(const std::string& path);

/// Returns the error of reading a file for `option`, with a sentence that says which option reads it by its content.
/// The error alone if that is `option`, and for files that nothing reads.
[[nodiscard]] std::string with_advice(const std::string& error, const std::string& path, std::string_view option);

}  // namespace hbm::compare
