// Bounds and capped prices of plans; test_several_needs.cpp compares plans with brute force.
#include <hbm/hbm.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <support/managers.hpp>
#include <vector>

#include "planning/planning.hpp"

namespace hbm::test::planner_tests {
namespace {

constexpr std::uint64_t q = 512;

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
