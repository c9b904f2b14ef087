#pragma once
// A memory snapshot of PyTorch as a trace of one device, with the layout at its end.

#include <cstdint>
#include <string>
#include <string_view>

#include "compare/read/description.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/torch/memory_snapshot.hpp"
#include "compare/replay/workload.hpp"

namespace hbm::imported {

/// Sums over the trace of a device, in requested bytes.
struct snapshot_sums {
    std::uint64_t live_before = 0;        ///< buffers that are older than the trace
    std::uint64_t live_before_bytes = 0;  ///< their bytes
    std::uint64_t peak_bytes = 0;         ///< peak of the live bytes
    std::uint64_t live_after_bytes = 0;   ///< live bytes after the last entry
    std::uint64_t active_bytes = 0;       ///< bytes of active blocks; normally equal to `live_after_bytes`
    std::uint64_t lost_frees = 0;         ///< allocations at an address with a live buffer
    std::uint64_t stray_frees = 0;        ///< frees of buffers that an earlier entry freed
    std::uint64_t earlier_times = 0;      ///< entries with an earlier time than their predecessor
};

/// Trace of one device, with its sums.
struct traced_snapshot {
    trace::workload trace;
    snapshot_sums sums;
};

/// Makes the trace of one device; `file` becomes the name of the workload. Buffers older than the recorded ring of
/// entries come first: those that an entry frees, and active blocks that no entry allocates. Addresses are used again,
/// so the id of a buffer is its address and the number of earlier buffers there.
/// Cost: O(n log(n)) of entries and blocks.
[[nodiscard]] traced_snapshot trace_device(const memory_snapshot& snapshot, std::uint64_t device, std::string file);

/// Returns the device with the number `name`, written `1` or `cuda:1`. An empty `name` selects the first device with
/// any content.
/// Fails: the error names the devices.
[[nodiscard]] reading<std::uint64_t> device_of(const memory_snapshot& snapshot, const std::string& file,
                                               std::string_view name);

/// Returns the trace of the device `name` in a snapshot; see `device_of` and `trace_device`.
[[nodiscard]] trace::read_result trace_of(const memory_snapshot& snapshot, const std::string& file,
                                          std::string_view name = {});

/// Describes a snapshot, each device separately. It has no arguments, outputs or temporaries, so those are null.
[[nodiscard]] reading<description> describe_snapshot(std::string_view text, const std::string& file);

/// Mobility of the buffers of a layout.
enum class layout_pins : std::uint8_t {
    lifted,  ///< each import is followed by an unpin, so that a manager that compacts may move the buffer
    kept,    ///< all stay in place, as in PyTorch
};

/// Returns the active blocks of a device as imported ranges. Segments lie far apart in the address space. Here they
/// follow one another from offset 0 in the order of their addresses, and blocks keep their place in their segment. Free
/// space on both sides of the border of two segments becomes one hole, which PyTorch would not use as one.
/// Cost: O(n log(n)) of segments, O(blocks).
[[nodiscard]] trace::read_result layout_of(const memory_snapshot& snapshot, const std::string& file,
                                           std::string_view device_name = {}, layout_pins pins = layout_pins::lifted);

}  // namespace hbm::imported
