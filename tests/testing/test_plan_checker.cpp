// The checker of plans names the rule that a plan breaks.
#include <hbm/hbm.hpp>
#include <hbm/planning/relief_policies.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "planning/planning.hpp"

namespace hbm::test::plan_checker_tests {

namespace {

constexpr std::uint64_t q = 512;

/// Four free quanta, `low`, a program, four free ones, `high`, which is pinned.
struct scene {
    using placement_type = compacting<best_fit>;

    manager<placement_type, evict_lru> memory{
        {.capacity = 13 * q, .bandwidth = 1'000'000'000, .copy_nanoseconds = 100}};
    buffer low;
    buffer high;
    program idle;
    std::vector<need<std::uint32_t>> needs{{.length = 5}};

    scene() {
        const buffer first = *memory.allocate(4 * q);
        low = *memory.allocate(2 * q);
        idle = *memory.load({.name = "idle", .code = 2 * q, .reload_us = 7});
        const buffer second = *memory.allocate(4 * q);
        high = *memory.allocate(q);
        CHECK(memory.free(first));
        CHECK(memory.free(second));
        CHECK(memory.pin(high));
    }

    [[nodiscard]] plan cheapest() const {
        const planning_problem problem = problem_for(memory.state(), needs, victims::one_at_a_time);
        return *planner(problem).cheapest().found;
    }
    template <class Said>
    [[nodiscard]] std::string check(const Said& said) const {
        return broken_rule_of(memory.state(), needs, true, said);
    }
};

}  // namespace

TEST_CASE("a plan that is right breaks no rule") {
    const scene here;
    const plan good = here.cheapest();
    CHECK(good.steps.size() == 1);  // one of the two moves into the other hole
    CHECK(good.lower_bound == good.nanoseconds);
    CHECK(here.check(good) == "nothing");
}

TEST_CASE("a plan that is wrong breaks the rule that is named") {
    const scene here;
    const plan good = here.cheapest();
    const auto broken = [&](auto change) {
        plan bad = good;
        change(bad);
        return here.check(bad);
    };
    CHECK(broken([](plan& bad) { ++bad.nanoseconds; }) == "the prices of the steps do not add up");
    CHECK(broken([](plan& bad) { bad.lower_bound = bad.nanoseconds + 1; }) ==
          "the plan is cheaper than its lower bound");
    CHECK(broken([](plan& bad) { bad.places.push_back(0); }) == "the plan has other places than there are needs");
    CHECK(broken([](plan& bad) { bad.places[0] = 12 * q; }) == "a place is not free");
    CHECK(broken([](plan& bad) { bad.places[0] += 1; }) == "a place is not aligned");
    CHECK(broken([](plan& bad) { bad = {}; }) == "what is needed does not fit afterwards");
    CHECK(broken([](plan& bad) { bad.steps[0].from += q; }) == "a block is moved from where it is not");
    CHECK(broken([](plan& bad) { bad.steps[0].bytes += q; }) == "a move has another size than its block");
    CHECK(broken([](plan& bad) { bad.steps[0].to = 3 * q; }) != "nothing");
    CHECK(broken([](plan& bad) { bad.steps[0].to = 12 * q; }) == "a block is moved out of memory");
    CHECK(broken([](plan& bad) { bad.steps[0].to = 11 * q; }) == "a block is moved onto another");
    CHECK(broken([](plan& bad) { bad.steps[0].subject = 1000; }) == "a block is moved that is not there");
    CHECK(broken([](plan& bad) { ++bad.steps[0].copies; }) == "a move takes other copies");
    CHECK(broken([](plan& bad) { ++bad.steps[0].nanoseconds, ++bad.nanoseconds; }) == "a move has another price");
    CHECK(broken([&](plan& bad) {
              const extent where = here.memory.where(here.high);
              bad.add({.what = step_kind::move,
                       .subject = here.high.index,
                       .from = where.offset,
                       .to = where.offset - q,
                       .bytes = where.size,
                       .nanoseconds = 100 + 2 * where.size,
                       .copies = 1});
          }) == "a wall is moved");
    const step eviction = here.memory.state().eviction_of(here.idle.index);
    CHECK(broken([&](plan& bad) { bad.add(eviction); }) == "a block is moved needlessly");  // it alone is enough
    CHECK(broken([&](plan& bad) { bad.add(eviction), bad.add(eviction); }) ==
          "a program is evicted that is not in memory");
    CHECK(broken([&](plan& bad) {
              bad.add(eviction);
              bad.steps.back().nanoseconds = 0;
              bad.nanoseconds -= 7000;
          }) == "an eviction does not cost what a reload does");
    CHECK(broken([&](plan& bad) {
              bad.add(eviction);
              ++bad.steps.back().from;
          }) == "an eviction is of another program");
}

TEST_CASE("nobody waits for a fence that is reached") {
    for (const std::uint32_t runs : {0u, 1u}) {
        manager<best_fit, evict_lru, never_donate, evict_first> memory{{.capacity = 8 * q, .runs_in_flight = 2}};
        const auto pinned = memory.allocate(q);
        REQUIRE(memory.pin(*pinned));
        REQUIRE(memory.load({.name = "idle", .code = 5 * q}));
        const auto step = memory.load({.name = "step", .code = q});
        for (std::uint32_t run = 0; run < runs; ++run) REQUIRE(memory.run(*step, {}));
        REQUIRE(memory.free(*pinned));  // takes effect before relief
        std::optional<plan> way = memory.plan_for({.bytes = 5 * q}).found;
        REQUIRE(way);
        CHECK(way->steps.size() == 2);
        CHECK(broken_rule_of(memory.state(), {{.length = 5}}, true, *way) == "nothing");
        if (runs == 0) continue;
        way->steps[0].to = memory.issued().number;
        way->steps[0].nanoseconds = memory.flights()[0].nanoseconds;
        way->nanoseconds += memory.flights()[0].nanoseconds;
        CHECK(broken_rule_of(memory.state(), {{.length = 5}}, true, *way) == "the plan waits needlessly");
    }
}

TEST_CASE("a plan is for all needs, and for the scratch of the program that comes in") {
    scene here;
    here.needs.push_back({.length = 4});  // the larger holes are 6 and 4 long once one block has moved
    const plan both = here.cheapest();
    CHECK(here.check(both) == "nothing");
    here.needs[1].length = 5;
    CHECK(here.check(both) == "what is needed does not fit afterwards");
    CHECK(here.check(infeasibility::too_few_bytes) == "there are enough bytes");
    here.needs.push_back({.length = 2});
    CHECK(here.check(infeasibility::too_few_bytes) == "nothing");

    // [ 2 of scratch | free | idle | free | 3, pinned ], of 12
    manager<bottom_reserve<compacting<best_fit>>, evict_lru> memory{{.capacity = 12 * q, .copy_nanoseconds = 100}};
    const auto high = memory.allocate(3 * q);
    REQUIRE(memory.pin(*high));
    const auto gap = memory.allocate(2 * q);
    const auto idle = memory.load({.name = "idle", .code = 2 * q, .scratch = 2 * q, .reload_us = 7});
    REQUIRE(memory.free(*gap));
    auto state = memory.state();
    state.programs.push_back({.code = 2 * q, .scratch = 6 * q, .generation = 1, .resident = true});
    const std::vector<need<std::uint32_t>> code{{.length = 2}};
    CHECK(broken_rule_of(state, code, true, plan{}) == "what is needed does not fit afterwards");
    CHECK(broken_rule_of(state, code, true, infeasibility::walls) == "the walls leave enough room");
    plan way;
    way.add({.what = step_kind::evict,
             .subject = idle->index,
             .from = memory.about(*idle).generation,
             .bytes = 2 * q,
             .nanoseconds = 7000});
    way.places = {7 * q};
    CHECK(broken_rule_of(state, code, true, way) == "nothing");
    CHECK(broken_rule_of(state, code, false, way) == "a program is evicted although nobody may leave");
    way.places = {5 * q};
    CHECK(broken_rule_of(state, code, true, way) == "a place is not free");
    way.add({.what = step_kind::evict, .subject = 1, .from = 1, .bytes = 2 * q});
    CHECK(broken_rule_of(state, code, true, way) == "the program is evicted that comes in");
}

TEST_CASE("moves cost what the model says, which is counted here by hand") {
    // A thousand bytes in a microsecond there and back again, and 50 ns a copy.
    const testing::move_model device{2'000'000'000, 50, 0};
    CHECK(testing::price_of_moving(device, 1000, 1000) == testing::move_price{1, 1050});
    CHECK(testing::price_of_moving(device, 1000, 5000) == testing::move_price{1, 1050});
    CHECK(testing::price_of_moving(device, 1000, 300) == testing::move_price{4, 1200});
    CHECK(testing::price_of_moving(device, 1000, 0) == testing::move_price{});
    // Through the bounce region: two copies for each of two pieces, and the bytes twice.
    CHECK(testing::price_of_moving({2'000'000'000, 50, 500}, 1000, 10) == testing::move_price{4, 2200});
    CHECK(testing::price_of_moving({2'000'000'000, 50, 500}, 1000, 100) == testing::move_price{10, 1500});
    CHECK(testing::price_of_moving({2'000'000'000, 50, 4000}, 1000, 10) == testing::move_price{2, 2100});
}

TEST_CASE("a proof of a refusal is checked") {
    scene here;
    CHECK(here.check(infeasibility::unknown) == "nothing");
    CHECK(here.check(infeasibility::too_few_bytes) == "there are enough bytes");
    CHECK(here.check(infeasibility::walls) == "the walls leave enough room");
    here.needs[0].length = 11;
    CHECK(here.check(infeasibility::too_few_bytes) == "nothing");
}

}  // namespace hbm::test::plan_checker_tests
