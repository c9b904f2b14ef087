#pragma once

/// Asking the planner and its checker about a memory.

#include <hbm/planning/planner.hpp>
#include <hbm/state/problem_of.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/plan_checker.hpp"

namespace hbm::test {

/// What the planner is asked when all programs have the same score.
template <placement P>
planning_problem problem_for(const memory_state<P>& state, const std::vector<need<typename P::quanta>>& needs,
                             victims choice) {
    const std::vector<std::uint64_t> scores(state.programs.size(), 1);
    return problem_of(state, std::span<const need<typename P::quanta>>{needs}, choice,
                      std::span<const std::uint64_t>{scores});
}

/// What the checker says about a plan or a proof: the broken rule, or "nothing".
template <placement P, class Said>
std::string broken_rule_of(const memory_state<P>& state, const std::vector<need<typename P::quanta>>& needs,
                           bool evicting, const Said& said) {
    const testing::plan_checker<P> checker(state, needs, evicting);
    const char* broken = checker.check(said);
    return broken == nullptr ? "nothing" : broken;
}

/// Returns true if a copy of the blocks can place it.
template <placement P>
bool can_place(const memory_state<P>& state, const need<typename P::quanta>& required) {
    P blocks = state.blocks;
    return blocks.place(required) != no_block;
}

}  // namespace hbm::test
