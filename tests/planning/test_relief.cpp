#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/planning/relief_policies.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <support/managers.hpp>
#include <vector>

#include "planning/priced.hpp"

// What is done when a request does not fit: as little as helps, and nothing when nothing helps.

namespace hbm::test::relief_tests {

using testing::random_numbers;

constexpr std::uint64_t q = 512;
constexpr memory_spec of(std::uint64_t quanta) {
    return {.name = "small", .capacity = quanta * q};
}

static_assert(relief<never_relieve> && relief<relieve_cheapest> && relief<compact_first> && relief<evict_first> &&
              relief<rent_or_buy>);
static_assert(!relief<int>);

TEST_CASE("buddy compacts too: an aligned block is emptied as long as free memory suffices") {
    manager<compacting<buddy>> memory{of(16)};
    buffer held[8];
    for (buffer& each : held) each = *memory.allocate(2 * q);
    for (int i = 0; i < 8; i += 2) CHECK(memory.free(held[i]));
    const auto large = memory.allocate(8 * q);
    REQUIRE(large);
    CHECK(memory.where(*large).offset % (8 * q) == 0);
    CHECK(memory.done_so_far().moves == 2);  // two of the four that are left stand in the way
}

TEST_CASE("the cheapest window is contiguous: two cheap neighbours, not two cheap strangers") {
    manager<best_fit, evict_cheapest_window> memory{of(20)};
    const std::uint64_t costs[] = {10, 1000, 20, 30, 1000};
    std::vector<program> loaded;
    for (const std::uint64_t cost : costs)
        loaded.push_back(*memory.load({.name = "p", .code = 4 * q, .reload_us = cost}));
    REQUIRE(memory.allocate(8 * q));
    CHECK(memory.about(loaded[0]).resident);
    CHECK(memory.about(loaded[1]).resident);
    CHECK_FALSE(memory.about(loaded[2]).resident);
    CHECK_FALSE(memory.about(loaded[3]).resident);
    CHECK(memory.about(loaded[4]).resident);
}

TEST_CASE("where blocks may move, the policy names as few as give enough bytes back, the least worth a quantum first") {
    manager<compacting<first_fit>, evict_cheapest_window> memory{of(12)};
    const auto dear = memory.load({.name = "dear", .code = 3 * q, .reload_us = 90});
    const auto cheap = memory.load({.name = "cheap", .code = 3 * q, .reload_us = 30});
    const auto middling = memory.load({.name = "middling", .code = 3 * q, .reload_us = 60});
    const auto fair = memory.load({.name = "fair", .code = 3 * q, .reload_us = 33});
    REQUIRE(fair);
    REQUIRE(memory.allocate(6 * q));  // moving `middling` takes microseconds, bringing it back sixty
    CHECK(memory.about(*dear).resident);
    CHECK_FALSE(memory.about(*cheap).resident);
    CHECK(memory.about(*middling).resident);
    CHECK_FALSE(memory.about(*fair).resident);
    CHECK(memory.done_so_far().moves == 1);
}

TEST_CASE("where moving costs more than reloading, more may be evicted than give enough bytes back") {
    // Moving a quantum takes 1,024 ns, bringing any program back 1,000.
    manager<compacting<first_fit>, evict_lru> memory{
        {.name = "slow", .capacity = 101 * q, .bandwidth = 1'000'000'000, .copy_nanoseconds = 0}};
    const auto oldest = memory.load({.name = "oldest", .code = q, .reload_us = 1});
    const auto large = memory.allocate(97 * q);
    const auto older = memory.load({.name = "older", .code = q, .reload_us = 1});
    const auto latest = memory.load({.name = "latest", .code = 2 * q, .reload_us = 1});
    REQUIRE((oldest && large && older && latest));
    REQUIRE(memory.allocate(2 * q));  // the two oldest would be enough if 97 quanta moved
    CHECK(memory.done_so_far().moves == 0);
    CHECK(memory.about(*oldest).resident);
    CHECK(memory.about(*older).resident);
    CHECK_FALSE(memory.about(*latest).resident);
}

TEST_CASE("the arguments of a run stay where they are; its program stays in memory, but may move before it runs") {
    manager<compacting<best_fit>, evict_lru> memory{of(16)};
    const auto a = memory.allocate(2 * q);
    const auto p = memory.load({.name = "p", .code = 2 * q, .scratch = 2 * q});
    const auto x = memory.allocate(2 * q);
    const auto y = memory.allocate(2 * q);
    const auto z = memory.allocate(4 * q);
    REQUIRE(z);
    REQUIRE(memory.free(*a));
    REQUIRE(memory.free(*x));
    const extent where_y = memory.where(*y);
    const extent where_z = memory.where(*z);
    const auto before = memory;
    CHECK_FALSE(memory.run(*p, {.inputs = {*z, *y}, .outputs = {7 * q}}));  // more than is free
    CHECK(memory == before);
    REQUIRE(memory.run(*p, {.inputs = {*z, *y}, .outputs = {5 * q}}));  // only z, y or the program could make room
    CHECK(memory.where(*y) == where_y);
    CHECK(memory.where(*z) == where_z);
    CHECK(memory.about(*p).resident);
    CHECK(memory.done_so_far().moves != 0);
}

TEST_CASE("relief: moves may use the space that a program's scratch takes when it comes in") {
    struct sizes {
        std::uint64_t first, second, code, scratch, victim;
    };
    std::vector<sizes> all;
    for (std::uint64_t first = 1; first <= 3; ++first)
        for (std::uint64_t second = 1; second <= 3; ++second)
            for (std::uint64_t code = 1; code <= 3; ++code)
                for (std::uint64_t scratch = 1; scratch <= 3; ++scratch)
                    for (std::uint64_t victim = 1; victim <= 2; ++victim)
                        all.push_back({first, second, code, scratch, victim});
    int loaded = 0;
    for (const sizes& of_case : all) {
        manager<bottom_reserve<compacting<best_fit>>, evict_lru> memory{
            of(of_case.first + of_case.second + of_case.code + of_case.scratch)};
        const auto leaves = memory.load({.name = "leaves", .code = of_case.victim * q, .scratch = q});
        if (!leaves || !memory.allocate(of_case.first * q) || !memory.allocate(of_case.second * q)) continue;
        CAPTURE(of_case.first);
        CAPTURE(of_case.second);
        CAPTURE(of_case.code);
        CAPTURE(of_case.scratch);
        CAPTURE(of_case.victim);
        CHECK(memory.load({.name = "comes", .code = of_case.code * q, .scratch = of_case.scratch * q}));
        CHECK(memory.free_bytes() == 0);
        ++loaded;
    }
    CHECK(loaded > 100);
}

TEST_CASE("relieve: a plan for another memory is an error and changes nothing") {
    manager<compacting<best_fit>, evict_lru> memory{{.capacity = 16 * q}};
    const auto first = memory.load({.name = "one", .code = 4 * q});
    const auto low = memory.allocate(2 * q);
    const auto high = memory.allocate(2 * q);
    REQUIRE((first && low && high));
    const auto plan_of = [&](std::uint64_t to) {
        plan steps;
        steps.add(memory.state().eviction_of(first->index));
        steps.add(memory.state().move_of(high->index, static_cast<std::uint32_t>(to)));
        return steps;
    };
    const plan good = plan_of(0);
    const auto expect = [&](const plan& steps, error why) {
        const auto before = memory;
        CHECK(memory.relieve(steps).error().reason == why);
        CHECK(memory == before);
    };
    expect(plan_of(3), error::range_is_taken);  // `low` lies there
    plan twice = good;
    twice.add(good.steps[0]);  // it has gone by then
    expect(twice, error::stale_handle);
    // Another program of the same size in the same slot is not the one that the plan means.
    REQUIRE(memory.unload(*first));
    const auto other = memory.load({.name = "other", .code = 4 * q});
    REQUIRE(other);
    REQUIRE(other->index == first->index);
    expect(good, error::stale_handle);
    CHECK(memory.relieve(plan_of(0)));
    CHECK(memory.where(*high).offset == 0);
    CHECK_FALSE(memory.about(*other).resident);

    // The time of a wait is that of the runs, whatever the plan says.
    manager<best_fit> flying{{.capacity = 8 * q, .runs_in_flight = 1}};
    const auto runs = flying.load({.name = "runs", .code = q});
    REQUIRE((runs && flying.run(*runs, {.run_us = 3})));
    plan lie;
    lie.add({.what = step_kind::wait, .to = 1, .nanoseconds = ~std::uint64_t{0}});
    CHECK(flying.relieve(lie));
    CHECK(flying.done_so_far().wait_nanoseconds == 3000);
}

TEST_CASE("a memory of 2^64 - 1 bytes has no room beyond its end") {
    constexpr std::uint64_t most = ~std::uint64_t{0};
    constexpr std::uint64_t half = std::uint64_t{1} << 63;
    manager<compacting<basic_best_fit<std::uint64_t>>> memory{{.capacity = most, .quantum = 1}};
    const auto middle = memory.import({half / 4, half});
    REQUIRE(middle);
    CHECK(memory.unpin(*middle));
    // The hole at the top is shorter than that; where it begins and how long the request is add up to more than 2^64.
    REQUIRE(memory.allocate(half - 1));
    CHECK(memory.done_so_far().moves == 1);
    CHECK(memory.free_bytes() == 0);
}

TEST_CASE("a block has two places in a memory of 2^64 - 1 bytes, and the search comes to an end") {
    constexpr std::uint64_t half = std::uint64_t{1} << 63;
    layout start;
    start.capacity = ~std::uint64_t{0};
    start.needs = {{start.capacity}};
    start.blocks.push_back({.size = 1, .alignment = half, .price = 1, .block = 0, .movable = true});
    exact_search search(start, 1500);
    CHECK(search.run(unlimited_price) == exact_search::outcome::exhausted);
    CHECK(search.is_complete());
}

TEST_CASE("alignments beyond half of the width neither hang nor wrap around") {
    for (const std::uint64_t capacity : {0xffffffffull, 0xfffffffeull, 0x80000001ull}) {
        manager<compacting<best_fit>> memory{{.capacity = capacity, .quantum = 1}};
        const std::uint64_t half = 0x80000000ull;
        const auto a = memory.allocate(request{.bytes = 100, .alignment = half});
        const auto b = memory.allocate(request{.bytes = capacity - half, .alignment = half});
        REQUIRE(a);
        if (b) CHECK(memory.where(*b).offset % half == 0);
        CHECK_FALSE(memory.allocate(request{.bytes = half, .alignment = half}));
        CHECK_FALSE(memory.allocate(request{.bytes = capacity, .alignment = half}));
        CHECK(memory.allocate(request{.bytes = 1, .alignment = 1}).has_value());
    }
}

TEST_CASE("a nearly full buddy of a real device's size finds out quickly that moving does not help") {
    manager<compacting<buddy>> memory{tpu::v5p};
    const auto all = memory.allocate(64_GiB);
    const auto more = memory.allocate(16_GiB);
    const auto rest = memory.allocate(8_GiB);
    const auto small = memory.allocate(512_B);
    REQUIRE(all);
    REQUIRE(more);
    REQUIRE(rest);
    REQUIRE(small);
    CHECK_FALSE(memory.allocate(16_GiB));
    CHECK(memory.done_so_far().moves == 0);
}

namespace {

/// Returns a plan that somebody made up.
struct made_up_relief {
    static constexpr fixed_string name{"made_up_relief"};
    step made_up;

    [[nodiscard]] std::optional<plan> choose(const planner&) const {
        plan steps;
        steps.add(made_up);
        return steps;
    }
    bool operator==(const made_up_relief&) const = default;
};
static_assert(relief<made_up_relief>);

}  // namespace

TEST_CASE("a plan that cannot be carried out is refused, whatever a relief policy makes up") {
    using memory_type = manager<bottom_reserve<compacting<best_fit>>, evict_lru, never_donate, made_up_relief>;
    const std::uint32_t most = ~std::uint32_t{0};
    std::vector<hbm::step> all;
    for (const std::uint32_t subject :
         {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U, 1000U, most / 2, most / 2 + 1, most / 2 + 4, most - 1, most})
        for (const std::uint64_t offset : {std::uint64_t{0}, q, 4 * q, 12 * q, std::uint64_t{7}, ~std::uint64_t{0}})
            for (const step_kind what : {step_kind::move, step_kind::evict, step_kind::wait})
                all.push_back({what, subject, offset, q, 4 * q});
    all.push_back({step_kind::wait, 0, 0, most});
    for (const hbm::step& each : all) {
        memory_type trial(of(16), {.relief = made_up_relief{each}});
        const auto loaded = trial.load({.name = "step", .code = 2 * q, .scratch = q});
        const auto kept = trial.allocate(4 * q);
        const auto gone = trial.allocate(4 * q);
        REQUIRE((loaded && kept && gone && trial.allocate(4 * q) && trial.free(*gone)));
        const memory_type before = trial;
        const auto made = trial.allocate(8 * q);
        REQUIRE_FALSE(made);
        CHECK(trial == before);
    }
}

}  // namespace hbm::test::relief_tests

// Moving until that has cost what evicting would: by hand, and never more than about twice the better of both.

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
