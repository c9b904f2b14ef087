// The shipped managers: their list, and that those made of policies that are chosen at run time, over 64-bit quanta,
// do what manager types over 32-bit quanta do.

#include <hbm/donation/donate_fitting.hpp>
#include <hbm/eviction/more_scores.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/placement/lifetimes_apart.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "compare/managers/drive.hpp"
#include "compare/managers/shipped.hpp"
#include "compare/read/csv/read.hpp"
#include "compare/replay/replay.hpp"

namespace hbm::test::shipped_tests {

using namespace hbm::compare;

namespace {

/// Programs of many sizes and prices come, run with donations and are used unevenly, in a memory that does not hold
/// all of them. Numbers are those of a linear congruence.
trace::workload busy_trace(std::uint64_t seed) {
    const auto next = [&](std::uint64_t below) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        return (seed >> 33) % below;
    };
    std::string text = "op,id,bytes,donated,outputs,scratch,reload_us\n";
    const auto quanta = [&](std::uint64_t most) { return std::to_string(512 * (1 + next(most))); };
    for (int program = 0; program < 6; ++program)
        text += "load,p" + std::to_string(program) + ',' + quanta(8) + ",,," + quanta(6) + ',' +
                std::to_string(1 + next(50)) + '\n';
    text += "alloc,b0,2048,,,,\n";
    for (int run = 0; run < 60; ++run) {
        const std::string before = "b" + std::to_string(run);
        const std::string after = "b" + std::to_string(run + 1);
        text += "alloc,x" + std::to_string(run) + ',' + quanta(6) + ",,,,\n";
        text += "run,p" + std::to_string(next(3) * next(3)) + ",," + before + ',' + after + ':' +
                std::to_string(512 * (2 + next(3))) + " y" + std::to_string(run) + ":512,,\n";
        text += "free,x" + std::to_string(run) + ",,,,,\n";
        if (run >= 3) text += "free,y" + std::to_string(run - 3) + ",,,,,\n";
    }
    const auto made = trace::read_text(text, "busy");
    REQUIRE_MESSAGE(made, made.error().message());
    return *made;
}

/// Adds a shipped manager with the manager type of its name as the driver over 32-bit quanta.
template <class Manager>
void add(manager_entries& typed) {
    const manager_entry own = entry_of<Manager, false>();
    for (manager_entry each : shipped_managers()) {
        if (each.name != own.name) continue;
        CHECK(each.full_name == own.full_name);
        CHECK((each.placement == own.placement && each.eviction == own.eviction && each.donation == own.donation));
        CHECK((each.evicts == own.evicts && each.donates == own.donates && each.moves == own.moves));
        CHECK(each.has_footprint == own.has_footprint);
        each.narrow = own.narrow;
        typed.push_back(each);
        return;
    }
    FAIL("no shipped manager is called " << std::string(own.name));
}

}  // namespace

TEST_CASE("managers whose policies are chosen at run time do what manager types do") {
    manager_entries typed;
    for (const manager_entry& each : shipped_managers())
        if (each.is_timed()) typed.push_back(each);
    CHECK(typed.size() == 21);  // the default list, two of which have two names, and tpu::runtime_memory's long name
    add<manager<first_fit, evict_greedy_dual, donate_fitting>>(typed);
    add<manager<compacting<best_fit_lifo>, evict_cheapest_window>>(typed);
    add<manager<bottom_reserve<good_fit>, evict_cheapest_window, donate_fitting>>(typed);
    add<manager<bottom_reserve<compacting<buddy>>, evict_greedy_dual>>(typed);
    add<manager<bottom_reserve<buddy>>>(typed);
    add<manager<bfc, evict_lru, donate_same_size>>(typed);
    add<manager<bottom_reserve<compacting<best_fit_lifo>>, evict_lru, donate_same_size, never_relieve>>(typed);
    add<manager<bottom_reserve<compacting<lifetimes_apart<best_fit>>>, evict_lru, donate_same_size>>(typed);
    add<manager<compacting<free_together<best_fit>>>>(typed);
    add<manager<compacting<lifetimes_apart<best_fit>>, evict_lru, donate_same_size>>(typed);
    std::uint64_t evictions = 0;
    std::uint64_t taken = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const trace::workload load = busy_trace(seed);
        for (const std::uint64_t capacity : {24u, 32u, 44u}) {
            for (const std::uint32_t in_flight : {0u, 2u}) {
                const memory_spec spec{.capacity = capacity * 512, .runs_in_flight = in_flight};
                for (const manager_entry& each : typed) {
                    const trace::figures narrow = trace::measure(load, *each.narrow.memory(spec), spec.quantum, false);
                    const trace::figures wide = trace::measure(load, *each.wide.memory(spec), spec.quantum, false);
                    CHECK_MESSAGE(narrow == wide, std::string(each.full_name));
                    evictions += narrow.evictions;
                    taken += narrow.donations_taken;
                }
            }
        }
    }
    CHECK(evictions > 500);
    CHECK(taken > 500);
}

TEST_CASE("every shipped placement, eviction, donation and relief is in some shipped manager") {
    const manager_entries all = shipped_managers();
    for (const char* part : {"best_fit",
                             "best_fit_lifo",
                             "first_fit",
                             "good_fit",
                             "buddy",
                             "bfc",
                             "bottom_reserve<",
                             "compacting<",
                             "free_together<",
                             "lifetimes_apart<",
                             "/evict_lru",
                             "/evict_greedy_dual",
                             "/evict_cheapest_window",
                             "/donate_same_size",
                             "/donate_fitting",
                             "/compact_first",
                             "/evict_first",
                             "/rent_or_buy",
                             "/never_relieve"})
        CHECK_MESSAGE(std::any_of(all.begin(), all.end(),
                                  [&](const manager_entry& each) { return each.name.find(part) != each.name.npos; }),
                      part);
    for (const manager_entry& each : all) {
        CHECK((each.wide.make != nullptr));
        CHECK((each.wide.explain != nullptr));
        CHECK_MESSAGE(each.has_footprint == (each.placement.find("bottom_reserve<") == each.placement.npos &&
                                             each.placement.find("lifetimes_") == each.placement.npos),
                      std::string(each.name));
    }
}

}  // namespace hbm::test::shipped_tests
