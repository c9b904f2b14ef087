#pragma once
// Advice on donation and padding in words for people, and as JSON.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/xla/donation/donation_advice.hpp"

namespace hbm::imported {

/// Returns numbers in increasing order as ranges: `0-27, 30`.
[[nodiscard]] std::string ranges(std::vector<std::uint64_t> numbers);

/// Returns these pairs, at most `most` of them, as `input_output_alias={ {0}: (3, {}, may-alias) }`.
[[nodiscard]] std::string alias_text(const donation_question& in, const std::vector<donation_pair>& pairs,
                                     std::size_t most);

/// Returns true if donating saves enough to report: a thousandth of `held_bytes(in)`. Cost: O(n log n).
[[nodiscard]] bool is_worth_donating(const donation_question& in);

/// Returns advice in words: missing donations with their savings, and the cost of padding, the largest first. Items
/// below a thousandth of `held_bytes(in)` are left out. If pairs are left out and `file` is given, the text names the
/// --describe command that prints all. Empty if there is no advice.
/// Cost: O(n log n).
[[nodiscard]] std::string donation_text(const donation_question& in, std::string_view file = {});

/// Returns the advice of `donation_text()` as JSON, with all pairs. Cost: O(n log n).
[[nodiscard]] std::string donation_json(const donation_question& in);

}  // namespace hbm::imported
