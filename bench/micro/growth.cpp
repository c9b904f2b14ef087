/// Growth of the cost of an operation with the number of live blocks.

#include <hbm/placement/buddy.hpp>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <span>

#include "micro/instructions.hpp"
#include "micro/peers.hpp"
#include "micro/replay.hpp"
#include "micro/sections.hpp"

namespace hbm::micro {

namespace {

template <peer P>
void print_line(const workload& load, std::uint32_t blocks) {
    constexpr std::size_t stepped = 100;
    player<P> playing(load, load.capacity());
    playing.play(warm_up_of(load));
    const std::span<const operation> all = timed_part_of(load);
    const std::span<const operation> timed = all.first(all.size() - stepped);
    const double from = processor_seconds();
    playing.play(timed);
    const double nanoseconds = (processor_seconds() - from) * 1e9 / static_cast<double>(timed.size());
    const std::optional<std::uint64_t> steps = count_instructions([&] { playing.play(all.last(stepped)); });
    std::printf("%10u %-24s %8.1f", blocks, P::name.c_str(), nanoseconds);
    if (steps)
        std::printf(" %10.1f\n", static_cast<double>(*steps) / static_cast<double>(stepped));
    else
        std::printf(" %10s\n", "-");
}

}  // namespace

bool report_growth(const report_options& options) {
    struct size {
        std::uint32_t blocks;
        std::uint64_t max_bytes;
    };
    constexpr std::uint32_t many = 10'000'000;
    std::printf("Growth: W1 with ever more live blocks. Steps are instructions, driver included\n");
    std::printf("%10s %-24s %8s %10s\n", "blocks", "allocator", "ns/op", "steps/op");
    for (const size each : {size{1000, 64 * mebibyte}, size{10'000, 64 * mebibyte}, size{100'000, 8 * mebibyte},
                            size{1'000'000, 512 * kibibyte}, size{many, 64 * kibibyte}}) {
        const std::uint64_t warm_up = std::clamp<std::uint64_t>(each.blocks, 50'000, 5'000'000);
        const workload load = steady_churn(each.blocks, each.max_bytes, 300'000, warm_up, options.seed + 1);
        const auto print = [&]<class P>(std::type_identity<P>) { print_line<P>(load, each.blocks); };
        for_each(peer_list<placement_peer<best_fit>, placement_peer<best_fit_lifo>, placement_peer<good_fit>>{}, print);
        if (each.blocks < many || options.full) for_each(peer_list<placement_peer<buddy>>{}, print);
        if (options.full) for_each(peer_list<placement_peer<first_fit>>{}, print);  // minutes, step by step
    }
    std::printf("\n");
    return true;
}

}  // namespace hbm::micro
