#pragma once
/// Modes that do not compare.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/answers/answer.hpp"
#include "compare/command_line/options.hpp"

namespace hbm {
struct growth_summary;
}

namespace hbm::compare {

/// Finds the largest pool of the server of --serve. Throws `usage_error` for files that cannot be read, and without any
/// weights.
[[nodiscard]] answer answer_serving(const options& settings, std::vector<std::string>& warnings);

/// Describes the files as JSON, schema hbm-describe/1, in the order given. A folder stands for the files of the dump in
/// it, of which those that cannot be read are left out with a warning. Throws `usage_error` for other files that cannot
/// be read.
[[nodiscard]] std::string describe_files(const std::vector<std::string>& files, std::vector<std::string>& warnings);

/// Says what grows in the sources of the command line, or in the default workloads. A file whose header row names a
/// column of bytes in use holds samples, every other is a trace. Throws `usage_error` for files that cannot be read.
[[nodiscard]] std::vector<answer> answer_growth(const options& settings, std::vector<std::string>& warnings);
[[nodiscard]] answer answer_growth(const growth_summary& found);

/// Says how much is in use, and what grows, by the measurements in a log, however few. Empty without any.
[[nodiscard]] std::vector<answer> answer_log(const std::string& log,
                                             std::optional<std::uint64_t> capacity = std::nullopt);

/// Answers the messages in the file of --message, `-` being stdin. --describe names files of the program, from which
/// possible donations are listed; --capacity another device. Throws `usage_error` for files that cannot be read.
[[nodiscard]] std::vector<answer> answer_message(const options& settings);

}  // namespace hbm::compare
