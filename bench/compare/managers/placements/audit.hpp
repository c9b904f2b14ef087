#pragma once

/// Replay of a workload in a manager whose events are audited: one type for all placements.

#include <hbm/device/no_device.hpp>
#include <hbm/manager.hpp>
#include <hbm/testing/event_audit.hpp>

#include "compare/managers/audited_replay.hpp"
#include "compare/managers/chosen_policies.hpp"
#include "compare/managers/placements/chosen_placement.hpp"
#include "compare/replay/replayed_manager.hpp"

namespace hbm::compare {

/// Observer that passes events to an audit outside of the manager.
struct auditing {
    static constexpr fixed_string name{"auditing"};
    testing::event_audit* audit = nullptr;

    template <class Memory>
    void on(const event& e, const Memory& memory) {
        audit->on(e, memory);
    }
    [[maybe_unused]] friend bool operator==(const auditing&, const auditing&) = default;
};

/// Manager with policies chosen at run time whose events are audited.
template <class P>
using audited_memory = manager<P, chosen_eviction, chosen_donation, chosen_relief, no_device, auditing>;

/// Replays a workload in an empty memory under `choices`, and checks each event, the free bytes after each row, and all
/// blocks at the end.
[[nodiscard]] audited_replay replay_audited(const manager<chosen_placement>& empty, policy_choices choices,
                                            const trace::workload& load);
[[nodiscard]] audited_replay replay_audited(const manager<chosen_reserving>& empty, policy_choices choices,
                                            const trace::workload& load);

/// Replays a workload in an empty memory that contains a manager of type `Manager`.
template <class Manager>
[[nodiscard]] audited_replay audit(const trace::replayed_memory& empty, const policy_choices& choices,
                                   const trace::workload& load) {
    const Manager& contained = static_cast<const trace::replayed<Manager>&>(empty).manager();
    return replay_audited(contained.template under<manager<typename Manager::placement_type>>(), choices, load);
}

}  // namespace hbm::compare
