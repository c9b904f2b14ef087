/// Nanoseconds per operation, measured with Google Benchmark for each workload and peer, in random order.

#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "micro/peers.hpp"
#include "micro/replay.hpp"
#include "micro/sections.hpp"
#include "micro/verify.hpp"

namespace hbm::micro {

namespace {

/// A line of the report.
struct line {
    std::string workload;
    std::string peer;
    std::vector<double> nanoseconds;  // per operation, for each repetition
    double failures = 0;
    std::string broken;
};

/// Collects the measurements, and prints them at the end.
class table : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(const Context& /*context*/) override { return true; }

    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& each : runs) {
            if (each.run_type != Run::RT_Iteration) continue;
            line& here = lines_[each.family_index];
            const std::string& name = each.run_name.function_name;
            const std::size_t slash = name.find('/');
            here.workload = name.substr(0, slash);
            here.peer = name.substr(slash + 1);
            if (each.error_occurred) {
                here.broken = each.error_message;
                continue;
            }
            here.nanoseconds.push_back(each.real_accumulated_time * 1e9 / counter(each, "operations"));
            here.failures = counter(each, "failures");
        }
    }

    void Finalize() override {
        if (lines_.empty()) return;
        std::printf("%-20s %-36s %8s %12s %8s %9s\n", "workload", "allocator", "ns/op", "of two_maps", "spread",
                    "failures");
        std::map<std::string, double> yardsticks;
        for (auto& [family, each] : lines_)
            if (each.peer == two_maps::name.c_str()) yardsticks[each.workload] = quantile(each.nanoseconds, 0.5);
        for (auto& [family, each] : lines_) print(each, yardsticks[each.workload]);
        std::printf("\n");
    }

    [[nodiscard]] bool all_good() const {
        return std::all_of(lines_.begin(), lines_.end(), [](const auto& each) { return each.second.broken.empty(); });
    }

private:
    static double counter(const Run& of, const char* name) {
        const auto found = of.counters.find(name);
        return found == of.counters.end() ? 0 : found->second.value;
    }

    static void print(line& each, double yardstick) {
        std::printf("%-20s %-36s ", each.workload.c_str(), each.peer.c_str());
        if (!each.broken.empty()) {
            std::printf("WRONG: %s\n", each.broken.c_str());
            return;
        }
        const double median = quantile(each.nanoseconds, 0.5);
        const auto [least, most] = std::minmax_element(each.nanoseconds.begin(), each.nanoseconds.end());
        std::printf("%8.1f ", median);
        if (yardstick > 0)
            std::printf("%12.3f ", median / yardstick);
        else
            std::printf("%12s ", "-");
        std::printf("%6.1f %% %9.0f\n", (*most - *least) / median * 100, each.failures);
    }

    std::map<std::int64_t, line> lines_;
};

/// A repetition of a cell: a new arena, the warm-up, and the timed part. Before the first repetition the peer is
/// verified.
template <peer P>
void measure(benchmark::State& state, const workload& load, std::unique_ptr<verdict>& checked) {
    if (load.operations.empty()) {
        state.SkipWithError("the trace cannot be read");
        return;
    }
    if (!checked) checked = std::make_unique<verdict>(verify<P>(load));
    if (!checked->broken.empty()) {
        state.SkipWithError(checked->broken.c_str());
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
    if (failures != checked->failures) state.SkipWithError("another number of failures than when it was verified");
    state.counters["operations"] = static_cast<double>(timed_part_of(load).size());
    state.counters["failures"] = static_cast<double>(failures);
}

}  // namespace

bool report_speed(catalogue& workloads) {
    std::vector<std::unique_ptr<verdict>> verdicts(workloads.size() * 64);
    std::size_t cell = 0;
    for (std::size_t at = 0; at < workloads.size(); ++at) {
        for_each(all_peers{}, [&]<class P>(std::type_identity<P>) {
            std::unique_ptr<verdict>& checked = verdicts.at(cell++);
            const auto once = [&workloads, at, &checked](benchmark::State& state) {
                measure<P>(state, workloads[at], checked);
            };
            benchmark::RegisterBenchmark((workloads.name(at) + '/' + P::name.c_str()).c_str(), once)
                ->UseManualTime()
                ->Iterations(1);
        });
    }
    table printed;
    const bool any = benchmark::RunSpecifiedBenchmarks(&printed) != 0;
    return any && printed.all_good();
}

}  // namespace hbm::micro
