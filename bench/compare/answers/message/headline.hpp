#pragma once

/// The answer to a message in a sentence or two, and what each of its numbers means.

#include <hbm/core/specs.hpp>

#include <string>
#include <utility>
#include <vector>

#include "compare/answers/message/diagnosis.hpp"
#include "compare/read/message/message.hpp"

namespace hbm::imported {

/// The answer in a sentence or two. O(1).
[[nodiscard]] std::string headline(const memory_message& from, const diagnosis& found);

/// The numbers of a message and what is computed from them, each with its meaning. O(1).
[[nodiscard]] std::vector<std::pair<std::string, std::string>> figures_of(const memory_message& from,
                                                                          const diagnosis& found);

}  // namespace hbm::imported
