/// What it saves to keep short-lived and long-lived blocks apart: the bytes that relief moves, in memories hardly
/// larger than the peak of live bytes.

#include <hbm/hbm.hpp>
#include <hbm/placement/lifetimes_apart.hpp>
#include <hbm/placement/lifetimes_learned.hpp>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "compare/generate/generate.hpp"
#include "compare/replay/capacity.hpp"
#include "compare/replay/replay.hpp"
#include "micro/sections.hpp"

namespace hbm::micro {

namespace {

using plain = compacting<best_fit>;
using apart = compacting<lifetimes_apart<best_fit>>;
using learned = compacting<lifetimes_learned<lifetimes_apart<best_fit>>>;

/// An allocation with its hint, or a free.
struct hinted_operation {
    operation what;
    lifetime expected = lifetime::unknown;
};

/// The operations of a trace, with hints from knowledge of the future.
std::vector<hinted_operation> foretold(const workload& load) {
    std::vector<hinted_operation> all;
    std::vector<std::size_t> begun(load.slots);          // the operation that allocated the block in a slot
    std::vector<std::uint64_t> came_before(load.slots);  // how many blocks were allocated before it
    std::uint64_t came = 0;
    std::uint64_t live = 0;
    for (std::size_t at = 0; at < load.warm_up; ++at) {
        const operation next = load.operations[at];
        all.push_back({next});
        if (next.quanta != 0) {
            begun[next.slot] = at;
            came_before[next.slot] = ++came;
            ++live;
        } else {
            const bool brief = 4 * (came - came_before[next.slot]) < live;
            all[begun[next.slot]].expected = brief ? lifetime::brief : lifetime::lasting;
            --live;
        }
    }
    return all;
}

/// Traces have no tags, so the tag is derived from the size.
tag tag_of(std::uint32_t quanta) {
    return static_cast<tag>(1 + (quanta * 0x9e3779b1u >> 22));
}

/// Bytes moved per byte allocated; negative if memory ran out.
template <placement P>
double moved(const workload& load, const std::vector<hinted_operation>& operations, const memory_spec& spec) {
    manager<P> memory(spec);
    std::vector<buffer> held(load.slots);
    std::uint64_t allocated = 0;
    for (const auto& [next, expected] : operations) {
        if (next.quanta == 0) {
            memory.free(held[next.slot]);
            continue;
        }
        const std::uint64_t bytes = next.quanta * quantum;
        const auto made = memory.allocate({.bytes = bytes,
                                           .expected = learns_lifetimes<P> ? lifetime::unknown : expected,
                                           .label = tag_of(next.quanta)});
        if (!made) return -1;
        held[next.slot] = *made;
        allocated += bytes;
    }
    return static_cast<double>(memory.done_so_far().moved_bytes) / static_cast<double>(allocated);
}

constexpr std::array headrooms{0u, 1u, 2u, 5u, 10u, 20u, 50u, 100u};  // in thousandths

bool report_traces(const report_options& asked) {
    std::vector<std::string> files = asked.traces;
    if (files.empty())
        for (const char* name : {"gnn_subgraphs", "kvcache_serving", "resnet18_sgd", "swin_infer_dynamic"})
            files.push_back(std::string(HBM_TRACE_DIRECTORY "/") + name + ".csv");
    std::printf("Bytes moved per 1,000 allocated where a copy costs nothing but its bytes, in memories so much larger "
                "than the most that is live:\nno hints, hints that know the future, and learned from tags, where the "
                "size of a block stands for its tag\n%-24s %-8s",
                "trace", "hints");
    for (const std::uint64_t headroom : headrooms) std::printf(" %7.1f %%", static_cast<double>(headroom) / 10);
    std::printf("\n");
    bool good = true;
    std::array<std::array<double, headrooms.size()>, 3> sums{};
    constexpr std::array names{"none", "future", "learned"};
    for (const std::string& file : files) {
        const workload load = recorded(file, file.substr(file.find_last_of('/') + 1), 0);
        good = good && load.warm_up != 0;
        const std::vector<hinted_operation> operations = foretold(load);
        for (std::size_t row = 0; row < names.size(); ++row) {
            std::printf("%-24s %-8s", load.name.c_str(), names[row]);
            for (std::size_t at = 0; at < headrooms.size(); ++at) {
                const memory_spec spec{.capacity = load.peak_quanta * (1000 + headrooms[at]) / 1000 * quantum,
                                       .bandwidth = 1'000'000,
                                       .copy_nanoseconds = 0};
                const double ratio = row == 0   ? moved<plain>(load, operations, spec)
                                     : row == 1 ? moved<apart>(load, operations, spec)
                                                : moved<learned>(load, operations, spec);
                good = good && ratio >= 0;
                sums[row][at] += ratio;
                std::printf(" %9.2f", 1000 * ratio);
            }
            std::printf("\n");
        }
    }
    for (std::size_t row = 0; row < names.size(); ++row) {
        std::printf("%-24s %-8s", "mean", names[row]);
        for (const double sum : sums[row]) std::printf(" %9.2f", 1000 * sum / static_cast<double>(files.size()));
        std::printf("\n");
    }
    std::printf("\n");
    return good;
}

template <class Placement>
void print_cell(const trace::workload& load, std::uint64_t capacity) {
    using memory = manager<bottom_reserve<Placement>, evict_cheapest_window, donate_same_size>;
    const trace::figures found = trace::measure<memory>(load, memory_spec{.capacity = capacity}, false);
    if (found.completed)
        std::printf(" %8.2f %5llu %8.1f", static_cast<double>(found.moved_bytes) / 1e9,
                    static_cast<unsigned long long>(found.evictions),
                    static_cast<double>(found.move_us + found.reload_us) / 1e3);
    else
        std::printf("  out of memory at %6llu", static_cast<unsigned long long>(found.failed_event.value_or(0)));
}

bool report_programs(const report_options& asked) {
    struct cell {
        const char* workload;
        std::uint64_t seed;
        std::uint64_t headroom;  // in thousandths
    };
    constexpr const char* training = "transformer_training:steps=20,donate=0";
    constexpr const char* serving = "llm_serving:requests=80";
    constexpr std::array cells{cell{training, 0, 10}, cell{training, 0, 20}, cell{serving, 0, 100},
                               cell{serving, 1, 100}, cell{serving, 2, 100}};
    std::printf(
        "The same with programs, at the prices of a v5e: gigabytes moved, evictions, and milliseconds for both, "
        "without and with what is learned\nfrom tags; headroom above what is needed at least\n%-40s %5s %8s\n",
        "workload", "seed", "headroom");
    bool good = true;
    for (const cell& each : cells) {
        const trace::generate_result load = trace::generate(each.workload, asked.seed + each.seed);
        good = good && load.has_value();
        if (!load) continue;
        const std::uint64_t least = trace::min_bytes(*load, default_quantum);
        const std::uint64_t capacity = least / 1000 * (1000 + each.headroom);
        std::printf("%-40s %5llu %6.1f %%", each.workload, static_cast<unsigned long long>(asked.seed + each.seed),
                    static_cast<double>(each.headroom) / 10);
        print_cell<plain>(*load, capacity);
        std::printf("   |");
        print_cell<learned>(*load, capacity);
        std::printf("\n");
    }
    std::printf("\n");
    return good;
}

}  // namespace

bool report_hints(const report_options& asked) {
    const bool good = report_traces(asked);
    return report_programs(asked) && good;
}

}  // namespace hbm::micro
