#pragma once

/// Lives of the buffers of a workload, for packing.

#include <hbm/pack/block.hpp>

#include <cstdint>
#include <optional>
#include <vector>

#include "compare/replay/workload.hpp"

namespace hbm::compare {

/// Returns the buffers of a workload with their lives, in the order of their allocation, in bytes of whole quanta.
/// Empty if these are not all determined beforehand: with programs, pins and imports.
[[nodiscard]] std::optional<std::vector<pack::block>> blocks_of(const trace::workload& load, std::uint64_t quantum);

}  // namespace hbm::compare
