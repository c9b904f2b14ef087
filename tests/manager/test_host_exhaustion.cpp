// A host without memory ends the program, with a message, wherever a manager asks for memory.
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/events/statistics.hpp>
#include <hbm/eviction/more_scores.hpp>
#include <hbm/growth/growth.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>

#include <doctest/doctest.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>

#include "manager/host_allocations.hpp"
#include "support/child_process.hpp"

namespace hbm::test::host_exhaustion_tests {

namespace {

constexpr std::uint64_t q = 512;

/// Calls that allocate on the host, with relief and compaction.
template <class Manager>
void play() {
    Manager memory{{.name = "small", .capacity = 24 * q, .runs_in_flight = 1}};
    const auto step = memory.load({.name = "step", .code = 2 * q, .scratch = 2 * q});
    if (!step) return;
    std::array<buffer, 5> held{};
    for (buffer& each : held) each = memory.allocate(2 * q, "held").value_or(buffer{});
    static_cast<void>(memory.load({.name = "victim", .code = 3 * q, .scratch = q}));
    static_cast<void>(memory.run(*step, {.inputs = {held[0]}, .outputs = {q, {q, "output"}}}));
    memory.free(held[0]);
    memory.free(held[2]);
    static_cast<void>(memory.allocate(6 * q));
    memory.sync();
    if constexpr (requires { memory.compact(q); }) {
        memory.free(held[3]);
        memory.compact(~std::uint64_t{0});
    }
    static_cast<void>(memory.allocate({.bytes = 9 * q, .alignment = 4 * q}));
    static_cast<void>(memory.plan_for({.bytes = 12 * q}));
    auto trial = memory.fork();
    trial.unload(*step);
    static_cast<void>(trial.allocate(20 * q));
}

/// Plays in a process of its own whose host has memory for `count` allocations. Returns true if it played to its end.
/// Otherwise the process must be aborted, with a message that names the exhaustion.
template <class Play>
bool is_enough(Play play, std::size_t count) {
    const test::process_end end = test::run_in_child([&] {
        try {
            exhaust_host_after(count);
            play();
        } catch (...) {
            std::_Exit(1);
        }
    });
    if (end.signal == 0 && end.status == 0) return true;
    CAPTURE(count);
    CHECK(end.signal == SIGABRT);
    CHECK(end.messages.find("bad_alloc") != std::string::npos);
    return false;
}

template <class Play>
std::size_t allocations_needed(Play play) {
    std::size_t count = 0;
    while (!is_enough(play, count)) ++count;
    return count;
}

}  // namespace

TEST_CASE("host exhaustion: every allocation of a manager that fails ends the program with a message") {
    CHECK(allocations_needed(play<manager<best_fit>>) > 10);
    CHECK(allocations_needed(play<manager<first_fit, evict_lru>>) > 10);
    CHECK(allocations_needed(play<manager<bottom_reserve<compacting<best_fit>>, evict_cheapest_window>>) > 20);
    CHECK(allocations_needed(play<manager<compacting<buddy>, evict_greedy_dual>>) > 20);
}

TEST_CASE("host exhaustion: every allocation of an observer that fails ends the program with a message") {
    CHECK(allocations_needed(
              play<manager<best_fit, never_evict, never_donate, relieve_cheapest, no_device, event_log>>) > 10);
    CHECK(allocations_needed(
              play<manager<best_fit, never_evict, never_donate, relieve_cheapest, no_device, growth_by_tag>>) > 10);
}

}  // namespace hbm::test::host_exhaustion_tests
