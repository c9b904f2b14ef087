#pragma once

/// The output of --message: meaning of an out-of-memory message, and remedies.

#include <string>
#include <vector>

namespace hbm::compare {

/// Answers the messages in the file at `path`, `-` being stdin. `before` is a file of an earlier measurement without
/// failure, or empty. `beside` are files of the program, from which possible donations are listed. Returns the error in
/// the files, or an empty text; `answer` is then complete.
[[nodiscard]] std::string answer_message(const std::string& path, const std::string& before,
                                         const std::vector<std::string>& beside, std::string& answer);

}  // namespace hbm::compare
