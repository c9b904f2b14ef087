#pragma once

/// Makes the drivers of a placement.

#include <hbm/eviction/never_evict.hpp>
#include <hbm/manager.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/relief/never_relieve.hpp>

#include <memory>

#include "compare/managers/chosen_policies.hpp"
#include "compare/managers/explain_failure.hpp"
#include "compare/managers/placements/placement_drivers.hpp"

namespace hbm::compare {

/// Types of managers: one that neither moves nor evicts, and one that does both if allowed. Both have the permission to
/// move, so that most of them is compiled once.
template <class P>
using waiting_manager = manager<P, never_evict, chosen_donation, never_relieve>;
template <class P>
using planning_manager = manager<P, chosen_eviction, chosen_donation, chosen_relief>;

/// Explains the memory of a manager type as one of the placement `Moving`, or as one of `Still` if its blocks stay.
template <class Still, class Moving, class Manager>
void explain_chosen(const trace::replayed_memory& memory, const policy_choices& choices, const failed_row& row,
                    failure_report& into) {
    if (choices.moves)
        explain_as<Moving, Manager>(memory, row, into);
    else
        explain_as<Still, Manager>(memory, row, into);
}

/// Makes the drivers of managers under `Moving`, which are explained under `Still` if their blocks stay.
template <class Still, class Moving>
[[nodiscard]] planning_drivers make_planning_drivers() {
    using waiting = waiting_manager<Moving>;
    using planning = planning_manager<Moving>;
    using explained_still = typename detail::explained<Still>::type;
    using explained_moving = typename detail::explained<Moving>::type;
    return {.waiting = {.unlimited = &waiting::unlimited,
                        .make = [](const memory_spec& spec,
                                   const policy_choices& choices) -> std::unique_ptr<trace::replayed_memory> {
                            return std::make_unique<trace::replayed<waiting>>(
                                spec, typename waiting::options{.donation = {choices.donation}});
                        },
                        .explain = &explain_chosen<explained_still, explained_moving, waiting>,
                        .is_typed = false},
            .planned = {.unlimited = &planning::unlimited,
                        .make = [](const memory_spec& spec,
                                   const policy_choices& choices) -> std::unique_ptr<trace::replayed_memory> {
                            return std::make_unique<trace::replayed<planning>>(
                                spec, typename planning::options{.eviction = {.which = choices.eviction},
                                                                 .donation = {choices.donation},
                                                                 .relief = {.chosen = choices}});
                        },
                        .explain = &explain_chosen<explained_still, explained_moving, planning>,
                        .is_typed = false}};
}

/// Returns the drivers of the placement `P`, with its name and abilities.
template <class P>
[[nodiscard]] placement_drivers describe_drivers(const planning_drivers& plain, const planning_drivers& reserving) {
    return {.name = {P::name.c_str(), P::name.size()},
            .learns_from_tags = learns_lifetimes<P>,
            .has_footprint = !heeds_lifetimes<P>,
            .plain = plain,
            .reserving = reserving};
}

/// Makes the drivers of the placement `P` with and without each adaptor.
template <class P>
[[nodiscard]] placement_drivers make_drivers() {
    return describe_drivers<P>(make_planning_drivers<P, compacting<P>>(),
                               make_planning_drivers<bottom_reserve<P>, bottom_reserve<compacting<P>>>());
}

}  // namespace hbm::compare
