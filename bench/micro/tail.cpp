/// Times of single operations at 100,000 live blocks.

#include <algorithm>
#include <cstdio>
#include <limits>
#include <vector>

#include "micro/catalogue.hpp"
#include "micro/peers.hpp"
#include "micro/replay.hpp"

namespace hbm::micro {

namespace {

/// Returns the smallest number of ticks that each timed operation took in several replays: disturbances rarely hit the
/// same operation twice.
template <peer P>
std::vector<std::uint64_t> min_ticks(const workload& load) {
    constexpr int replays = 3;
    std::vector<std::uint64_t> least(timed_part_of(load).size(), std::numeric_limits<std::uint64_t>::max());
    for (int replay = 0; replay < replays; ++replay) {
        player<P> playing(load, load.capacity());
        playing.play(warm_up_of(load));
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
            least[at] = std::min(least[at], took);
            ++at;
        }
    }
    return least;
}

}  // namespace

void report_tail(const report_options& options) {
    const workload load = steady_churn(100'000, 8 * mebibyte, 300'000, usual_warm_up(100'000), options.seed + 1);
    std::printf("One operation, W1_100k, in nanoseconds: the least of three replays, %.0f for the timer included\n",
                stopwatch::overhead());
    std::printf("%-36s %8s %8s %8s %8s\n", "allocator", "p50", "p99", "p99.9", "max");
    for_each(whole_size_peers{}, [&]<class P>(std::type_identity<P>) {
        std::vector<std::uint64_t> ticks = min_ticks<P>(load);
        std::printf("%-36s", P::name.c_str());
        for (const double share : {0.5, 0.99, 0.999, 1.0})
            std::printf(" %8.0f", static_cast<double>(quantile(ticks, share)) * stopwatch::tick());
        std::printf("\n");
    });
    std::printf("\n");
}

}  // namespace hbm::micro
