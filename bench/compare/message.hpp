#pragma once

/// The output of --message: what an out-of-memory message means, and what helps.

#include <string>

namespace hbm::compare {

/// Answers the messages in the file at `path`, `-` being stdin. `before` is a file with what was measured when it still
/// fitted, or empty. Returns what is wrong with the files, or an empty text; `answer` is then complete.
[[nodiscard]] std::string answer_message(const std::string& path, const std::string& before, std::string& answer);

}  // namespace hbm::compare
