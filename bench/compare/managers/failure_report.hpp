#pragma once

/// Report about a manager that failed: the contents of its memory, and possible remedies.

#include <hbm/core/extent.hpp>
#include <hbm/core/handle.hpp>
#include <hbm/core/result.hpp>
#include <hbm/explain/dump_text.hpp>
#include <hbm/explain/explanation.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "compare/replay/workload.hpp"

namespace hbm::compare {

/// Row of a workload that failed in a memory.
struct failed_row {
    const trace::workload* load = nullptr;
    std::size_t at = 0;
    failure why;
    std::vector<buffer> buffers = {};  ///< buffers by id of the workload
    std::string_view manager;
    bool evicts = false;
    bool donates = false;
    bool moves = false;
    std::uint64_t effort = 0;  ///< see `explain_options`
};

/// Dump and explanation; both are empty if no row failed.
struct failure_report {
    allocation_dump dumped;
    explanation explained;
};

/// Removes the ages from a dump of a workload with programs if none had run before the row `now`. Ages would then only
/// number the buffers.
/// Cost: O(rows + blocks).
void forget_idle_ages(allocation_dump& dumped, const trace::workload& load, std::size_t now);

/// Adds to a dump what only the workload knows, when the row `now` fails: the ages of blocks, the range of a failed
/// import and its obstacle, and the tags of the trace with their bytes and growth. `places` are those of buffers by id;
/// empty for buffers that are not in memory. Cost: O(rows).
void add_workload(allocation_dump& dumped, const trace::workload& load, std::size_t now,
                  const std::vector<extent>& places);

}  // namespace hbm::compare
