/// The workloads, and nanoseconds per operation of each peer on each of them.

#include "micro/catalogue.hpp"

#include <benchmark/benchmark.h>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "micro/peers.hpp"
#include "micro/replay.hpp"
#include "micro/verify.hpp"

namespace hbm::micro {

catalogue::catalogue(const report_options& options) {
    const std::uint64_t seed = options.seed;
    const auto add = [&](std::string name, std::function<workload()> generate) {
        entries_.push_back({std::move(name), std::move(generate), {}});
    };
    if (!options.traces) {
        const auto add_churn = [&](const char* name, std::uint32_t blocks, std::uint64_t max_bytes) {
            add(name, [=] { return steady_churn(blocks, max_bytes, 300'000, usual_warm_up(blocks), seed + 1); });
        };
        add_churn("W1_1k", 1000, 64 * mebibyte);
        add_churn("W1_10k", 10'000, 64 * mebibyte);
        add_churn("W1_100k", 100'000, 8 * mebibyte);
        if (options.full) add_churn("W1_1M", 1'000'000, 512 * kibibyte);
        add("W2", [=] { return training_steps(2000, seed + 2); });
        add("W3", [=] { return serving(20'000, seed + 3); });
        add("W4", [=] { return slow_leak(0.5, seed + 4); });
        add("W4_full", [=] { return slow_leak(0.85, seed + 4); });
    }
    const auto add_trace = [&](std::string name) {
        add(name, [=] { return recorded(HBM_TRACE_DIRECTORY "/" + name + ".csv", name); });
    };
    add_trace("gpt_checkpoint");
    add_trace("kvcache_serving");
    if (options.full || options.traces)
        for (const char* name : {"gnn_subgraphs", "resnet18_sgd"}) add_trace(name);
    for (const std::string& file : options.files) {
        const std::string name = std::filesystem::path(file).stem().string();
        add(name, [=] { return recorded(file, name); });
    }
}

const workload& catalogue::operator[](std::size_t at) {
    entry& selected = entries_[at];
    if (selected.load.operations.empty()) {
        selected.load = selected.generate();
        selected.load.name = selected.name;
    }
    return selected.load;
}

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
