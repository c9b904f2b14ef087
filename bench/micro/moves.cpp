/// How many bytes relief moves per allocated byte, in memories hardly larger than the peak of live bytes.

#include <hbm/hbm.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/testing/relief_audit.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "micro/cheapest_slide.hpp"
#include "micro/replay.hpp"
#include "micro/sections.hpp"

namespace hbm::micro {

namespace {

/// What was moved in a replay.
struct moved {
    std::uint64_t allocated = 0;  // bytes
    std::uint64_t bytes = 0;
    std::uint64_t copies = 0;
    std::uint64_t nanoseconds = 0;
    std::uint64_t longest = 0;  // time of the moves for a single allocation
    std::uint64_t in_vain = 0;  // blocks that were moved without need
    bool complete = true;

    [[nodiscard]] double ratio() const { return static_cast<double>(bytes) / static_cast<double>(allocated); }
};

/// The first pass of a recorded workload, which is the trace itself.
std::vector<operation> once(const workload& load) {
    return {load.operations.begin(), load.operations.begin() + static_cast<std::ptrdiff_t>(load.warm_up)};
}

template <placement P>
moved with_relief(const workload& load, const memory_spec& spec) {
    moved found;
    manager<P, never_evict, never_donate, relieve_cheapest, no_device, relief_audit> memory(spec);
    std::vector<buffer> held(load.slots);
    for (const operation& next : once(load)) {
        if (next.quanta == 0) {
            memory.free(held[next.slot]);
            continue;
        }
        const std::uint64_t before = memory.done_so_far().move_nanoseconds;
        const auto made = memory.allocate(next.quanta * quantum);
        found.complete = found.complete && made.has_value();
        held[next.slot] = made.value_or({});
        found.allocated += next.quanta * quantum;
        found.longest = std::max(found.longest, memory.done_so_far().move_nanoseconds - before);
    }
    found.bytes = memory.done_so_far().moved_bytes;
    found.copies = memory.done_so_far().copies;
    found.nanoseconds = memory.done_so_far().move_nanoseconds;
    found.in_vain = memory.events().moves_in_vain();
    return found;
}

/// The same with the cheapest slide as the only relief.
moved with_slides(const workload& load, const memory_spec& spec) {
    moved found;
    best_fit memory(static_cast<std::uint32_t>(spec.capacity / quantum));
    std::vector<block_index> held(load.slots, no_block);
    const auto movable = [](block_index) { return true; };
    for (const operation& next : once(load)) {
        if (next.quanta == 0) {
            memory.release(held[next.slot]);
            continue;
        }
        const need<std::uint32_t> required{.length = next.quanta};
        found.allocated += next.quanta * quantum;
        held[next.slot] = memory.place(required);
        if (held[next.slot] != no_block) continue;
        const auto slide = cheapest_slide(memory.map(), required, spec, movable);
        if (!slide) {
            found.complete = false;
            break;
        }
        std::uint64_t stall = 0;
        for (const relocation<std::uint32_t>& move : *slide) {
            const std::uint64_t bytes = memory.map().size(move.block) * quantum;
            const std::uint32_t from = memory.map().offset(move.block);
            const std::uint64_t distance = (from < move.to ? move.to - from : from - move.to) * quantum;
            memory.relocate(move.block, move.to);
            found.bytes += bytes;
            found.copies += spec.copies_of(bytes, distance);
            stall += spec.move_nanoseconds(bytes, distance);
        }
        found.nanoseconds += stall;
        found.longest = std::max(found.longest, stall);
        held[next.slot] = memory.place(required);
    }
    return found;
}

}  // namespace

bool report_moves(const report_options& asked) {
    std::vector<std::string> files = asked.traces;
    if (files.empty())
        for (const char* name : {"gpt_checkpoint", "kvcache_serving"})
            files.push_back(std::string(HBM_TRACE_DIRECTORY "/") + name + ".csv");
    std::printf(
        "Bytes moved per byte allocated in memories so much larger than the most that is live: where a copy costs "
        "nothing but its bytes,\nthe best slides alone, compacting<best_fit> and compacting<free_together<best_fit>>; "
        "the latter two at the device's prices, and what best_fit's cost\n");
    std::printf("%-24s %8s | %8s %8s %8s | %8s %8s %8s %12s %10s %8s\n", "trace", "headroom", "slides", "best_fit",
                "together", "best_fit", "together", "copies", "milliseconds", "longest us", "in vain");
    bool good = true;
    std::vector<workload> loads;
    for (const std::string& file : files) {
        loads.push_back(recorded(file, file.substr(file.find_last_of('/') + 1), 0));
        good = good && loads.back().warm_up != 0;
    }
    for (const std::uint64_t thousandths : {0u, 10u, 50u, 100u}) {
        const double headroom = static_cast<double>(thousandths) / 10;
        std::array<double, 5> sums{};
        const auto print = [&](const char* name, const std::array<double, 5>& ratios, double over) {
            std::printf("%-24s %6.1f %% | %8.4f %8.4f %8.4f | %8.4f %8.4f", name, headroom, ratios[0] / over,
                        ratios[1] / over, ratios[2] / over, ratios[3] / over, ratios[4] / over);
        };
        for (const workload& load : loads) {
            const std::uint64_t capacity = load.peak_quanta * (1000 + thousandths) / 1000 * quantum;
            const memory_spec device{.capacity = capacity};
            const memory_spec by_bytes{.capacity = capacity, .bandwidth = 1'000'000, .copy_nanoseconds = 0};
            using together = compacting<free_together<best_fit>>;
            const std::array<moved, 5> all{
                with_slides(load, by_bytes), with_relief<compacting<best_fit>>(load, by_bytes),
                with_relief<together>(load, by_bytes), with_relief<compacting<best_fit>>(load, device),
                with_relief<together>(load, device)};
            std::array<double, 5> ratios{};
            std::uint64_t in_vain = 0;
            bool complete = true;
            for (std::size_t at = 0; at < all.size(); ++at) {
                ratios[at] = all[at].ratio();
                sums[at] += ratios[at];
                in_vain += all[at].in_vain;
                complete = complete && all[at].complete;
            }
            good = good && complete && in_vain == 0;
            print(load.name.c_str(), ratios, 1);
            std::printf(" %8llu %12.3f %10.1f %8llu%s\n", static_cast<unsigned long long>(all[3].copies),
                        static_cast<double>(all[3].nanoseconds) / 1e6, static_cast<double>(all[3].longest) / 1e3,
                        static_cast<unsigned long long>(in_vain), complete ? "" : "  OUT OF MEMORY");
        }
        print("mean", sums, static_cast<double>(loads.size()));
        std::printf("\n");
    }
    std::printf("\n");
    return good;
}

}  // namespace hbm::micro
