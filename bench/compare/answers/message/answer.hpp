#pragma once
/// The whole answer to an out-of-memory message, as text for people.

#include <string>
#include <vector>

#include "compare/read/message/message.hpp"

namespace hbm::imported {

/// Facts from the file of a program, given together with a message.
struct program_beside {
    std::string module = {};      ///< name of the module
    bool leaves_donation = true;  ///< true if further donations are worthwhile
};

/// Returns the answer to a message: a sentence or two, the meaning of each number, bars and remedies; with `before`, an
/// earlier text, also the changes since. The next file to provide is not in it. `retried`: the failure before, if the
/// process went on after it. Ends with a newline.
/// Cost: O(listed allocations).
[[nodiscard]] std::string answer_to(const memory_message& from, const found_messages* before = nullptr,
                                    const std::vector<program_beside>& beside = {},
                                    const memory_message* retried = nullptr);

/// Returns the answers to all messages of a text: the first two and the last in full, the others in their first
/// sentences. Samples alone, without a message, are not answered. `beside`: programs with files. They make requests for
/// a program's file unnecessary, and rule out donation if they leave none.
[[nodiscard]] std::string answers_to(const found_messages& all, const found_messages* before = nullptr,
                                     const std::vector<program_beside>& beside = {});

/// Changes since an earlier text: a message of the same kind if it has one, else its last sample of `memory_stats()` or
/// of a program that did fit. Ends with a newline. Cost: O(messages).
[[nodiscard]] std::string changes_in_words(const memory_message& now, const found_messages& before);

}  // namespace hbm::imported
