/// What following a plan costs: `planned<best_fit>` beside `best_fit` on recorded traces.

#include <hbm/pack/known_sequence.hpp>
#include <hbm/pack/plan_sequence.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/planned.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "micro/replay.hpp"
#include "micro/sections.hpp"

namespace hbm::micro {

namespace {

using planned_fit = planned<best_fit>;

constexpr int rounds = 21;
/// Enough to follow a plan: how close it is does not matter here.
constexpr pack::effort little{.max_steps = 1000, .max_looks = 4'000'000};

/// What the operations ask for and free.
known_sequence sequence_of(std::span<const operation> operations, std::uint32_t slots) {
    known_sequence made;
    std::vector<std::uint32_t> request_of(slots, no_event);
    for (const auto [slot, quanta] : operations) {
        if (quanta != 0)
            request_of[slot] = made.ask(quanta);
        else
            made.free(request_of[slot]);
    }
    return made;
}

/// Plays all operations in a memory without a limit; false if a request fails.
template <class P>
[[gnu::noinline]] bool play(P& memory, std::span<const operation> operations, std::vector<block_index>& held) {
    std::uint64_t offsets = 0;
    for (const auto [slot, quanta] : operations) {
        if (quanta == 0) {
            memory.release(held[slot]);
            continue;
        }
        held[slot] = memory.place({.length = quanta});
        if (held[slot] == no_block) return false;
        offsets ^= memory.map().offset(held[slot]);
    }
    look_at(offsets);
    return true;
}

/// Medians of nanoseconds an operation, and how many of the requests went where the plan said.
struct cell {
    double plain = 0;
    double following = 0;
    double followed = 0;
    bool good = true;
};

cell measure(std::span<const operation> operations, const workload& load, const sequence_plan& plan) {
    std::array<std::vector<double>, 2> seconds;
    std::vector<block_index> held(load.slots);
    std::size_t requests = 0;
    for (const operation& each : operations) requests += each.quanta != 0;
    cell made;
    for (int round = 0; round < rounds; ++round) {
        best_fit plain(best_fit::unlimited);
        planned_fit following(planned_fit::unlimited, plan);
        plain.reserve_metadata(load.peak_blocks);
        following.reserve_metadata(load.peak_blocks);
        for (const bool plans : {round % 2 == 0, round % 2 != 0}) {
            const double from = processor_seconds();
            made.good &= plans ? play(following, operations, held) : play(plain, operations, held);
            seconds[plans].push_back(processor_seconds() - from);
        }
        made.followed = static_cast<double>(following.followed()) / static_cast<double>(requests);
    }
    const double scale = 1e9 / static_cast<double>(operations.size());
    made.plain = quantile(seconds[0], 0.5) * scale;
    made.following = quantile(seconds[1], 0.5) * scale;
    return made;
}

/// The same operations, but that one request of a hundred asks for more.
std::vector<operation> departing(std::span<const operation> operations, std::uint64_t seed) {
    std::vector<operation> made(operations.begin(), operations.end());
    random_numbers draw(seed + 1);
    for (operation& each : made)
        if (each.quanta != 0 && draw.below(100) == 0) each.quanta += 1 + draw.below(64);
    return made;
}

}  // namespace

bool report_planned(const report_options& asked) {
    std::vector<std::string> files = asked.traces;
    if (files.empty())
        for (const char* name :
             {"effnet_ema_accum", "gnn_subgraphs", "gpt_adamw_foreach", "gpt_checkpoint", "kvcache_serving", "lstm_lm",
              "resnet18_sgd", "resnet50_multiscale", "swin_infer_dynamic"})
            files.push_back(std::string(HBM_TRACE_DIRECTORY "/") + name + ".csv");
    std::printf(
        "Following a plan: nanoseconds an operation of best_fit and of planned<best_fit>, and their ratio; how "
        "many requests went where the plan says.\nThe plan is that of the whole trace, that of its first third, "
        "and that of the whole while one request of a hundred asks for more\n"
        "%-24s %-9s %9s %9s %9s %6s\n",
        "trace", "plan", "followed", "best_fit", "planned", "ratio");
    constexpr std::array words{"whole", "third", "departing"};
    std::array<double, words.size()> logarithms{};
    bool good = true;
    for (const std::string& file : files) {
        const workload load = recorded(file, file.substr(file.find_last_of('/') + 1), 0);
        good = good && load.warm_up != 0;
        const std::span<const operation> all = warm_up_of(load);
        const sequence_plan whole = plan_for(sequence_of(all, load.slots), little);
        const sequence_plan third = plan_for(sequence_of(all.first(all.size() / 3), load.slots), little);
        const std::vector<operation> other = departing(all, asked.seed);
        const std::array cells{measure(all, load, whole), measure(all, load, third), measure(other, load, whole)};
        for (std::size_t at = 0; at < words.size(); ++at) {
            const double ratio = cells[at].following / cells[at].plain;
            logarithms[at] += std::log(ratio);
            good = good && cells[at].good;
            std::printf("%-24s %-9s %7.1f %% %9.1f %9.1f %6.2f\n", load.name.c_str(), words[at],
                        100 * cells[at].followed, cells[at].plain, cells[at].following, ratio);
        }
    }
    for (std::size_t at = 0; at < words.size(); ++at)
        std::printf("%-24s %-9s %36.2f\n", "geometric mean", words[at],
                    std::exp(logarithms[at] / static_cast<double>(files.size())));
    std::printf("\n");
    return good;
}

}  // namespace hbm::micro
