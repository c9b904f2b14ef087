#pragma once

/// Makes the drivers of a placement.

#include <hbm/manager.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/compacting.hpp>

#include <memory>
#include <type_traits>

#include "compare/managers/placements/chosen_placement.hpp"
#include "compare/managers/placements/placement_drivers.hpp"

namespace hbm::compare {

/// Drivers without functions that depend on the placement.
[[nodiscard]] planning_drivers chosen_drivers(bool reserves);

/// Returns a memory with the policies of `choices`: one that neither moves nor evicts, or one that does both if
/// allowed. `empty` has the placement, and no blocks.
using empty_memory = manager<chosen_placement>;
using empty_reserving = manager<chosen_reserving>;
[[nodiscard]] std::unique_ptr<trace::replayed_memory> waiting_memory(const empty_memory& empty,
                                                                     const policy_choices& choices);
[[nodiscard]] std::unique_ptr<trace::replayed_memory> waiting_memory(const empty_reserving& empty,
                                                                     const policy_choices& choices);
[[nodiscard]] std::unique_ptr<trace::replayed_memory> planning_memory(const empty_memory& empty,
                                                                      const policy_choices& choices);
[[nodiscard]] std::unique_ptr<trace::replayed_memory> planning_memory(const empty_reserving& empty,
                                                                      const policy_choices& choices);

/// Makes the drivers of managers under the placement `P`.
template <class P>
[[nodiscard]] planning_drivers make_planning_drivers() {
    using empty = std::conditional_t<reserves<P>, empty_reserving, empty_memory>;
    planning_drivers drivers = chosen_drivers(reserves<P>);
    drivers.waiting.unlimited = drivers.planned.unlimited = &manager<P>::unlimited;
    drivers.waiting.make = [](const memory_spec& spec, const policy_choices& choices) {
        return waiting_memory(manager<P>(spec).template under<empty>(), choices);
    };
    drivers.planned.make = [](const memory_spec& spec, const policy_choices& choices) {
        return planning_memory(manager<P>(spec).template under<empty>(), choices);
    };
    return drivers;
}

/// Returns the drivers of the placement `P`, with its name and abilities.
template <class P>
[[nodiscard]] placement_drivers describe_drivers(const planning_drivers& plain, const planning_drivers& reserving) {
    return {.name = {P::name.c_str(), P::name.size()},
            .has_footprint = !heeds_lifetimes<P>,
            .plain = plain,
            .reserving = reserving};
}

/// Makes the drivers of the placement `P` with and without each adaptor.
template <class P>
[[nodiscard]] placement_drivers make_drivers() {
    return describe_drivers<P>(make_planning_drivers<P>(), make_planning_drivers<bottom_reserve<P>>());
}

}  // namespace hbm::compare
