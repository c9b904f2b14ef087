// Relief at the optimum: against brute force, in small memories with pins, programs, scratch and buffers.
#include <hbm/hbm.hpp>
#include <hbm/testing/plan_checker.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "relief/brute_force.hpp"
#include "testing/seeds.hpp"

namespace hbm::test {

using testing::plan_checker;
using testing::random_numbers;

constexpr std::uint64_t q = 512;

namespace {

struct tally {
    std::uint64_t arenas = 0;  // in which something did not fit
    std::uint64_t plans = 0;
    std::uint64_t exact = 0;    // plans that are claimed to be the cheapest
    std::uint64_t optimal = 0;  // plans that are
    std::uint64_t refusals = 0;
    std::uint64_t proven = 0;
    std::uint64_t missed = 0;  // refusals where there is a way
    std::uint64_t price = 0;
    std::uint64_t least = 0;
};

/// One random memory and one request that does not fit; null, or what is wrong.
template <class Placement>
const char* try_once(std::uint64_t seed, tally& seen) {
    random_numbers random(seed);
    const std::uint64_t capacity = 4 + random.below(9);
    manager<Placement, evict_cheapest_window> memory{{.name = "tiny",
                                                      .capacity = capacity * q,
                                                      .bandwidth = 1'000'000'000,
                                                      .copy_nanoseconds = random.below(3) * 700}};
    std::vector<buffer> held;
    std::vector<program> loaded;
    const std::uint64_t steps = 3 + random.below(8);
    for (std::uint64_t step = 0; step < steps; ++step) {
        const std::uint64_t kind = random.below(8);
        const std::uint64_t size = (1 + random.below(random.once_in(3) ? 5 : 2)) * q;
        if (kind < 3) {
            if (memory.free_bytes() < size) continue;
            const auto made = memory.allocate(request{.bytes = size, .alignment = random.once_in(10) ? 2 * q : 0});
            if (made) held.push_back(*made);
        } else if (kind < 5) {
            const std::uint64_t scratch = random.below(4) * q;
            if (memory.free_bytes() < size + scratch) continue;
            const auto made = memory.load(
                {.name = "p", .code = size, .scratch = scratch, .reload_us = random.below(random.once_in(2) ? 4 : 12)});
            if (made) loaded.push_back(*made);
        } else if (!held.empty()) {
            const std::size_t victim = random.below(held.size());
            (void)memory.free(held[victim]);
            held.erase(held.begin() + static_cast<std::ptrdiff_t>(victim));
        }
    }
    for (const buffer one : held)
        if (random.once_in(6)) (void)memory.pin(one);
    memory_state<Placement> state = memory.state();
    if (state.blocks.map().live_blocks() > 7) return nullptr;
    for (const program_record& one : state.programs)
        if (one.resident && random.once_in(8)) state.blocks.map().hold(one.code_block);

    need<std::uint32_t> wanted{.length = static_cast<std::uint32_t>(1 + random.below(capacity))};
    if (random.once_in(10)) wanted.alignment = 2;
    std::uint32_t slot = no_index;
    if constexpr (reserves<Placement>) {
        if (random.once_in(3)) {
            slot = static_cast<std::uint32_t>(state.programs.size());
            state.programs.push_back({.code = q, .scratch = wanted.length * q, .generation = 1, .resident = true});
            const std::uint64_t level = state.scratch_level() / q;
            if (level <= state.blocks.reserved()) return nullptr;
            wanted = {.length = static_cast<std::uint32_t>(level), .anchored = true};
        }
    }
    if (state.fits(wanted)) return nullptr;
    const bool evicting = !random.once_in(4);
    std::vector<std::uint64_t> scores;
    for (std::size_t i = 0; i < state.programs.size(); ++i) scores.push_back(random.below(5));

    ++seen.arenas;
    const planner<Placement> ways(state, wanted, evicting ? victims::window : victims::none, scores, slot);
    const planning_result said = ways.cheapest();
    const plan_checker<Placement> checker(state, wanted, slot, evicting);
    brute_force<Placement> all(state, wanted, slot, evicting);
    if (!said.found) {
        ++seen.refusals;
        seen.proven += said.proof != infeasibility::unknown;
        if (const char* broken = checker.check(said.proof)) return broken;
        const bool possible = all.cheapest(brute_force<Placement>::impossible) != brute_force<Placement>::impossible;
        seen.missed += possible;
        if (possible && said.proof != infeasibility::unknown) return "there is a way, and a proof that there is none";
        return nullptr;
    }
    ++seen.plans;
    const plan& way = *said.found;
    if (const char* broken = checker.check(way)) return broken;
    memory_state<Placement> later = state;
    for (const step& next : way.steps)
        if (!later.apply(next)) return "a step cannot be applied";
    if (!later.fits(wanted)) return "the planner's own memory does not fit afterwards";
    const std::uint64_t least = all.cheapest(way.nanoseconds);
    seen.price += way.nanoseconds;
    seen.least += least;
    if (least > way.nanoseconds) return "brute force finds nothing as cheap";
    if (way.lower_bound > least) return "there is a plan below the lower bound";
    seen.optimal += least == way.nanoseconds;
    if (way.lower_bound != way.nanoseconds) return nullptr;
    ++seen.exact;
    return nullptr;
}

template <class Placement>
void expect_optimum(std::uint64_t seeds) {
    tally seen;
    const std::uint64_t only = number_from_environment("HBM_SEED", 0);
    seeds = seeds_to_try(seeds);
    const std::uint64_t first = only != 0 ? only : number_from_environment("HBM_FIRST_SEED", 1);
    for (std::uint64_t seed = first; seed < first + (only != 0 ? 1 : seeds); ++seed) {
        if (const char* broken = try_once<Placement>(seed, seen)) {
            const std::string found = std::string(broken) + " under " + Placement::name.c_str() +
                                      "; again with HBM_SEED=" + std::to_string(seed);
            FAIL_CHECK(found);
            return;
        }
    }
    std::string summary;
    const auto add = [&](const char* what, std::uint64_t count) {
        summary += std::string(what) + std::to_string(count);
    };
    add("arenas ", seen.arenas), add(", plans ", seen.plans), add(", exact ", seen.exact);
    add(", optimal ", seen.optimal), add(", refusals ", seen.refusals), add(", proven ", seen.proven);
    add(", missed ", seen.missed), add(", price ", seen.price), add(" of ", seen.least);
    summary = std::string(Placement::name.c_str()) + ": " + summary;
    MESSAGE(summary);
}

}  // namespace

TEST_CASE("no plan is cheaper than the planner's, or the bound says by how much one could be") {
    expect_optimum<compacting<best_fit>>(3000);
    expect_optimum<bottom_reserve<compacting<best_fit>>>(3000);
    expect_optimum<bottom_reserve<compacting<best_fit>, scratch_sharing::per_program>>(3000);
    expect_optimum<compacting<buddy>>(3000);
    expect_optimum<best_fit>(3000);
    expect_optimum<bottom_reserve<best_fit>>(3000);
}

}  // namespace hbm::test
