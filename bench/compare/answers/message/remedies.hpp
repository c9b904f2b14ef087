#pragma once
/// Remedies against an out-of-memory message, in the terms of a program's authors. The kinds of remedies are those of
/// XLA's pages on errors E0100, E0101, E1000 and E1001; the numbers come from the message.

#include <vector>

#include "compare/answers/answer.hpp"
#include "compare/answers/message/diagnosis.hpp"

namespace hbm::compare {

/// Returns the remedies for a message: those that can suffice first, and of these the cheapest. Empty if the message
/// does not suffice. `may_donate`: true if a donation may be possible. Cost: O(listed allocations).
[[nodiscard]] std::vector<answer_remedy> remedies_for(const memory_message& from, const diagnosis& shortage,
                                                      bool may_donate = true);

}  // namespace hbm::compare
