#include "compare/managers/chosen_policies.hpp"

#include <hbm/relief/compact_first.hpp>
#include <hbm/relief/evict_first.hpp>
#include <hbm/relief/planner.hpp>
#include <hbm/relief/relieve_cheapest.hpp>

namespace hbm::compare {

std::optional<plan> chosen_relief::choose(const planner& ways) const {
    planning_problem allowed = ways.problem();
    allowed.may_move = allowed.may_move && chosen.moves;
    allowed.choice = chosen.eviction == eviction_choice::never    ? victims::none
                     : chosen.eviction == eviction_choice::window ? victims::window
                                                                  : victims::one_at_a_time;
    const planner some(allowed);
    switch (chosen.relief) {
    case relief_choice::compact_first:
        return compact_first{}.choose(some);
    case relief_choice::evict_first:
        return evict_first{}.choose(some);
    case relief_choice::rent_or_buy:
        return renting.choose(some);
    default:
        return relieve_cheapest{}.choose(some);
    }
}

}  // namespace hbm::compare
