/// How many bytes relief moves for each that is allocated, where memory is hardly larger than the most that is live.

#include <hbm/events/relief_audit.hpp>
#include <hbm/hbm.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "micro/replay.hpp"
#include "micro/sections.hpp"

namespace hbm::micro {

namespace {

/// What was moved, over one replay.
struct moved {
    std::uint64_t allocated = 0;  // bytes
    std::uint64_t bytes = 0;
    std::uint64_t copies = 0;
    std::uint64_t nanoseconds = 0;
    std::uint64_t longest = 0;  // of the moves for one allocation
    std::uint64_t in_vain = 0;  // blocks moved that could have stayed
    bool complete = true;

    [[nodiscard]] double ratio() const { return static_cast<double>(bytes) / static_cast<double>(allocated); }
};

/// The beginning of a trace's list: the trace itself.
std::vector<operation> once(const workload& load) {
    return {load.operations.begin(), load.operations.begin() + static_cast<std::ptrdiff_t>(load.warm_up)};
}

moved with_relief(const workload& load, const memory_spec& spec) {
    moved found;
    manager<compacting<best_fit>, never_evict, never_donate, relieve_cheapest, no_device, relief_audit> memory(spec);
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

/// The same with the cheapest slide alone.
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
        const need<std::uint32_t> wanted{.length = next.quanta};
        found.allocated += next.quanta * quantum;
        held[next.slot] = memory.place(wanted);
        if (held[next.slot] != no_block) continue;
        const auto slide = cheapest_slide(memory.map(), wanted, spec, movable);
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
        held[next.slot] = memory.place(wanted);
    }
    return found;
}

}  // namespace

bool report_moves(const wishes& asked) {
    std::vector<std::string> files = asked.traces;
    if (files.empty())
        for (const char* name : {"gpt_checkpoint", "kvcache_serving"})
            files.push_back(std::string(HBM_TRACE_DIRECTORY "/") + name + ".csv");
    std::printf(
        "Bytes moved per byte allocated under compacting<best_fit>, in memories so much larger than the most that "
        "is live;\nat the device's prices, and where a copy costs nothing but its bytes\n");
    std::printf("%-24s %8s %8s %8s %8s %10s %12s %10s %8s\n", "trace", "headroom", "moved", "by bytes", "slides",
                "copies", "milliseconds", "longest us", "in vain");
    bool good = true;
    std::vector<workload> loads;
    for (const std::string& file : files) {
        loads.push_back(recorded(file, file.substr(file.find_last_of('/') + 1), 0));
        good = good && loads.back().warm_up != 0;
    }
    for (const std::uint64_t thousandths : {0u, 10u, 50u, 100u}) {
        std::array<double, 3> sums{};
        for (const workload& load : loads) {
            const std::uint64_t capacity = load.peak_quanta * (1000 + thousandths) / 1000 * quantum;
            memory_spec device{.capacity = capacity};
            memory_spec by_bytes{.capacity = capacity, .bandwidth = 1'000'000, .copy_nanoseconds = 0};
            const moved joint = with_relief(load, device);
            const moved least = with_relief(load, by_bytes);
            const moved slides = with_slides(load, by_bytes);
            const std::uint64_t in_vain = joint.in_vain + least.in_vain;
            good = good && joint.complete && least.complete && slides.complete && in_vain == 0;
            std::printf("%-24s %6.1f %% %8.4f %8.4f %8.4f %10llu %12.3f %10.1f %8llu%s\n", load.name.c_str(),
                        static_cast<double>(thousandths) / 10, joint.ratio(), least.ratio(), slides.ratio(),
                        static_cast<unsigned long long>(joint.copies), static_cast<double>(joint.nanoseconds) / 1e6,
                        static_cast<double>(joint.longest) / 1e3, static_cast<unsigned long long>(in_vain),
                        joint.complete && least.complete ? "" : "  OUT OF MEMORY");
            sums[0] += joint.ratio();
            sums[1] += least.ratio();
            sums[2] += slides.ratio();
        }
        const auto count = static_cast<double>(loads.size());
        std::printf("%-24s %6.1f %% %8.4f %8.4f %8.4f\n", "mean", static_cast<double>(thousandths) / 10,
                    sums[0] / count, sums[1] / count, sums[2] / count);
    }
    std::printf("\n");
    return good;
}

}  // namespace hbm::micro
