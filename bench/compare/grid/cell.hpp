#pragma once

/// Cell of the comparison: a manager that replays a workload.

#include <hbm/core/memory_spec.hpp>

#include <cstdint>
#include <memory>
#include <optional>

#include "compare/managers/manager_entry.hpp"
#include "compare/replay/figures.hpp"
#include "compare/replay/replayed_memory.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

/// Figures, and the memory in which they were taken.
struct cell {
    trace::figures found;
    memory_spec spec;
    const manager_entry* with = nullptr;  ///< null until it is evaluated
};

/// Returns a new memory to replay a cell again.
[[nodiscard]] std::unique_ptr<trace::replayed_memory> memory_of(const cell& known);

/// Replays `load` under `manager` in the memory of the scenario. A manager that places from the top has no footprint:
/// in unlimited memory, it runs at its minimum capacity. With `limit::needed`, all run at their minimum capacities, and
/// only footprint and overhead ratio are those of unlimited memory.
[[nodiscard]] cell evaluate(const manager_entry& manager, const scenario& load);

}  // namespace hbm::compare
