#include "compare/read/torch/memory_snapshot.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "compare/read/read_error.hpp"
#include "compare/read/stack_frame.hpp"
#include "compare/read/torch/pickle.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

std::vector<std::uint64_t> memory_snapshot::devices() const {
    std::map<std::uint64_t, bool> match;
    for (const snapshot_segment& entry : segments) match[entry.device] = true;
    for (std::size_t at = 0; at < histories.size(); ++at)
        if (!histories[at].entries.empty()) match[at] = true;
    std::vector<std::uint64_t> all;
    for (const auto& entry : match) all.push_back(entry.first);
    return all;
}

namespace {

/// Reader of a snapshot from the data of a pickle. Cost: O(size of the data).
class snapshot_reader {
public:
    /// `data`, which came from a file of `size` bytes, must outlive the reader; `file` is for messages.
    snapshot_reader(const pickle_data& data, std::size_t size, std::string file)
        : data_(data), file_(std::move(file)), entries_left_(size / 16 + 1024), is_taken_(data.contents.size(), false),
          tag_of_frames_(data.contents.size(), unknown_tag), rank_of_frame_(data.contents.size(), no_rank) {}

    /// Returns the snapshot, or the first error.
    reading<memory_snapshot> read() {
        if (!read_all()) return std::move(error_);
        return std::move(made_);
    }

private:
    using kind = pickle_value::kind;

    static constexpr std::uint32_t unknown_tag = ~std::uint32_t{0};
    static constexpr std::uint8_t no_rank = 0xff;
    // Limit on devices, more than any host has; each device is read by itself.
    static constexpr std::uint64_t most_devices = 1024;

    bool read_all() {
        const pickle_value* const segments = data_.find(data_.root, "segments");
        const pickle_value* const traces = data_.find(data_.root, "device_traces");
        if (segments == nullptr || traces == nullptr || !is_list(*segments) || !is_list(*traces))
            return fail("a pickle without the lists `segments` and `device_traces`",
                        "what torch.cuda.memory._dump_snapshot writes");
        const std::span<const pickle_value> pairs = data_.pairs(data_.root);
        for (std::size_t at = 0; at < pairs.size(); at += 2) made_.keys.emplace_back(pairs[at].text());
        std::sort(made_.keys.begin(), made_.keys.end());
        made_.keys.erase(std::unique(made_.keys.begin(), made_.keys.end()), made_.keys.end());

        if (data_.items(*traces).size() > most_devices)
            return fail("traces of " + trace::decimal(data_.items(*traces).size()) + " devices",
                        "at most 1,024 devices");
        std::size_t at = 0;
        for (const pickle_value& entry : data_.items(*segments))
            if (!read_segment(entry, "segments[" + trace::decimal(at++) + "]")) return false;
        at = 0;
        for (const pickle_value& entry : data_.items(*traces))
            if (!read_history(entry, "device_traces[" + trace::decimal(at++) + "]")) return false;
        return true;
    }

    bool read_segment(const pickle_value& value, const std::string& where) {
        snapshot_segment result;
        if (!count_entry(where) || !number(value, "address", where, result.address) ||
            !number(value, "total_size", where, result.size))
            return false;
        if (data_.find(value, "device") != nullptr && !number(value, "device", where, result.device)) return false;
        if (result.device >= most_devices)
            return fail(where + " of device " + trace::decimal(result.device), "the number of a device, below 1,024");
        if (const pickle_value* const stream = data_.find(value, "stream");
            stream != nullptr && stream->what == kind::integer)
            result.stream = stream->integer;
        if (result.size > ~result.address)
            return fail(where + " that ends beyond 2^64", "a segment in the address space");
        std::span<const pickle_value> blocks;
        if (!own_list(data_.find(value, "blocks"), where + ".blocks", blocks)) return false;
        std::uint64_t next = result.address;
        for (std::size_t at = 0; at < blocks.size(); ++at)
            if (!read_block(blocks[at], where, at, result, next)) return false;
        if (next != result.address + result.size) ++made_.crooked_segments;
        made_.segments.push_back(std::move(result));
        return true;
    }

    /// Reads a block. In older files, which have no addresses, it begins at `next`, the end of the previous block.
    bool read_block(const pickle_value& value, const std::string& segment, std::size_t at, snapshot_segment& target,
                    std::uint64_t& next) {
        const std::string where = segment + ".blocks[" + trace::decimal(at) + "]";
        snapshot_block result;
        result.address = next;
        if (!count_entry(where) || !number(value, "size", where, result.size)) return false;
        if (data_.find(value, "address") != nullptr && !number(value, "address", where, result.address)) return false;
        result.requested = result.size;
        if (data_.find(value, "requested_size") != nullptr && !number(value, "requested_size", where, result.requested))
            return false;
        const std::uint64_t end = target.address + target.size;
        if (result.address < next || result.address > end || result.size > end - result.address)
            return fail(where + " outside of its segment, or in another block", "blocks one after the other");
        next = result.address + result.size;
        const pickle_value* const state = data_.find(value, "state");
        const std::string_view name = state == nullptr ? std::string_view() : state->text();
        if (!name.starts_with("active") && name != "inactive")
            return fail(where + " in the state " + trace::quoted(name), "active_allocated or inactive, for example");
        result.is_allocated = name == "active_allocated";
        result.is_active = name.starts_with("active");
        if (result.is_active) result.tag = tag_of(data_.find(value, "frames"));
        target.blocks.push_back(result);
        return true;
    }

    bool read_history(const pickle_value& value, const std::string& where) {
        made_.histories.emplace_back();
        snapshot_history& result = made_.histories.back();
        std::span<const pickle_value> entries;
        if (!count_entry(where) || !own_list(&value, where, entries)) return false;
        std::map<std::string_view, std::uint64_t> actions;
        for (std::size_t at = 0; at < entries.size(); ++at) {
            if (!count_entry(where)) return false;
            const pickle_value* const action = data_.find(entries[at], "action");
            if (action == nullptr || action->what != kind::text)
                return fail(where + "[" + trace::decimal(at) + "] without an action", "an entry of a trace");
            ++actions[action->text()];
            if (!read_entry(entries[at], action->text(), where, at, result)) return false;
        }
        for (const auto& [name, count] : actions) result.actions[valid_text(name)] += count;
        return true;
    }

    bool read_entry(const pickle_value& value, std::string_view action, const std::string& list, std::size_t at,
                    snapshot_history& target) {
        snapshot_entry result;
        if (action == "alloc") result.what = snapshot_action::allocated;
        if (action == "free_completed") result.what = snapshot_action::freed;
        if (action == "free_requested") result.what = snapshot_action::free_requested;
        if (action == "oom") result.what = snapshot_action::out_of_memory;
        if (!target.entries.empty()) result.time = target.entries.back().time;
        const auto where = [&] { return list + "[" + trace::decimal(at) + "]"; };
        if (data_.find(value, "time_us") != nullptr) {
            if (!number(value, "time_us", where(), result.time)) return false;
            target.has_time = true;
        }
        if (result.what != snapshot_action::other) {
            if (!number(value, "size", where(), result.size)) return false;
            if (result.what != snapshot_action::out_of_memory && !number(value, "addr", where(), result.address))
                return false;
            if (result.what == snapshot_action::allocated) result.tag = tag_of(data_.find(value, "frames"));
        }
        target.entries.push_back(result);
        return true;
    }

    [[nodiscard]] static bool is_list(const pickle_value& value) noexcept {
        return value.what == kind::list || value.what == kind::tuple;
    }

    bool fail(std::string match, std::string expected) {
        error_ = {file_, 0, 0, std::move(match), std::move(expected)};
        return false;
    }

    bool number(const pickle_value& subject, std::string_view key, const std::string& where, std::uint64_t& target) {
        const pickle_value* const match = data_.find(subject, key);
        if (match == nullptr || match->what != kind::integer || match->integer < 0)
            return fail(where + (match == nullptr ? " without `" : " with a strange `") + std::string(key) + "`",
                        "a whole number that is not negative");
        target = static_cast<std::uint64_t>(match->integer);
        return true;
    }

    /// Sets `items` to those of a list. Fails if the list was read before: a pickle may refer to one list a million
    /// times.
    bool own_list(const pickle_value* value, const std::string& where, std::span<const pickle_value>& items) {
        if (value == nullptr || !is_list(*value)) return fail(where + " that is no list", "a list");
        items = data_.items(*value);
        if (!items.empty() && is_taken_[value->content])
            return fail(where + ", a list that stands elsewhere, too", "a list of its own");
        is_taken_[value->content] = true;
        return true;
    }

    bool count_entry(const std::string& where) {
        if (entries_left_-- != 0) return true;
        entries_left_ = 0;
        return fail("more segments, blocks and entries than a file of this size has, in " + where,
                    "what torch.cuda.memory._dump_snapshot writes");
    }

    /// Returns the tag of a list of frames, the innermost first: that of the frame of the highest rank. Lists and
    /// frames are shared, so results are cached.
    std::uint32_t tag_of(const pickle_value* frames) {
        if (frames == nullptr || !is_list(*frames)) return 0;
        std::uint32_t& known = tag_of_frames_[frames->content];
        if (known != unknown_tag) return known;
        const pickle_value* best = nullptr;
        auto rank = static_cast<std::uint8_t>(frame_rank::nothing);
        for (const pickle_value& entry : data_.items(*frames)) {
            if (entry.what != kind::dictionary) continue;
            std::uint8_t& here = rank_of_frame_[entry.content];
            if (here == no_rank) here = static_cast<std::uint8_t>(rank_of(frame_of(entry)));
            if (here <= rank) continue;
            rank = here;
            best = &entry;
            if (rank == static_cast<std::uint8_t>(frame_rank::own)) break;
        }
        if (best == nullptr) return known = 0;
        const auto [at, is_new] = tags_.try_emplace(imported::tag_of(frame_of(*best)), 0);
        if (is_new) {
            at->second = static_cast<std::uint32_t>(made_.tags.size());
            made_.tags.push_back(at->first);
        }
        return known = at->second;
    }

    [[nodiscard]] stack_frame frame_of(const pickle_value& value) const {
        stack_frame result;
        if (const pickle_value* const name = data_.find(value, "name")) result.function = name->text();
        if (const pickle_value* const name = data_.find(value, "filename")) result.file = name->text();
        if (const pickle_value* const line = data_.find(value, "line"); line != nullptr && line->what == kind::integer)
            result.line = line->integer < 0 ? 0 : static_cast<std::uint64_t>(line->integer);
        return result;
    }

    const pickle_data& data_;
    std::string file_;
    std::size_t entries_left_;
    std::vector<bool> is_taken_;                // flags by number of a content
    std::vector<std::uint32_t> tag_of_frames_;  // tags by number of a content
    std::vector<std::uint8_t> rank_of_frame_;   // ranks by number of a content
    std::map<std::string, std::uint32_t> tags_;
    memory_snapshot made_;
    trace::read_error error_;
};

}  // namespace

reading<memory_snapshot> read_snapshot(std::string_view text, const std::string& file) {
    const reading<pickle_data> data = read_pickle(text, file);
    if (!data) return data.error();
    return snapshot_reader(*data, text.size(), file).read();
}

}  // namespace hbm::imported
