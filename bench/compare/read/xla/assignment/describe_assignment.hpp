#pragma once
// Describes a buffer assignment for --describe.

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

/// Returns a number as JSON, or null.
[[nodiscard]] std::string number_json(const std::optional<std::uint64_t>& number);

/// Returns the bytes by memory space, without HBM, as a JSON object whose keys are colors.
[[nodiscard]] std::string spaces_json(const std::map<std::uint32_t, rounded_size>& spaces);

/// Returns the parameters of a program, by number and index. Cost: O(n log n).
[[nodiscard]] std::vector<described_leaf> described_arguments(const assignment& of);

/// Returns the arguments, outputs and aliases of an assignment whose outputs were all found. Cost: O(n log n).
[[nodiscard]] donation_question donation_question_of(const assignment& of);

/// Describes a buffer assignment. If the file was cut amid its allocations, sums are left out. Outputs are left out
/// unless all were found.
/// Cost: O(n log n).
[[nodiscard]] description describe(const assignment& of);

}  // namespace hbm::imported::xla
