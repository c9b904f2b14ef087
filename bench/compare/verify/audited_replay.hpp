#pragma once

/// Replay of a workload in a manager whose events are audited.

#include <hbm/core/memory_spec.hpp>
#include <hbm/testing/event_audit.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "compare/managers/manager_entry.hpp"
#include "compare/replay/workload.hpp"

namespace hbm::compare {

/// Result of an audited replay.
struct audited_replay {
    std::uint64_t events = 0;  ///< number of events that were checked
    std::size_t row = 0;       ///< row after which the rule was broken, from 1
    testing::broken_rule broken;
};

/// Replays a workload over 64-bit quanta and checks each event, the free bytes after each row, and all blocks at the
/// end. Returns nothing for a manager that is not shipped.
[[nodiscard]] std::optional<audited_replay> replay_audited(const manager_entry& entry, const trace::workload& load,
                                                           const memory_spec& spec);

}  // namespace hbm::compare
