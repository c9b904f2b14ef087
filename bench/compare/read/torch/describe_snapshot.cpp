#include "compare/read/torch/describe_snapshot.hpp"

#include <hbm/explain/words.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "compare/read/file_kind.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/torch/memory_snapshot.hpp"
#include "compare/read/torch/snapshot_trace.hpp"
#include "compare/replay/workload_builder.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

namespace {

void write_device(json_writer& json, const memory_snapshot& snapshot, std::uint64_t device) {
    std::uint64_t reserved = 0;
    std::uint64_t allocated = 0;
    std::uint64_t active = 0;
    std::uint64_t blocks = 0;
    std::set<std::int64_t> streams;
    for (const snapshot_segment& segment : snapshot.segments) {
        if (segment.device != device) continue;
        reserved += segment.size;
        streams.insert(segment.stream);
        blocks += segment.blocks.size();
        for (const snapshot_block& each : segment.blocks) {
            allocated += each.is_allocated ? each.size : 0;
            active += each.is_active ? each.size : 0;
        }
    }
    const snapshot_sums sums = trace_device(snapshot, device, {}).sums;
    json.begin_object();
    json.field("reserved_bytes", reserved);
    json.field("allocated_bytes", allocated);
    json.field("active_bytes", active);
    json.field("requested_bytes", sums.active_bytes);
    json.field("blocks", blocks);
    json.key("streams");
    json.begin_array();
    for (const std::int64_t each : streams) json.literal(std::to_string(each));
    json.end_array();
    json.key("trace");
    json.begin_object();
    bool has_time = false;
    if (device < snapshot.histories.size()) {
        const snapshot_history& history = snapshot.histories[static_cast<std::size_t>(device)];
        has_time = history.has_time;
        for (const auto& [name, count] : history.actions) json.field(name, count);
    }
    json.end_object();
    json.field("has_time", has_time);
    json.field("live_before_trace", sums.live_before);
    json.field("live_before_trace_bytes", sums.live_before_bytes);
    json.field("peak_requested_bytes", sums.peak_bytes);
    json.field("live_after_trace_bytes", sums.live_after_bytes);
    json.end_object();
}

}  // namespace

reading<description> describe_snapshot(std::string_view text, const std::string& file) {
    const reading<memory_snapshot> read = read_snapshot(text, file);
    if (!read) return read.error();
    json_writer keys;
    keys.begin_array();
    for (const std::string& each : read->keys) keys.value(each);
    keys.end_array();
    json_writer devices;
    devices.begin_object();
    for (const std::uint64_t each : read->devices()) {
        devices.key(trace::decimal(each));
        write_device(devices, *read, each);
    }
    devices.end_object();
    description made;
    made.kind = file_kind::snapshot;
    made.more = {
        {"keys", keys.text()}, {"segments", trace::decimal(read->segments.size())}, {"devices", devices.text()}};
    return made;
}

trace::read_result layout_of(const memory_snapshot& snapshot, const std::string& file, std::string_view device_name,
                             layout_pins pins) {
    const reading<std::uint64_t> device = device_of(snapshot, file, device_name);
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
