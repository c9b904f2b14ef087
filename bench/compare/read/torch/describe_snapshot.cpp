#include "compare/read/torch/describe_snapshot.hpp"

#include <cstddef>
#include <cstdint>
#include <set>

#include "compare/read/file_kind.hpp"
#include "compare/read/torch/memory_snapshot.hpp"
#include "compare/read/torch/snapshot.hpp"
#include "compare/read/torch/snapshot_trace.hpp"
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

outcome<description> describe_snapshot(std::string_view text, const std::string& file) {
    const outcome<memory_snapshot> read = read_snapshot(text, file);
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

}  // namespace hbm::imported
