#pragma once

/// Cell of the comparison: a manager that replays a workload.

#include <hbm/core/memory_spec.hpp>

#include <cstdint>
#include <memory>
#include <optional>

#include "compare/cells/luck.hpp"
#include "compare/managers/manager_entry.hpp"
#include "compare/replay/figures.hpp"
#include "compare/replay/replayed_memory.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

/// Figures, and the setup of another replay for timing.
struct cell {
    trace::figures found;
    std::optional<luck> needs;  ///< needs over variants of the workload; empty if there were none
    memory_spec spec;           ///< memory in which the figures were taken
    const driver* with = nullptr;
    bool is_wide = false;  ///< true if it takes more than 2^32 - 1 quanta
};

/// Returns a new memory to take the figures of a cell again, over the same quanta or those of `with`.
[[nodiscard]] std::unique_ptr<trace::replayed_memory> memory_of(const cell& known);
[[nodiscard]] std::unique_ptr<trace::replayed_memory> memory_of(const cell& known, const driver& with);

/// Replays `load` under `manager` in the memory of the scenario. A manager that places from the top has no footprint:
/// in unlimited memory, it runs at its minimum capacity. With `limit::needed`, all run at their minimum capacities, and
/// only footprint and overhead ratio are those of unlimited memory.
[[nodiscard]] cell evaluate(const manager_entry& manager, const scenario& load);

/// Returns the need of a manager: its footprint if memory is unlimited and it has one, or else its minimum capacity.
/// Like `evaluate` without other figures. Empty if it does not complete.
[[nodiscard]] std::optional<std::uint64_t> find_need(const manager_entry& entry, const scenario& subject);

/// Returns the cell of `evaluate` for given figures, without a replay.
[[nodiscard]] cell known_cell(const manager_entry& manager, const scenario& load, const trace::figures& figures);

/// Returns the nanoseconds per row of another replay; 0 if no row succeeds.
[[nodiscard]] double time_once(const cell& known, const scenario& load);

}  // namespace hbm::compare
