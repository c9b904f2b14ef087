#pragma once
// Replays a workload in a manager.

#include <hbm/blocks/block_map.hpp>
#include <hbm/blocks/live_blocks.hpp>
#include <hbm/blocks/tag_names.hpp>
#include <hbm/core/bytes.hpp>
#include <hbm/core/call_site.hpp>
#include <hbm/core/handle.hpp>
#include <hbm/core/memory_spec.hpp>
#include <hbm/core/request.hpp>
#include <hbm/core/result.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/explain/words.hpp>
#include <hbm/fwd.hpp>
#include <hbm/manager.hpp>
#include <hbm/manager/compact.hpp>
#include <hbm/manager/executor.hpp>
#include <hbm/manager/planning_transaction.hpp>
#include <hbm/manager/policy_order.hpp>
#include <hbm/manager/programs.hpp>
#include <hbm/manager/refused_run.hpp>
#include <hbm/manager/runs.hpp>
#include <hbm/manager/waiting_transaction.hpp>
#include <hbm/relief/compactor.hpp>
#include <hbm/search/exact_search.hpp>
#include <hbm/search/joint_search.hpp>
#include <hbm/search/room_maker.hpp>
#include <hbm/search/room_search.hpp>
#include <hbm/state/memory_state.hpp>
#include <hbm/state/memory_view.hpp>
#include <hbm/state/pending_move.hpp>
#include <hbm/state/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compare/replay/capacity.hpp"
#include "compare/replay/figures.hpp"
#include "compare/replay/replayed_memory.hpp"
#include "compare/replay/workload.hpp"

namespace hbm::trace {

/// The names of blocks in the memory of a replay.
enum class naming : std::uint8_t {
    tags,  ///< the tag of the row; the fastest, because the manager's tags have the numbers of the workload's tags
    ids,   ///< the id of the buffer or program and the tag of its row
};

/// Replays a workload row by row. Each row is a call of the manager, with two exceptions: the load of an unloaded
/// program first ends the unloaded program, and donated buffers that are pinned are freed after the run.
class replay {
public:
    /// `memory` must be new. Both arguments must outlive the replay, and `trace` must not change.
    replay(const workload& trace, replayed_memory& memory, naming names = naming::tags)
        : trace_(&trace), memory_(&memory), buffers_(trace.ids.size()), programs_(trace.ids.size()),
          loads_(trace.ids.size(), no_detail), names_(names) {
        // A new manager numbers names in order, so its tags have the numbers of the workload's tags.
        if (names_ == naming::tags)
            for (const std::string& each : trace.tags) memory.tag_of(each.c_str());
    }

    /// Applies the next row; false at a row that fails, and at the end.
    bool step() {
        if (at_ == trace_->rows.size()) return false;
        const bool good = apply(trace_->rows[at_]);
        if (good) ++at_;
        return good;
    }
    /// The index of the next row, or of the row that failed.
    [[nodiscard]] std::size_t at() const noexcept { return at_; }
    /// Why the last row failed.
    [[nodiscard]] const failure& trouble() const noexcept { return trouble_; }
    /// The message of the runtime for that failure.
    [[nodiscard]] std::string words() const { return message(trouble_, trace_->ids[trace_->rows[at_].subject]); }

    /// The handle of a buffer of the workload; stale or empty if the buffer is not in memory.
    [[nodiscard]] buffer buffer_of(id subject) const noexcept { return buffers_[subject]; }
    /// The same for a program.
    [[nodiscard]] program program_of(id subject) const noexcept { return programs_[subject]; }

    /// The buffers that the last row allocated: its allocation, or its outputs that took over no input, in order.
    [[nodiscard]] const std::vector<buffer>& fresh() const noexcept { return fresh_; }

    /// The free bytes that the next row needs in total: a new buffer; a program that has to be loaded; outputs of a run
    /// that take over no donated buffer. The largest number on overflow. O(arguments).
    [[nodiscard]] std::uint64_t bytes_needed(std::uint64_t quantum) {
        const row& next = trace_->rows[at_];
        if (next.what == op::alloc || next.what == op::import) return granted(next.bytes, quantum);
        if (next.what != op::load && next.what != op::run) return 0;
        std::uint64_t sum = 0;
        if (!memory_->about(programs_[next.subject]).resident) {
            const row& spec = trace_->rows[loads_[next.subject]];
            const std::uint64_t scratch = trace_->details[spec.detail].scratch;
            sum = saturating_add(granted(spec.bytes, quantum), scratch == 0 ? 0 : granted(scratch, quantum));
        }
        if (next.what == op::load) return sum;
        const trivial_vector<std::uint32_t> donors = memory_->donors_of(gather_arguments(next));
        for (std::size_t i = 0; i < outputs_.size(); ++i)
            if (i >= donors.size() || donors[i] == no_index)
                sum = saturating_add(sum, granted(outputs_[i].bytes, quantum));
        return sum;
    }

private:
    bool apply(const row& next) {
        fresh_.clear();
        switch (next.what) {
        case op::alloc: {
            const result<buffer> placed =
                memory_->allocate(request{.bytes = next.bytes, .label = label_of(next.subject, next)});
            if (!placed) return failed(placed.error());
            buffers_[next.subject] = *placed;
            fresh_.push_back(*placed);
            return true;
        }
        case op::import: {
            const std::uint64_t offset = trace_->details[next.detail].offset;
            const result<buffer> placed = memory_->import({offset, next.bytes}, label_of(next.subject, next));
            if (!placed) return failed(placed.error());
            buffers_[next.subject] = *placed;
            return true;
        }
        case op::free:
            return good(memory_->free(buffers_[next.subject]));
        case op::load:
            return load(next.subject);
        case op::run:
            return run(next);
        case op::unload:
            return good(memory_->unload_for_now(programs_[next.subject]));
        case op::pin:
            return good(memory_->pin(buffers_[next.subject]));
        case op::unpin:
            return good(memory_->unpin(buffers_[next.subject]));
        case op::sync:
            memory_->sync();
            return true;
        }
        return false;
    }

    /// Loads a new program, or an evicted program again. An unloaded program counts as new: it may have another size.
    bool load(id subject) {
        loads_[subject] = static_cast<std::uint32_t>(at_);
        program& known = programs_[subject];
        if (known) {
            if (!memory_->about(known).unloaded) return good(memory_->load(known));
            if (!good(memory_->unload(known))) return false;
            known = {};
        }
        const row& spec = trace_->rows[at_];
        const detail& more = trace_->details[spec.detail];
        const result<program> loaded =
            memory_->load(program_spec{.name = trace_->ids[subject].c_str(),
                                       .code = spec.bytes,
                                       .scratch = more.scratch,
                                       .reload_us = more.reload_us == unspecified ? derived_cost : more.reload_us});
        if (!loaded) return failed(loaded.error());
        known = *loaded;
        return true;
    }

    /// The arguments of a run; the lists are kept in members.
    run_spec gather_arguments(const row& next) {
        const detail& more = trace_->details[next.detail];
        const auto gather = [&](operand_range range, std::vector<buffer>& into) {
            into.clear();
            for (std::uint32_t i = 0; i < range.count; ++i) into.push_back(buffers_[trace_->operands[range.first + i]]);
        };
        gather(more.inputs, inputs_);
        gather(more.donated, donated_);
        outputs_.clear();
        for (std::uint32_t i = 0; i < more.outputs.count; ++i) {
            const sized_id& made = trace_->outputs[more.outputs.first + i];
            outputs_.emplace_back(made.bytes, label_of(made.name, next));
        }
        // A pinned buffer cannot be donated: it is an input, and freed after the run.
        kept_.clear();
        for (std::uint32_t at = 0; at < donated_.size(); ++at)
            if (memory_->pins(donated_[at]) != 0) kept_.push_back(at);
        const bool timed = at_ + 1 < trace_->times.size();
        return {.inputs = inputs_,
                .donated = donated_,
                .outputs = outputs_,
                .kept = kept_,
                .run_us = timed ? trace_->times[at_ + 1] - trace_->times[at_] : 0};
    }

    /// Runs a program, which the manager loads again if it was evicted or unloaded.
    bool run(const row& next) {
        const result<run_result> ran = memory_->run(programs_[next.subject], gather_arguments(next));
        if (!ran) return failed(ran.error());
        for (const std::uint32_t at : kept_)
            if (!good(memory_->free(donated_[at]))) return false;
        const operand_range made = trace_->details[next.detail].outputs;
        for (std::uint32_t i = 0; i < made.count; ++i) {
            buffers_[trace_->outputs[made.first + i].name] = ran->outputs[i];
            if (ran->donors[i] == no_index) fresh_.push_back(ran->outputs[i]);
        }
        return true;
    }

    tag label_of(id subject, const row& where) {
        if (names_ == naming::tags) return static_cast<tag>(where.tag);
        std::string name = trace_->ids[subject];
        if (where.tag != 0) name += " (" + trace_->tags[where.tag] + ")";
        return memory_->tag_of(name.c_str());
    }

    bool failed(const failure& why) {
        trouble_ = why;
        return false;
    }
    bool good(const result<done>& outcome) { return outcome ? true : failed(outcome.error()); }

    const workload* trace_;
    replayed_memory* memory_;
    std::vector<buffer> buffers_;       // by id
    std::vector<program> programs_;     // by id
    std::vector<std::uint32_t> loads_;  // by id: the row of the latest load
    std::vector<buffer> inputs_, donated_, fresh_;
    std::vector<output> outputs_;
    std::vector<std::uint32_t> kept_;
    std::size_t at_ = 0;
    naming names_;
    failure trouble_;
};

/// Replays `trace` in `memory`, which must be new and has quanta of `quantum` bytes. Returns all figures but the
/// minimum capacity and the time. `is_unlimited`: the capacity counts as unlimited.
[[nodiscard]] figures measure(const workload& trace, replayed_memory& memory, std::uint64_t quantum, bool is_unlimited);

/// The same in a new manager of type `Manager` with the memory of `spec`.
template <class Manager>
[[nodiscard]] figures measure(const workload& trace, const memory_spec& spec, bool is_unlimited) {
    replayed<Manager> memory(spec);
    return measure(trace, memory, spec.quantum, is_unlimited);
}

/// Whether `trace` completes in `memory`, which must be new.
[[nodiscard]] bool completes(const workload& trace, replayed_memory& memory);

/// Nanoseconds per row of a replay in `memory`, which must be new, on the host, including a virtual call per row; 0 for
/// an empty workload. If the workload does not complete, only the rows before the failure count.
[[nodiscard]] double time(const workload& trace, replayed_memory& memory);

}  // namespace hbm::trace
