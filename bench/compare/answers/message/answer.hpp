#pragma once
/// Answers to out-of-memory messages.

#include <hbm/core/memory_spec.hpp>

#include <vector>

#include "compare/answers/answer.hpp"
#include "compare/read/message/message.hpp"

namespace hbm::compare {

/// Facts that are given together with messages.
struct given_facts {
    const memory_spec* device = nullptr;  ///< other device: the answers have the verdict on its memory
    bool has_program = false;             ///< true if files of the program were given: none has to be asked for
    bool may_donate = true;               ///< false if these files leave no donation
};

/// Returns an answer to each message of a text. All but the first are beside it. Cost: O(listed allocations).
[[nodiscard]] std::vector<answer> message_answers(const imported::found_messages& all, const given_facts& facts = {});

}  // namespace hbm::compare
