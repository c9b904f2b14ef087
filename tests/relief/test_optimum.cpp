// Relief at the optimum: against brute force, in small memories with pins, programs, scratch and buffers.
#include <hbm/hbm.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "relief/brute_force.hpp"
#include "relief/planning.hpp"
#include "relief/random_memory.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::optimum_tests {

using testing::plan_checker;
using testing::random_numbers;

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

/// One random memory, what a program may need that comes in, and what does not fit; null, or what is wrong.
template <placement P>
const char* try_once(std::uint64_t seed, tally& seen) {
    random_numbers random(seed);
    manager<P, evict_cheapest_window> memory{random_spec(random)};
    std::vector<buffer> held;
    std::vector<program> loaded;
    fill_at_random(memory, random, held, loaded);
    memory_state<P> state = memory.state();
    if (state.blocks.map().live_blocks() > 7) return nullptr;
    state.retire(state.issued);  // planning begins after all waits
    for (const program_record& each : state.programs)
        if (each.resident && random.once_in(8)) state.blocks.map().hold(each.code_block);
    const std::uint64_t capacity = state.blocks.map().capacity();
    if (random.once_in(3))
        state.programs.push_back({.code = q, .scratch = random.below(capacity) * q, .generation = 1, .resident = true});
    std::vector<need<typename P::quanta>> needs;
    const std::uint64_t count = random.once_in(2) ? 1 : random.below(4);
    for (std::uint64_t at = 0; at < count; ++at)
        needs.push_back({.length = static_cast<typename P::quanta>(1 + random.below(capacity / count)),
                         .alignment = random.once_in(10) ? 2u : 1u});
    const bool evicting = !random.once_in(4);
    std::vector<std::uint64_t> scores;
    for (std::size_t at = 0; at < state.programs.size(); ++at) scores.push_back(random.below(5));

    brute_force<P> all(state, needs, evicting);
    const std::uint64_t least = all.cheapest();
    if (least == 0) return nullptr;
    ++seen.arenas;
    const planning_problem problem =
        problem_of(state, std::span<const need<typename P::quanta>>{needs}, evicting ? victims::window : victims::none,
                   std::span<const std::uint64_t>{scores});
    const planner ways(problem);
    const planning_result said = ways.cheapest();
    const plan_checker<P> checker(state, needs, evicting);
    if (!said.found) {
        ++seen.refusals;
        seen.proven += said.proof != infeasibility::unknown;
        if (const char* broken = checker.check(said.proof)) return broken;
        const bool possible = least != brute_force<P>::impossible;
        seen.missed += possible;
        if (possible && said.proof != infeasibility::unknown) return "there is a way, and a proof that there is none";
        if (said.lower_bound > least) return "there is a plan below the lower bound of a refusal";
        return nullptr;
    }
    ++seen.plans;
    const plan& way = *said.found;
    if (const char* broken = checker.check(way)) return broken;
    memory_state<P> later = state;
    for (const step& next : way.steps)
        if (!later.apply(next)) return "a step cannot be applied";
    if (way.places.size() != needs.size()) return "the plan does not say where everything goes";
    seen.price += way.nanoseconds;
    seen.least += least;
    if (least > way.nanoseconds) return "brute force finds nothing as cheap";
    if (way.lower_bound > least) return "there is a plan below the lower bound";
    seen.optimal += least == way.nanoseconds;
    seen.exact += way.lower_bound == way.nanoseconds;
    return nullptr;
}

template <placement P>
void expect_optimum(std::uint64_t seeds) {
    tally seen;
    for_each_seed(seeds, 1, [&](std::uint64_t seed, std::uint32_t) {
        return testing::outcome{.broken = try_once<P>(seed, seen), .subject = P::name.c_str(), .seed = seed, .step = 1};
    });
    std::string summary = std::string(P::name.c_str()) + ": ";
    const auto add = [&](const char* what, std::uint64_t count) {
        summary += std::string(what) + std::to_string(count);
    };
    add("arenas ", seen.arenas), add(", plans ", seen.plans), add(", exact ", seen.exact);
    add(", optimal ", seen.optimal), add(", refusals ", seen.refusals), add(", proven ", seen.proven);
    add(", missed ", seen.missed), add(", price ", seen.price), add(" of ", seen.least);
    MESSAGE(summary);
    if (!tries_all_seeds()) return;
    CHECK(seen.plans > seeds / 10);
    CHECK(seen.refusals > seeds / 10);
    CHECK(seen.missed == 0);
}

}  // namespace

TEST_CASE("no plan is cheaper than the planner's, or the bound says by how much one could be") {
    expect_optimum<compacting<best_fit>>(2000);
    expect_optimum<bottom_reserve<compacting<best_fit>>>(2000);
    expect_optimum<bottom_reserve<compacting<best_fit>, scratch_sharing::per_program>>(2000);
    expect_optimum<compacting<buddy>>(2000);
    expect_optimum<best_fit>(2000);
    expect_optimum<bottom_reserve<best_fit>>(2000);
}

}  // namespace hbm::test::optimum_tests
