#pragma once

/// Row of a workload that failed in a memory.

#include <hbm/core/handle.hpp>
#include <hbm/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "compare/replay/workload.hpp"

namespace hbm::compare {

/// Failed row.
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

}  // namespace hbm::compare
