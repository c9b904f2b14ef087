#pragma once
// Advice on donation and padding in words for people, and as JSON.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/xla/donation/donation_advice.hpp"

namespace hbm::imported {

/// Numbers in increasing order as ranges: `0-27, 30`.
[[nodiscard]] std::string ranges(std::vector<std::uint64_t> numbers);

/// `input_output_alias={ {0}: (3, {}, may-alias) }` of these pairs, at most `most` of them.
[[nodiscard]] std::string alias_text(const donation_question& in, const std::vector<donation_pair>& pairs,
                                     std::size_t most);

/// Whether donating saves enough to be told: a thousandth of what a run holds. O(n log n).
[[nodiscard]] bool is_worth_donating(const donation_question& in);

/// What donation a program leaves out, what that would save, and what padding costs, in words: the largest first. What
/// is less than a thousandth of what a run holds is left out. Where lists are cut, and `file` is what `--describe`
/// reads, it says where they are whole. Empty if there is nothing to say. O(n log n).
[[nodiscard]] std::string donation_text(const donation_question& in, std::string_view file = {});

/// The same as JSON, with all pairs. O(n log n).
[[nodiscard]] std::string donation_json(const donation_question& in);

}  // namespace hbm::imported
