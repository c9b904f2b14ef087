#include "compare/managers/chosen_policies.hpp"

#include <hbm/planning/planner.hpp>
#include <hbm/planning/relief_policies.hpp>

namespace hbm::compare {

namespace {

/// Returns the problem of `ways` without the steps that are not allowed.
planning_problem allowed(const planner& ways, bool may_move, victims choice) {
    planning_problem problem = ways.problem();
    problem.may_move = problem.may_move && may_move;
    problem.choice = choice;
    return problem;
}

}  // namespace

std::optional<plan> relieve_as_told::choose(const planner& ways) const {
    const planning_problem problem = allowed(ways, moves, evicts ? victims::one_at_a_time : victims::none);
    const planner some(problem);
    if (evicts) return compact_first{}.choose(some);
    std::optional<plan> found = some.by_waiting();
    if (!found) found = some.by_moving();
    return found;
}

std::optional<plan> chosen_relief::choose(const planner& ways) const {
    const victims choice = chosen.eviction == eviction_choice::never    ? victims::none
                           : chosen.eviction == eviction_choice::window ? victims::window
                                                                        : victims::one_at_a_time;
    const planning_problem problem = allowed(ways, chosen.moves, choice);
    const planner some(problem);
    switch (chosen.relief) {
    case relief_choice::compact_first: return compact_first{}.choose(some);
    case relief_choice::evict_first: return evict_first{}.choose(some);
    case relief_choice::rent_or_buy: return renting.choose(some);
    default: return relieve_cheapest{}.choose(some);
    }
}

}  // namespace hbm::compare
