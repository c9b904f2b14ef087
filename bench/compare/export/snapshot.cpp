#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compare/export/viewer_file.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

namespace {

/// Writes values as Python's pickle does, protocol 2 (PEP 307): dictionaries, lists, texts and numbers, without
/// classes. Uses only opcodes that the viewer of PyTorch's memory snapshots supports.
/// The caller alternates keys and values in dictionaries, and ends what it begins.
class pickle_writer {
public:
    /// Number of a value that was kept, to write it again.
    using kept = std::uint32_t;

    explicit pickle_writer(text_sink& out) : out_(&out) { out.add(std::string_view("\x80\x02", 2)); }

    void begin_dictionary() { out_->add("}("); }
    void end_dictionary() { out_->add('u'); }
    /// Begins a list. Its items stand in portions; the reader's stack holds a portion at a time.
    void begin_list() { out_->add("]("); }
    void next_portion() { out_->add("e("); }
    void end_list() { out_->add('e'); }
    /// The least number of items after which a new portion should begin.
    static constexpr std::uint32_t portion = 1000;
    /// Ends a tuple of two.
    void end_pair() { out_->add('\x86'); }

    /// Writes a text that stands many times: a key of dictionaries, an action.
    void word(std::string_view text) {
        const auto [at, is_new] = words_.try_emplace(text, 0);
        if (!is_new) return again(at->second);
        this->text(text);
        at->second = keep();
    }
    void text(std::string_view text) {
        const std::string valid = valid_text(text);
        out_->add('X');
        little_endian(valid.size(), 4);
        out_->add(valid);
    }
    void number(std::uint64_t value) {
        if (value < 0x100) return with_bytes('K', value, 1);
        if (value < 0x10000) return with_bytes('M', value, 2);
        if (value < 0x80000000) return with_bytes('J', value, 4);
        const bool has_top_bit = value >> 63U != 0;  // it would read as a sign
        out_->add('\x8a');
        out_->add(has_top_bit ? '\x09' : '\x08');
        little_endian(value, 8);
        if (has_top_bit) out_->add('\0');
    }
    void truth(bool value) { out_->add(value ? '\x88' : '\x89'); }
    /// Ends the pickle.
    void stop() { out_->add('.'); }

    /// Keeps the value that was written last.
    kept keep() {
        with_index('q', 'r', kept_);
        return kept_++;
    }
    /// Writes a value again, as the same object.
    void again(kept value) { with_index('h', 'j', value); }

private:
    void with_index(char narrow, char wide, std::uint64_t index) {
        if (index < 0x100) return with_bytes(narrow, index, 1);
        with_bytes(wide, index, 4);
    }
    void with_bytes(char opcode, std::uint64_t value, unsigned bytes) {
        out_->add(opcode);
        little_endian(value, bytes);
    }
    void little_endian(std::uint64_t value, unsigned bytes) {
        for (; bytes != 0; --bytes, value >>= 8U) out_->add(static_cast<char>(value & 0xffU));
    }

    text_sink* out_;
    std::map<std::string_view, kept> words_;  // numbers of texts that are never freed
    kept kept_ = 0;
};

using trace::recorded_block;
using trace::recorded_place;

constexpr std::uint64_t bytes_of_device = std::uint64_t{1} << 42U;

/// Memory snapshot of PyTorch for https://pytorch.org/memory_viz. A cell is a device, with a segment that spans its
/// memory. An entry of its trace is a block that begins, ends or fails; a move is an end and a beginning. The frames of
/// an entry are the tag, the id with the line of the trace, and the manager. The blocks of the segment are those at the
/// end, or at the failure. The allocator settings map devices to managers. Offset 0 of device `n` has the address (n +
/// 1) x 2^42.
class snapshot_file final : public viewer_file {
public:
    explicit snapshot_file(destination& to);
    void add(const recorded_cell& each) override;
    [[nodiscard]] std::string finish() override;

private:
    /// Block of a segment; a hole has no frames.
    struct last_block {
        std::uint64_t address = 0, size = 0, requested = 0;
        bool is_hole = false;
        pickle_writer::kept frames = 0;
    };
    struct segment {
        std::uint64_t address = 0, size = 0;
        std::vector<last_block> blocks;
    };
    class device_writer;

    void write_segment(const segment& each, std::uint64_t device);

    pickle_writer pickle_;
    std::vector<segment> segments_;   // segments by device
    std::vector<std::string> names_;  // names by device
};

/// Writer of the trace of a device.
class snapshot_file::device_writer {
public:
    device_writer(pickle_writer& pickle, const recorded_cell& cell, std::uint64_t address)
        : pickle_(&pickle), cell_(&cell), address_(address), frames_(cell.what.blocks.size(), none) {}

    void write() {
        pickle_->begin_list();
        begin_entry("segment_alloc", 0, cell_->span());
        pickle_->begin_list();
        name_frame(cell_->name());
        manager_ = pickle_->keep();
        pickle_->end_list();
        end_entry();
        const std::vector<recorded_place>& places = cell_->what.places;
        const ends_by_row ended(places, cell_->rows());
        for (std::size_t row = 0; row < cell_->rows(); ++row) {
            time_ = cell_->time(row);
            for (const std::uint32_t place : ended.of(row)) {
                write_entry("free_requested", places[place]);
                write_entry("free_completed", places[place]);
            }
            for (; place_ < places.size() && places[place_].begin == row; ++place_)
                write_entry("alloc", places[place_]);
        }
        if (cell_->what.failed_row) write_failure();
        pickle_->end_list();
    }

    /// Returns the blocks at the end, without gaps.
    segment last() {
        segment made{address_, cell_->span(), {}};
        for (const recorded_place& each : cell_->what.places) {
            if (each.end != cell_->rows()) continue;
            made.blocks.push_back(
                {address_ + each.where.offset, each.where.size, requested(each), false, frames_[each.block]});
        }
        std::sort(made.blocks.begin(), made.blocks.end(),
                  [](const last_block& a, const last_block& b) { return a.address < b.address; });
        std::vector<last_block> all;
        std::uint64_t next = made.address;
        const auto fill_up_to = [&](std::uint64_t address) {
            if (address != next) all.push_back({next, address - next, 0, true, 0});
        };
        for (const last_block& each : made.blocks) {
            fill_up_to(each.address);
            all.push_back(each);
            next = each.address + each.size;
        }
        fill_up_to(made.address + made.size);
        made.blocks = std::move(all);
        return made;
    }

private:
    static constexpr pickle_writer::kept none = ~pickle_writer::kept{0};

    /// Returns the requested bytes of a place; for a reservation, which grows, all of it.
    std::uint64_t requested(const recorded_place& place) const {
        const recorded_block& block = cell_->what.blocks[place.block];
        return block.kind == block_kind::reservation ? place.where.size : cell_->requested(block);
    }

    void begin_entry(std::string_view action, std::uint64_t offset, std::uint64_t size) {
        if (entries_++ % pickle_writer::portion == pickle_writer::portion - 1) pickle_->next_portion();
        pickle_->begin_dictionary();
        pickle_->word("action");
        pickle_->word(action);
        pickle_->word(action == "oom" ? "device_free" : "addr");
        pickle_->number(action == "oom" ? offset : address_ + offset);
        pickle_->word("size");
        pickle_->number(size);
        pickle_->word("stream");
        pickle_->number(0);
        if (cell_->is_timed()) {
            pickle_->word("time_us");
            pickle_->number(time_);
        }
        pickle_->word("frames");
    }
    void end_entry() { pickle_->end_dictionary(); }

    void write_entry(std::string_view action, const recorded_place& place) {
        begin_entry(action, place.where.offset, requested(place));
        write_frames(place.block);
        end_entry();
    }

    void write_failure() {
        time_ = cell_->time(cell_->rows());
        const trace::workload& load = cell_->in->load;
        const trace::row& failed = load.rows[*cell_->what.failed_row];
        const std::uint64_t free = cell_->rows() == 0 ? cell_->what.capacity : cell_->what.readings.back().free;
        begin_entry("oom", free, failed.bytes == trace::unspecified ? 0 : failed.bytes);
        pickle_->begin_list();
        frame(load.ids[failed.subject], load.name, line_of(*cell_->what.failed_row));
        name_frame(cell_->what.error);
        pickle_->again(manager_);
        pickle_->end_list();
        end_entry();
    }

    void write_frames(std::size_t block) {
        if (frames_[block] != none) return pickle_->again(frames_[block]);
        const recorded_block& of = cell_->what.blocks[block];
        pickle_->begin_list();
        if (const std::string_view tag = cell_->tag_of(of); !tag.empty()) name_frame(tag);
        if (of.kind != block_kind::data) name_frame(recorded_cell::kind_of(of));
        frame(cell_->id_of(of), cell_->in->load.name, line_of(of.begin));
        pickle_->again(manager_);
        pickle_->end_list();
        frames_[block] = pickle_->keep();
    }
    /// Writes a frame without a place in a file, as PyTorch writes unknown ones.
    void name_frame(std::string_view name) { frame(name, "??", 0); }
    void frame(std::string_view name, std::string_view file, std::uint64_t line) {
        pickle_->begin_dictionary();
        pickle_->word("name");
        pickle_->text(name);
        pickle_->word("filename");
        pickle_->text(file);
        pickle_->word("line");
        pickle_->number(line);
        pickle_->end_dictionary();
    }
    std::uint64_t line_of(std::size_t row) const {
        const trace::number_list& lines = cell_->in->load.lines;
        return lines.empty() ? row : lines[row];
    }

    pickle_writer* pickle_;
    const recorded_cell* cell_;
    std::uint64_t address_;
    std::uint64_t time_ = 0;
    std::uint64_t entries_ = 0;
    std::size_t place_ = 0;
    pickle_writer::kept manager_ = 0;
    std::vector<pickle_writer::kept> frames_;  // frames by block
};

snapshot_file::snapshot_file(destination& to) : viewer_file(to), pickle_(out()) {
    pickle_.begin_dictionary();
    pickle_.word("device_traces");
    pickle_.begin_list();
}

void snapshot_file::add(const recorded_cell& each) {
    device_writer device(pickle_, each, (segments_.size() + 1) * bytes_of_device);
    device.write();
    segments_.push_back(device.last());
    names_.push_back(each.name());
    if (const std::string more = each.others(); !more.empty()) (names_.back() += ", ") += more;
}

std::string snapshot_file::finish() {
    pickle_.end_list();
    pickle_.word("segments");
    pickle_.begin_list();
    for (std::size_t device = 0; device < segments_.size(); ++device) write_segment(segments_[device], device);
    pickle_.end_list();
    // The viewer lists devices by number, and shows this as it is.
    pickle_.word("allocator_settings");
    pickle_.begin_dictionary();
    for (std::size_t device = 0; device < names_.size(); ++device) {
        pickle_.text("device " + std::to_string(device));
        pickle_.text(names_[device]);
    }
    pickle_.end_dictionary();
    pickle_.end_dictionary();
    pickle_.stop();
    return out().finish();
}

void snapshot_file::write_segment(const segment& each, std::uint64_t device) {
    std::uint64_t active = 0;
    std::uint64_t requested = 0;
    for (const last_block& block : each.blocks) {
        active += block.is_hole ? 0 : block.size;
        requested += block.requested;
    }
    const auto field = [&](std::string_view key, std::uint64_t value) {
        pickle_.word(key);
        pickle_.number(value);
    };
    pickle_.begin_dictionary();
    field("device", device);
    field("address", each.address);
    field("total_size", each.size);
    field("allocated_size", active);
    field("active_size", active);
    field("requested_size", requested);
    field("stream", 0);
    pickle_.word("segment_type");
    pickle_.word("large");
    pickle_.word("segment_pool_id");
    pickle_.number(0);
    pickle_.number(0);
    pickle_.end_pair();
    pickle_.word("is_expandable");
    pickle_.truth(false);
    pickle_.word("frames");
    pickle_.begin_list();
    pickle_.end_list();
    pickle_.word("blocks");
    pickle_.begin_list();
    for (std::size_t at = 0; at < each.blocks.size(); ++at) {
        if (at % pickle_writer::portion == pickle_writer::portion - 1) pickle_.next_portion();
        const last_block& block = each.blocks[at];
        pickle_.begin_dictionary();
        field("address", block.address);
        field("size", block.size);
        field("requested_size", block.requested);
        pickle_.word("state");
        pickle_.word(block.is_hole ? "inactive" : "active_allocated");
        pickle_.word("frames");
        if (block.is_hole) {
            pickle_.begin_list();
            pickle_.end_list();
        } else {
            pickle_.again(block.frames);
        }
        pickle_.end_dictionary();
    }
    pickle_.end_list();
    pickle_.end_dictionary();
}

}  // namespace

std::unique_ptr<viewer_file> make_snapshot_file(destination& to) {
    return std::make_unique<snapshot_file>(to);
}

}  // namespace hbm::compare
