#pragma once
// What --describe says of a buffer assignment.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/read/description.hpp"
#include "compare/read/xla/assignment/assignment.hpp"
#include "compare/read/xla/donation/donation_advice.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported::xla {

/// A number as JSON, or null.
[[nodiscard]] std::string number_json(const std::optional<std::uint64_t>& number);

/// Bytes by memory space, without HBM, as a JSON object whose keys are colors.
[[nodiscard]] std::string spaces_json(const std::map<std::uint32_t, rounded_size>& spaces);

/// Parameters of a program, by number and index. O(n log n).
[[nodiscard]] std::vector<described_leaf> described_arguments(const assignment& of);

/// The arguments, outputs and aliases of an assignment whose outputs were all found. O(n log n).
[[nodiscard]] donation_question donation_question_of(const assignment& of);

/// What a buffer assignment says. Sums of a file that was cut in the middle of its allocations are left out, and the
/// outputs unless all were found. O(n log n).
[[nodiscard]] description describe(const assignment& of);

}  // namespace hbm::imported::xla
