#include "compare/managers/chosen_policies.hpp"

#include <hbm/planning/planner.hpp>
#include <hbm/planning/relief_policies.hpp>

namespace hbm::compare {

std::optional<plan> chosen_relief::choose(const planner& ways) const {
    planning_problem problem = ways.problem();
    problem.may_move = problem.may_move && chosen.moves;
    problem.choice = chosen.eviction == eviction_choice::never    ? victims::none
                     : chosen.eviction == eviction_choice::window ? victims::window
                                                                  : victims::one_at_a_time;
    const planner some(problem);
    switch (chosen.relief) {
    case relief_choice::compact_first: return compact_first{}.choose(some);
    case relief_choice::evict_first: return evict_first{}.choose(some);
    case relief_choice::rent_or_buy: return renting.choose(some);
    default: return relieve_cheapest{}.choose(some);
    }
}

}  // namespace hbm::compare
