/// hbm_micro: the cost of an operation, compared with peers in the same run.

#include <algorithm>
#include <benchmark/benchmark.h>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "micro/catalogue.hpp"
#include "micro/peers.hpp"
#include "micro/replay.hpp"

namespace hbm::micro {

namespace {

void print_help() {
    std::fputs(
        "hbm_micro: what an operation costs, next to peers in the same run.\n"
        "\n"
        "Usage: hbm_micro [speed] [tail] [traces] [--full] [--seed N] [--trace FILE]... "
        "[--against NAME] [--benchmark_OPTION]...\n"
        "\n"
        "  speed         nanoseconds an operation, in cells of Google Benchmark\n"
        "  tail          quantiles of single operations; without `speed` and `tail`, both\n"
        "  traces        nanoseconds an operation in all recorded traces, and their geometric means; only if named\n"
        "  --full        a million blocks and all recorded traces as well\n"
        "  --seed N      other workloads of the same kinds\n"
        "  --trace FILE  another trace for `traces`, or for `speed`\n"
        "  --against NAME  the allocator that times are compared with, instead of two_maps\n"
        "\n"
        "The section `speed` has all options of Google Benchmark: --benchmark_filter='W1_10k/.*',\n"
        "--benchmark_repetitions=9, --benchmark_list_tests and so on. The report is explained in bench/README.md.\n",
        stdout);
}

/// Reads all options except those of Google Benchmark. Returns false, after a message, if an argument is unknown.
bool read_options(int count, char** words, report_options& options) {
    bool names_speed = false;
    bool names_tail = false;
    for (int at = 1; at < count; ++at) {
        const std::string_view word = words[at];
        bool known = true;
        if (word == "--full") {
            options.full = true;
        } else if (word == "speed") {
            names_speed = true;
        } else if (word == "tail") {
            names_tail = true;
        } else if (word == "traces") {
            options.traces = true;
        } else if (word == "--trace" && at + 1 < count) {
            options.files.emplace_back(words[++at]);
        } else if (word == "--against" && at + 1 < count) {
            options.against = words[++at];
        } else if (word == "--seed" && at + 1 < count) {
            const std::string_view number = words[++at];
            known = std::from_chars(number.data(), number.data() + number.size(), options.seed).ec == std::errc{};
        } else {
            known = false;
        }
        if (known) continue;
        std::fprintf(stderr, "hbm_micro: found %s, expected a section or an option: see --help\n", words[at]);
        return false;
    }
    options.speed &= names_speed || options.traces || !names_tail;
    options.tail &= names_tail || !(names_speed || options.traces);
    return true;
}

/// A line of the report.
struct line {
    std::string workload;
    std::string peer;
    std::vector<double> nanoseconds;  // per operation, for each repetition
    double failures = 0;
    std::string broken;
};

/// Collects the measurements, and prints them at the end with their ratios to one of the allocators.
class table : public benchmark::BenchmarkReporter {
public:
    /// Constructs a table of ratios to `against`, which ends with geometric means over all workloads if `has_means`.
    table(std::string against, bool has_means) : against_(std::move(against)), has_means_(has_means) {}

    bool ReportContext(const Context& context) override {
        PrintBasicContext(&GetErrorStream(), context);
        return true;
    }

    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            if (run.run_type != Run::RT_Iteration) continue;
            line& measured = lines_[run.family_index];
            const std::string& name = run.run_name.function_name;
            const std::size_t slash = name.find('/');
            measured.workload = name.substr(0, slash);
            measured.peer = name.substr(slash + 1);
            if (run.error_occurred) {
                measured.broken = run.error_message;
                continue;
            }
            measured.nanoseconds.push_back(run.real_accumulated_time * 1e9 / counter(run, "operations"));
            measured.failures = counter(run, "failures");
        }
    }

    void Finalize() override {
        const std::string ratio = "of " + against_;
        std::printf("%-24s %-36s %10s %8s %18s %8s %9s\n", "workload", "allocator", "ns/op", "median", ratio.c_str(),
                    "spread", "failures");
        std::map<std::string, double> yardsticks;
        for (auto& [family, measured] : lines_) {
            std::sort(measured.nanoseconds.begin(), measured.nanoseconds.end());
            if (measured.peer == against_ && !measured.nanoseconds.empty())
                yardsticks[measured.workload] = measured.nanoseconds.front();
        }
        for (const auto& [family, measured] : lines_) {
            const auto yardstick = yardsticks.find(measured.workload);
            print(measured, yardstick == yardsticks.end() ? 0 : yardstick->second);
        }
        if (has_means_) print_means(yardsticks);
    }

    [[nodiscard]] bool is_valid() const {
        return std::all_of(lines_.begin(), lines_.end(), [](const auto& entry) { return entry.second.broken.empty(); });
    }

private:
    static double counter(const Run& run, const char* name) {
        const auto entry = run.counters.find(name);
        return entry == run.counters.end() ? 0 : entry->second.value;
    }

    static void print(const line& measured, double yardstick) {
        std::printf("%-24s %-36s ", measured.workload.c_str(), measured.peer.c_str());
        if (!measured.broken.empty() || measured.nanoseconds.empty()) {
            std::printf("WRONG: %s\n", measured.broken.c_str());
            return;
        }
        const double least = measured.nanoseconds.front();
        char time[32];
        std::snprintf(time, sizeof time, "%s%.1f", is_stable(measured) ? "" : "~", least);
        std::printf("%10s %8.1f ", time, measured.nanoseconds[measured.nanoseconds.size() / 2]);
        if (yardstick > 0)
            std::printf("%18.3f ", least / yardstick);
        else
            std::printf("%18s ", "-");
        std::printf("%6.1f %% %9.0f\n", spread(measured) * 100, measured.failures);
    }

    /// Returns the excess of the slowest repetition over the fastest. Requires: sorted repetitions, at least one.
    static double spread(const line& measured) {
        return measured.nanoseconds.back() / measured.nanoseconds.front() - 1;
    }

    /// Prints the geometric mean of each peer's ratios, if there are any.
    void print_means(const std::map<std::string, double>& yardsticks) const {
        std::map<std::string, std::pair<double, int>> sums;  // of logarithms, and their number
        for (const auto& [family, measured] : lines_) {
            const auto yardstick = yardsticks.find(measured.workload);
            if (yardstick == yardsticks.end() || measured.nanoseconds.empty()) continue;
            auto& [sum, count] = sums[measured.peer];
            sum += std::log(measured.nanoseconds.front() / yardstick->second);
            ++count;
        }
        if (sums.empty()) return;
        const std::string ratio = "of " + against_;
        std::printf("\n%-36s %18s %10s\n", "geometric mean", ratio.c_str(), "workloads");
        for (const auto& [peer, entry] : sums)
            std::printf("%-36s %18.3f %10d\n", peer.c_str(), std::exp(entry.first / entry.second), entry.second);
    }

    /// Returns true if three repetitions agree on the time: others are marked with ~.
    static bool is_stable(const line& measured) {
        constexpr std::size_t third = 2;
        return measured.nanoseconds.size() > third && measured.nanoseconds[third] <= measured.nanoseconds.front() * 1.1;
    }

    std::map<std::int64_t, line> lines_;
    std::string against_;
    bool has_means_;
};

bool report(const report_options& options) {
    bool valid = true;
    if (options.speed) {
        catalogue workloads(options);
        for (std::size_t at = workloads.size() - options.files.size(); at < workloads.size(); ++at) {
            if (!workloads[at].operations.empty()) continue;
            std::fprintf(stderr, "hbm_micro: cannot read a trace from %s\n",
                         options.files[at - (workloads.size() - options.files.size())].c_str());
            return false;
        }
        register_speed(workloads);
        table printed(options.against, options.traces);
        valid = benchmark::RunSpecifiedBenchmarks(&printed) != 0 && printed.is_valid();
    }
    if (options.tail) report_tail(options);
    return valid;
}

}  // namespace

}  // namespace hbm::micro

int main(int argc, char** argv) {
#ifdef __GLIBC__
    // Memory that a copy gave back stays in the process: else the next copy of it faults its pages in again, or not.
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_MMAP_THRESHOLD, 1 << 25);
#endif
    // By default the cells run interleaved in random order, so that a slow phase of the machine affects all of them.
    char interleaving[] = "--benchmark_enable_random_interleaving=true";
    char repetitions[] = "--benchmark_repetitions=5";
    std::vector<char*> words{argv[0], interleaving, repetitions};
    hbm::micro::report_options options;
    for (int at = 1; at < argc; ++at) {
        const std::string_view word = argv[at];
        if (word == "--help") {
            hbm::micro::print_help();
            return 0;
        }
        options.tail &= !word.starts_with("--benchmark_filter") && !word.starts_with("--benchmark_list_tests");
        words.push_back(argv[at]);
    }
    auto count = static_cast<int>(words.size());
    words.push_back(nullptr);
    benchmark::Initialize(&count, words.data());
    if (!hbm::micro::read_options(count, words.data(), options)) return 2;
    return hbm::micro::report(options) ? 0 : 1;
}
