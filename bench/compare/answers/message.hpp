#pragma once

/// The output of --message: what an out-of-memory message means, and what helps.

#include <string>
#include <vector>

namespace hbm::compare {

/// Answers the messages in the file at `path`, `-` being stdin. `before` is a file with what was measured when it still
/// fitted, or empty; `beside` are files about the program, of which it is said what could be donated. Returns what is
/// wrong with the files, or an empty text; `answer` is then complete.
[[nodiscard]] std::string answer_message(const std::string& path, const std::string& before,
                                         const std::vector<std::string>& beside, std::string& answer);

}  // namespace hbm::compare
