#pragma once
// The values of a memory snapshot of PyTorch: the contents of its caching allocator, and its recorded history.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/read_error.hpp"

namespace hbm::imported {

/// Block of a segment: in use, or free for a later allocation.
struct snapshot_block {
    std::uint64_t address = 0;
    std::uint64_t size = 0;       ///< bytes, as the allocator rounded it
    std::uint64_t requested = 0;  ///< requested bytes; the size, if the file does not state them
    bool is_active = false;       ///< in use, even if freed but still used by another stream
    bool is_allocated = false;    ///< in use and not freed yet
    std::uint32_t tag = 0;        ///< index into `memory_snapshot::tags`: the allocating frame
};

/// Piece of device memory that the allocator got from the driver.
struct snapshot_segment {
    std::uint64_t address = 0;
    std::uint64_t size = 0;    ///< bytes
    std::uint64_t device = 0;  ///< number of the device
    std::int64_t stream = 0;
    std::vector<snapshot_block> blocks;  ///< blocks in the order of their addresses
};

/// Action of an entry of a trace.
enum class snapshot_action : std::uint8_t {
    allocated,       ///< `alloc`
    freed,           ///< `free_completed`: the memory can be used again
    free_requested,  ///< `free_requested`: only other streams still use it
    out_of_memory,   ///< `oom`: an allocation failed
    other,           ///< action on a segment, or of a later version
};

/// An entry of the trace of a device.
struct snapshot_entry {
    std::uint64_t address = 0;
    std::uint64_t size = 0;  ///< requested bytes
    std::uint64_t time = 0;  ///< microseconds; the previous entry's, if the file does not state them
    std::uint32_t tag = 0;   ///< index into `memory_snapshot::tags`
    snapshot_action what = snapshot_action::other;
};

/// The trace of a device.
struct snapshot_history {
    std::vector<snapshot_entry> entries;
    std::map<std::string, std::uint64_t> actions;  ///< number of entries of each action, by its name in the file
    bool has_time = false;                         ///< true if any entry has a time
};

/// A memory snapshot.
struct memory_snapshot {
    std::vector<std::string> keys;                 ///< keys of the file, in alphabetical order
    std::vector<snapshot_segment> segments;        ///< segments of all devices
    std::vector<snapshot_history> histories;       ///< traces by number of the device
    std::vector<std::string> tags{std::string()};  ///< frames of allocating code; the first is empty
    std::size_t crooked_segments = 0;              ///< segments whose blocks do not add up to their size

    /// Returns the numbers of the devices that have segments or a trace, in ascending order.
    /// Cost: O(segments log(segments)).
    [[nodiscard]] std::vector<std::uint64_t> devices() const;
};

/// Reads a memory snapshot of PyTorch. Cost: O(size of the text).
[[nodiscard]] reading<memory_snapshot> read_snapshot(std::string_view text, const std::string& file);

}  // namespace hbm::imported
