#include "compare/read/torch/snapshot_trace.hpp"

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
#include "compare/replay/workload_builder.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

namespace {

/// Builder of the trace of one device.
class snapshot_tracer {
public:
    /// `snapshot` must outlive the tracer; `file` becomes the name of the workload.
    snapshot_tracer(const memory_snapshot& snapshot, std::uint64_t device, std::string file)
        : snapshot_(snapshot), device_(device), builder_(std::move(file)) {}

    traced_snapshot make() {
        gather_addresses();
        place_older_buffers();
        if (device_ < snapshot_.histories.size()) {
            const snapshot_history& history = snapshot_.histories[static_cast<std::size_t>(device_)];
            for (const snapshot_entry& item : history.entries) apply(item, history.has_time);
        }
        sums_.live_after_bytes = live_bytes_;
        say_what_is_odd();
        return {std::move(builder_).finish(), sums_};
    }

private:
    /// State of an address.
    struct place {
        std::uint64_t address = 0;
        std::uint64_t bytes = 0;
        std::uint32_t buffers = 0;  // number of buffers so far
        bool is_live = false;
    };

    void gather_addresses() {
        if (device_ < snapshot_.histories.size())
            for (const snapshot_entry& item : snapshot_.histories[static_cast<std::size_t>(device_)].entries)
                if (is_about_buffer(item)) places_.push_back({.address = item.address});
        for (const snapshot_segment& segment : snapshot_.segments)
            if (segment.device == device_)
                for (const snapshot_block& item : segment.blocks)
                    if (item.is_active) places_.push_back({.address = item.address});
        const auto by_address = [](const place& a, const place& b) { return a.address < b.address; };
        const auto same = [](const place& a, const place& b) { return a.address == b.address; };
        std::sort(places_.begin(), places_.end(), by_address);
        places_.erase(std::unique(places_.begin(), places_.end(), same), places_.end());
    }

    static bool is_about_buffer(const snapshot_entry& entry) noexcept {
        return entry.what == snapshot_action::allocated || entry.what == snapshot_action::freed;
    }

    place& at(std::uint64_t address) {
        return *std::lower_bound(places_.begin(), places_.end(), address,
                                 [](const place& item, std::uint64_t wanted) { return item.address < wanted; });
    }

    void place_older_buffers() {
        enum : std::uint8_t { untouched, allocated, freed };
        std::vector<std::uint8_t> first(places_.size(), untouched);
        std::vector<std::uint64_t> bytes(places_.size(), 0);
        std::vector<std::uint32_t> tags(places_.size(), 0);
        const auto index_of = [&](std::uint64_t address) {
            return static_cast<std::size_t>(&at(address) - places_.data());
        };
        if (device_ < snapshot_.histories.size())
            for (const snapshot_entry& item : snapshot_.histories[static_cast<std::size_t>(device_)].entries) {
                if (!is_about_buffer(item)) continue;
                const std::size_t index = index_of(item.address);
                if (first[index] != untouched) continue;
                first[index] = item.what == snapshot_action::freed ? freed : allocated;
                bytes[index] = item.size;
            }
        for (const snapshot_segment& segment : snapshot_.segments) {
            if (segment.device != device_) continue;
            for (const snapshot_block& item : segment.blocks) {
                if (!item.is_active) continue;
                sums_.active_bytes += item.requested;
                const std::size_t index = index_of(item.address);
                if (first[index] != untouched) continue;
                first[index] = freed;
                bytes[index] = item.requested;
                tags[index] = item.tag;
            }
        }
        for (std::size_t index = 0; index < places_.size(); ++index) {
            if (first[index] != freed) continue;
            ++sums_.live_before;
            sums_.live_before_bytes += bytes[index];
            begin(places_[index], bytes[index],
                  tags[index] == 0 ? "older than the trace" : snapshot_.tags[tags[index]]);
        }
    }

    void apply(const snapshot_entry& entry, bool is_timed) {
        if (is_timed) {
            if (!has_begun_) began_ = latest_ = entry.time;
            has_begun_ = true;
            if (entry.time < latest_) ++sums_.earlier_times;
            latest_ = std::max(latest_, entry.time);
            (void)builder_.at_time(latest_ - began_);
        }
        if (entry.what == snapshot_action::out_of_memory) {
            builder_.skip();
            refused_ = entry.size;
        }
        if (!is_about_buffer(entry)) return;
        place& here = at(entry.address);
        if (entry.what == snapshot_action::freed) {
            if (here.is_live)
                end(here);
            else
                ++sums_.stray_frees;
            return;
        }
        if (here.is_live) {
            ++sums_.lost_frees;
            end(here);
        }
        begin(here, entry.size, snapshot_.tags[entry.tag]);
    }

    // Begins a buffer. Ids are new and tags are valid, so no row is rejected.
    void begin(place& here, std::uint64_t bytes, std::string_view tag) {
        here.is_live = true;
        here.bytes = bytes;
        (void)builder_.alloc(id_of(here), bytes, tag);
        live_bytes_ += bytes;
        sums_.peak_bytes = std::max(sums_.peak_bytes, live_bytes_);
    }

    void end(place& here) {
        (void)builder_.free(id_of(here));
        here.is_live = false;
        ++here.buffers;
        live_bytes_ -= here.bytes;
    }

    static std::string id_of(const place& here) {
        constexpr std::string_view digits = "0123456789abcdef";
        std::string hex;
        for (std::uint64_t left = here.address; left != 0 || hex.empty(); left >>= 4U) hex += digits[left & 15U];
        return "b" + std::string(hex.rbegin(), hex.rend()) + '_' + trace::decimal(here.buffers);
    }

    void say_what_is_odd() {
        using trace::decimal;
        if (refused_ != 0) builder_.note("the last allocation that failed requested " + decimal(refused_) + " bytes");
        if (sums_.live_after_bytes != sums_.active_bytes)
            builder_.note("after the last entry " + decimal(sums_.live_after_bytes) +
                          " requested bytes are live, but the active blocks of the snapshot hold " +
                          decimal(sums_.active_bytes) + ": entries are missing");
        if (sums_.lost_frees != 0)
            builder_.note(decimal(sums_.lost_frees) +
                          " allocations at an address where a buffer was live: it is taken to be freed before");
        if (sums_.stray_frees != 0)
            builder_.note(decimal(sums_.stray_frees) + " frees of what was freed before are left out");
        if (sums_.earlier_times != 0)
            builder_.note(decimal(sums_.earlier_times) +
                          " entries have a time before that of the entry before, and get that one's");
    }

    const memory_snapshot& snapshot_;
    std::uint64_t device_;
    trace::workload_builder builder_;
    std::vector<place> places_;  // places in the order of addresses
    snapshot_sums sums_;
    std::uint64_t live_bytes_ = 0;
    std::uint64_t began_ = 0;
    std::uint64_t latest_ = 0;
    std::uint64_t refused_ = 0;  // bytes of the last allocation that failed
    bool has_begun_ = false;
};

}  // namespace

traced_snapshot trace_device(const memory_snapshot& snapshot, std::uint64_t device, std::string file) {
    return snapshot_tracer(snapshot, device, std::move(file)).make();
}

reading<std::uint64_t> device_of(const memory_snapshot& snapshot, const std::string& file, std::string_view name) {
    const std::vector<std::uint64_t> all = snapshot.devices();
    if (name.empty()) return all.empty() ? std::uint64_t{0} : all.front();
    std::uint64_t wanted = 0;
    if (trace::parse_number(name.substr(name.rfind(':') + 1), wanted) &&
        std::find(all.begin(), all.end(), wanted) != all.end())
        return wanted;
    std::string words;
    for (std::size_t at = 0; at < all.size() && at < 16; ++at) words += (at == 0 ? "" : ", ") + trace::decimal(all[at]);
    return trace::read_error{file, 0, 0, "no device " + trace::quoted(name),
                             "one of the devices of the snapshot: " + words};
}

trace::read_result trace_of(const memory_snapshot& snapshot, const std::string& file, std::string_view name) {
    const reading<std::uint64_t> device = device_of(snapshot, file, name);
    if (!device) return device.error();
    trace::workload result = trace_device(snapshot, *device, file).trace;
    if (const std::size_t devices = snapshot.devices().size(); name.empty() && devices > 1)
        result.notes.push_back("the snapshot has " + trace::decimal(devices) + " devices, and this is device " +
                               trace::decimal(*device) + "; choose another with --device");
    return result;
}

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
        for (const snapshot_block& entry : segment.blocks) {
            allocated += entry.is_allocated ? entry.size : 0;
            active += entry.is_active ? entry.size : 0;
        }
    }
    const snapshot_sums sums = trace_device(snapshot, device, {}).sums;
    json.begin_object();
    json.field("reserved_bytes", reserved);
    json.field("allocated_bytes", allocated);
    json.field("active_bytes", active);
    json.field("requested_bytes", sums.active_bytes);
    json.field("blocks", blocks);
    json.array("streams", streams, [&](const std::int64_t entry) { json.literal(std::to_string(entry)); });
    json.begin_object("trace");
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
    keys.values(read->keys);
    json_writer devices;
    devices.begin_object();
    for (const std::uint64_t entry : read->devices()) {
        devices.key(trace::decimal(entry));
        write_device(devices, *read, entry);
    }
    devices.end_object();
    description result;
    result.kind = file_kind::snapshot;
    result.more = {
        {"keys", keys.text()}, {"segments", trace::decimal(read->segments.size())}, {"devices", devices.text()}};
    return result;
}

trace::read_result layout_of(const memory_snapshot& snapshot, const std::string& file, std::string_view device_name,
                             layout_pins pins) {
    const reading<std::uint64_t> device = device_of(snapshot, file, device_name);
    if (!device) return device.error();
    std::vector<const snapshot_segment*> segments;
    for (const snapshot_segment& entry : snapshot.segments)
        if (entry.device == *device) segments.push_back(&entry);
    std::sort(segments.begin(), segments.end(),
              [](const snapshot_segment* a, const snapshot_segment* b) { return a->address < b->address; });
    trace::workload_builder builder(file);
    std::vector<std::string> ids;
    std::uint64_t begin = 0;
    for (const snapshot_segment* entry : segments) {
        if (entry->size > ~begin)
            return trace::read_error{file, 0, 0, "segments of more than 2^64 bytes together", "segments of a device"};
        for (const snapshot_block& block : entry->blocks) {
            // An active block has at least a byte.
            if (!block.is_active || block.size == 0) continue;
            ids.push_back("block" + trace::decimal(ids.size() + 1));
            (void)builder.import_at(ids.back(), block.size, begin + (block.address - entry->address),
                                    snapshot.tags[block.tag]);
        }
        begin += entry->size;
    }
    if (pins == layout_pins::lifted)
        for (const std::string& entry : ids) (void)builder.unpin(entry);
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
