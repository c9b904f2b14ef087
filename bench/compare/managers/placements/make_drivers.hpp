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

/// Makes the drivers of managers under the placement `P`, which has the permission to move if it can.
template <class P>
[[nodiscard]] planning_drivers make_planning_drivers() {
    using waiting = waiting_manager<P>;
    using planning = planning_manager<P>;
    return {.waiting = {.unlimited = &waiting::unlimited,
                        .make = [](const memory_spec& spec,
                                   const policy_choices& choices) -> std::unique_ptr<trace::replayed_memory> {
                            return std::make_unique<trace::replayed<waiting>>(
                                spec, typename waiting::options{.donation = {choices.donation}});
                        },
                        .explain = &explain<waiting>,
                        .is_typed = false},
            .planned = {.unlimited = &planning::unlimited,
                        .make = [](const memory_spec& spec,
                                   const policy_choices& choices) -> std::unique_ptr<trace::replayed_memory> {
                            return std::make_unique<trace::replayed<planning>>(
                                spec, typename planning::options{.eviction = {.which = choices.eviction},
                                                                 .donation = {choices.donation},
                                                                 .relief = {.chosen = choices}});
                        },
                        .explain = &explain<planning>,
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
    return describe_drivers<P>(make_planning_drivers<compacting<P>>(),
                               make_planning_drivers<bottom_reserve<compacting<P>>>());
}

}  // namespace hbm::compare
