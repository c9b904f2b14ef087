/// Nanoseconds per operation, measured with Google Benchmark for each workload and peer, in random order.

#include <benchmark/benchmark.h>
#include <memory>
#include <string>
#include <vector>

#include "micro/catalogue.hpp"
#include "micro/peers.hpp"
#include "micro/replay.hpp"
#include "micro/verify.hpp"

namespace hbm::micro {

namespace {

/// Measures a repetition of a cell: a new arena, the warm-up, and the timed part. Verifies the peer before the first.
template <peer P>
void measure(benchmark::State& state, const workload& load, verdict& checked, bool& is_checked) {
    if (load.operations.empty()) {
        state.SkipWithError("the trace cannot be read");
        return;
    }
    if (!is_checked) checked = verify<P>(load);
    is_checked = true;
    if (!checked.broken.empty()) {
        state.SkipWithError(checked.broken.c_str());
        return;
    }
    std::uint64_t failures = 0;
    for ([[maybe_unused]] auto once : state) {
        player<P> playing(load, load.capacity());
        playing.play(warm_up_of(load));
        const double from = processor_seconds();
        playing.play(timed_part_of(load));
        state.SetIterationTime(processor_seconds() - from);
        failures = playing.failures();
    }
    if (failures != checked.failures) state.SkipWithError("another number of failures than when it was verified");
    state.counters["operations"] = static_cast<double>(timed_part_of(load).size());
    state.counters["failures"] = static_cast<double>(failures);
}

}  // namespace

void register_speed(catalogue& workloads) {
    for (std::size_t at = 0; at < workloads.size(); ++at) {
        for_each(all_peers{}, [&]<class P>(std::type_identity<P>) {
            const auto once = [&workloads, at, checked = verdict{},
                               is_checked = false](benchmark::State& state) mutable {
                measure<P>(state, workloads[at], checked, is_checked);
            };
            benchmark::RegisterBenchmark((workloads.name(at) + '/' + P::name.c_str()).c_str(), once)
                ->UseManualTime()
                ->Iterations(1);
        });
    }
}

}  // namespace hbm::micro
