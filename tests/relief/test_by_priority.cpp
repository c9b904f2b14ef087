// Buffers of high priority stay where they are if others can move for about the same price.
#include <hbm/hbm.hpp>
#include <hbm/relief/by_priority.hpp>
#include <hbm/relief/rent_or_buy.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "relief/planning.hpp"
#include "relief/priced.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::by_priority_tests {
namespace {

static_assert(relief<by_priority<relieve_cheapest>> && check_relief<by_priority<rent_or_buy>>());
static_assert(learns_from_relief<by_priority<rent_or_buy>> && !learns_from_relief<by_priority<relieve_cheapest>>);

using cheapest = by_priority<relieve_cheapest>;
template <class Relief = cheapest, class Eviction = never_evict>
using memory_by = manager<compacting<best_fit>, Eviction, never_donate, Relief>;

/// A memory `[ 1 free | low | 1 free | high | 1 free | wall ]`: a request of two quanta moves `low` or `high`, both of
/// one quantum, for equal prices.
template <class Relief>
struct two_ways {
    buffer_priorities priorities;
    memory_by<Relief> memory;
    buffer low, high;

    explicit two_ways(Relief policy = {}) : memory(priced(6), {.relief = with_table(policy)}) {
        const auto first = memory.allocate(q);
        low = *memory.allocate(q);
        const auto second = memory.allocate(q);
        high = *memory.allocate(q);
        const auto third = memory.allocate(q);
        const auto wall = memory.allocate(q);
        REQUIRE((memory.pin(*wall) && memory.free(*first) && memory.free(*second) && memory.free(*third)));
    }
    two_ways(const two_ways&) = delete;

    Relief with_table(Relief policy) {
        policy.priorities = &priorities;
        return policy;
    }
    /// Returns the buffer that a plan for two quanta moves.
    std::optional<block_index> moved() const {
        const planning_result planned = memory.plan_for({.bytes = 2 * q});
        REQUIRE(planned.found);
        CHECK(planned.lower_bound <= planned.found->nanoseconds);
        REQUIRE(planned.found->steps.size() == 1);
        return planned.found->steps[0].subject;
    }
};

TEST_CASE("by_priority: of two buffers of equal bytes, the one of lower priority moves") {
    two_ways<cheapest> here;
    here.priorities[here.low] = 1;
    CHECK(here.moved() == here.high.index);
    here.priorities[here.high] = 2;
    CHECK(here.moved() == here.low.index);
    const extent where_high = here.memory.where(here.high);
    REQUIRE(here.memory.allocate(2 * q));
    CHECK(here.memory.where(here.high) == where_high);
    CHECK(here.memory.done_so_far().moves == 1);
}

TEST_CASE("by_priority: without a table, or with equal priorities, plans as its policy does") {
    two_ways<cheapest> here;
    memory_by<cheapest> without{here.memory.spec()};
    CHECK(without.unusable() == error::none);
    const auto unaware = here.memory.under<memory_by<relieve_cheapest>>().plan_for({.bytes = 2 * q});
    CHECK(here.memory.plan_for({.bytes = 2 * q}) == unaware);
    CHECK(here.memory.under<memory_by<>>().plan_for({.bytes = 2 * q}) == unaware);
    here.priorities[here.low] = here.priorities[here.high] = 3;
    CHECK(here.memory.plan_for({.bytes = 2 * q}) == unaware);
}

TEST_CASE("by_priority: forks and copies read the table, too") {
    two_ways<cheapest> here;
    here.priorities[here.low] = 1;
    auto fork = here.memory.fork();
    auto copy = here.memory;
    const extent where_low = here.memory.where(here.low);
    REQUIRE((fork.allocate(2 * q) && copy.allocate(2 * q)));
    CHECK(fork.where(here.low) == where_low);
    CHECK(copy.where(here.low) == where_low);
}

TEST_CASE("by_priority: the priority of a freed buffer is not that of the next one in its place") {
    two_ways<cheapest> here;
    here.priorities[here.low] = 1;
    const block_index index = here.low.index;
    const extent place = here.memory.where(here.low);
    REQUIRE(here.memory.free(here.low));
    const auto next = here.memory.import(place);
    REQUIRE((next && here.memory.unpin(*next)));
    REQUIRE(next->index == index);  // or the case shows nothing
    CHECK(here.moved() == index);
    here.priorities[*next] = 1;
    CHECK(here.moved() == here.high.index);
}

TEST_CASE("by_priority: a request that only moves of high priority can satisfy does not fail") {
    two_ways<cheapest> here;
    here.priorities[here.low] = here.priorities[here.high] = ~std::uint32_t{0};
    REQUIRE(here.memory.allocate(3 * q));
    CHECK(here.memory.done_so_far().moves != 0);
}

/// `[ 1 free | small | 1 free | wall | 1 free | large, 3 long | 1 free ]`: room for two quanta costs one copy of a
/// quantum, 3 us, or three of them.
TEST_CASE("by_priority: others move for at most max_price times the cheapest plan") {
    for (const std::uint32_t most : {0u, 1u, 2u, 3u, ~0u}) {
        buffer_priorities priorities;
        memory_by<> memory{priced(9), {.relief = {.priorities = &priorities, .max_price = most}}};
        const auto first = memory.allocate(q), small = memory.allocate(q), second = memory.allocate(q),
                   wall = memory.allocate(q), third = memory.allocate(q), large = memory.allocate(3 * q);
        REQUIRE((large && memory.pin(*wall) && memory.free(*first) && memory.free(*second) && memory.free(*third)));
        priorities[*small] = 1;
        const planning_result planned = memory.plan_for({.bytes = 2 * q});
        REQUIRE(planned.found);
        CHECK(planned.found->nanoseconds == (most < 3 ? 3000 : 9000));
        CHECK(planned.lower_bound == 3000);
        CHECK(planned.found->steps[0].subject == (most < 3 ? small : large)->index);
    }
}

TEST_CASE("by_priority: evicts no program of which the reload costs more than the move") {
    buffer_priorities priorities;
    memory_by<cheapest, evict_lru> memory{priced(7), {.relief = {.priorities = &priorities}}};
    const auto idle = memory.load({.name = "idle", .code = 2 * q, .reload_us = 1000});
    const auto first = memory.allocate(q), kept = memory.allocate(q), second = memory.allocate(q),
               wall = memory.allocate(2 * q);
    REQUIRE((idle && memory.pin(*wall) && memory.free(*first) && memory.free(*second)));
    priorities[*kept] = 1;
    REQUIRE(memory.allocate(2 * q));
    CHECK(memory.about(*idle).resident);
    CHECK(memory.done_so_far().moves == 1);
}

TEST_CASE("by_priority: passes what was carried out to a policy that learns from it") {
    two_ways<by_priority<rent_or_buy>> here;
    CHECK(here.moved());
    by_priority<rent_or_buy> policy;
    plan moving;
    moving.add({.what = step_kind::move, .nanoseconds = 700});
    policy.relieved(moving);
    CHECK(policy.unaware.spent_nanoseconds == 700);
}

TEST_CASE("by_priority: plans of random memories succeed, move less of high priority, and cost at most the limit") {
    std::uint64_t with = 0, without = 0;
    for (std::uint64_t seed = 1; seed <= seeds_to_try(200); ++seed) {
        testing::random_numbers random(seed);
        buffer_priorities priorities;
        memory_by<> memory{priced(64), {.relief = {.priorities = &priorities, .max_price = 3}}};
        std::vector<buffer> held;
        while (const auto block = memory.allocate((1 + random.below(6)) * q)) held.push_back(*block);
        for (const buffer block : held) {
            if (random.once_in(3))
                CHECK(memory.free(block));
            else if (random.once_in(3))
                priorities[block] = static_cast<std::uint32_t>(1 + random.below(3));
        }
        const request wanted{.bytes = (1 + random.below(memory.free_bytes() / q)) * q};
        const auto unaware = memory.under<memory_by<relieve_cheapest>>().plan_for(wanted);
        const planning_result planned = memory.plan_for(wanted);
        REQUIRE(planned.found.has_value() == unaware.found.has_value());
        if (!planned.found) continue;
        CHECK(planned.found->nanoseconds <= 3 * unaware.found->nanoseconds);
        const std::uint32_t length = static_cast<std::uint32_t>(wanted.bytes / q);
        CHECK(broken_rule_of(memory.state(), {{.length = length}}, false, *planned.found) == "nothing");
        const auto highest = [&](const plan& steps) {
            std::uint32_t most = 0;
            for (const step& next : steps.steps)
                for (const buffer block : held)
                    if (const auto* const priority = priorities.find(block); block.index == next.subject && priority)
                        most = *priority > most ? *priority : most;
            return most;
        };
        CHECK(highest(*planned.found) <= highest(*unaware.found));
        with += highest(*planned.found);
        without += highest(*unaware.found);
        CHECK(memory.allocate(wanted));
    }
    CHECK((with < without / 2 || !tries_all_seeds()));
}

}  // namespace
}  // namespace hbm::test::by_priority_tests
