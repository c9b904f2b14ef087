#pragma once
/// The whole answer to an out-of-memory message, as text for people.

#include <hbm/core/memory_spec.hpp>

#include <string>
#include <vector>

#include "compare/read/message/message.hpp"

namespace hbm::imported {

/// Facts from the file of a program, given together with a message.
struct program_beside {
    std::string module = {};      ///< name of the module
    bool leaves_donation = true;  ///< true if further donations are worthwhile
};

/// Facts that are given together with messages. Pointers may be null.
struct given_facts {
    const memory_spec* device = nullptr;        ///< other device: the answer has the verdict on its memory
    std::vector<program_beside> programs = {};  ///< programs with files: they make requests for such a file
                                                ///< unnecessary, and rule out donation if they leave none
};

/// Returns the answers to all messages of a text: the first two and the last in full, the others in their first
/// sentences. Samples alone, without a message, are not answered. Ends with a newline.
/// Cost: O(listed allocations).
[[nodiscard]] std::string answers_to(const found_messages& all, const given_facts& facts = {});

}  // namespace hbm::imported
