#pragma once
// Feeds a workload to a manager.

#include <hbm/manager.hpp>
#include <hbm/report/words.hpp>
#include <hbm/trace/figures.hpp>
#include <hbm/trace/workload.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace hbm::trace {

/// FNV-1a over 64 bits.
struct digest {
    std::uint64_t value = 0xcbf29ce484222325;

    /// Takes in a number as eight little-endian bytes.
    constexpr void add(std::uint64_t number) noexcept {
        for (int byte = 0; byte < 8; ++byte) {
            value = (value ^ (number & 0xff)) * 0x100000001b3;
            number >>= 8;
        }
    }
};

/// What blocks are called in the memory of a replay.
enum class naming : std::uint8_t {
    tags,  ///< their labels are the tags of the rows, and have no names: nothing to look up
    ids,   ///< their labels have names: the id of the buffer, with the tag of its row
};

/// A workload on its way through a manager, row by row.
template <class Manager>
class replay {
public:
    /// `trace` stays alive and unchanged meanwhile.
    replay(const workload& trace, const memory_spec& spec, naming names = naming::tags)
        : trace_(&trace), memory_(spec), buffers_(trace.ids.size()), programs_(trace.ids.size()),
          loads_(trace.ids.size(), no_detail), names_(names) {
        memory_.reserve_metadata(256);
    }

    [[nodiscard]] const Manager& memory() const noexcept { return memory_; }

    /// Applies the next row; false at a row that fails, and at the end.
    bool step() {
        if (at_ == trace_->rows.size()) return false;
        const bool good = apply(trace_->rows[at_]);
        if (good) ++at_;
        return good;
    }
    /// The index of the row that comes next, or that failed.
    [[nodiscard]] std::size_t at() const noexcept { return at_; }
    /// Why the last row failed.
    [[nodiscard]] const failure& trouble() const noexcept { return trouble_; }
    /// The same as the runtime would print it.
    [[nodiscard]] std::string words() const { return message(trouble_, trace_->ids[trace_->rows[at_].subject]); }

    /// What an id of the workload stands for; nothing that is good where it is not in memory.
    [[nodiscard]] buffer buffer_of(id subject) const noexcept { return buffers_[subject]; }

    /// Where the last row's allocation or fresh outputs went, in order.
    [[nodiscard]] const std::vector<buffer>& fresh() const noexcept { return fresh_; }

private:
    bool apply(const row& next) {
        fresh_.clear();
        switch (next.what) {
        case op::alloc: {
            const result<buffer> placed =
                memory_.allocate(request{.bytes = next.bytes, .label = label_of(next.subject, next)});
            if (!placed) return failed(placed.error());
            buffers_[next.subject] = *placed;
            fresh_.push_back(*placed);
            return true;
        }
        case op::free:
            return good(memory_.free(buffers_[next.subject]));
        case op::load:
            loads_[next.subject] = static_cast<std::uint32_t>(at_);
            return load(next.subject);
        case op::run:
            return load(next.subject) && run(next);
        case op::unload:
            return good(memory_.unload(programs_[next.subject]));
        case op::pin:
            return good(memory_.pin(buffers_[next.subject]));
        case op::unpin:
            return good(memory_.unpin(buffers_[next.subject]));
        case op::sync:
            memory_.sync();
            return true;
        }
        return false;
    }

    /// A program that is new or was unloaded is loaded; `load` rows also bring an evicted one back, `run` rows leave
    /// that to the run.
    bool load(id subject) {
        const row& spec = trace_->rows[loads_[subject]];
        if (memory_.check(programs_[subject]) == error::none)
            return trace_->rows[at_].what == op::run || good(memory_.load(programs_[subject]));
        const detail& more = trace_->details[spec.detail];
        const result<program> loaded =
            memory_.load(program_spec{.name = trace_->ids[subject].c_str(),
                                      .code = spec.bytes,
                                      .scratch = more.scratch,
                                      .reload_us = more.reload_us == unspecified ? derived_cost : more.reload_us});
        if (!loaded) return failed(loaded.error());
        programs_[subject] = *loaded;
        return true;
    }

    bool run(const row& next) {
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
        // What is referenced from outside cannot be donated: it is read, and freed as soon as it can be.
        kept_.clear();
        for (std::uint32_t at = 0; at < donated_.size(); ++at)
            if (memory_.pins(donated_[at]) != 0) kept_.push_back(at);
        const bool timed = at_ + 1 < trace_->times.size();
        const result<run_result> ran =
            memory_.run(programs_[next.subject], {.inputs = inputs_,
                                                  .donated = donated_,
                                                  .outputs = outputs_,
                                                  .kept = kept_,
                                                  .run_us = timed ? trace_->times[at_ + 1] - trace_->times[at_] : 0});
        if (!ran) return failed(ran.error());
        for (const std::uint32_t at : kept_)
            if (!good(memory_.free(donated_[at]))) return false;
        for (std::uint32_t i = 0; i < more.outputs.count; ++i) {
            buffers_[trace_->outputs[more.outputs.first + i].name] = ran->outputs[i];
            if (ran->donors[i] == no_index) fresh_.push_back(ran->outputs[i]);
        }
        return true;
    }

    tag label_of(id subject, const row& where) {
        if (names_ == naming::tags) return static_cast<tag>(where.tag);
        std::string name = trace_->ids[subject];
        if (where.tag != 0) name += " (" + trace_->tags[where.tag] + ")";
        return memory_.tag_of(name.c_str());
    }

    bool failed(const failure& why) {
        trouble_ = why;
        return false;
    }
    bool good(const result<done>& outcome) { return outcome ? true : failed(outcome.error()); }

    const workload* trace_;
    Manager memory_;
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

/// Replays `trace` in a memory of `spec` and collects the figures, all but the minimum capacity and the time.
/// `is_unlimited` says that the capacity of `spec` stands for an unlimited one.
template <class Manager>
[[nodiscard]] figures measure(const workload& trace, const memory_spec& spec, bool is_unlimited) {
    replay<Manager> run(trace, spec);
    const Manager& memory = run.memory();
    figures found;
    digest offsets;
    std::uint64_t footprint = 0;
    std::uint64_t relieved_calls = 0;
    const bool timed = !trace.times.empty() && trace.times.back() != trace.times.front();
    wide_unsigned weighted = 0;  // sum of millionths x weight
    std::uint64_t weights = 0;
    fraction worst;
    while (run.step()) {
        for (const buffer placed : run.fresh()) offsets.add(memory.where(placed).offset);
        if (memory.done_so_far().relieved != relieved_calls) ++found.relieved;
        relieved_calls = memory.done_so_far().relieved;
        if (is_unlimited) {
            const std::uint64_t end = memory.highest_end_bytes();
            if (end > footprint) footprint = end;
            continue;
        }
        const std::size_t row = run.at() - 1;
        const std::uint64_t weight = !timed                         ? 1
                                     : row + 1 < trace.times.size() ? trace.times[row + 1] - trace.times[row]
                                                                    : 0;
        const std::uint64_t free = memory.free_bytes();
        if (free != 0) {
            const fraction now = fraction::of(free - memory.largest_free_bytes(), free);
            if (now > worst) worst = now;
            weighted += static_cast<wide_unsigned>(now.millionths) * weight;
        }
        weights += weight;
    }

    found.quantum_bytes = spec.quantum;
    found.events = trace.rows.size();
    found.completed = run.at() == trace.rows.size();
    if (!found.completed) {
        found.failed_event = run.at();
        found.error = run.words();
        const failure& why = run.trouble();
        if (why.requested <= why.free + (why.at_the_bottom ? why.reserved : 0)) found.oom_with_enough_free = 1;
    }
    found.peak_live_bytes = memory.peak_live_bytes();
    if (is_unlimited) {
        found.footprint_bytes = footprint;
        if (found.peak_live_bytes != 0) found.overhead_ratio = fraction::of(footprint, found.peak_live_bytes);
    } else {
        found.capacity_bytes = memory.capacity_bytes();
        found.fragmentation_worst = worst;
        found.fragmentation_mean =
            weights == 0 ? fraction{} : fraction{static_cast<std::uint64_t>((weighted + weights / 2) / weights)};
    }
    const totals& sums = memory.done_so_far();
    found.evictions = sums.evictions;
    found.evicted_bytes = sums.evicted_bytes;
    found.reloads = sums.reloads;
    found.reload_us = (sums.reload_nanoseconds + 500) / 1000;
    found.moves = sums.moves;
    found.moved_bytes = sums.moved_bytes;
    found.move_us = (sums.move_nanoseconds + 500) / 1000;
    found.donations_offered = sums.donations_offered;
    found.donations_taken = sums.donations_taken;
    found.donated_bytes = sums.donated_bytes;
    found.placement_digest = offsets.value;
    return found;
}

/// Whether `trace` completes in a memory of `spec`.
template <class Manager>
[[nodiscard]] bool completes(const workload& trace, const memory_spec& spec) {
    replay<Manager> run(trace, spec);
    while (run.step()) {
    }
    return run.at() == trace.rows.size();
}

/// Nanoseconds a row that one replay takes on the host, the manager's making not included; 0 for an empty workload.
/// Where the workload does not complete, of the rows before the failure.
template <class Manager>
[[nodiscard]] double time(const workload& trace, const memory_spec& spec) {
    replay<Manager> run(trace, spec);
    const auto begin = std::chrono::steady_clock::now();
    while (run.step()) {
    }
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
    return run.at() == 0 ? 0.0 : taken.count() / static_cast<double>(run.at());
}

}  // namespace hbm::trace
