#pragma once
// Variants of a workload that a user would call the same: what differs between their needs is luck.

#include <cstdint>

#include "compare/replay/workload.hpp"

namespace hbm::trace {

/// Returns a variant of a workload, the same for the same `number` on every machine. Sizes are rounded up to 2 KiB if
/// the number leaves 1 when divided by 3, to 8 KiB if it leaves 2. One row in 50 changes places with the next, if both
/// allocate or free different buffers, at any time within a step; one allocation in 50 changes places with a later
/// one of equal size, so that each buffer lies where a tie would have put the other. Programs run in their order, and
/// times stay where they are. Number 0 is the workload itself.
/// Cost: O(rows).
[[nodiscard]] workload variant_of(const workload& original, std::uint64_t number);

}  // namespace hbm::trace
