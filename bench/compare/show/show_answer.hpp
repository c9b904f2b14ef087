#pragma once
/// Answers as text for people, and as JSON for scripts: one printer and one writer for all.

#include <span>
#include <string>

#include "compare/answers/answer.hpp"

namespace hbm::compare {

/// Remedies that are printed without --details.
inline constexpr std::size_t most_remedies = 4;

/// Returns the answers as lines of at most 80 characters: headline, figures that it has not, remedies, tables, notes.
/// With `has_details`, all of them. Ends with a newline.
[[nodiscard]] std::string answer_text(std::span<const answer> all, bool has_details);

/// Returns each answer as an object of the schema `hbm-answer/1` in a line of its own: one answer is a JSON document.
[[nodiscard]] std::string answer_json(std::span<const answer> all);

}  // namespace hbm::compare
