#pragma once
/// The part of a workload that is in the device's memory.

#include <cstddef>
#include <cstdint>

#include "compare/replay/workload.hpp"

namespace hbm::compare {

/// Buffers of a workload in other memories than the device's.
struct other_memories {
    std::size_t buffers = 0;
    std::uint64_t peak_bytes = 0;  ///< the most that is live in all of them at once
};

/// Leaves out all rows of buffers in other memories, and these buffers from rows that use them. Returns their figures.
/// Cost: O(rows), and without such buffers O(1).
other_memories keep_device_part(trace::workload& load);

}  // namespace hbm::compare
