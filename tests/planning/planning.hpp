#pragma once

/// Asking the planner about a memory.

#include <hbm/planning/planner.hpp>
#include <hbm/state/problem_of.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace hbm::test {

/// What the planner is asked when all programs have the same score.
template <placement P>
planning_problem problem_for(const memory_state<P>& state, const std::vector<need<typename P::quanta>>& needs,
                             victims choice) {
    const std::vector<std::uint64_t> scores(state.programs.size(), 1);
    return problem_of(state, std::span<const need<typename P::quanta>>{needs}, choice,
                      std::span<const std::uint64_t>{scores});
}

}  // namespace hbm::test
