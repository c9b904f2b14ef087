#include "compare/export/snapshot.hpp"

#include <algorithm>

namespace hbm::compare {

namespace {

using trace::recorded_block;
using trace::recorded_place;

constexpr std::uint64_t bytes_of_device = std::uint64_t{1} << 42U;

}  // namespace

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
        const std::vector<std::size_t>& lines = cell_->in->load.lines;
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

}  // namespace hbm::compare
