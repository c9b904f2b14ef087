// Plans that are followed, plans that end, and the bound of what both need.
#include <hbm/pack/schedule.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/bfc.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/placement/scheduled.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "testing/seeds.hpp"

namespace hbm::test::scheduled_tests {
namespace {

using testing::random_numbers;
using planned = scheduled<best_fit>;

static_assert(placement<planned> && placement<scheduled<compacting<bottom_reserve<free_together<bfc>>>>>);
static_assert(imports<planned> && relocates<planned> && stretches<planned> && shrinks<planned> && extends<planned>);
static_assert(!reserves<planned> && reserves<scheduled<bottom_reserve<best_fit>>>);
static_assert(compacts<scheduled<compacting<best_fit>>>);
static_assert(std::string_view(scheduled<compacting<best_fit>>::name.c_str()) == "scheduled<compacting<best_fit>>");

template <placement P>
constexpr std::uint32_t offset_of(P& memory, std::uint32_t length) {
    const block_index block = memory.place({.length = length});
    return block == no_block ? no_index : static_cast<std::uint32_t>(memory.map().offset(block));
}

/// A live block of 1 between two that are freed: best fit needs 8, a plan 7.
constexpr std::array<pack::block, 4> four{{{0, 4, 2}, {1, 7, 1}, {2, 5, 3}, {6, 8, 6}}};

struct constant_plan {
    std::array<scheduled_block, 4> blocks{};
    std::uint64_t height = 0;
};
constexpr constant_plan packed_four = [] {
    constant_plan plan;
    plan.height = pack::plan_into(four, plan.blocks, 1)->height;
    return plan;
}();
constexpr schedule plan_of_four{.blocks = packed_four.blocks, .height = packed_four.height};

constexpr bool follows_a_plan_made_by_the_compiler() {
    planned memory(20);
    if (!memory.follow(plan_of_four) || plan_of_four.height != 7) return false;
    const block_index first = memory.place({.length = 2});
    const block_index second = memory.place({.length = 1});
    const block_index third = memory.place({.length = 3});
    memory.release(first);
    memory.release(third);
    const block_index fourth = memory.place({.length = 6});
    return memory.is_following() && memory.followed() == 4 && memory.map().highest_end() == 7 &&
           !(memory.map().range(second) == memory.map().range(fourth));
}
static_assert(follows_a_plan_made_by_the_compiler());

/// An event of a program: a request of `bytes`, or the end of the block of request `which`.
struct event {
    std::uint32_t bytes = 0;
    std::uint32_t which = 0;
};
using program = std::vector<event>;

program any_program(random_numbers& random, std::uint32_t events, std::uint32_t longest) {
    program result;
    std::vector<std::uint32_t> live;
    std::uint32_t requests = 0;
    while (result.size() < events) {
        if (live.empty() || (live.size() < 12 && random.once_in(2))) {
            live.push_back(requests++);
            result.push_back({1 + static_cast<std::uint32_t>(random.below(longest))});
        } else {
            const std::size_t at = random.below(live.size());
            result.push_back({0, live[at]});
            live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
        }
    }
    for (const std::uint32_t last : live) result.push_back({0, last});
    return result;
}

struct plan_of {
    std::vector<scheduled_block> blocks;
    schedule plan;

    explicit plan_of(const program& events) {
        std::vector<pack::block> lives;
        for (std::uint64_t at = 0; at < events.size(); ++at)
            if (events[at].bytes != 0)
                lives.push_back({at, events.size(), events[at].bytes});
            else
                lives[events[at].which].end = at;
        blocks.resize(lives.size());
        plan = pack::plan_into(lives, blocks, 1).value();
    }
};

/// Replays a program and returns the highest end of a block. `skipped` requests at its beginning take no memory.
template <placement P>
std::uint64_t footprint(P& memory, const program& events, std::size_t skipped = 0) {
    std::vector<block_index> blocks;
    std::uint64_t highest = 0;
    for (const event& next : events) {
        if (next.bytes == 0) {
            if (next.which >= skipped) memory.release(blocks[next.which]);
            continue;
        }
        blocks.push_back(blocks.size() < skipped ? no_block : memory.place({.length = next.bytes}));
        highest = std::max<std::uint64_t>(highest, memory.map().highest_end());
    }
    return highest;
}

template <placement P>
void expect_plans_followed() {
    for (std::uint64_t seed = 1; seed <= seeds_to_try(100); ++seed) {
        random_numbers random(seed);
        const program events = any_program(random, 120, 9);
        const plan_of packed(events);
        P memory(P::unlimited);
        for (int run = 0; run < 3; ++run) {
            REQUIRE(memory.follow(packed.plan));
            CHECK(footprint(memory, events) == packed.plan.height);
            CHECK(memory.is_following());
            CHECK(memory.followed() == packed.blocks.size());
            CHECK(memory.map().live_blocks() == 0);
        }
    }
}

TEST_CASE("scheduled: programs of the plan need its height, however often they begin") {
    expect_plans_followed<planned>();
    expect_plans_followed<scheduled<first_fit>>();
    expect_plans_followed<scheduled<basic_good_fit<std::uint64_t>>>();
    expect_plans_followed<scheduled<bfc>>();
}

TEST_CASE("scheduled: another length ends the plan, and all free memory is P's") {
    planned memory(20);
    REQUIRE(memory.follow(plan_of_four));
    const block_index first = memory.place({.length = 2});
    CHECK(memory.followed() == 1);
    const block_index other = memory.place({.length = 4});
    CHECK_FALSE(memory.is_following());
    best_fit plain(20);
    CHECK(plain.occupy(memory.map().range(first)) != no_block);
    CHECK(offset_of(plain, 4) == memory.map().offset(other));
    for (const std::uint32_t length : {1u, 2u, 5u, 1u, 30u})
        CHECK(offset_of(memory, length) == offset_of(plain, length));
    CHECK(memory.largest_free() == plain.largest_free());
}

TEST_CASE("scheduled: blocks that are freed later than planned end the plan if they are in the way") {
    planned memory(20);
    REQUIRE(memory.follow(plan_of_four));
    memory.place({.length = 2});
    memory.place({.length = 1});
    memory.place({.length = 3});
    CHECK(offset_of(memory, 6) >= plan_of_four.height - 1);  // above the others
    CHECK_FALSE(memory.is_following());
    CHECK(memory.followed() == 3);
}

TEST_CASE("scheduled: blocks that are freed earlier than planned do not end the plan") {
    for (std::uint64_t seed = 1; seed <= seeds_to_try(50); ++seed) {
        random_numbers random(seed);
        program events = any_program(random, 100, 9);
        const plan_of packed(events);
        for (std::size_t at = 1; at < events.size(); ++at)
            if (events[at].bytes == 0 && events[at - 1].bytes != 0 && random.once_in(3)) {
                const auto requests = static_cast<std::uint32_t>(std::count_if(
                    events.begin(), events.begin() + static_cast<std::ptrdiff_t>(at), [](event e) { return e.bytes; }));
                if (events[at].which + 1 != requests) std::swap(events[at], events[at - 1]);
            }
        planned memory(best_fit::unlimited);
        REQUIRE(memory.follow(packed.plan));
        CHECK(footprint(memory, events) <= packed.plan.height);
        CHECK(memory.is_following());
    }
}

TEST_CASE("scheduled: a refused request has no effect, and the plan goes on") {
    planned memory(7);
    REQUIRE(memory.follow(plan_of_four));
    const block_index first = memory.place({.length = 2});
    const planned before = memory;
    CHECK(memory.place({.length = 6}) == no_block);
    CHECK(memory == before);
    CHECK(memory.is_following());
    memory.place({.length = 1});
    memory.release(memory.place({.length = 3}));
    memory.release(first);
    CHECK(memory.place({.length = 6}) != no_block);
    CHECK(memory.followed() == 4);
}

TEST_CASE("scheduled: a plan without room is not followed") {
    planned memory(10);
    const block_index low = memory.place({.length = 4});
    CHECK_FALSE(memory.follow(plan_of_four));
    CHECK_FALSE(memory.is_following());
    CHECK(offset_of(memory, 2) == 4);
    memory.release(low);
    planned small(6);
    CHECK_FALSE(small.follow(plan_of_four));
    CHECK(small.follow({}));
}

TEST_CASE("scheduled: a plan lies where P would place a block of its height") {
    planned memory(40);
    const block_index hole = memory.place({.length = 7});
    memory.place({.length = 1});
    memory.release(hole);
    memory.place({.length = 1});  // 6 are left below the other block of 1
    REQUIRE(memory.follow(plan_of_four));
    CHECK(offset_of(memory, 2) >= 8);
    CHECK(offset_of(memory, 1) >= 8);
    CHECK(memory.is_following());
    CHECK(memory.map().highest_end() <= 15);
}

TEST_CASE("scheduled: planned places are aligned as requested, or the plan ends") {
    std::array<scheduled_block, 2> blocks{};
    const std::array<pack::block, 2> lives{{{0, 9, 512}, {1, 9, 2048, 2048}}};
    const schedule plan = pack::plan_into(lives, blocks, 512).value();
    CHECK(plan.alignment == 4);
    planned memory(64);
    memory.place({.length = 1});
    REQUIRE(memory.follow(plan));
    memory.place({.length = 1});
    const block_index aligned = memory.place({.length = 4, .alignment = 4});
    CHECK(memory.map().offset(aligned) % 4 == 0);
    CHECK(memory.is_following());
    REQUIRE(memory.follow(plan));
    memory.place({.length = 1, .alignment = 32});
    CHECK(memory.map().highest_end() >= 32);
}

TEST_CASE("scheduled: from the top, plans lie at the top") {
    using top = scheduled<bottom_reserve<best_fit>>;
    top memory(20);
    REQUIRE(memory.reserve(3));
    REQUIRE(memory.follow(plan_of_four));
    const block_index first = memory.place({.length = 2});
    memory.place({.length = 1});
    memory.release(memory.place({.length = 3}));
    memory.release(first);
    memory.place({.length = 6});
    CHECK(memory.is_following());
    CHECK(memory.reservable() == 10);
    CHECK(memory.reserve(13));
    CHECK(memory.largest_free() == 0);
    CHECK(memory.is_following());
}

TEST_CASE("scheduled: a copy under another placement has all blocks and places among them") {
    planned memory(40);
    REQUIRE(memory.follow(plan_of_four));
    memory.place({.length = 2});
    first_fit other(memory);
    best_fit same(memory);
    CHECK(other.map() == memory.map());
    CHECK(offset_of(same, 5) == offset_of(other, 5));
}

/// Checks the stated bound on a program and a changed one.
template <placement P>
void expect_bound(const program& recorded, const program& changed) {
    const plan_of packed(recorded);
    scheduled<P> memory(P::unlimited);
    REQUIRE(memory.follow(packed.plan));
    const std::uint64_t needed = footprint(memory, changed);
    P alone(P::unlimited);
    CHECK(needed <= packed.plan.height + footprint(alone, changed, memory.followed()));
}

TEST_CASE("scheduled: plan and P side by side bound what changed programs need") {
    for (std::uint64_t seed = 1; seed <= seeds_to_try(400); ++seed) {
        random_numbers random(seed);
        const program recorded = any_program(random, 100, 12);
        program changed = recorded;
        for (event& next : changed)
            if (next.bytes != 0 && random.once_in(20)) next.bytes = 1 + static_cast<std::uint32_t>(random.below(14));
        if (random.once_in(4)) changed = any_program(random, 100, 12);
        expect_bound<best_fit>(recorded, changed);
        expect_bound<best_fit_lifo>(recorded, changed);
        expect_bound<first_fit>(recorded, changed);
        expect_bound<good_fit>(recorded, changed);
    }
}

/// Calls `act` with every program of `left` more events whose blocks have up to three quanta.
template <class Act>
void for_each_program(program& events, std::vector<std::uint32_t>& live, std::uint32_t requests, int left, Act act) {
    if (left == 0) return act();
    for (std::uint32_t bytes = 1; bytes <= 3 && live.size() < 4; ++bytes) {
        events.push_back({bytes});
        live.push_back(requests);
        for_each_program(events, live, requests + 1, left - 1, act);
        live.pop_back();
        events.pop_back();
    }
    for (std::size_t at = 0; at < live.size(); ++at) {
        const std::uint32_t ended = live[at];
        live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
        events.push_back({0, ended});
        for_each_program(events, live, requests, left - 1, act);
        events.pop_back();
        live.insert(live.begin() + static_cast<std::ptrdiff_t>(at), ended);
    }
}

TEST_CASE("scheduled: the bound holds for every small program under a small plan") {
    program recorded{{2}, {1}, {3}, {0, 0}, {2}, {0, 2}, {3}};
    program changed;
    std::vector<std::uint32_t> live;
    std::size_t programs = 0;
    for_each_program(changed, live, 0, 7, [&] {
        ++programs;
        const plan_of packed(recorded);
        scheduled<first_fit> memory(first_fit::unlimited);
        memory.follow(packed.plan);
        const std::uint64_t needed = footprint(memory, changed);
        first_fit alone(first_fit::unlimited);
        if (needed > packed.plan.height + footprint(alone, changed, memory.followed())) FAIL_CHECK(programs);
    });
    CHECK(programs > 10'000);
}

}  // namespace
}  // namespace hbm::test::scheduled_tests
