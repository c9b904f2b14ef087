// Each way to make room, after any number of waits: it is there exactly where it helps, its steps can be carried out,
// and none of them is needless.
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <string_view>
#include <vector>

#include "planning/planning.hpp"
#include "planning/random_memory.hpp"
#include "support/memory_brute_force.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::planner_tests {
namespace {

using testing::random_numbers;

struct tally {
    std::uint64_t waiting = 0;
    std::uint64_t moving = 0;
    std::uint64_t evicting = 0;
    std::uint64_t both = 0;
    std::uint64_t after_waits = 0;  ///< plans that wait for some runs, and then do something
};

template <placement P>
class planner_story {
public:
    explicit planner_story(std::uint64_t seed, tally& seen) : random_(seed), seen_(seen) {
        manager<P, evict_lru, donate_fitting> memory{random_spec(random_)};
        std::vector<buffer> held;
        std::vector<program> loaded;
        fill_at_random(memory, random_, held, loaded);
        state_ = memory.state();
        const std::uint64_t capacity = state_.blocks.map().capacity();
        if (random_.once_in(3))
            state_.programs.push_back(
                {.code = q, .scratch = random_.below(capacity) * q, .generation = 1, .resident = true});
        const std::uint64_t count = random_.once_in(2) ? 1 : random_.below(4);
        for (std::uint64_t at = 0; at < count; ++at)
            needs_.push_back({.length = static_cast<typename P::quanta>(1 + random_.below(capacity / count))});
        for (std::size_t at = 0; at < state_.programs.size(); ++at) scores_.push_back(random_.below(5));
        choice_ = random_.once_in(2) ? victims::window : victims::one_at_a_time;
    }

    /// Null, or what is wrong.
    const char* tell() {
        if (state_.blocks.map().live_blocks() > 7) return nullptr;
        const std::span<const need<typename P::quanta>> needs{needs_};
        const planning_problem problem = problem_of(state_, needs, choice_, std::span<const std::uint64_t>{scores_});
        const planner ways(problem);
        for (std::size_t runs = 0; runs <= ways.flights(); ++runs) {
            memory_state<P> later = state_;
            later.retire(runs == 0 ? state_.reached : state_.flights[runs - 1].over);
            const auto helps = [&](bool evicting) {
                return brute_force<P>(later, needs, evicting).cheapest() != brute_force<P>::impossible;
            };
            const planner after = ways.after(runs);
            const bool moves_help = compacts<P> && helps(false);
            const bool both_help = helps(true);
            const auto moving = after.by_moving();
            if (moving.has_value() != moves_help) return "moving is not there exactly where it helps";
            const auto evicting = after.by_evicting();
            if (evicting.has_value() != evicting_all_helps(later)) return "nor is evicting";
            if (after.by_both().has_value() != (compacts<P> && both_help)) return "nor are both together";
            if (after.cheapest().found.has_value() != both_help) return "nor is the cheapest plan";
            if (after.cheapest_in_order().found.has_value() != both_help) return "nor is the cheapest in order";
            for (const std::optional<plan>& way :
                 {moving, evicting, after.by_both(), after.cheapest().found, after.cheapest_in_order().found})
                if (const char* broken = check(way, true)) return broken;
            seen_.moving += moving && !moving->steps.empty();
            seen_.evicting += evicting && !evicting->steps.empty();
            seen_.both += !moving && !evicting && both_help;
        }
        if (const char* broken = check_waiting(ways)) return broken;
        for (const std::optional<plan>& way :
             {ways.after_few_waits(&planner::by_moving), ways.after_few_waits(&planner::by_evicting),
              ways.after_few_waits(&planner::by_both), ways.cheapest_over_waits(&planner::cheapest)}) {
            if (const char* broken = check(way, false)) return broken;
            seen_.after_waits += way && way->has(step_kind::wait) && way->steps.size() > 1;
        }
        return nullptr;
    }

private:
    const char* check(const std::optional<plan>& way, bool may_wait_in_vain) const {
        if (!way) return nullptr;
        const testing::plan_checker<P> checker(state_, needs_, true);
        const char* broken = checker.check(*way);
        const bool wait = broken != nullptr && std::string_view(broken) == "the plan waits needlessly";
        return wait && may_wait_in_vain ? nullptr : broken;
    }
    /// Waiting for as few runs as it takes; waiting for fewer is not enough.
    const char* check_waiting(const planner& ways) {
        const std::optional<plan> waiting = ways.by_waiting();
        if (const char* broken = check(waiting, false)) return broken;
        if (!waiting) return nullptr;
        ++seen_.waiting;
        for (const flight& run : state_.flights) {
            if (waiting->steps.empty() || run.over.number >= waiting->steps[0].to) break;
            plan shorter;
            std::uint64_t price = 0;
            for (const flight& other : state_.flights) price += other.over <= run.over ? other.nanoseconds : 0;
            shorter.add({.what = step_kind::wait, .to = run.over.number, .nanoseconds = price});
            if (check(shorter, true) == nullptr) return "a shorter wait is enough";
        }
        return nullptr;
    }
    /// Returns true if everything fits once all programs have left that may.
    bool evicting_all_helps(memory_state<P> later) const {
        for (std::uint32_t slot = 0; slot < later.programs.size(); ++slot)
            if (later.can_evict(slot)) later.evict(slot);
        auto& map = later.blocks.map();
        for (block_index block = map.first(); block != no_block; block = map.next(block))
            if (!map.is_hole(block)) map.pin(block);
        return brute_force<P>(later, needs_, false).cheapest() != brute_force<P>::impossible;
    }

    random_numbers random_;
    tally& seen_;
    memory_state<P> state_ = {};
    std::vector<need<typename P::quanta>> needs_;
    std::vector<std::uint64_t> scores_;
    victims choice_ = victims::none;
};

template <placement P>
void expect_good_ways(std::uint64_t seeds) {
    tally seen;
    for_each_seed(seeds, 1, [&](std::uint64_t seed, std::uint32_t) {
        return testing::outcome{
            .broken = planner_story<P>(seed, seen).tell(), .subject = P::name.c_str(), .seed = seed, .step = 1};
    });
    if (!tries_all_seeds()) return;
    CHECK(seen.waiting > seeds / 50);
    CHECK(seen.evicting > seeds / 10);
    if (compacts<P>) CHECK(seen.moving > seeds / 50);
    if (compacts<P>) CHECK(seen.both > seeds / 200);
    CHECK(seen.after_waits > seeds / 200);
}

TEST_CASE("each way is there exactly where it helps, and nothing in it is needless") {
    expect_good_ways<best_fit>(800);
    expect_good_ways<compacting<best_fit>>(800);
    expect_good_ways<bottom_reserve<best_fit>>(800);
    expect_good_ways<bottom_reserve<compacting<best_fit>>>(800);
    expect_good_ways<bottom_reserve<compacting<best_fit>, scratch_sharing::per_program>>(800);
    expect_good_ways<compacting<buddy>>(800);
}

TEST_CASE("cheapest_over_waits: passes on the lower bound that a way returns") {
    manager<compacting<best_fit>> memory{{.capacity = 12 * q, .copy_nanoseconds = 1000}};
    const auto below = memory.allocate(4 * q);
    REQUIRE(memory.allocate(4 * q));
    REQUIRE(memory.free(*below));
    const planning_problem problem = problem_for(memory.state(), {{.length = 8}}, victims::window);
    const planner ways(problem);
    const std::optional<plan> proven = ways.cheapest_over_waits(&planner::cheapest);
    REQUIRE(proven);
    CHECK(proven->lower_bound == proven->nanoseconds);
    const std::optional<plan> doubted = ways.cheapest_over_waits([](const planner& later) {
        planning_result result = later.cheapest();
        result.lower_bound = 7;
        return result;
    });
    REQUIRE(doubted);
    CHECK(doubted->nanoseconds == proven->nanoseconds);
    CHECK(doubted->lower_bound == 7);
}

TEST_CASE("plans: thousands of moves of hours each are found, and not called the cheapest, as prices are capped") {
    constexpr std::uint64_t quantum = std::uint64_t{1} << 34, blocks = 2048;  // 16 GiB, moved at 1 MB/s in 9.5 hours
    manager<compacting<best_fit>> memory{
        {.capacity = 3 * blocks * quantum, .quantum = quantum, .bandwidth = 1'000'000}};
    REQUIRE(memory.pin(*memory.allocate(blocks * quantum)));
    std::vector<buffer> holes;
    for (std::uint64_t at = 0; at < blocks; ++at) {
        REQUIRE(memory.allocate(quantum));
        holes.push_back(*memory.allocate(quantum));
    }
    for (const buffer hole : holes) REQUIRE(memory.free(hole));
    const planning_result planned = memory.plan_for({.bytes = blocks * quantum});
    REQUIRE(planned.found);
    CHECK(planned.found->steps.size() == blocks / 2);
    CHECK(planned.found->lower_bound < planned.found->nanoseconds);
    CHECK(memory.allocate(blocks * quantum));
}

}  // namespace
}  // namespace hbm::test::planner_tests
