#include "compare/replay/history.hpp"

#include <hbm/core/call_site.hpp>
#include <hbm/core/extent.hpp>
#include <hbm/core/handle.hpp>
#include <hbm/core/result.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/core/trivial_vector.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "compare/replay/capacity.hpp"

namespace hbm::trace {

namespace {

/// Recorder of a replay, row by row.
class history_recorder {
public:
    /// `memory` must be new and have quanta of `quantum` bytes. `trace` and `memory` must outlive the recorder.
    history_recorder(const workload& trace, replayed_memory& memory, std::uint64_t quantum)
        : trace_(&trace), memory_(&memory), run_(trace, memory), quantum_(quantum),
          programs_left_(trace.ids.size(), departure::none) {
        before_ = memory.read();
    }

    /// Replays all rows, or as many as succeed.
    [[nodiscard]] history record() {
        made_.capacity = before_.capacity;
        made_.readings.reserve(trace_->rows.size());
        bool good = true;
        while (good && run_.at() != trace_->rows.size()) {
            const std::size_t row = run_.at();
            const std::optional<extent> freed = place_to_be_freed(row);
            good = run_.step_ahead();
            if (good) note(row, freed);
        }
        for (const std::uint32_t block : present_) finish(block, run_.at());
        if (!good) {
            made_.failed_row = run_.at();
            made_.error = run_.words();
        }
        return std::move(made_);
    }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    /// Reason for the absence of a program from memory.
    enum class departure : std::uint8_t { none, evicted, unloaded };

    /// Present block of an index of handles.
    struct occupant {
        std::uint32_t generation = 0;
        std::uint32_t block = none;
    };

    [[nodiscard]] std::optional<extent> place_to_be_freed(std::size_t row) const {
        if (trace_->rows[row].what != op::free) return std::nullopt;
        return memory_->where(run_.buffer_of(trace_->rows[row].subject));
    }

    void note(std::size_t row, const std::optional<extent>& freed) {
        const memory_readings now = memory_->read();
        const totals& sums = memory_->done_so_far();
        const bool relieved = sums.moves != moves_ || sums.evictions != evictions_ || sums.reloads != reloads_;
        moves_ = sums.moves;
        evictions_ = sums.evictions;
        reloads_ = sums.reloads;
        if (relieved || !note_plainly(row, freed, now)) compare_all(row);
        before_ = now;
        made_.readings.push_back({now.capacity - now.free, now.free, now.largest_free, now.highest_end});
    }

    /// Notes a row that only begins or ends a single block; returns false if it did more.
    bool note_plainly(std::size_t row, const std::optional<extent>& freed, const memory_readings& now) {
        const trace::row& done = trace_->rows[row];
        if (done.what == op::alloc || done.what == op::import) {
            const buffer held = run_.buffer_of(done.subject);
            const extent where = memory_->where(held);
            if (before_.free - now.free != where.size) return false;
            begin(held,
                  {.subject = done.subject,
                   .tag = done.tag,
                   .kind = block_kind::data,
                   .granted = granted(done.bytes, quantum_),
                   .begin = row},
                  where);
            return true;
        }
        if (!freed || now.free - before_.free != freed->size) return false;
        const buffer held = run_.buffer_of(done.subject);
        occupant& slot = slot_of(held.index);
        if (slot.block == none || slot.generation != held.generation) return false;
        leave(std::exchange(slot.block, none), row);
        return true;
    }

    /// Compares all blocks in memory with those that were there before the row.
    void compare_all(std::size_t row) {
        const trace::row& done = trace_->rows[row];
        learn_names(done);
        memory_->list_blocks(listed_);
        seen_.resize(made_.blocks.size(), 0);
        fresh_.clear();
        for (const block_view& each : listed_) {
            if (each.where.size == 0) continue;
            const std::uint32_t block = find(each);
            if (block == none) {
                fresh_.push_back(each);
                continue;
            }
            seen_[block] = row + 1;
            stay_or_move(block, each, row);
        }
        // A buffer that was freed while it was pinned is still there, without a handle.
        std::erase_if(fresh_,
                      [&](const block_view& each) { return each.kind == block_kind::deferred && keep(each, row); });
        for (std::size_t at = present_.size(); at-- > 0;)
            if (seen_[present_[at]] != row + 1) end(present_[at], row);
        for (const block_view& each : fresh_) begin(each, row);
    }

    /// Stores the manager's handles of this row's subject and outputs.
    void learn_names(const trace::row& done) {
        if (done.what == op::unload) programs_left_[done.subject] = departure::unloaded;
        if (done.what == op::load || done.what == op::run) {
            const program known = run_.program_of(done.subject);
            if (known.index >= programs_.size()) programs_.resize(known.index + std::size_t{1}, no_subject);
            programs_[known.index] = done.subject;
        }
        if (done.what == op::alloc || done.what == op::import) name(done.subject);
        if (done.what != op::run) return;
        const operand_range outputs = trace_->details[done.detail].outputs;
        for (std::uint32_t i = 0; i < outputs.count; ++i) name(trace_->outputs[outputs.first + i].name);
    }
    void name(id subject) {
        const buffer held = run_.buffer_of(subject);
        if (held.index >= names_.size()) names_.resize(held.index + std::size_t{1}, no_subject);
        names_[held.index] = subject;
    }

    /// Returns the recorded block of a view, or `none`.
    [[nodiscard]] std::uint32_t find(const block_view& each) {
        if (each.kind == block_kind::data) {
            const occupant& slot = slot_of(each.handle.index);
            return slot.generation == each.handle.generation ? slot.block : none;
        }
        if (each.kind == block_kind::reservation) return reservation_;
        if (each.kind == block_kind::deferred) return none;
        std::vector<std::uint32_t>& of = each.kind == block_kind::code ? codes_ : scratches_;
        return each.owner < of.size() ? of[each.owner] : none;
    }

    /// Returns true if a block without a handle was in this place before.
    bool keep(const block_view& each, std::size_t row) {
        for (const std::uint32_t block : present_)
            if (seen_[block] != row + 1 && made_.places[place_[block]].where == each.where) {
                made_.blocks[block].kind = block_kind::deferred;
                seen_[block] = row + 1;
                return true;
            }
        return false;
    }

    void stay_or_move(std::uint32_t block, const block_view& each, std::size_t row) {
        recorded_place& last = made_.places[place_[block]];
        if (last.where == each.where) return;
        if (last.where.offset != each.where.offset && each.kind != block_kind::reservation)
            made_.reliefs.push_back({relief_kind::moved, row, block});
        last.end = row;
        place(block, each.where, row);
    }

    void begin(const block_view& each, std::size_t row) {
        recorded_block made{.kind = each.kind, .granted = each.granted, .begin = row};
        if (each.kind == block_kind::data) {
            made.subject = each.handle.index < names_.size() ? names_[each.handle.index] : no_subject;
            made.tag = trace_->rows[row].tag;
            begin(each.handle, made, each.where);
            return;
        }
        if (each.kind == block_kind::code || each.kind == block_kind::scratch) {
            made.subject = each.owner < programs_.size() ? programs_[each.owner] : no_subject;
            std::vector<std::uint32_t>& of = each.kind == block_kind::code ? codes_ : scratches_;
            if (each.owner >= of.size()) of.resize(each.owner + std::size_t{1}, none);
            of[each.owner] = add(made, each.where);
            if (each.kind == block_kind::code && made.subject != no_subject &&
                std::exchange(programs_left_[made.subject], departure::none) == departure::evicted)
                made_.reliefs.push_back({relief_kind::reloaded, row, of[each.owner]});
            return;
        }
        const std::uint32_t block = add(made, each.where);
        if (each.kind == block_kind::reservation) reservation_ = block;
    }
    void begin(buffer held, const recorded_block& made, extent where) {
        slot_of(held.index) = {held.generation, add(made, where)};
    }

    std::uint32_t add(const recorded_block& made, extent where) {
        const auto block = static_cast<std::uint32_t>(made_.blocks.size());
        made_.blocks.push_back(made);
        place_.push_back(none);
        position_.push_back(static_cast<std::uint32_t>(present_.size()));
        present_.push_back(block);
        place(block, where, made.begin);
        return block;
    }
    void place(std::uint32_t block, extent where, std::size_t row) {
        place_[block] = static_cast<std::uint32_t>(made_.places.size());
        made_.places.push_back({block, where, row, row});
    }

    /// Ends a block that the row ended, evicted or left without a handle.
    void end(std::uint32_t block, std::size_t row) {
        const recorded_block& ended = made_.blocks[block];
        if (ended.kind == block_kind::code && ended.subject != no_subject &&
            programs_left_[ended.subject] == departure::none) {
            programs_left_[ended.subject] = departure::evicted;
            made_.reliefs.push_back({relief_kind::evicted, row, block});
        }
        for (std::vector<std::uint32_t>* of : {&codes_, &scratches_})
            for (std::uint32_t& each : *of)
                if (each == block) each = none;
        if (reservation_ == block) reservation_ = none;
        leave(block, row);
    }
    void leave(std::uint32_t block, std::size_t row) {
        finish(block, row);
        const std::uint32_t last = present_.back();
        present_[position_[block]] = last;
        position_[last] = position_[block];
        present_.pop_back();
    }
    void finish(std::uint32_t block, std::size_t row) {
        made_.blocks[block].end = made_.places[place_[block]].end = row;
    }

    occupant& slot_of(std::uint32_t index) {
        if (index >= slots_.size()) slots_.resize(index + std::size_t{1});
        return slots_[index];
    }

    const workload* trace_;
    replayed_memory* memory_;
    replay run_;
    history made_;
    memory_readings before_;
    std::uint64_t quantum_;
    std::uint64_t moves_ = 0, evictions_ = 0, reloads_ = 0;
    std::vector<occupant> slots_;                   // occupants by index of a buffer's handle
    std::vector<id> names_, programs_;              // ids by index of a buffer's or program's handle
    std::vector<std::uint32_t> codes_, scratches_;  // blocks by index of a program's handle
    std::uint32_t reservation_ = none;
    std::vector<std::uint32_t> place_, position_;  // latest place of each block, and its index into `present_`
    std::vector<std::uint32_t> present_;           // blocks in memory
    std::vector<departure> programs_left_;         // departures by id of a program
    std::vector<std::size_t> seen_;                // row of each block that last found it, from 1
    std::vector<block_view> listed_, fresh_;
};

}  // namespace

history record_history(const workload& trace, replayed_memory& memory, std::uint64_t quantum) {
    return history_recorder(trace, memory, quantum).record();
}

}  // namespace hbm::trace
