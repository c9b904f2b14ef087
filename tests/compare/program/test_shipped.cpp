// The shipped managers: their list, their names, and that policies that are chosen at run time, over 64-bit quanta, do
// what manager types over 32-bit quanta do.

#include <hbm/donation/donate_fitting.hpp>
#include <hbm/eviction/more_scores.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/bfc.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/placement/lifetimes_apart.hpp>
#include <hbm/planning/relief.hpp>
#include <hbm/planning/relief_policies.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "compare/managers/chosen_managers.hpp"
#include "compare/managers/entry.hpp"
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
    return trace::read_text(text, "busy");
}

/// A manager whose policies are chosen at run time, and the manager type of its name.
struct manager_pair {
    manager_entry chosen;
    manager_entry typed;
};

template <class Manager>
manager_pair pair_of() {
    const manager_entry typed = entry_without_explanation<Manager>();
    const auto chosen = chosen_manager(typed.name);
    REQUIRE_MESSAGE(chosen.has_value(), std::string(typed.name));
    CHECK((chosen->name == typed.name && chosen->full_name == typed.full_name));
    CHECK((chosen->placement == typed.placement && chosen->eviction == typed.eviction));
    CHECK((chosen->donation == typed.donation && chosen->relief == typed.relief));
    CHECK((chosen->evicts == typed.evicts && chosen->donates == typed.donates && chosen->moves == typed.moves));
    CHECK(chosen->has_footprint == typed.has_footprint);
    return {*chosen, typed};
}

}  // namespace

TEST_CASE("managers whose policies are chosen at run time do what manager types do") {
    const manager_pair pairs[] = {
        pair_of<manager<best_fit>>(),
        pair_of<manager<best_fit_lifo, evict_lru, donate_same_size>>(),
        pair_of<manager<first_fit, evict_greedy_dual, donate_fitting>>(),
        pair_of<manager<compacting<best_fit_lifo>, evict_cheapest_window>>(),
        pair_of<manager<bottom_reserve<good_fit>, evict_cheapest_window, donate_fitting>>(),
        pair_of<manager<bottom_reserve<compacting<buddy>>, evict_greedy_dual>>(),
        pair_of<manager<bfc, evict_lru, donate_same_size>>(),
        pair_of<manager<bottom_reserve<compacting<best_fit>>, evict_lru, donate_same_size>>(),
        pair_of<manager<bottom_reserve<compacting<best_fit_lifo>>, evict_lru, donate_same_size, rent_or_buy>>(),
        pair_of<manager<bottom_reserve<compacting<best_fit_lifo>>, evict_lru, donate_same_size, never_relieve>>(),
        pair_of<manager<bottom_reserve<compacting<lifetimes_apart<best_fit>>>, evict_lru, donate_same_size>>(),
        pair_of<manager<compacting<free_together<best_fit>>>>()};
    std::uint64_t evictions = 0;
    std::uint64_t taken = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const trace::workload load = busy_trace(seed);
        for (const std::uint64_t capacity : {24u, 32u, 44u}) {
            for (const std::uint32_t in_flight : {0u, 2u}) {
                const memory_spec spec{.capacity = capacity * 512, .runs_in_flight = in_flight};
                for (const auto& pair : pairs) {
                    const auto& chosen = pair.chosen;
                    const auto& typed = pair.typed;
                    const trace::figures expected = trace::measure(load, *typed.memory(spec), spec.quantum, false);
                    const trace::figures found = trace::measure(load, *chosen.memory(spec), spec.quantum, false);
                    CHECK_MESSAGE(found == expected, std::string(typed.full_name));
                    evictions += found.evictions;
                    taken += found.donations_taken;
                }
            }
        }
    }
    CHECK(evictions > 200);
    CHECK(taken > 200);
}

TEST_CASE("every shipped placement, eviction, donation and relief is in some shipped manager") {
    const manager_entries all = shipped_managers();
    CHECK(all.size() < 60);
    for (const char* part :
         {"best_fit", "best_fit_lifo", "first_fit", "good_fit", "buddy", "bfc", "bottom_reserve<", "compacting<",
          "free_together<", "lifetimes_apart<", "/evict_lru", "/evict_greedy_dual", "/evict_cheapest_window",
          "/donate_same_size", "/donate_fitting", "/compact_first", "/evict_first", "/rent_or_buy", "/never_relieve"})
        CHECK_MESSAGE(std::any_of(all.begin(), all.end(),
                                  [&](const manager_entry& each) { return each.name.find(part) != each.name.npos; }),
                      part);
    for (const manager_entry& each : all) {
        CHECK((each.make != nullptr && each.explain != nullptr));
        CHECK_MESSAGE(each.has_footprint == (each.placement.find("bottom_reserve<") == each.placement.npos &&
                                             each.placement.find("lifetimes_") == each.placement.npos),
                      std::string(each.name));
    }
}

TEST_CASE("a manager is found by any well-formed name, and by no other text") {
    for (const char* name :
         {"buddy/evict_lru", "compacting<good_fit>/evict_lru/never_donate/rent_or_buy",
          "bottom_reserve<lifetimes_apart<best_fit>>/evict_greedy_dual/donate_fitting/evict_first"}) {
        const auto found = chosen_manager(name);
        REQUIRE(found);
        CHECK(found->name == name);
    }
    CHECK(chosen_manager("best_fit/never_evict/never_donate")->name == "best_fit");
    for (const char* text : {"", "/", "best_fit/", "best_fit/evict", "best_fit/donate_same_size", "compacting<bfc>",
                             "compacting<best_fit", "compacting<>", "compacting<compacting<best_fit>>", "compacting",
                             "best_fit/evict_lru/donate_same_size/rent_or_buy/x"})
        CHECK_FALSE(chosen_manager(text));
}

}  // namespace hbm::test::shipped_tests
