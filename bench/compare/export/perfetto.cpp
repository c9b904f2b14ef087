#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

/// Writer of the events of a cell. An event is an object with some fields and an object `args`.
class process_writer {
public:
    process_writer(std::string& out, const recorded_cell& cell, std::uint64_t process, std::uint64_t first_slice)
        : out_(out), cell_(cell), process_(process), first_slice_(first_slice), offsets_(cell.what.blocks.size()) {}

    void write() {
        add("M", "process_name", [&](json_writer& json) { json.field("name", cell_.name()); });
        if (const std::string more = cell_.others(); !more.empty())
            add("M", "process_labels", [&](json_writer& json) { json.field("labels", more); });
        add("M", "process_sort_index", [&](json_writer& json) { json.field("sort_index", process_); });
        const std::vector<recorded_block>& blocks = cell_.what.blocks;
        std::vector<std::size_t> by_end(blocks.size());
        for (std::size_t at = 0; at < blocks.size(); ++at) by_end[at] = at;
        std::stable_sort(by_end.begin(), by_end.end(),
                         [&](std::size_t a, std::size_t b) { return blocks[a].end < blocks[b].end; });
        auto ended = by_end.begin();
        const auto end_slices = [&](std::size_t row) {
            for (; ended != by_end.end() && blocks[*ended].end == row; ++ended)
                add_slice("e", *ended, [](json_writer&) {});
        };
        std::size_t block = 0;
        auto place = cell_.what.places.begin();
        auto relief = cell_.what.reliefs.begin();
        for (std::size_t row = 0; row < cell_.rows(); ++row) {
            time_ = cell_.time(row);
            for (; place != cell_.what.places.end() && place->begin == row; ++place) {
                offsets& of = offsets_[place->block];
                of = {place->where.offset, of.now};
            }
            end_slices(row);
            for (; block < blocks.size() && blocks[block].begin == row; ++block) begin_slice(block);
            for (; relief != cell_.what.reliefs.end() && relief->row == row; ++relief) add_relief(*relief);
            count(cell_.what.readings[row]);
        }
        time_ = cell_.time(cell_.rows());
        if (cell_.what.failed_row)
            add("i", "failed", [&](json_writer& json) {
                json.field("row", std::uint64_t{*cell_.what.failed_row});
                json.field("message", cell_.what.error);
            });
        end_slices(cell_.rows());
    }

private:
    /// The offset of a block, and its offset before it moved.
    struct offsets {
        std::uint64_t now = 0, before = 0;
    };

    template <class Arguments>
    void add(std::string_view phase, std::string_view name, Arguments write_arguments) {
        add(phase, name, write_arguments, [&](json_writer& json) {
            if (phase == "i") json.field("s", "p");
        });
    }
    template <class Arguments, class Fields>
    void add(std::string_view phase, std::string_view name, Arguments write_arguments, Fields write_fields) {
        json_writer json;
        json.begin_object();
        json.field("ph", phase);
        write_fields(json);
        json.field("name", name);
        json.field("pid", process_);
        json.field("tid", process_);
        json.field("ts", time_);
        json.begin_object("args");
        write_arguments(json);
        json.end_object();
        json.end_object();
        out_ += process_ == 1 && std::exchange(is_first_, false) ? "\n" : ",\n";
        out_ += json.text();
    }

    /// A slice is asynchronous, because blocks overlap. Its name is the tag, or else the purpose of the block, so that
    /// equals share a track.
    template <class Arguments>
    void add_slice(std::string_view phase, std::size_t block, Arguments write_arguments) {
        const recorded_block& of = cell_.what.blocks[block];
        const std::string_view tag = cell_.tag_of(of);
        add(phase, tag.empty() ? recorded_cell::kind_of(of) : tag, write_arguments, [&](json_writer& json) {
            json.field("cat", recorded_cell::kind_of(of));
            json.field("id", hexadecimal(first_slice_ + block));
        });
    }
    void begin_slice(std::size_t block) {
        const recorded_block& of = cell_.what.blocks[block];
        add_slice("b", block, [&](json_writer& json) {
            json.field("id", cell_.id_of(of));
            if (const std::string_view tag = cell_.tag_of(of); !tag.empty()) json.field("tag", tag);
            json.field("bytes", of.granted);
            json.field("offset", offsets_[block].now);
        });
    }

    void add_relief(const recorded_relief& done) {
        constexpr std::array names{"moved", "evicted", "reloaded"};
        const recorded_block& block = cell_.what.blocks[done.block];
        const bool is_move = done.kind == trace::relief_kind::moved;
        add("i", names[static_cast<std::size_t>(done.kind)], [&](json_writer& json) {
            json.field("id", cell_.id_of(block));
            json.field("kind", recorded_cell::kind_of(block));
            json.field("bytes", block.granted);
            if (is_move) json.field("from", offsets_[done.block].before);
            json.field(is_move ? "to" : "offset", offsets_[done.block].now);
        });
    }

    /// Writes the counters that changed: a counter keeps its value until it is written again.
    void count(const recorded_reading& now) {
        const auto has_changed = [&](auto recorded_reading::*value) {
            return !before_ || *before_.*value != now.*value;
        };
        const auto add_bytes = [&](std::string_view name, std::uint64_t bytes) {
            add("C", name, [&](json_writer& json) { json.field("bytes", bytes); });
        };
        const bool is_limited = cell_.is_limited();
        if (has_changed(&recorded_reading::used) || (is_limited && has_changed(&recorded_reading::free)))
            add("C", "memory", [&](json_writer& json) {
                json.field("live", now.used);
                if (is_limited) json.field("free", now.free);
            });
        if (!is_limited && has_changed(&recorded_reading::highest_end)) add_bytes("highest end", now.highest_end);
        if (is_limited && has_changed(&recorded_reading::largest_free)) add_bytes("largest free", now.largest_free);
        const trace::fraction scattered = fragmentation_of(now);
        if (is_limited && (!before_ || fragmentation_of(*before_) != scattered))
            add("C", "fragmentation", [&](json_writer& json) { json.literal("ratio", six_decimals(scattered)); });
        before_ = now;
    }

    std::string& out_;
    const recorded_cell& cell_;
    std::uint64_t process_;
    std::uint64_t first_slice_;
    std::uint64_t time_ = 0;
    std::vector<offsets> offsets_;  // offsets of each block
    std::optional<recorded_reading> before_;
    bool is_first_ = true;
};

/// Trace events in JSON for https://ui.perfetto.dev and chrome://tracing. A cell is a process, with counters, a slice
/// for each block, and instants: `moved`, `evicted`, `reloaded`, and `failed` with the runtime's message. Times are
/// microseconds of the trace, or else rows.
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
