#pragma once
/// Modes that do not compare.

#include <string>
#include <vector>

#include "compare/answers/answer.hpp"
#include "compare/command_line/options.hpp"

namespace hbm {
struct growth_summary;
}

namespace hbm::compare {

/// Runs --serve: finds the largest pool of a server. Throws `usage_error`.
void tell_serving(const options& settings);

/// Describes the files as JSON, schema hbm-describe/1, in the order given. A folder stands for the files of the dump in
/// it, of which those that cannot be read are left out with a warning. Throws `usage_error` for other files that cannot
/// be read.
[[nodiscard]] std::string describe_files(const std::vector<std::string>& files, std::vector<std::string>& warnings);

/// Judges the sources of the command line, or the default workloads. A file whose header row names a column of bytes in
/// use holds samples, every other is a trace. Throws `usage_error`.
[[nodiscard]] std::vector<growth_summary> judge_growth(const options& settings, std::vector<std::string>& warnings);

/// Returns the summaries as text.
[[nodiscard]] std::string growth_text(const std::vector<growth_summary>& all);

/// Returns the summaries as JSON, schema hbm-growth/1.
[[nodiscard]] std::string growth_json(const std::vector<growth_summary>& all);

/// Answers the messages in the file of --message, `-` being stdin. --describe names files of the program, from which
/// possible donations are listed; --capacity another device. Throws `usage_error` for files that cannot be read.
[[nodiscard]] std::vector<answer> answer_message(const options& settings);

}  // namespace hbm::compare
