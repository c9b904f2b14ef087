// Work that is no run, and the fences of both on one time line.
#include <hbm/hbm.hpp>
#include <hbm/manager/awaited_fence.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <support/managers.hpp>
#include <vector>

namespace hbm::test::issue_tests {

namespace {

constexpr std::uint64_t q = 512;
constexpr memory_spec overlapping{.name = "small", .capacity = 8 * q, .runs_in_flight = 2};

/// Notes the fences that are declared over.
struct fences_heard {
    static constexpr fixed_string name{"fences_heard"};
    std::vector<std::uint64_t> over;

    void on(const event& e) {
        if (e.what == event_kind::reached) over.push_back(e.from);
    }
    [[maybe_unused]] friend bool operator==(const fences_heard&, const fences_heard&) = default;
};
using simple = manager<best_fit, never_evict, never_donate, relieve_cheapest, no_device, fences_heard>;

}  // namespace

TEST_CASE("issue: memory that is freed until a transfer is over returns with its fence") {
    simple memory{overlapping};
    const buffer sent = *memory.allocate(8 * q);
    const fence over = memory.issue({.us = 10});
    CHECK(over == memory.issued());
    REQUIRE(memory.free(sent, over));
    CHECK(memory.free_bytes() == 0);
    REQUIRE(memory.retire(over));
    CHECK(memory.free_bytes() == 8 * q);
    CHECK(memory.flights().empty());
}

TEST_CASE("issue: a request waits for a transfer at the price of its duration") {
    simple memory{overlapping};
    REQUIRE(memory.free(*memory.allocate(8 * q), memory.issue({.us = 10})));
    CHECK(memory.plan_for({.bytes = q}).found->nanoseconds == 10'000);
    CHECK(awaited_fence(memory, [](auto& trial) { return trial.allocate(q); }) == memory.issued());
    REQUIRE(memory.allocate(q));
    CHECK(memory.done_so_far().waits == 1);
    CHECK(memory.done_so_far().wait_nanoseconds == 10'000);
    CHECK(memory.events().over == std::vector<std::uint64_t>{1});
}

TEST_CASE("issue: work and runs end in order") {
    simple memory{overlapping};
    const program step = *memory.load({.name = "step", .code = q});
    const fence work = memory.issue({.us = 10});
    const fence run = memory.run(step, {})->over;
    CHECK(work < run);
    CHECK(memory.flights().size() == 2);
    REQUIRE(memory.retire(run));
    CHECK(memory.reached() == run);
    CHECK(memory.flights().empty());
}

TEST_CASE("issue: runs and work in flight are at most as many as the memory is for after a run") {
    simple memory{overlapping};
    const program step = *memory.load({.name = "step", .code = q});
    for (int count = 0; count < 3; ++count) memory.issue({.us = 10});
    CHECK(memory.flights().size() == 3);
    REQUIRE(memory.run(step, {}));
    CHECK(memory.flights().size() == 2);
    CHECK(memory.events().over == std::vector<std::uint64_t>{2});
}

TEST_CASE("issue: where runs are over at once, a run ends the work before it") {
    simple memory{{.name = "small", .capacity = 8 * q}};
    const program step = *memory.load({.name = "step", .code = q});
    REQUIRE(memory.free(*memory.allocate(q), memory.issue({.us = 10})));
    CHECK(memory.free_bytes() == 6 * q);
    const fence run = memory.run(step, {})->over;
    CHECK(memory.reached() == run);
    CHECK(memory.free_bytes() == 7 * q);
    CHECK(memory.events().over == std::vector<std::uint64_t>{run.number});
    const fence next = memory.run(step, {})->over;
    CHECK(memory.reached() == next);
    CHECK(memory.done_so_far().waits == 1);
}

TEST_CASE("issue: the oldest work ends if more are issued than can be in flight") {
    simple memory{overlapping};
    for (std::uint32_t count = 0; count < max_in_flight; ++count) memory.issue({});
    CHECK(memory.reached() == fence{});
    memory.issue({});
    CHECK(memory.reached() == fence{1});
    CHECK(memory.flights().size() == max_in_flight);
}

TEST_CASE("issue: a fence that was not issued is unknown") {
    simple memory{overlapping};
    const buffer held = *memory.allocate(q);
    const fence over = memory.issue({});
    CHECK(memory.free(held, {over.number + 1}).error().reason == error::unknown_fence);
    CHECK(memory.retire({over.number + 1}).error().reason == error::unknown_fence);
}

}  // namespace hbm::test::issue_tests
