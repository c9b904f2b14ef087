#include "compare/replay/replay.hpp"

#include <hbm/state/totals.hpp>

#include <chrono>
#include <span>

#include "compare/replay/digest.hpp"
#include "compare/replay/weighted_mean.hpp"

namespace hbm::trace {

figures measure(const workload& trace, replayed_memory& memory, std::uint64_t quantum, bool is_unlimited) {
    replay run(trace, memory);
    figures found;
    digest offsets;
    std::uint64_t footprint = 0;
    std::uint64_t relieved_calls = 0;
    weighted_mean by_time;
    weighted_mean by_rows;  // for traces without times, or in which no time passes before the replay ends
    fraction worst;
    while (run.step()) {
        for (const buffer placed : run.fresh()) offsets.add(memory.where(placed).offset);
        if (memory.done_so_far().relieved != relieved_calls) ++found.relieved;
        relieved_calls = memory.done_so_far().relieved;
        const memory_readings now = memory.read();
        if (is_unlimited) {
            if (now.highest_end > footprint) footprint = now.highest_end;
            continue;
        }
        const std::uint64_t scattered = now.free - now.largest_free;
        if (const fraction here = fraction::of(scattered, now.free == 0 ? 1 : now.free); here > worst) worst = here;
        by_rows.add(scattered, now.free, 1);
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
    while (run.step()) {
    }
    return run.at() == trace.rows.size();
}

double time(const workload& trace, replayed_memory& memory) {
    replay run(trace, memory);
    const auto begin = std::chrono::steady_clock::now();
    while (run.step()) {
    }
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
    return run.at() == 0 ? 0.0 : taken.count() / static_cast<double>(run.at());
}

}  // namespace hbm::trace
