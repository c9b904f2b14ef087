#pragma once

/// A recorded replay for the page: the places of the blocks, in addition to the data that all managers share.

#include <optional>
#include <string>
#include <vector>

#include "compare/page/packed/trace_blocks.hpp"
#include "compare/replay/history.hpp"

namespace hbm::compare {

/// Returns the replay in the format that bench/README.md describes; empty if its addresses are beyond
/// `max_exact_number` quanta. `blocks` are those of `load`. Cost: O(places x holes).
[[nodiscard]] std::optional<std::string> packed_history(const trace::history& made, const trace::workload& load,
                                                        const std::vector<trace_block>& blocks, std::uint64_t quantum);

}  // namespace hbm::compare
