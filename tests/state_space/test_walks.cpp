// Random walks through memories that have too many states to explore. In each state on the way every call is made once,
// and each refusal is compared with brute force. HBM_SEED and HBM_STEPS replay one walk.
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/eviction/more_scores.hpp>
#include <hbm/eviction/policies.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/planning/relief_policies.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "planning/failing_device.hpp"
#include "state_space/calls.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::walks_tests {
namespace {

using testing::random_numbers;

/// Draws a memory of 7 to 11 quanta, and two programs.
bounds drawn_bounds(random_numbers& random, bool copies_fail) {
    const auto below = [&](std::uint64_t bound) { return static_cast<std::uint32_t>(random.below(bound)); };
    bounds limits{.capacity = 7 + below(5), .buffers = 2 + below(2), .most_alignment = 1 + below(2), .pins = true};
    limits.longest = limits.capacity * 2 / 3;
    const std::uint64_t code = 1 + below(3);
    limits.programs = {{.code = code, .scratch = 1u + below(3), .reload_us = below(3)},
                       {.code = code + 1 + below(2), .scratch = below(4), .reload_us = below(3)}};
    if (copies_fail) limits.failing_copies = 1 + below(3);
    if (copies_fail && below(2) == 0) limits.bounce = 2;
    return limits;
}

/// Walks `steps` steps. Counts in `checked` the calls that it tried.
template <class Memory>
testing::outcome walk(std::uint64_t seed, std::uint32_t steps, std::size_t& checked) {
    testing::outcome end{.subject = Memory::full_name.c_str(), .seed = seed};
    random_numbers random(seed);
    const small_memory<Memory> space(drawn_bounds(
        random, requires(Memory memory) { memory.device().copies_until_failure; }));
    Memory now = space.empty();
    std::string path;
    while (end.ok() && end.step < steps) {
        ++end.step;
        const picture was = space.look(now);
        const auto calls = space.calls(now, was);
        std::vector<Memory> others;  // in half of the steps only what calls lead to that need room
        std::vector<const std::string*> names;
        const bool fills = random.once_in(2);
        for (const auto& call : calls) {
            Memory later = now.copy();
            picture after = was;
            end.broken = space.step(now, was, call, later, after);
            ++checked;
            if (!end.ok()) {
                MESSAGE(path << "    " << was.shown() << "  " << call.text);
                break;
            }
            if (later == now || (fills && !call.needs_room)) continue;
            others.push_back(std::move(later));
            names.push_back(&call.text);
        }
        if (others.empty()) continue;
        const std::size_t next = random.below(others.size());
        path += "    " + was.shown() + "  " + *names[next] + "\n";
        now = std::move(others[next]);
    }
    return end;
}

template <class Memory>
void walk_through(std::uint64_t seeds, std::size_t least) {
    std::size_t checked = 0;
    for_each_seed(seeds, 30,
                  [&](std::uint64_t seed, std::uint32_t steps) { return walk<Memory>(seed, steps, checked); });
    MESSAGE(std::string(Memory::full_name.c_str()) << ": " << checked << " calls");
    CHECK((checked >= least || !tries_all_seeds()));
}

template <class Placement, class Device = host_device>
using usual = manager<Placement, evict_lru, donate_fitting, relieve_cheapest, Device>;
template <class Placement, class Device = host_device>
using other = manager<Placement, evict_window<reload_cost>, donate_same_size, evict_first, Device>;

}  // namespace

TEST_CASE("state space: full managers keep their promises on random walks through larger memories") {
    walk_through<usual<bottom_reserve<compacting<best_fit>>>>(50, 60000);
    walk_through<other<bottom_reserve<compacting<first_fit>>>>(50, 60000);
    walk_through<manager<bottom_reserve<compacting<good_fit>>, evict_greedy_dual, donate_fitting, compact_first>>(
        50, 60000);
    walk_through<manager<bottom_reserve<compacting<buddy>>, evict_lru, donate_same_size>>(50, 60000);
    walk_through<usual<compacting<best_fit>>>(50, 60000);
    walk_through<other<best_fit>>(50, 60000);
}

TEST_CASE("state space: full managers lose nothing on random walks whichever copy fails") {
    walk_through<usual<bottom_reserve<compacting<best_fit>>, failing_device>>(25, 30000);
    walk_through<other<bottom_reserve<compacting<first_fit>>, failing_device>>(25, 30000);
    walk_through<usual<compacting<best_fit>, failing_device>>(25, 30000);
}

}  // namespace hbm::test::walks_tests
