/// The cost of a fork, with which a caller asks "what if".

#include <hbm/placement/buddy.hpp>

#include <cstdio>
#include <string>
#include <vector>

#include "micro/peers.hpp"
#include "micro/replay.hpp"
#include "micro/sections.hpp"

namespace hbm::micro {

namespace {

template <placement P>
bool print_line(std::uint64_t seed) {
    constexpr std::uint32_t blocks = 1000;
    constexpr int forks = 1001;
    manager<P> memory(memory_spec{.capacity = 16 * 1024 * mebibyte, .quantum = quantum});
    random_numbers draw(seed);
    const auto any = [&] { return memory.allocate(draw.size_between(quantum, 64 * mebibyte) * quantum).value_or({}); };
    std::vector<buffer> held(blocks);
    for (buffer& each : held) each = any();
    for (int step = 0; step < 10'000; ++step) {
        buffer& each = held[draw.below(blocks)];
        memory.free(each);
        each = any();
    }
    std::vector<std::uint64_t> ticks;
    bool good = true;
    for (int at = 0; at < forks; ++at) {
        const std::uint64_t from = stopwatch::begin();
        const auto copy = memory.fork();
        ticks.push_back(stopwatch::end() - from);
        good &= copy.live_bytes() == memory.live_bytes() && copy.where(held[0]) == memory.where(held[0]);
    }
    std::printf("%-24s", manager_peer<manager<P>>::name.c_str());
    for (const double share : {0.0, 0.5, 0.99})
        std::printf(" %8.1f", static_cast<double>(quantile(ticks, share)) * stopwatch::tick() / 1000);
    std::printf("\n");
    return good;
}

}  // namespace

bool report_fork(const report_options& options) {
    std::printf("fork() of a manager over 16 GiB, quantum 512, with 1,000 live blocks, in microseconds\n");
    std::printf("%-24s %8s %8s %8s\n", "manager", "least", "p50", "p99");
    bool good = print_line<best_fit>(options.seed + 1);
    good &= print_line<best_fit_lifo>(options.seed + 1);
    good &= print_line<good_fit>(options.seed + 1);
    good &= print_line<first_fit>(options.seed + 1);
    good &= print_line<buddy>(options.seed + 1);
    std::printf("\n");
    return good;
}

}  // namespace hbm::micro
