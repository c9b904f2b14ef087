#include "compare/replay/replay.hpp"

#include <hbm/core/bytes.hpp>
#include <hbm/core/call_site.hpp>
#include <hbm/core/language.hpp>
#include <hbm/core/request.hpp>
#include <hbm/core/trivial_vector.hpp>

#include <algorithm>

#include "compare/replay/capacity.hpp"
#include "compare/replay/digest.hpp"
#include "compare/replay/numbers.hpp"

namespace hbm::trace {

replay::replay(const workload& trace, replayed_memory& memory, naming names)
    : trace_(&trace), memory_(&memory), buffers_(trace.ids.size()), names_(names) {
    if (!trace.details.empty()) {
        programs_.resize(trace.ids.size());
        loads_.resize(trace.ids.size(), no_detail);
    }
    // A new manager numbers names in order, so its tags have the numbers of the workload's tags.
    if (names_ == naming::tags)
        for (const std::string& each : trace.tags) memory.tag_of(each.c_str());
}

bool replay::step() {
    if (at_ == trace_->rows.size()) return false;
    const bool good = apply(trace_->rows[at_]);
    if (good) ++at_;
    return good;
}

bool replay::step_ahead() {
    if (at_ % rows_ahead == 0) read_ahead();
    return step();
}

void replay::read_ahead() {
    const std::size_t end = trace_->rows.size();
    for (std::size_t row = at_ + rows_ahead; row < std::min(at_ + 2 * rows_ahead, end); ++row)
        hbm::detail::prefetch(buffers_.data() + trace_->rows[row].subject);
    for (std::size_t row = at_; row < std::min(at_ + rows_ahead, end); ++row)
        if (const trace::row& next = trace_->rows[row]; next.what == op::free)
            static_cast<void>(memory_->where(buffers_[next.subject]));
}

std::uint64_t replay::bytes_needed(std::uint64_t quantum) {
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
        if (i >= donors.size() || donors[i] == no_index) sum = saturating_add(sum, granted(outputs_[i].bytes, quantum));
    return sum;
}

bool replay::apply(const row& next) {
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
    case op::free: return good(memory_->free(buffers_[next.subject]));
    case op::load: return load(next.subject);
    case op::run: return run(next);
    case op::unload: return good(memory_->unload_for_now(programs_[next.subject]));
    case op::pin: return good(memory_->pin(buffers_[next.subject]));
    case op::unpin: return good(memory_->unpin(buffers_[next.subject]));
    case op::sync: memory_->sync(); return true;
    }
    return false;
}

bool replay::load(id subject) {
    loads_[subject] = static_cast<std::uint32_t>(at_);
    program& known = programs_[subject];
    if (known) {
        if (!memory_->about(known).unloaded) return good(memory_->load(known));
        if (!good(memory_->unload(known))) return false;
        known = {};
    }
    const row& spec = trace_->rows[at_];
    const detail& more = trace_->details[spec.detail];
    const std::string name(trace_->ids[subject]);
    const result<program> loaded =
        memory_->load(program_spec{.name = name.c_str(),
                                   .code = spec.bytes,
                                   .scratch = more.scratch,
                                   .reload_us = more.reload_us == unspecified ? derived_cost : more.reload_us});
    if (!loaded) return failed(loaded.error());
    known = *loaded;
    return true;
}

run_spec replay::gather_arguments(const row& next) {
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
    std::uint64_t us = more.us;
    if (us == unspecified) us = at_ + 1 < trace_->times.size() ? trace_->times[at_ + 1] - trace_->times[at_] : 0;
    return {.inputs = inputs_, .donated = donated_, .outputs = outputs_, .kept = kept_, .run_us = us};
}

bool replay::run(const row& next) {
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

tag replay::label_of(id subject, const row& where) {
    if (names_ == naming::tags) return static_cast<tag>(where.tag);
    std::string name(trace_->ids[subject]);
    if (where.tag != 0) name += " (" + trace_->tags[where.tag] + ")";
    return memory_->tag_of(name.c_str());
}

bool replay::failed(const failure& why) {
    trouble_ = why;
    return false;
}

figures measure(const workload& trace, replayed_memory& memory, std::uint64_t quantum, bool is_unlimited) {
    replay run(trace, memory);
    figures found;
    digest offsets;
    std::uint64_t footprint = 0;
    std::uint64_t relieved_calls = 0;
    weighted_mean by_time;
    weighted_mean by_rows;  // mean for traces without times, or in which no time passes before the replay ends
    fraction worst;
    while (run.step_ahead()) {
        for (const buffer placed : run.fresh()) offsets.add(memory.where(placed).offset);
        if (memory.done_so_far().relieved != relieved_calls) ++found.relieved;
        relieved_calls = memory.done_so_far().relieved;
        const memory_readings now = memory.read();
        if (is_unlimited) {
            if (now.highest_end > footprint) footprint = now.highest_end;
            continue;
        }
        const std::uint64_t scattered = now.free - now.largest_free;
        const std::uint64_t whole = now.free == 0 ? 1 : now.free;
        if (worst.is_below(scattered, whole)) worst = fraction::of(scattered, whole);
        if (by_time.is_empty()) by_rows.add(scattered, now.free, 1);
        if (run.at() < trace.times.size())
            by_time.add(scattered, now.free, trace.times[run.at()] - trace.times[run.at() - 1]);
    }

    found.quantum_bytes = quantum;
    found.events = trace.rows.size();
    found.completed = run.at() == trace.rows.size();
    const memory_readings last = memory.read();
    if (!found.completed) {
        found.failed_event = run.at();
        found.error = run.words();
        if (run.bytes_needed(quantum) <= last.free) found.oom_with_enough_free = 1;
    }
    found.peak_live_bytes = last.peak_live;
    if (is_unlimited) {
        found.footprint_bytes = footprint;
        if (found.peak_live_bytes != 0) found.overhead_ratio = fraction::of(footprint, found.peak_live_bytes);
    } else {
        found.capacity_bytes = last.capacity;
        found.fragmentation_worst = worst;
        found.fragmentation_mean = by_time.is_empty() ? by_rows.rounded() : by_time.rounded();
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

bool completes(const workload& trace, replayed_memory& memory) {
    replay run(trace, memory);
    while (run.step_ahead()) {
    }
    return run.at() == trace.rows.size();
}

}  // namespace hbm::trace
