#pragma once
// The values of a memory snapshot of PyTorch: what its caching allocator holds, and what it did before.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/reading.hpp"

namespace hbm::imported {

/// A block of a segment: in use, or free for a later allocation.
struct snapshot_block {
    std::uint64_t address = 0;
    std::uint64_t size = 0;       ///< bytes, as the allocator rounded it
    std::uint64_t requested = 0;  ///< bytes that were asked for; the size, where the file does not say
    bool is_active = false;       ///< in use, also while another stream still has to be done with it
    bool is_allocated = false;    ///< in use and not freed yet
    std::uint32_t tag = 0;        ///< index into `memory_snapshot::tags`: who allocated it
};

/// A piece of device memory that the allocator got from the driver.
struct snapshot_segment {
    std::uint64_t address = 0;
    std::uint64_t size = 0;    ///< bytes
    std::uint64_t device = 0;  ///< number of the device
    std::int64_t stream = 0;
    std::vector<snapshot_block> blocks;  ///< in the order of their addresses
};

/// What an entry of a trace says.
enum class snapshot_action : std::uint8_t {
    allocated,       ///< `alloc`
    freed,           ///< `free_completed`: the memory can be used again
    free_requested,  ///< `free_requested`: nobody uses it any more but other streams
    out_of_memory,   ///< `oom`: an allocation failed
    other,           ///< of segments, and whatever later versions add
};

/// An entry of the trace of a device.
struct snapshot_entry {
    std::uint64_t address = 0;
    std::uint64_t size = 0;  ///< bytes that were asked for
    std::uint64_t time = 0;  ///< microseconds; that of the entry before, where the file does not say
    std::uint32_t tag = 0;   ///< index into `memory_snapshot::tags`
    snapshot_action what = snapshot_action::other;
};

/// The trace of a device.
struct snapshot_history {
    std::vector<snapshot_entry> entries;
    std::map<std::string, std::uint64_t>
        actions;            ///< how many entries there are of each action, by its name in the file
    bool has_time = false;  ///< whether any entry has a time
};

/// A memory snapshot.
struct memory_snapshot {
    std::vector<std::string> keys;                 ///< of the file, in alphabetical order
    std::vector<snapshot_segment> segments;        ///< of all devices
    std::vector<snapshot_history> histories;       ///< by number of the device
    std::vector<std::string> tags{std::string()};  ///< frames that say who allocated; the first is empty
    std::size_t crooked_segments = 0;              ///< segments whose blocks do not add up to their size

    /// The numbers of the devices that have segments or a trace, in ascending order. O(segments log(segments)).
    [[nodiscard]] std::vector<std::uint64_t> devices() const;
};

/// Reads a memory snapshot of PyTorch. O(size of the text).
[[nodiscard]] reading<memory_snapshot> read_snapshot(std::string_view text, const std::string& file);

}  // namespace hbm::imported
