/// The time of an explanation, and the worth of its effort.

#include <hbm/explain/explanation.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

#include "micro/replay.hpp"
#include "micro/sections.hpp"

namespace hbm::micro {

namespace {

constexpr std::uint64_t much_effort = 400'000'000;

/// Full of blocks of up to 62 quanta, 24 of them programs, of which every tenth went; some are pinned if so.
template <class Memory>
Memory fragmented(std::uint32_t blocks, bool pins, random_numbers& draw) {
    Memory memory(memory_spec{.capacity = std::uint64_t{blocks} * 32 * quantum, .quantum = quantum});
    std::vector<buffer> held;
    for (std::uint32_t at = 0;; ++at) {
        const std::uint64_t bytes = (1 + draw.below(62)) * quantum;
        if (at % (blocks / 24) == 0 && at / (blocks / 24) < 24) {
            if (!memory.load({.name = "program", .code = bytes, .reload_us = 1 + draw.below(1000)})) break;
            continue;
        }
        if (memory.largest_free_bytes() < bytes) break;
        const result<buffer> fresh = memory.allocate(bytes);
        if (!fresh) break;
        held.push_back(*fresh);
    }
    for (const buffer each : held) {
        if (draw.below(10) == 0)
            memory.free(each);
        else if (pins && draw.below(20) == 0)
            memory.pin(each);
    }
    return memory;
}

struct found {
    std::uint64_t nanoseconds = 0;  // of the cheapest remedy by steps alone; 0: there is none
    std::size_t remedies = 0;
    double milliseconds = 0;
    std::uint64_t looks = 0;
};

template <class Memory>
found explain_with(const Memory& memory, const failure& why, std::uint64_t effort, int calls) {
    found best;
    std::vector<std::uint64_t> ticks;
    for (int call = 0; call < calls; ++call) {
        const std::uint64_t from = stopwatch::begin();
        const explanation what = explanation_of(memory, why, {.effort = effort});
        ticks.push_back(stopwatch::end() - from);
        best.remedies = what.remedies.size();
        best.looks = what.effort;
        for (const named_advice& each : what.remedies)
            if (each.what.is_only_steps() && best.nanoseconds == 0) best.nanoseconds = each.what.nanoseconds();
    }
    best.milliseconds = static_cast<double>(quantile(ticks, 0.5)) * stopwatch::tick() / 1'000'000;
    return best;
}

template <class Memory>
bool print_lines(std::uint32_t blocks, std::uint64_t seed) {
    bool good = true;
    for (const bool pins : {false, true}) {
        random_numbers draw(seed + blocks);
        Memory memory = fragmented<Memory>(blocks, pins, draw);
        for (const auto& [words, bytes] :
             {std::pair{"2 x largest hole", 2 * memory.largest_free_bytes()},
              std::pair{"nine tenths of free", memory.free_bytes() / 10 * 9},
              std::pair{"more than free", memory.free_bytes() + memory.capacity_bytes() / 8}}) {
            const result<buffer> refused = memory.fork().allocate(bytes);
            auto fork = memory.fork();
            const result<buffer> again = fork.allocate(bytes);
            if (again) continue;
            const found usual = explain_with(fork, again.error(), explain_options{}.effort, 5);
            const found more = explain_with(fork, again.error(), much_effort, 1);
            std::printf("%-32s %-20s %-6s %8u %8.1f %10llu %9zu %10.1f | %8.1f %9zu %10.1f\n", Memory::name.c_str(),
                        words, pins ? "pins" : "", memory.state().blocks.map().live_blocks(), usual.milliseconds,
                        static_cast<unsigned long long>(usual.looks), usual.remedies,
                        static_cast<double>(usual.nanoseconds) / 1000, more.milliseconds, more.remedies,
                        static_cast<double>(more.nanoseconds) / 1000);
            good &= usual.looks <= explain_options{}.effort;
            (void)refused;
        }
    }
    return good;
}

}  // namespace

bool report_explain(const report_options& options) {
    std::printf("Explaining a request that does not fit, in milliseconds: at the default effort, and with much more\n");
    std::printf("%-32s %-20s %-6s %8s %8s %10s %9s %10s | %8s %9s %10s\n", "manager", "request", "", "blocks", "ms",
                "looks", "remedies", "costs us", "ms", "remedies", "costs us");
    bool good = true;
    for (const std::uint32_t blocks : {1000u, 10'000u}) {
        good &= print_lines<manager<best_fit>>(blocks, options.seed);
        good &= print_lines<manager<good_fit>>(blocks, options.seed);
        good &= print_lines<manager<first_fit, evict_greedy_dual>>(blocks, options.seed);
        good &= print_lines<manager<buddy>>(blocks, options.seed);
        good &= print_lines<manager<bottom_reserve<good_fit>, evict_lru>>(blocks, options.seed);
        good &= print_lines<manager<compacting<best_fit>, evict_lru>>(blocks, options.seed);
        good &= print_lines<manager<bottom_reserve<compacting<best_fit>>, evict_cheapest_window>>(blocks, options.seed);
        good &= print_lines<manager<compacting<buddy>, evict_lru>>(blocks, options.seed);
    }
    std::printf("\n");
    return good;
}

}  // namespace hbm::micro
