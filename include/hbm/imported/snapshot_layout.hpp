#pragma once
// What lies where at the end of a memory snapshot of PyTorch, as import rows of a trace.

#include <hbm/imported/memory_snapshot.hpp>
#include <hbm/imported/outcome.hpp>
#include <hbm/imported/snapshot_trace.hpp>
#include <hbm/report/words.hpp>
#include <hbm/trace/text.hpp>
#include <hbm/trace/workload_builder.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hbm::imported {

/// Whether the buffers of a layout may move.
enum class layout_pins : std::uint8_t {
    lifted,  ///< each import is followed by an unpin, so that a manager that compacts may move the buffer
    kept,    ///< all stay where they are, as in PyTorch
};

/// The active blocks of a device as imported ranges. Segments lie far apart in the address space; here they follow one
/// another from offset 0 in the order of their addresses, and blocks keep their place in their segment. Free space on
/// both sides of the border of two segments becomes one hole, which PyTorch would not use as one.
/// O(n log(n)) of segments, O(blocks).
[[nodiscard]] inline trace::read_result layout_of(const memory_snapshot& snapshot, const std::string& file,
                                                  std::string_view device_name = {},
                                                  layout_pins pins = layout_pins::lifted) {
    const outcome<std::uint64_t> device = device_of(snapshot, file, device_name);
    if (!device) return device.error();
    std::vector<const snapshot_segment*> segments;
    for (const snapshot_segment& each : snapshot.segments)
        if (each.device == *device) segments.push_back(&each);
    std::sort(segments.begin(), segments.end(),
              [](const snapshot_segment* a, const snapshot_segment* b) { return a->address < b->address; });
    trace::workload_builder builder(file);
    std::vector<std::string> ids;
    std::uint64_t begin = 0;
    for (const snapshot_segment* each : segments) {
        if (each->size > ~begin)
            return trace::read_error{file, 0, 0, "segments of more than 2^64 bytes together", "segments of a device"};
        for (const snapshot_block& block : each->blocks) {
            // An active block has at least a byte.
            if (!block.is_active || block.size == 0) continue;
            ids.push_back("block" + trace::decimal(ids.size() + 1));
            (void)builder.import_at(ids.back(), block.size, begin + (block.address - each->address),
                                    snapshot.tags[block.tag]);
        }
        begin += each->size;
    }
    if (pins == layout_pins::lifted)
        for (const std::string& each : ids) (void)builder.unpin(each);
    builder.note("the segments have " + size_in_words(begin) +
                 " together, the capacity that this layout had: pass it as "
                 "--capacity " +
                 trace::decimal(begin));
    if (snapshot.crooked_segments != 0)
        builder.note("the blocks of " + trace::decimal(snapshot.crooked_segments) +
                     " segments do not add up to the size of the segment: blocks are missing");
    return std::move(builder).finish();
}

}  // namespace hbm::imported
