/// Quantiles of single operations.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "micro/catalogue.hpp"
#include "micro/peers.hpp"
#include "micro/replay.hpp"

namespace hbm::micro {

namespace {

/// Times each operation of the timed part once, and passes its index and ticks to `visit`.
template <peer P>
void time_each(player<P>& playing, const workload& load, auto visit) {
    P& memory = playing.memory();
    std::size_t at = 0;
    for (const auto [slot, quanta] : timed_part_of(load)) {
        auto held = playing.held(slot);
        look_at(held);
        const std::uint64_t from = stopwatch::begin();
        if (quanta != 0)
            held = memory.allocate(quanta);
        else if (P::holds(held))
            memory.free(held);
        const std::uint64_t took = stopwatch::end() - from;
        if (quanta != 0) playing.held(slot) = held;
        visit(at, took);
        ++at;
    }
}

/// Reduces `least` to the ticks that each operation takes in one more replay, where these are fewer.
template <peer P>
void replay_once(const workload& load, std::vector<std::uint64_t>& least) {
    least.resize(timed_part_of(load).size(), std::numeric_limits<std::uint64_t>::max());
    player<P> playing(load, load.capacity());
    playing.play(warm_up_of(load));
    time_each(playing, load, [&](std::size_t at, std::uint64_t took) { least[at] = std::min(least[at], took); });
}

constexpr double shares[] = {0.5, 0.99, 0.999, 0.9999, 1.0};

void print_head() {
    std::printf("%-36s %8s %8s %8s %8s %10s\n", "allocator", "p50", "p99", "p99.9", "p99.99", "max");
}

void print_line(const char* name, auto ticks_of) {
    std::printf("%-36s", name);
    for (const double share : shares)
        std::printf(" %*.0f", share == 1.0 ? 10 : 8, static_cast<double>(ticks_of(share)) * stopwatch::tick());
    std::printf("\n");
}

}  // namespace

void report_tail(const report_options& options) {
    const workload load = steady_churn(100'000, 8 * mebibyte, 300'000, usual_warm_up(100'000), options.seed + 1);
    std::printf("One operation, W1_100k, in nanoseconds: the least of five replays, %.0f for the timer included\n",
                stopwatch::overhead());
    print_head();
    // Disturbances rarely hit the same operation twice; allocators take turns, so that a slow phase of the machine
    // affects all of them.
    std::vector<std::vector<std::uint64_t>> least;
    for (int replay = 0; replay < 5; ++replay) {
        std::size_t at = 0;
        for_each(whole_size_peers{}, [&]<class P>(std::type_identity<P>) {
            if (at == least.size()) least.emplace_back();
            replay_once<P>(load, least[at++]);
        });
    }
    std::size_t at = 0;
    for_each(whole_size_peers{}, [&]<class P>(std::type_identity<P>) {
        print_line(P::name.c_str(), [&ticks = least[at]](double share) { return quantile(ticks, share); });
        ++at;
    });
    std::printf("\n");
}

}  // namespace hbm::micro
