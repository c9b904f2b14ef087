// The shipped managers: which there are, and that those over 64-bit quanta, which are made of policies that are chosen
// when they are made, do what those over 32-bit quanta do.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>

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

}  // namespace

TEST_CASE("managers over 64-bit quanta do what those over 32-bit quanta do") {
    const manager_entries all = shipped_managers();
    std::uint64_t evictions = 0;
    std::uint64_t taken = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const trace::workload load = busy_trace(seed);
        for (const std::uint64_t capacity : {24u, 32u, 44u}) {
            const memory_spec spec{.capacity = capacity * 512};
            for (const manager_entry& each : all) {
                const trace::figures narrow = trace::measure(load, *each.narrow.make(spec), spec.quantum, false);
                const trace::figures wide = trace::measure(load, *each.wide.make(spec), spec.quantum, false);
                CHECK_MESSAGE(narrow == wide, std::string(each.full_name));
                evictions += narrow.evictions;
                taken += narrow.donations_taken;
            }
        }
    }
    CHECK(evictions > 1000);
    CHECK(taken > 1000);
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
                             "lifetimes_learned<",
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
