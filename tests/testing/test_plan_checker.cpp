// The checker of plans names the rule that a plan breaks.
#include <hbm/hbm.hpp>
#include <hbm/testing/plan_checker.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace hbm::test {

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
    need<std::uint32_t> wanted{.length = 5};

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
        const std::vector<std::uint64_t> scores(1, 1);
        const planner<placement_type> ways(memory.state(), wanted, victims::one_at_a_time, scores, no_index);
        return *ways.cheapest().found;
    }
    [[nodiscard]] std::string check(const plan& some) const {
        const testing::plan_checker<placement_type> checker(memory.state(), wanted, no_index, true);
        const char* broken = checker.check(some);
        return broken == nullptr ? "nothing" : broken;
    }
    [[nodiscard]] std::string check(infeasibility proof) const {
        const testing::plan_checker<placement_type> checker(memory.state(), wanted, no_index, true);
        const char* broken = checker.check(proof);
        return broken == nullptr ? "nothing" : broken;
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
    CHECK(broken([](plan& bad) { bad = {}; }) == "what is wanted does not fit afterwards");
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
    CHECK(broken([&](plan& bad) { bad.add(eviction); }) == "a block is moved in vain");  // it alone is enough
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
        const testing::plan_checker<best_fit> checker(memory.state(), {.length = 5}, no_index, true);
        CHECK(checker.check(*way) == nullptr);
        if (runs == 0) continue;
        way->steps[0].to = memory.issued().number;
        way->steps[0].nanoseconds = memory.flights()[0].nanoseconds;
        way->nanoseconds += memory.flights()[0].nanoseconds;
        CHECK(std::string(checker.check(*way)) == "the plan waits in vain");
    }
}

TEST_CASE("a proof of a refusal is checked") {
    scene here;
    CHECK(here.check(infeasibility::unknown) == "nothing");
    CHECK(here.check(infeasibility::too_few_bytes) == "there are enough bytes");
    CHECK(here.check(infeasibility::walls) == "the walls leave enough room");
    here.wanted.length = 11;
    CHECK(here.check(infeasibility::too_few_bytes) == "nothing");
}

}  // namespace hbm::test
