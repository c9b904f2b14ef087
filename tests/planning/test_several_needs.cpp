// Calls that need several things at once, through the manager: none fails that brute force can make succeed, and what
// making room costs is the least, or no less than what the plan says.
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/eviction/more_scores.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/planning/relief_policies.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <support/managers.hpp>
#include <vector>

#include "planning/planning.hpp"
#include "planning/random_memory.hpp"
#include "support/memory_brute_force.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::several_needs_tests {
namespace {

using testing::random_numbers;

/// How a plan is chosen: the cheapest, whoever leaves, or by one of the relief policies.
enum class order : std::uint8_t { by_price, in_order, compact_first, evict_first };

/// Chooses a plan and writes down what it was.
struct recording_relief {
    static constexpr fixed_string name{"recording_relief"};

    std::optional<plan>* taken = nullptr;
    order by = order::by_price;

    template <class Planner>
    [[nodiscard]] std::optional<plan> choose(const Planner& ways) const {
        switch (by) {
        case order::in_order: return relieve_cheapest{}.choose(ways);
        case order::compact_first: return hbm::compact_first{}.choose(ways);
        case order::evict_first: return hbm::evict_first{}.choose(ways);
        default: return ways.cheapest_over_waits(&Planner::cheapest);
        }
    }
    void relieved(const plan& steps) { *taken = steps; }
    friend bool operator==(const recording_relief&, const recording_relief&) = default;
};
static_assert(relief<recording_relief>);

struct tally {
    std::uint64_t calls = 0;
    std::uint64_t several = 0;   ///< that needed two things or more
    std::uint64_t relieved = 0;  ///< that succeeded through relief
    std::uint64_t refused = 0;
    std::uint64_t exact = 0;     ///< plans that are claimed to be the cheapest
    std::uint64_t optimal = 0;   ///< plans that are
    std::uint64_t by_price = 0;  ///< plans for which the eviction policy's order did not count
    std::uint64_t price = 0;     ///< of those together
    std::uint64_t least = 0;     ///< of the cheapest together
};

/// A call: of a program that is new, comes back, or is there, with outputs.
struct call {
    bool is_new = false;
    bool runs = true;
    program subject = {};
    program_spec spec = {};
    std::vector<buffer> inputs = {};
    std::vector<output> outputs = {};
};

call random_call(random_numbers& random, const std::vector<buffer>& held, const std::vector<program>& loaded) {
    call made;
    const auto size = [&] { return (1 + random.below(random.once_in(3) ? 6 : 3)) * q; };
    made.is_new = loaded.empty() || random.once_in(3);
    if (made.is_new) {
        made.spec = {.name = "new", .code = size(), .scratch = random.below(6) * q, .reload_us = 5};
        return made;
    }
    made.subject = loaded[random.below(loaded.size())];
    made.runs = !random.once_in(5);
    if (!made.runs) return made;
    if (!held.empty() && random.once_in(2)) made.inputs.push_back(held[random.below(held.size())]);
    const std::uint64_t count = random.below(4);
    for (std::uint64_t at = 0; at < count; ++at) made.outputs.push_back(size());
    return made;
}

/// The memory as the call finds it: what it uses is held, and its program is resident. What it needs besides the
/// reservation is appended to `needs`.
template <placement P>
memory_state<P> during(const memory_state<P>& before, const call& asked, std::vector<need<typename P::quanta>>& needs,
                       std::uint32_t& slot) {
    memory_state<P> state = before;
    auto& map = state.blocks.map();
    slot = asked.subject.index;
    if (asked.is_new) {
        slot = 0;
        while (slot < state.programs.size() && state.programs[slot].generation % 2 == 1) ++slot;
        if (slot == state.programs.size()) state.programs.emplace_back();
        state.programs[slot] = {.code = asked.spec.code, .scratch = asked.spec.scratch, .generation = 1};
    }
    program_record& record = state.programs[slot];
    const auto add = [&](std::uint64_t bytes) { needs.push_back({.length = state.in_quanta(bytes)}); };
    if (!record.resident) {
        if (!reserves<P> && record.scratch != 0) add(record.scratch);
        add(record.code);
        record.resident = true;
    }
    for (const buffer input : asked.inputs) map.hold(input.index);
    for (const output& each : asked.outputs) add(each.bytes);
    return state;
}

/// What waiting costs until the placement finds room for one need after the other, in the holes of its choice: all that
/// a manager does which neither moves nor evicts.
template <placement P>
std::uint64_t cheapest_wait(const memory_state<P>& state, const std::vector<need<typename P::quanta>>& needs) {
    std::uint64_t waited = 0;
    {
        // Frees that can take effect are noticed before the first need that would find no room.
        memory_state<P> later = state;
        const std::uint64_t level = later.scratch_level();
        const auto twice = [&](auto place) { return place() || (later.retire(later.reached), place()); };
        bool good = true;
        if constexpr (reserves<P>) good = twice([&] { return later.blocks.reserve(later.in_quanta(level)); });
        for (const need<typename P::quanta>& each : needs)
            good = good && twice([&] { return later.blocks.place(each) != no_block; });
        if (good) return 0;
    }
    for (std::size_t runs = 0; runs <= state.flights.size(); ++runs) {
        memory_state<P> later = state;
        later.retire(runs == 0 ? state.reached : state.flights[runs - 1].over);
        if (runs != 0) waited += state.flights[runs - 1].nanoseconds;
        bool good = true;
        if constexpr (reserves<P>) good = later.blocks.reserve(later.in_quanta(later.scratch_level()));
        for (const need<typename P::quanta>& each : needs) good = good && later.blocks.place(each) != no_block;
        if (good) return waited;
    }
    return brute_force<P>::impossible;
}

/// Returns what waiting costs until one more run may be in flight. The oldest runs are over first.
std::uint64_t wait_for_limit(const memory_records& state) {
    const auto& flights = state.flights;
    std::uint64_t waited = 0;
    for (std::size_t run = 0; run < flights.size() && run + state.spec.runs_in_flight <= flights.size(); ++run)
        waited += flights[run].nanoseconds;
    return waited;
}

/// One random memory and one call; null, or what is wrong.
template <placement P, eviction Eviction>
const char* try_once(std::uint64_t seed, tally& seen) {
    random_numbers random(seed);
    std::optional<plan> taken;
    const order by = random.once_in(2) ? order::by_price : static_cast<order>(1 + random.below(3));
    manager<P, Eviction, donate_fitting, recording_relief> memory{random_spec(random), {.relief = {&taken, by}}};
    std::vector<buffer> held;
    std::vector<program> loaded;
    fill_at_random(memory, random, held, loaded);
    if (memory.state().blocks.map().live_blocks() > 7) return nullptr;
    const call asked = random_call(random, held, loaded);

    const auto before = memory;
    std::vector<need<typename P::quanta>> needs;
    std::uint32_t slot = no_index;  // of the program that the call is for: it may move, but is not evicted
    const memory_state<P> state = during(before.state(), asked, needs, slot);
    taken.reset();
    const bool good = asked.is_new ? memory.load(asked.spec).has_value()
                      : asked.runs
                          ? memory.run(asked.subject, {.inputs = asked.inputs, .outputs = asked.outputs}).has_value()
                          : memory.load(asked.subject).has_value();

    ++seen.calls;
    seen.several += needs.size() + (state.scratch_level() > state.reserved_bytes()) > 1;
    constexpr bool plans = compacts<P> || evicts<Eviction>;
    const std::uint64_t least =
        plans ? cheapest_after_waits<P>(state, needs, evicts<Eviction>, slot) : cheapest_wait<P>(state, needs);
    const bool possible = least != brute_force<P>::impossible;
    if (!good) {
        ++seen.refused;
        if (!(memory == before)) return "a call that failed changed the memory";
        return possible ? "a call fails that could succeed" : nullptr;
    }
    if (!possible) return "a call succeeds that cannot";
    const totals& done = memory.done_so_far();
    seen.relieved += done.relieved != before.done_so_far().relieved;
    const bool flies = !asked.is_new && asked.runs;
    if (!taken)  // it fits as it is, or there is nothing but waiting
        return done.wait_nanoseconds - before.done_so_far().wait_nanoseconds ==
                       std::max(least, flies ? wait_for_limit(state) : 0)
                   ? nullptr
                   : "a call did not wait for as few runs as it takes";
    if (taken->nanoseconds < least) return "brute force finds nothing as cheap";
    if (done.move_nanoseconds - before.done_so_far().move_nanoseconds != taken->nanoseconds_of(step_kind::move))
        return "the moves took another time than planned";
    if (by != order::by_price) return nullptr;  // the policies may have ruled the cheapest out
    if (taken->lower_bound > least) return "there is a plan below the lower bound";
    ++seen.by_price;
    seen.exact += taken->lower_bound == taken->nanoseconds;
    seen.optimal += taken->nanoseconds == least;
    seen.price += taken->nanoseconds;
    seen.least += least;
    return nullptr;
}

template <placement P, eviction Eviction>
void expect_joint_plans(std::uint64_t seeds) {
    tally seen;
    const std::string subject = std::string(P::name.c_str()) + "/" + Eviction::name.c_str();
    for_each_seed(seeds, 1, [&](std::uint64_t seed, std::uint32_t) {
        return testing::outcome{
            .broken = try_once<P, Eviction>(seed, seen), .subject = subject.c_str(), .seed = seed, .step = 1};
    });
    std::string summary = subject + ":";
    const auto add = [&](const char* what, std::uint64_t count) {
        summary += std::string(what) + std::to_string(count);
    };
    add(" calls ", seen.calls), add(", several needs ", seen.several), add(", relieved ", seen.relieved);
    add(", refused ", seen.refused), add(", by price ", seen.by_price), add(", exact ", seen.exact);
    add(", optimal ", seen.optimal), add(", price ", seen.price), add(" of ", seen.least);
    MESSAGE(summary);
    if (!tries_all_seeds()) return;
    CHECK(seen.several > seeds / 4);
    CHECK(seen.relieved > seeds / 60);
    CHECK(seen.refused > seeds / 20);
    CHECK(seen.exact * 10 >= seen.by_price * 9);
}

TEST_CASE("all needs of a call are met together, at the least price, or the call fails because nothing could help") {
    expect_joint_plans<best_fit, evict_cheapest_window>(1500);
    expect_joint_plans<compacting<best_fit>, evict_lru>(1500);
    expect_joint_plans<compacting<best_fit>, never_evict>(1500);
    expect_joint_plans<bottom_reserve<best_fit>, evict_greedy_dual>(1500);
    expect_joint_plans<bottom_reserve<compacting<best_fit>>, evict_cheapest_window>(1500);
    expect_joint_plans<bottom_reserve<best_fit, scratch_sharing::per_program>, evict_lru>(1500);
    expect_joint_plans<bottom_reserve<compacting<best_fit>, scratch_sharing::per_program>, evict_cheapest_window>(1500);
    expect_joint_plans<compacting<buddy>, evict_lru>(1500);
    expect_joint_plans<best_fit, never_evict>(1500);
    expect_joint_plans<bottom_reserve<best_fit>, never_evict>(1500);
}

TEST_CASE("outputs whose sizes together are more than 64 bits can count are refused, and nothing is changed") {
    constexpr std::uint64_t half = std::uint64_t{1} << 63;
    manager<basic_best_fit<std::uint64_t>> memory{{.capacity = half + 8, .quantum = 1}};
    const auto step = memory.load({.name = "step", .code = 1});
    REQUIRE(step);
    const auto before = memory;
    CHECK_FALSE(memory.run(*step, {.outputs = {half, half}}));
    CHECK(memory == before);
}

}  // namespace
}  // namespace hbm::test::several_needs_tests
