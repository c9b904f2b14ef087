#pragma once

/// What a manager asks of its placement, to make a plan of.

#include <hbm/pack/known_sequence.hpp>

#include <cstddef>

#include "compare/manager_entry.hpp"
#include "compare/workloads.hpp"

namespace hbm::compare {

/// What a manager asks of its placement and gives back during the first rows of a workload where memory never runs out,
/// in quanta: buffers, outputs that take over no input, code, and scratch that is not reserved. So nothing is evicted
/// or moved, and no row waits for a run in flight. O(rows).
[[nodiscard]] known_sequence seen_requests(const manager_entry& who, const scenario& in, std::size_t rows);

}  // namespace hbm::compare
