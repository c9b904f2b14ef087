#pragma once
// What lay where during a replay: the blocks, the places in which each of them lay, and what relief did. Pictures and
// files for other viewers are made of it.

#include <cstdint>

#include "compare/replay/recorded.hpp"
#include "compare/replay/replay.hpp"
#include "compare/replay/replayed_memory.hpp"
#include "compare/replay/workload.hpp"

namespace hbm::trace {

/// Replays all rows of `trace`, or as many as succeed, and records each. Requires: `memory` is new and has quanta of
/// `quantum` bytes. Cost: O(1) for an allocation or free without relief, O(blocks) for other rows, and what the manager
/// takes.
[[nodiscard]] history record_history(const workload& trace, replayed_memory& memory, std::uint64_t quantum);

}  // namespace hbm::trace
