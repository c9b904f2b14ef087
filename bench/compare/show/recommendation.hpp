#pragma once
/// The answer of a comparison: the manager to take for each workload, and the cost of a simpler one.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "compare/answers/answer.hpp"
#include "compare/grid/result.hpp"

namespace hbm::compare {

/// Managers for a workload, as indexes into the selection. Models and second names of managers are in none of them.
struct choice {
    std::vector<std::size_t> ranked = {};  ///< all that complete it: those that need and cost least come first
    std::optional<std::size_t> best = {};
    std::optional<std::size_t> simpler = {};  ///< simplest of those that have fewer choices than the best
    std::vector<std::size_t> equal = {};      ///< those that are as good as the best
};

/// Chooses by these rules, in this order:
/// - the least memory, if it differs by more than 2 %: the minimum capacity, without a limit the footprint; in a given
///   memory that is the same for all;
/// - the least modelled time of moves and reloads, if it differs by more than 5 %;
/// - the fewest choices, then the least memory and time, then list order.
///
/// Cost: O(managers^2).
[[nodiscard]] choice choose(const comparison& of, const selection& who);

/// Returns the choices as an answer, a sentence for each workload. A single one is the headline. The table `workloads`
/// has the choices for programs.
[[nodiscard]] answer recommendation(const result& of);

}  // namespace hbm::compare
