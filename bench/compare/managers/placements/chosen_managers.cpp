#include <hbm/eviction/eviction.hpp>
#include <hbm/planning/relief.hpp>

#include "compare/managers/chosen_policies.hpp"
#include "compare/managers/explain_failure.hpp"
#include "compare/managers/placements/make_drivers.hpp"

// Managers whose policies are all chosen at run time: a type for each kind of planning, with and without scratch
// reserved at the bottom.

namespace hbm::compare {

namespace {

template <class Placement>
using waiting = manager<Placement, never_evict, chosen_donation, never_relieve>;
template <class Placement>
using planning = manager<Placement, chosen_eviction, chosen_donation, chosen_relief>;

template <class Placement>
std::unique_ptr<trace::replayed_memory> make_waiting(const manager<Placement>& empty, const policy_choices& choices) {
    using chosen = waiting<Placement>;
    return std::make_unique<trace::replayed<chosen>>(empty.template under<chosen>({.donation = {choices.donation}}));
}
template <class Placement>
std::unique_ptr<trace::replayed_memory> make_planning(const manager<Placement>& empty, const policy_choices& choices) {
    using chosen = planning<Placement>;
    return std::make_unique<trace::replayed<chosen>>(empty.template under<chosen>(
        {.eviction = {.which = choices.eviction}, .donation = {choices.donation}, .relief = {.chosen = choices}}));
}

template <class Placement>
planning_drivers drivers_of() {
    planning_drivers drivers;
    drivers.waiting.explain = &explain<waiting<Placement>>;
    drivers.planned.explain = &explain<planning<Placement>>;
    drivers.waiting.is_typed = drivers.planned.is_typed = false;
    return drivers;
}

}  // namespace

planning_drivers chosen_drivers(bool reserves) {
    return reserves ? drivers_of<chosen_reserving>() : drivers_of<chosen_placement>();
}

std::unique_ptr<trace::replayed_memory> waiting_memory(const empty_memory& empty, const policy_choices& choices) {
    return make_waiting(empty, choices);
}
std::unique_ptr<trace::replayed_memory> waiting_memory(const empty_reserving& empty, const policy_choices& choices) {
    return make_waiting(empty, choices);
}
std::unique_ptr<trace::replayed_memory> planning_memory(const empty_memory& empty, const policy_choices& choices) {
    return make_planning(empty, choices);
}
std::unique_ptr<trace::replayed_memory> planning_memory(const empty_reserving& empty, const policy_choices& choices) {
    return make_planning(empty, choices);
}

}  // namespace hbm::compare
