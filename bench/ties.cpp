/// hbm_ties: ties of best fit to the lowest offset next to ties to the latest hole, by medians over variants.

#include <hbm/donation/donate_same_size.hpp>
#include <hbm/eviction/evict_cheapest_window.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/best_fit_lifo.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "compare/cells/luck.hpp"
#include "compare/generate/generate.hpp"
#include "compare/generate/variants.hpp"
#include "compare/read/csv/read.hpp"
#include "compare/replay/capacity.hpp"
#include "compare/replay/replay.hpp"
#include "compare/replay/replayed_manager.hpp"

namespace hbm::ties {

namespace {

/// Rounds of timing, of which the fastest counts.
constexpr int rounds = 9;

/// Percent of memory above the least that any manager needs.
constexpr std::array<unsigned, 4> headrooms{0, 1, 5, 10};

/// Figures of a placement on the variants of a workload. Sizes are in millionths of the least memory of a variant.
struct series {
    std::vector<std::uint64_t> footprints;
    std::vector<std::uint64_t> capacities;
    std::array<std::vector<std::uint64_t>, headrooms.size()> moved_bytes;
    std::array<std::vector<std::uint64_t>, headrooms.size()> evictions;
    double ns_per_event = 0;  ///< processor time of a replay of the workload itself, the least of all rounds
};

std::uint64_t millionths(std::uint64_t bytes, std::uint64_t least) {
    return trace::fraction::of(bytes, least).millionths;
}

template <class Manager>
trace::figures replay_in(const trace::workload& load, const memory_spec& spec, bool is_unlimited) {
    trace::replayed<Manager> memory(spec);
    return trace::measure(load, memory, spec.quantum, is_unlimited);
}

template <class Manager>
std::uint64_t min_capacity(const trace::workload& load, std::uint64_t least) {
    const auto completes = [&](std::uint64_t capacity) {
        trace::replayed<Manager> memory(memory_spec{.capacity = capacity});
        return trace::completes(load, memory);
    };
    const auto minimum = trace::min_capacity(least, 4 * least, default_quantum, 0, completes);
    return minimum ? minimum->bytes : 4 * least;
}

/// Memory of a TPU's runtime.
template <class Fit>
using runtime = manager<bottom_reserve<compacting<Fit>>, evict_cheapest_window, donate_same_size>;

memory_spec spec_above(std::uint64_t least, unsigned percent) {
    memory_spec spec{.capacity = (least + least / 100 * percent) / default_quantum * default_quantum};
    spec.bandwidth = tpu::v5e.bandwidth;
    spec.host_link = tpu::v5e.host_link;
    return spec;
}

/// Adds the figures of a variant. Workloads with programs run in the memory of a TPU's runtime, at the headrooms alone;
/// others in `Fit`, and with the permission to move blocks at the headrooms.
template <class Fit>
void add_variant(const trace::workload& load, series& figures) {
    const std::uint64_t least = trace::min_bytes(load, default_quantum);
    const bool has_programs = load.has_programs();
    if (!has_programs) {
        const trace::figures alone = replay_in<manager<Fit>>(load, manager<Fit>::unlimited(), true);
        figures.footprints.push_back(millionths(*alone.footprint_bytes, least));
        figures.capacities.push_back(millionths(min_capacity<manager<Fit>>(load, least), least));
    }
    for (std::size_t at = 0; at < headrooms.size(); ++at) {
        const memory_spec spec = spec_above(least, headrooms[at]);
        const trace::figures replayed = has_programs ? replay_in<runtime<Fit>>(load, spec, false)
                                                     : replay_in<manager<compacting<Fit>>>(load, spec, false);
        if (!replayed.completed) continue;
        figures.moved_bytes[at].push_back(replayed.moved_bytes);
        figures.evictions[at].push_back(replayed.evictions);
    }
}

template <class Manager>
double time_in(const trace::workload& load, const memory_spec& spec) {
    trace::replayed<Manager> memory(spec);
    return trace::time(load, memory);
}

/// Takes the time of a replay: with programs in twice the least memory, where nothing is moved or evicted.
template <class Fit>
void add_time(const trace::workload& load, series& figures) {
    const double time = load.has_programs()
                            ? time_in<runtime<Fit>>(load, spec_above(trace::min_bytes(load, default_quantum), 100))
                            : time_in<manager<Fit>>(load, manager<Fit>::unlimited());
    figures.ns_per_event = figures.ns_per_event == 0 ? time : std::min(figures.ns_per_event, time);
}

void print_range(const std::vector<std::uint64_t>& values, double unit) {
    if (values.empty()) {
        std::printf(",,,");
        return;
    }
    const compare::luck range = compare::luck_of(values);
    std::printf(",%.4f,%.4f,%.4f", static_cast<double>(range.median) / unit, static_cast<double>(range.least) / unit,
                static_cast<double>(range.most) / unit);
}

void print(const std::string& workload, const char* placement, const series& figures) {
    std::printf("%s,%s", workload.c_str(), placement);
    print_range(figures.footprints, 1e6);
    print_range(figures.capacities, 1e6);
    for (const std::vector<std::uint64_t>& moved : figures.moved_bytes) print_range(moved, 1e6);
    for (const std::vector<std::uint64_t>& evicted : figures.evictions) print_range(evicted, 1);
    std::printf(",%.1f\n", figures.ns_per_event);
    std::fflush(stdout);
}

void print_header() {
    std::printf("workload,placement");
    std::vector<std::string> columns{"footprint", "capacity"};
    for (const char* what : {"moved_MB", "evictions"})
        for (const unsigned percent : headrooms) columns.push_back(what + ("_" + std::to_string(percent)));
    for (const std::string& column : columns)
        std::printf(",%s,%s_least,%s_most", column.c_str(), column.c_str(), column.c_str());
    std::printf(",ns_per_event\n");
}

/// Reads a trace, or generates a workload by its name.
bool gather(const std::string& name, trace::workload& load) {
    if (name.find(".csv") == std::string::npos) {
        trace::generate_result generated = trace::generate(name, 1);
        if (generated) load = std::move(*generated);
        return static_cast<bool>(generated);
    }
    trace::read_result read = trace::read_file(name);
    if (read) load = std::move(*read);
    return static_cast<bool>(read);
}

}  // namespace

}  // namespace hbm::ties

int main(int count, char** arguments) {
    if (count < 3) {
        std::fputs("Usage: hbm_ties VARIANTS (TRACE.csv | WORKLOAD)...\n", stderr);
        return 2;
    }
    const std::uint64_t variants = std::strtoull(arguments[1], nullptr, 10);
    hbm::ties::print_header();
    for (int at = 2; at < count; ++at) {
        hbm::trace::workload load;
        if (!hbm::ties::gather(arguments[at], load)) {
            std::fprintf(stderr, "hbm_ties: cannot read %s\n", arguments[at]);
            return 1;
        }
        hbm::ties::series lowest;
        hbm::ties::series latest;
        for (std::uint64_t number = 0; number <= variants; ++number) {
            const hbm::trace::workload variant = hbm::trace::variant_of(load, number);
            hbm::ties::add_variant<hbm::best_fit>(variant, lowest);
            hbm::ties::add_variant<hbm::best_fit_lifo>(variant, latest);
        }
        for (int round = 0; round < hbm::ties::rounds; ++round) {
            hbm::ties::add_time<hbm::best_fit>(load, lowest);
            hbm::ties::add_time<hbm::best_fit_lifo>(load, latest);
        }
        hbm::ties::print(arguments[at], "best_fit", lowest);
        hbm::ties::print(arguments[at], "best_fit_lifo", latest);
    }
    return 0;
}
