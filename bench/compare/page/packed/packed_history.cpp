#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>

#include "compare/page/packed/trace_blocks.hpp"

namespace hbm::compare {

namespace {

/// Place in the order of the page: row by row. In a row, blocks from before come first, then blocks of the cell alone,
/// then shared blocks.
struct ordered_place {
    const trace::recorded_place* place;
    std::size_t number;  ///< number of its block in the page
    bool is_first;       ///< true for the first place of its block
};

class packer {
public:
    packer(const trace::history& made, const trace::workload& load, const std::vector<trace_block>& blocks,
           std::uint64_t quantum)
        : made_(made), load_(load), blocks_(blocks), quantum_(quantum),
          rows_(made.failed_row.value_or(load.rows.size())),
          capacity_(std::min(made.capacity / quantum, max_exact_number - 1)) {}

    std::string pack() {
        find_shared();
        add_number(bytes_, rows_);
        add_number(bytes_, capacity_);
        add_differences();
        add_own_blocks();
        add_later_places();
        add_reliefs();
        add_offsets();
        return std::move(bytes_);
    }

private:
    /// Numbers the recorded blocks: shared blocks as in `blocks_`, the others after these.
    void find_shared() {
        std::map<std::tuple<std::size_t, trace::id>, std::size_t> known;
        for (std::size_t at = 0; at < blocks_.size(); ++at) known[{blocks_[at].begin, blocks_[at].subject}] = at;
        recorded_.resize(blocks_.size(), nullptr);
        for (const trace::recorded_block& each : made_.blocks) {
            const auto found = known.find({each.begin, each.subject});
            const bool is_shared = found != known.end() && each.granted == blocks_[found->second].bytes &&
                                   (each.kind == block_kind::data || each.kind == block_kind::deferred) &&
                                   recorded_[found->second] == nullptr;
            if (is_shared) {
                recorded_[found->second] = &each;
                numbers_.push_back(found->second);
            } else {
                numbers_.push_back(blocks_.size() + own_.size());
                own_.push_back(&each);
            }
        }
    }

    /// Adds the shared blocks that are missing, or that end at another row than in the trace. The end is counted from
    /// the block's beginning; 0 if it is missing.
    void add_differences() {
        std::string bytes;
        std::uint64_t count = 0;
        std::size_t last = 0;
        for (std::size_t at = 0; at < blocks_.size() && blocks_[at].begin < rows_; ++at) {
            const std::size_t expected = std::min(blocks_[at].end, rows_);
            if (recorded_[at] != nullptr && recorded_[at]->end == expected) continue;
            add_number(bytes, at - last);
            add_number(bytes, recorded_[at] == nullptr ? 0 : recorded_[at]->end - blocks_[at].begin);
            last = at;
            ++count;
        }
        add_number(bytes_, count);
        bytes_ += bytes;
    }

    void add_own_blocks() {
        add_number(bytes_, own_.size());
        std::size_t row = 0;
        for (const trace::recorded_block* each : own_) {
            const std::string_view name =
                each->subject == trace::no_subject ? std::string_view{} : load_.ids[each->subject];
            add_number(bytes_, static_cast<std::uint64_t>(each->kind));
            add_number(bytes_, each->begin - row);
            add_number(bytes_, each->end - each->begin);
            add_number(bytes_, each->granted / quantum_);
            add_number(bytes_, name.size());
            bytes_ += name;
            row = each->begin;
        }
    }

    /// Adds the places of blocks that were moved or grew, without their offsets.
    void add_later_places() {
        std::vector<bool> seen(made_.blocks.size(), false);
        for (const trace::recorded_place& each : made_.places) {
            places_.push_back({&each, numbers_[each.block], !seen[each.block]});
            seen[each.block] = true;
        }
        // Own blocks have higher numbers than shared blocks and come before them; both by ascending number.
        const std::size_t shared = blocks_.size();
        const auto group = [&](const ordered_place& each) {
            return !each.is_first ? 0 : each.number >= shared ? 1 : 2;
        };
        std::sort(places_.begin(), places_.end(), [&](const ordered_place& a, const ordered_place& b) {
            const auto key = [&](const ordered_place& each) {
                return std::tuple(each.place->begin, group(each), each.is_first ? each.number : std::size_t{0},
                                  each.place);
            };
            return key(a) < key(b);
        });
        std::string bytes;
        std::uint64_t count = 0;
        std::size_t row = 0;
        for (const ordered_place& each : places_) {
            if (each.is_first) continue;
            add_number(bytes, each.place->begin - row);
            add_number(bytes, each.number);
            row = each.place->begin;
            ++count;
        }
        add_number(bytes_, count);
        bytes_ += bytes;
    }

    /// Adds evictions and reloads. Moves are in the places.
    void add_reliefs() {
        std::string bytes;
        std::uint64_t count = 0;
        std::size_t row = 0;
        for (const trace::recorded_relief& each : made_.reliefs) {
            if (each.kind == trace::relief_kind::moved) continue;
            add_number(bytes, each.row - row);
            add_number(bytes, each.kind == trace::relief_kind::evicted ? 0 : 1);
            add_number(bytes, numbers_[each.block]);
            row = each.row;
            ++count;
        }
        add_number(bytes_, count);
        bytes_ += bytes;
    }

    /// Adds the bytes of each place beyond those that its block was granted, and its offset.
    void add_offsets() {
        std::string wider;
        std::string chosen;
        std::string offsets;
        bool is_wider = false;
        free_ranges free(capacity_);
        std::vector<std::size_t> ends;  // indices into `places_`
        for (std::size_t at = 0; at < places_.size(); ++at) ends.push_back(at);
        std::sort(ends.begin(), ends.end(), [&](std::size_t a, std::size_t b) {
            return std::tuple(places_[a].place->end, a) < std::tuple(places_[b].place->end, b);
        });
        std::size_t ended = 0;
        for (const ordered_place& each : places_) {
            for (; ended < ends.size(); ++ended) {
                const trace::recorded_place& gone = *places_[ends[ended]].place;
                if (gone.end > each.place->begin) break;
                free.leave(gone.where.offset / quantum_, gone.where.size / quantum_);
            }
            const std::uint64_t offset = each.place->where.offset / quantum_;
            const std::uint64_t size = each.place->where.size / quantum_;
            // A reservation has another size in each of its places; negative for none.
            const std::uint64_t granted = made_.blocks[each.place->block].granted / quantum_;
            const std::uint64_t difference = size >= granted ? (size - granted) * 2 : (granted - size) * 2 - 1;
            is_wider = is_wider || difference != 0;
            add_number(wider, difference);
            add_offset(free, offset, size, chosen, offsets);
            free.take(offset, size);
        }
        add_number(bytes_, is_wider ? 1 : 0);
        if (is_wider) bytes_ += wider;
        bytes_ += chosen;
        bytes_ += offsets;
    }

    void add_offset(const free_ranges& free, std::uint64_t offset, std::uint64_t size, std::string& chosen,
                    std::string& offsets) {
        const auto is_right = [&](std::uint8_t rule) { return free.place(static_cast<guess>(rule), size) == offset; };
        std::uint8_t rule = usual_;
        if (!is_right(rule))
            for (rule = 0; rule < guesses && !is_right(rule);) ++rule;
        chosen += static_cast<char>(rule);
        if (rule == guesses)
            add_number(offsets, offset);
        else
            usual_ = rule;
    }

    const trace::history& made_;
    const trace::workload& load_;
    const std::vector<trace_block>& blocks_;
    std::uint64_t quantum_;
    std::size_t rows_;
    std::uint64_t capacity_;                              // capacity in quanta
    std::uint8_t usual_ = 0;                              // latest guess that was right
    std::vector<const trace::recorded_block*> recorded_;  // blocks by shared block
    std::vector<const trace::recorded_block*> own_;       // blocks of the cell alone
    std::vector<std::size_t> numbers_;                    // number in the page by recorded block
    std::vector<ordered_place> places_;
    std::string bytes_;
};

}  // namespace

std::optional<std::string> packed_history(const trace::history& made, const trace::workload& load,
                                          const std::vector<trace_block>& blocks, std::uint64_t quantum) {
    for (const trace::recorded_place& each : made.places)
        if (each.where.end() / quantum >= max_exact_number) return std::nullopt;
    return packer(made, load, blocks, quantum).pack();
}

}  // namespace hbm::compare
