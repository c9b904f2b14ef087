#pragma once
// A memory snapshot of PyTorch as a trace of one device, and what lies where at its end.

#include <cstdint>
#include <string>
#include <string_view>

#include "compare/read/read_error.hpp"
#include "compare/read/reading.hpp"
#include "compare/read/torch/memory_snapshot.hpp"
#include "compare/replay/workload.hpp"

namespace hbm::imported {

/// What the trace of a device comes to, in bytes that were asked for.
struct snapshot_sums {
    std::uint64_t live_before = 0;        ///< buffers that are older than the trace
    std::uint64_t live_before_bytes = 0;  ///< their bytes
    std::uint64_t peak_bytes = 0;         ///< the most that was live at once
    std::uint64_t live_after_bytes = 0;   ///< live after the last entry
    std::uint64_t active_bytes = 0;       ///< in the active blocks: the same, unless the file contradicts itself
    std::uint64_t lost_frees = 0;         ///< allocations at an address where a buffer was live
    std::uint64_t stray_frees = 0;        ///< frees of what an earlier entry freed
    std::uint64_t earlier_times = 0;      ///< entries with a time before that of the entry before
};

/// The trace of one device, and what it comes to.
struct traced_snapshot {
    trace::workload trace;
    snapshot_sums sums;
};

/// Makes the trace of one device; `file` becomes the name of the workload. Buffers that are older than the recorded
/// entries, which are a ring, come first: those that an entry frees, and active blocks that no entry allocates.
/// Addresses are used again, so each buffer gets an id of its own: its address and how many buffers had it before.
/// Cost: O(n log(n)) of entries and blocks.
[[nodiscard]] traced_snapshot trace_device(const memory_snapshot& snapshot, std::uint64_t device, std::string file);

/// Returns the device that a person means by its number, as `1` or `cuda:1`, or the first that has anything if `name`
/// is empty. An error names the devices.
[[nodiscard]] reading<std::uint64_t> device_of(const memory_snapshot& snapshot, const std::string& file,
                                               std::string_view name);

/// A snapshot as a trace of the device `name`; see `device_of` and `trace_device`.
[[nodiscard]] trace::read_result trace_of(const memory_snapshot& snapshot, const std::string& file,
                                          std::string_view name = {});

}  // namespace hbm::imported
