// Moving and evicting weighed together: small memories in which the cheapest plan is known.
#include <hbm/hbm.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <support/managers.hpp>
#include <vector>

#include "planning/planning.hpp"
#include "planning/priced.hpp"

namespace hbm::test::joint_tests {

namespace {

template <class Manager>
planning_result cheapest(const Manager& memory, need<std::uint32_t> required) {
    const planning_problem problem = problem_for(memory.state(), {required}, victims::window);
    const planning_result said = planner(problem).cheapest();
    CHECK((said.found ? broken_rule_of(memory.state(), {required}, true, *said.found)
                      : broken_rule_of(memory.state(), {required}, true, said.proof)) == "nothing");
    return said;
}

}  // namespace

TEST_CASE("which of 24 programs leave is a knapsack") {
    // Bytes cost nothing to move here, so that the price is that of the programs: by dynamic programming, least[n] for
    // at least n quanta.
    constexpr std::size_t count = 24;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        testing::random_numbers random(seed);
        manager<compacting<best_fit>, evict_lru> memory{
            {.capacity = 600 * q, .bandwidth = 512'000'000'000'000, .copy_nanoseconds = 0}};
        const std::uint64_t free = 10 + random.below(30);
        const std::uint64_t length = free + 40 + random.below(150);
        std::vector<std::uint64_t> least(length - free + 1, 1'000'000);
        least[0] = 0;
        std::uint64_t left = 600 - free;
        for (std::size_t at = 0; at < count; ++at) {
            const std::uint64_t size = at + 1 == count ? left : 5 + random.below(20);
            const std::uint64_t price = 10 + random.below(90);
            left -= size;
            CHECK(memory.load({.name = "p", .code = size * q, .reload_us = price}));
            for (std::size_t quanta = least.size(); quanta-- > 1;) {
                const std::uint64_t others = least[quanta > size ? quanta - size : 0] + price;
                if (others < least[quanta]) least[quanta] = others;
            }
        }
        const planning_result said = cheapest(memory, {.length = static_cast<std::uint32_t>(length)});
        REQUIRE(said.found);
        CHECK(said.found->nanoseconds / 1000 == least.back());
        CHECK(said.lower_bound == said.found->nanoseconds);
    }
}

TEST_CASE("no move is left in the plan that fills the room which others made") {
    // [ 4, aligned | 18 | 1 free | 5 | 1 free | 9 | 2 | 1 | 1 | 2 free | 6 | 1 | 1 free ], and 4 are asked for.
    manager<compacting<best_fit>> memory{{.capacity = 52 * q}};
    REQUIRE(memory.allocate(request{.bytes = 4 * q, .alignment = 8 * q}));
    const auto stand = [&](std::uint64_t offset, std::uint64_t size) {
        const auto block = memory.import({offset * q, size * q});
        REQUIRE(block);
        REQUIRE(memory.unpin(*block));
        return *block;
    };
    stand(4, 18), stand(23, 5), stand(29, 9), stand(38, 2);
    const buffer low = stand(22, 1);
    const buffer high = stand(28, 1);
    REQUIRE(memory.allocate(request{.bytes = q, .alignment = 8 * q}));
    REQUIRE((memory.free(low) && memory.free(high)));
    stand(41, 1), stand(44, 6), stand(50, 1);
    const planning_result said = cheapest(memory, {.length = 4});  // which has the plan checked
    REQUIRE(said.found);
    CHECK(said.found->steps.size() == 2);
}

TEST_CASE("what a load's scratch costs is in the lower bound, however many blocks there are") {
    using placement_type = bottom_reserve<compacting<best_fit>>;
    const auto loading = [](memory_state<placement_type> state, std::uint64_t scratch) {
        state.programs.push_back({.code = q, .scratch = scratch * q, .generation = 1, .resident = true});
        const planning_problem problem = problem_for(state, {{.length = 1}}, victims::window);
        const planning_result said = planner(problem).cheapest();
        REQUIRE(said.found);
        CHECK(broken_rule_of(state, {{.length = 1}}, true, *said.found) == "nothing");
        return said;
    };
    // A block of two quanta is in the way of the reservation; there is room for everything else.
    manager<placement_type, evict_lru> moving{priced(1000)};
    REQUIRE(moving.unpin(*moving.import({4 * q, 2 * q})));
    for (std::uint64_t i = 0; i < 150; ++i) REQUIRE(moving.unpin(*moving.import({(600 + 2 * i) * q, q})));
    const planning_result moved = loading(moving.state(), 8);
    CHECK(moved.found->nanoseconds == 5000);
    CHECK(moved.lower_bound == 5000);
    // All is full of programs five quanta long: scratch and code take two of them.
    manager<placement_type, evict_lru> evicting{priced(500)};
    for (int i = 0; i < 100; ++i) REQUIRE(evicting.load({.name = "p", .code = 5 * q, .reload_us = 10}));
    const planning_result evicted = loading(evicting.state(), 9);
    CHECK(evicted.found->nanoseconds_of(step_kind::evict) == 20'000);
    CHECK(evicted.lower_bound >= 20'000);
}

TEST_CASE("a hopeless request among blocks that are aligned, or between walls, does not take for ever") {
    constexpr std::uint64_t count = 1500;
    manager<compacting<best_fit>> aligned{priced(4 * count)};
    for (std::uint64_t i = 0; i < count; ++i) REQUIRE(aligned.allocate(request{.bytes = 3 * q, .alignment = 4 * q}));
    CHECK_FALSE(aligned.allocate(8 * q));
    manager<compacting<best_fit>> walled{priced(10 * count / 2)};
    for (std::uint64_t i = 0; i < count / 2; ++i) {
        const auto wall = walled.import({10 * i * q, q});
        const auto block = walled.import({(10 * i + 3) * q, 3 * q});
        REQUIRE((wall && block && walled.unpin(*block)));
    }
    CHECK_FALSE(walled.allocate(10 * q));
}

}  // namespace hbm::test::joint_tests
