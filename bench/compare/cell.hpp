#pragma once

/// One cell of the comparison: a manager meets a workload.

#include <hbm/core/memory_spec.hpp>
#include <hbm/trace/figures.hpp>

#include "compare/manager_entry.hpp"
#include "compare/workloads.hpp"

namespace hbm::compare {

/// What came out, and how to do it again for the clock.
struct cell {
    trace::figures found;
    memory_spec spec;  ///< the memory in which the figures were taken
    const driver* with = nullptr;
    bool is_wide = false;  ///< over 64-bit quanta
};

/// Replays `load` under `each` as the scenario says. A manager that places from the top has no footprint: where the
/// memory is unlimited it runs at its minimum capacity.
[[nodiscard]] cell evaluate(const manager_entry& each, const scenario& in);

/// Nanoseconds a row of one more replay; 0 when no row succeeds.
[[nodiscard]] double time_once(const cell& of, const scenario& in);

}  // namespace hbm::compare
