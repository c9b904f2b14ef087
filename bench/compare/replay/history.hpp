#pragma once
// Recording of a replay: the blocks, their places, and the actions of relief. Pictures and files for viewers use it.

#include <cstddef>
#include <cstdint>
#include <functional>

#include "compare/replay/recorded.hpp"
#include "compare/replay/replay.hpp"
#include "compare/replay/replayed_memory.hpp"
#include "compare/replay/workload.hpp"

namespace hbm::trace {

/// Replays all rows of `trace`, or as many as succeed, and records each. Requires: `memory` is new and has quanta of
/// `quantum` bytes.
/// Cost: O(1) for an allocation or free without relief, O(blocks) for other rows; in addition the manager's.
[[nodiscard]] history record_history(const workload& trace, replayed_memory& memory, std::uint64_t quantum);

/// Replays like `record_history`, and calls `visit` for each part of at most `rows` rows, the last of which has the
/// failure. A block that a part finds in memory begins anew there, without its subject.
void record_parts(const workload& trace, replayed_memory& memory, std::uint64_t quantum, std::size_t rows,
                  const std::function<void(const history&)>& visit);

}  // namespace hbm::trace
