#include "compare/read/torch/snapshot_layout.hpp"

#include <hbm/explain/words.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include "compare/read/reading.hpp"
#include "compare/read/torch/snapshot_trace.hpp"
#include "compare/replay/workload_builder.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

trace::read_result layout_of(const memory_snapshot& snapshot, const std::string& file, std::string_view device_name,
                             layout_pins pins) {
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
