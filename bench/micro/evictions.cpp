/// What eviction costs when not all programs fit: each policy is compared with the same policy without the need for
/// contiguous memory, and with a policy that knows the future.

#include <hbm/hbm.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <vector>

#include "micro/eviction_stream.hpp"
#include "micro/offline_bound.hpp"
#include "micro/sections.hpp"

namespace hbm::micro {

namespace {

using seconds = std::chrono::duration<double>;

/// The policy that all others are compared with.
using yardstick = judged_by_policy<evict_greedy_dual>;

/// Sums over several streams of what managers did; costs are multiples of the cost of the yardstick.
struct eviction_line {
    double reloading = 0;
    double moving = 0;
    double evicted = 0;  // bytes
    double missing = 0;  // bytes
    double calls = 0;    // seconds
    std::uint64_t requests = 0;
    std::uint64_t in_vain = 0;
    bool complete = true;
};

/// True when the eviction of the program in slot `spared` was not needed: applied to the memory before, the other steps
/// make room without it.
template <class Placement>
bool evicted_in_vain(memory_state<Placement> state, const trivial_vector<event>& done, std::uint32_t spared,
                     std::uint64_t bytes) {
    for (const event& each : done) {
        if (each.what == event_kind::evicted && each.subject != spared) state.evict(each.subject);
        if constexpr (relocates<Placement>) {
            if (each.what != event_kind::moved) continue;
            if (!state.blocks.relocate(each.subject, state.in_quanta(each.where.offset))) return false;
        }
    }
    return state.blocks.place({.length = state.in_quanta(bytes)}) != no_block;
}

/// Replays a stream in a manager. `cost` is the cost of the yardstick for it.
template <class Placement, class Eviction, class Relief>
void follow(const eviction_stream& stream, std::uint64_t capacity, double cost, eviction_line& line) {
    using memory_type = manager<Placement, Eviction, never_donate, Relief, no_device, event_log>;
    memory_type memory(memory_spec{.capacity = capacity});
    std::vector<program> held(stream.programs.size());
    std::uint64_t nanoseconds = 0;
    for (const std::uint32_t number : stream.requests) {
        const eviction_stream::piece& piece = stream.programs[number];
        const bool resident = memory.about(held[number]).resident;
        const memory_state<Placement> before = resident ? memory_state<Placement>{} : memory.state();
        const std::uint64_t free = memory.free_bytes();
        memory.events().events.clear();

        const auto from = std::chrono::steady_clock::now();
        bool good = true;
        if (memory.check(held[number]) == error::none) {
            good = memory.run(held[number], {}).has_value();
        } else if (const auto loaded = memory.load({.code = piece.bytes, .reload_us = piece.nanoseconds / 1000})) {
            held[number] = *loaded;
        } else {
            good = false;
        }
        line.calls += seconds(std::chrono::steady_clock::now() - from).count();
        ++line.requests;
        line.complete = line.complete && good;
        if (resident) continue;

        nanoseconds += piece.nanoseconds;
        if (piece.bytes > free) line.missing += static_cast<double>(piece.bytes - free);
        const trivial_vector<event>& done = memory.events().events;
        for (const event& each : done)
            if (each.what == event_kind::evicted)
                line.in_vain += evicted_in_vain(before, done, each.subject, piece.bytes);
    }
    line.evicted += static_cast<double>(memory.done_so_far().evicted_bytes);
    line.reloading += static_cast<double>(nanoseconds) / cost;
    line.moving += static_cast<double>(memory.done_so_far().move_nanoseconds) / cost;
}

/// A stream, the capacity of the memory, and the cost of the yardstick.
struct measured_stream {
    const eviction_stream* stream;
    std::uint64_t capacity;
    double cost;
};

void print_line(const char* policy, const char* memory, const eviction_line& line, std::size_t streams) {
    const auto count = static_cast<double>(streams);
    std::printf("  %-68s %-36s %8.3f %8.3f %9.2f %8llu %10.1f%s\n", policy, memory, line.reloading / count,
                line.moving / count, line.missing == 0 ? 0 : line.evicted / line.missing,
                static_cast<unsigned long long>(line.in_vain),
                line.requests == 0 ? 0 : line.calls * 1e6 / static_cast<double>(line.requests),
                line.complete ? "" : "  OUT OF MEMORY");
}

template <class Placement, class Eviction, class Relief>
bool print_manager(const std::vector<measured_stream>& streams) {
    eviction_line line;
    for (const measured_stream& each : streams)
        follow<Placement, Eviction, Relief>(*each.stream, each.capacity, each.cost, line);
    const auto memory = Placement::name + fixed_string{", "} + Relief::name;
    print_line(Eviction::name.c_str(), memory.c_str(), line, streams.size());
    return line.complete && line.in_vain == 0;
}

template <class Judge>
void print_judge(const char* policy, const std::vector<measured_stream>& streams) {
    eviction_line line;
    for (const measured_stream& each : streams) {
        const eviction_figures found = without_contiguity(*each.stream, each.capacity, Judge(*each.stream));
        line.reloading += static_cast<double>(found.nanoseconds) / each.cost;
        line.evicted += static_cast<double>(found.evicted_bytes);
        line.missing += static_cast<double>(found.missing_bytes);
    }
    print_line(policy, "contiguity ignored", line, streams.size());
}

/// A policy of the library without the need for contiguous memory.
template <class Eviction>
void print_policy(const std::vector<measured_stream>& streams) {
    print_judge<judged_by_policy<Eviction>>(Eviction::name.c_str(), streams);
}

bool print_bound(const std::vector<measured_stream>& streams) {
    eviction_line line;
    bool below = true;
    for (const measured_stream& each : streams) {
        const std::uint64_t reachable =
            without_contiguity(*each.stream, each.capacity, judged_by_future(*each.stream)).nanoseconds;
        const double bound = offline_bound(*each.stream, each.capacity, reachable);
        below = below && bound <= static_cast<double>(reachable);
        line.reloading += bound / each.cost;
    }
    print_line("nothing costs less, the future known or not", "contiguity ignored", line, streams.size());
    return below;
}

using in_order_of_expected_reload = evict_in_order<per_byte<expected_reload>>;
using window_of_uses_over_staleness = evict_window<per_tick<product<frequency, reload_cost>>>;

bool report_share(const std::vector<eviction_stream>& streams, std::uint64_t percent) {
    std::vector<measured_stream> measured;
    for (const eviction_stream& each : streams) {
        const std::uint64_t capacity = each.bytes() / 100 * percent;
        const eviction_figures found = without_contiguity(each, capacity, yardstick(each));
        measured.push_back({&each, capacity, static_cast<double>(found.nanoseconds)});
    }
    std::printf("memory for %llu %% of all programs\n", static_cast<unsigned long long>(percent));
    std::printf("  %-68s %-36s %8s %8s %9s %8s %10s\n", "policy", "memory", "reload", "moves", "evicted", "in vain",
                "us a call");
    print_policy<evict_greedy_dual>(measured);
    print_policy<evict_lru>(measured);
    print_policy<evict_in_order<per_byte<per_tick<product<frequency, reload_cost>>>>>(measured);
    print_policy<in_order_of_expected_reload>(measured);
    print_judge<judged_by_future>("what comes next is known", measured);
    bool good = print_bound(measured);
    good &= print_manager<best_fit, evict_lru, evict_first>(measured);
    good &= print_manager<best_fit, evict_greedy_dual, evict_first>(measured);
    good &= print_manager<best_fit, in_order_of_expected_reload, evict_first>(measured);
    good &= print_manager<best_fit, window_of_uses_over_staleness, evict_first>(measured);
    good &= print_manager<best_fit, evict_cheapest_window, evict_first>(measured);
    good &= print_manager<compacting<best_fit>, evict_greedy_dual, relieve_cheapest>(measured);
    good &= print_manager<compacting<best_fit>, in_order_of_expected_reload, relieve_cheapest>(measured);
    good &= print_manager<compacting<best_fit>, evict_cheapest_window, relieve_cheapest>(measured);
    good &= print_manager<compacting<best_fit>, evict_cheapest_window, rent_or_buy>(measured);
    return good;
}

}  // namespace

bool report_evictions(const report_options& asked) {
    constexpr std::uint32_t swaps = 40;
    const std::uint64_t count = asked.full ? 10 : 3;
    std::vector<eviction_stream> streams;
    for (std::uint64_t seed = 1; seed <= count; ++seed)
        streams.push_back(make_eviction_stream(asked.seed + seed, swaps));
    std::printf(
        "Eviction: 36,000 runs of 120 programs, mean of %llu streams. Costs are multiples of that of greedy dual "
        "with frequency\nwhere contiguity is ignored; evicted: bytes over those that were missing\n",
        static_cast<unsigned long long>(count));
    bool good = true;
    for (const std::uint64_t percent : {15u, 30u, 50u}) good &= report_share(streams, percent);
    std::printf("\n");
    return good;
}

}  // namespace hbm::micro
