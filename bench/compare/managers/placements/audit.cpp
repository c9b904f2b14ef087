#include "compare/managers/placements/audit.hpp"

namespace hbm::compare {

namespace {

template <class P>
audited_replay replay_in(const manager<P>& empty, policy_choices choices, const trace::workload& load) {
    if (choices.relief == relief_choice::never) choices = {.donation = choices.donation};
    testing::event_audit audit;
    trace::replayed<audited_memory<P>> memory(
        empty.template under<audited_memory<P>>({.eviction = {.which = choices.eviction},
                                                 .donation = {choices.donation},
                                                 .relief = {.chosen = choices},
                                                 .events = {&audit}}));
    audit.look_at(memory.manager());
    trace::replay run(load, memory);
    while (run.step() && audit.check_sums(memory.manager())) {
    }
    if (audit.check_sums(memory.manager())) audit.check_blocks(memory.manager());
    return {.events = audit.events(), .row = run.at(), .broken = audit.broken()};
}

}  // namespace

audited_replay replay_audited(const manager<chosen_placement>& empty, policy_choices choices,
                              const trace::workload& load) {
    return replay_in(empty, choices, load);
}
audited_replay replay_audited(const manager<chosen_reserving>& empty, policy_choices choices,
                              const trace::workload& load) {
    return replay_in(empty, choices, load);
}

}  // namespace hbm::compare
