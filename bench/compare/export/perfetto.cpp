#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>

#include "compare/export/recorded_cell.hpp"
#include "compare/export/viewers.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/text/json_writer.hpp"

namespace hbm::compare {

namespace {

using trace::recorded_block;
using trace::recorded_place;
using trace::recorded_reading;
using trace::recorded_relief;

std::string hexadecimal(std::uint64_t number) {
    std::string digits;
    for (; number != 0 || digits.empty(); number >>= 4U) digits += "0123456789abcdef"[number & 15U];
    return "0x" + std::string(digits.rbegin(), digits.rend());
}

/// Writer of the events of a cell.
class process_writer {
public:
    process_writer(std::string& out, const recorded_cell& cell, std::uint64_t process, std::uint64_t first_slice)
        : out_(&out), cell_(&cell), process_(process), first_slice_(first_slice), offsets_(cell.what.blocks.size()) {}

    void write() {
        name_process();
        const std::vector<recorded_block>& blocks = cell_->what.blocks;
        for (std::uint32_t at = 0; at < blocks.size(); ++at) by_end_.push_back(at);
        std::stable_sort(by_end_.begin(), by_end_.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return blocks[a].end < blocks[b].end; });
        for (std::size_t row = 0; row < cell_->rows(); ++row) {
            time_ = cell_->time(row);
            follow_places(row);
            end_slices(row);
            for (; block_ < blocks.size() && blocks[block_].begin == row; ++block_) begin_slice(block_);
            for (; relief_ < cell_->what.reliefs.size() && cell_->what.reliefs[relief_].row == row; ++relief_)
                note_relief(cell_->what.reliefs[relief_]);
            count(cell_->what.readings[row]);
        }
        time_ = cell_->time(cell_->rows());
        if (cell_->what.failed_row) note_failure();
        end_slices(cell_->rows());
    }

private:
    /// The offset of a block, and its offset before it moved.
    struct offsets {
        std::uint64_t now = 0, before = 0;
    };

    void name_process() {
        metadata("process_name", "name", cell_->name());
        if (const std::string more = cell_->others(); !more.empty()) metadata("process_labels", "labels", more);
        json_writer json = event("M", "process_sort_index");
        json.field("sort_index", process_);
        end(json);
    }
    void metadata(const char* name, const char* key, const std::string& value) {
        json_writer json = event("M", name);
        json.field(key, value);
        end(json);
    }

    void follow_places(std::size_t row) {
        const std::vector<recorded_place>& all = cell_->what.places;
        for (; place_ < all.size() && all[place_].begin == row; ++place_) {
            offsets& of = offsets_[all[place_].block];
            of = {all[place_].where.offset, of.now};
        }
    }

    void begin_slice(std::size_t block) {
        const recorded_block& begun = cell_->what.blocks[block];
        json_writer json = slice("b", block);
        json.field("id", cell_->id_of(begun));
        if (const std::string_view tag = cell_->tag_of(begun); !tag.empty()) json.field("tag", tag);
        json.field("bytes", begun.granted);
        json.field("offset", offsets_[block].now);
        end(json);
    }
    /// Ends the slices of the blocks that ended at a row; at the number of rows, of those that existed to the end.
    void end_slices(std::size_t row) {
        for (; ended_ < by_end_.size() && cell_->what.blocks[by_end_[ended_]].end == row; ++ended_) {
            json_writer json = slice("e", by_end_[ended_]);
            end(json);
        }
    }
    json_writer slice(const char* phase, std::size_t block) const {
        const recorded_block& of = cell_->what.blocks[block];
        const std::string_view tag = cell_->tag_of(of);
        json_writer json;
        json.begin_object();
        json.field("ph", phase);
        json.field("cat", recorded_cell::kind_of(of));
        json.field("name", tag.empty() ? recorded_cell::kind_of(of) : tag);
        json.field("id", hexadecimal(first_slice_ + block));
        open_arguments(json);
        return json;
    }

    void note_relief(const recorded_relief& done) {
        constexpr std::array<const char*, 3> names{"moved", "evicted", "reloaded"};
        const recorded_block& block = cell_->what.blocks[done.block];
        json_writer json = instant(names[static_cast<std::size_t>(done.kind)]);
        json.field("id", cell_->id_of(block));
        json.field("kind", recorded_cell::kind_of(block));
        json.field("bytes", block.granted);
        if (done.kind == trace::relief_kind::moved) json.field("from", offsets_[done.block].before);
        json.field(done.kind == trace::relief_kind::moved ? "to" : "offset", offsets_[done.block].now);
        end(json);
    }
    void note_failure() {
        json_writer json = instant("failed");
        json.field("row", std::uint64_t{*cell_->what.failed_row});
        json.field("message", cell_->what.error);
        end(json);
    }

    /// Writes the counters that changed: a counter keeps its value until it is written again.
    void count(const recorded_reading& now) {
        if (!cell_->is_limited()) {
            count("memory", {{"live", &recorded_reading::used}}, now);
            count("highest end", {{"bytes", &recorded_reading::highest_end}}, now);
        } else {
            count("memory", {{"live", &recorded_reading::used}, {"free", &recorded_reading::free}}, now);
            count("largest free", {{"bytes", &recorded_reading::largest_free}}, now);
            const trace::fraction fragmentation = fragmentation_of(now);
            if (!before_ || fragmentation_of(*before_) != fragmentation) {
                json_writer json = event("C", "fragmentation");
                json.literal("ratio", six_decimals(fragmentation));
                end(json);
            }
        }
        before_ = now;
    }

    struct counted_value {
        const char* key;
        std::uint64_t recorded_reading::*value;
    };
    void count(const char* name, std::initializer_list<counted_value> all, const recorded_reading& now) {
        bool changed = !before_;
        for (const counted_value& each : all) changed = changed || (*before_).*each.value != now.*each.value;
        if (!changed) return;
        json_writer json = event("C", name);
        for (const counted_value& each : all) json.field(each.key, now.*each.value);
        end(json);
    }

    json_writer event(const char* phase, const char* name) const {
        json_writer json;
        json.begin_object();
        json.field("ph", phase);
        json.field("name", name);
        open_arguments(json);
        return json;
    }
    json_writer instant(const char* name) const {
        json_writer json;
        json.begin_object();
        json.field("ph", "i");
        json.field("s", "p");
        json.field("name", name);
        open_arguments(json);
        return json;
    }
    void open_arguments(json_writer& json) const {
        json.field("pid", process_);
        json.field("tid", process_);
        json.field("ts", time_);
        json.begin_object("args");
    }
    void end(json_writer& json) {
        json.end_object();
        json.end_object();
        *out_ += process_ == 1 && events_++ == 0 ? "\n" : ",\n";
        *out_ += json.text();
    }

    std::string* out_;
    const recorded_cell* cell_;
    std::uint64_t process_;
    std::uint64_t first_slice_;
    std::uint64_t time_ = 0;
    std::size_t block_ = 0, place_ = 0, relief_ = 0, ended_ = 0;  // the next of each
    std::vector<std::uint32_t> by_end_;                           // blocks in the order of their ends
    std::vector<offsets> offsets_;                                // offsets of each block
    std::optional<recorded_reading> before_;
    std::uint64_t events_ = 0;
};

/// Trace events in JSON for https://ui.perfetto.dev and chrome://tracing. A cell is a process, with
/// - counters: live and free bytes, the largest free block, the fragmentation. They are written when they change.
///   Without a limit there are only the live bytes and the highest end;
/// - a slice for each block, asynchronous, because blocks overlap. Its name is the tag, or else the purpose of the
///   block, so that equals share a track. Its arguments are id, tag, bytes and offset;
/// - instants: `moved`, `evicted`, `reloaded`, and `failed` with the runtime's message.
/// Times are microseconds of the trace, or else rows.
class perfetto_file final : public viewer_file {
public:
    perfetto_file() { write("{\"displayTimeUnit\":\"ms\",\"traceEvents\":["); }

    void add(const recorded_cell& each) override {
        std::string events;
        process_writer(events, each, ++processes_, slices_).write();
        slices_ += each.what.blocks.size();
        write(events);
    }

private:
    void end() override { write("\n]}\n"); }

    std::uint64_t processes_ = 0;
    std::uint64_t slices_ = 0;  // number of slices of all processes: their ids must differ
};

}  // namespace

std::unique_ptr<viewer_file> make_perfetto_file() {
    return std::make_unique<perfetto_file>();
}

}  // namespace hbm::compare
