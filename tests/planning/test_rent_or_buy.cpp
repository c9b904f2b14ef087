// Moving until that has cost what evicting would: by hand, and never more than about twice the better of both.
#include <hbm/hbm.hpp>
#include <hbm/planning/relief_policies.hpp>

#include <doctest/doctest.h>

#include <support/managers.hpp>
#include <vector>

#include "planning/priced.hpp"

namespace hbm::test::rent_or_buy_tests {
namespace {

/// `[ program, 4 long, 10 us to reload | five blocks of one quantum ]`; each round makes holes of the second and the
/// fourth of the blocks above the program's place, and asks for two quanta: moving one block does, for 3 us.
template <class Relief>
struct rounds {
    manager<compacting<best_fit>, evict_lru, never_donate, Relief> memory{priced(9)};
    program idle = *memory.load({.name = "idle", .code = 4 * q, .reload_us = 10});
    std::vector<buffer> held = {};

    /// The plan that makes the room, which is then carried out, be it by hand.
    plan next(bool by_hand = false) {
        while (memory.free_bytes() != 0) held.push_back(*memory.allocate(q));
        for (const std::uint64_t offset : {5 * q, 7 * q}) {
            for (buffer& each : held) {
                if (memory.where(each) != extent{offset, q}) continue;
                CHECK(memory.free(each));
                each = held.back();
                held.pop_back();
                break;
            }
        }
        const planning_result said = memory.plan_for({.bytes = 2 * q});
        REQUIRE(said.found);
        if (by_hand) REQUIRE(memory.relieve(*said.found));
        const auto made = memory.allocate(2 * q);
        REQUIRE(made);
        CHECK(memory.free(*made));
        return *said.found;
    }
};

TEST_CASE("it moves until that has cost what evicting would, and then evicts") {
    rounds<rent_or_buy> here;
    for (int round = 0; round < 3; ++round) {
        const plan way = here.next();
        CHECK(way.nanoseconds_of(step_kind::move) == 3000);
        CHECK_FALSE(way.has(step_kind::evict));
    }
    const plan way = here.next();  // 9 us were spent, 3 more would make 12
    CHECK_FALSE(way.has(step_kind::move));
    CHECK(way.nanoseconds == 10'000);
    CHECK(way.lower_bound == 3000);
    CHECK_FALSE(here.memory.about(here.idle).resident);
    CHECK(here.memory.done_so_far().moves == 3);
    CHECK(here.memory.done_so_far().evictions == 1);
}

TEST_CASE("plans that are carried out by hand are on the account as well") {
    rounds<rent_or_buy> here;
    for (int round = 0; round < 3; ++round) CHECK_FALSE(here.next(true).has(step_kind::evict));
    CHECK(here.next(true).has(step_kind::evict));
}

TEST_CASE("evictions are paid from the account") {
    rent_or_buy policy;
    plan moving;
    moving.add({.what = step_kind::move, .nanoseconds = 700});
    policy.relieved(moving);
    policy.relieved(moving);
    CHECK(policy.spent_nanoseconds == 1400);
    plan cheap;
    cheap.add({.what = step_kind::evict, .nanoseconds = 400});
    policy.relieved(cheap);
    CHECK(policy.spent_nanoseconds == 1000);
    plan both;
    both.add({.what = step_kind::evict, .nanoseconds = 5000});
    both.add({.what = step_kind::move, .nanoseconds = 30});
    policy.relieved(both);
    CHECK(policy.spent_nanoseconds == 30);
    moving.steps[0].nanoseconds = ~std::uint64_t{0};
    policy.relieved(moving);
    policy.relieved(moving);
    CHECK(policy.spent_nanoseconds == ~std::uint64_t{0});
}

TEST_CASE("what is tried on a copy is not paid for") {
    rounds<rent_or_buy> here;
    (void)here.next();
    const auto before = here.memory;
    auto copy = here.memory.fork();
    (void)here.memory.plan_for({.bytes = 2 * q});
    CHECK(here.memory == before);
    CHECK_FALSE(here.memory.allocate(9 * q));  // hopeless: rehearsed, and refused
    CHECK(here.memory == before);
    CHECK(copy.plan_for({.bytes = 2 * q}) == here.memory.plan_for({.bytes = 2 * q}));
}

TEST_CASE("the order that looks at today's price alone goes on moving") {
    rounds<relieve_cheapest> here;
    for (int round = 0; round < 8; ++round) CHECK_FALSE(here.next().has(step_kind::evict));
    CHECK(here.memory.done_so_far().moves == 8);
}

}  // namespace
}  // namespace hbm::test::rent_or_buy_tests
