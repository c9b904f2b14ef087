// Pressure: begins and ends exactly at its limits, and calls a function at both.
#include <hbm/events/pressure.hpp>
#include <hbm/hbm.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace hbm::test::pressure_tests {
namespace {

constexpr std::uint64_t q = 512;
using observed = manager<best_fit, never_evict, never_donate, relieve_cheapest, no_device, pressure>;

observed memory_under(const pressure& watched) {
    observed::options given;
    given.events = watched;
    return observed{{.name = "small", .capacity = 10 * q}, given};
}

TEST_CASE("pressure: begins when less is free than the limit, and ends when enough is") {
    observed memory = memory_under(pressure{{.free_bytes = 4 * q}});
    CHECK_FALSE(memory.events().is_high());
    const auto first = memory.allocate(6 * q);
    CHECK_FALSE(memory.events().is_high());
    const auto second = memory.allocate(q);
    CHECK(memory.events().is_high());
    CHECK(memory.events().free_bytes() == 3 * q);
    CHECK(memory.events().largest_free_bytes() == 0);  // no limit needs it
    CHECK(memory.free(*second));
    CHECK_FALSE(memory.events().is_high());
    CHECK(memory.events().times() == 1);
    CHECK(memory.free(*first));
}

TEST_CASE("pressure: is high if the longest free run is shorter than the limit, or free memory is in pieces") {
    for (const pressure_limits& limits :
         {pressure_limits{.largest_free_bytes = 5 * q}, pressure_limits{.fragmentation_percent = 40}}) {
        observed memory = memory_under(pressure{limits});
        std::vector<buffer> held;
        for (int count = 0; count < 4; ++count) held.push_back(*memory.allocate(2 * q));
        CHECK(memory.events().is_high() == (limits.largest_free_bytes != 0));
        CHECK(memory.free(held[1]));  // free: 2 and 2, half of it outside of the longest run
        CHECK(memory.events().is_high());
        CHECK(memory.events().is_fragmented() == (limits.fragmentation_percent != 0));
        CHECK(memory.free(held[3]));  // 2 and 4: a third
        CHECK(memory.events().is_high() == (limits.largest_free_bytes != 0));
        CHECK(memory.free(held[2]));
        CHECK_FALSE(memory.events().is_high());
        CHECK(memory.events().largest_free_bytes() == 8 * q);
    }
}

TEST_CASE("pressure: calls its function when it begins and when it ends") {
    std::vector<bool> calls;
    const auto note = [](void* context, const pressure& now) {
        static_cast<std::vector<bool>*>(context)->push_back(now.is_high());
    };
    observed memory = memory_under(pressure{{.free_bytes = 8 * q}, note, &calls});
    const auto first = memory.allocate(q);
    const auto second = memory.allocate(2 * q);
    const auto third = memory.allocate(q);
    CHECK(memory.free(*second));
    CHECK(memory.free(*third));
    CHECK(memory.free(*first));
    CHECK(calls == std::vector<bool>{true, false});
}

TEST_CASE("pressure: a memory that is small from the start is under pressure") {
    CHECK(memory_under(pressure{{.free_bytes = 11 * q}}).events().is_high());
}

TEST_CASE("pressure: a manager made by under receives the memory that it takes over, and nothing before") {
    manager<best_fit> memory{{.name = "small", .capacity = 10 * q}};
    REQUIRE(memory.allocate(4 * q));
    std::vector<bool> calls;
    const auto note = [](void* context, const pressure& now) {
        static_cast<std::vector<bool>*>(context)->push_back(now.is_high());
    };
    const auto calm = memory.under<observed>({.events = pressure{{.free_bytes = 6 * q}, note, &calls}});
    CHECK(calls.empty());
    CHECK(calm.events().free_bytes() == 6 * q);
    CHECK(memory.under<observed>({.events = pressure{{.free_bytes = 7 * q}}}).events().is_high());
}

}  // namespace
}  // namespace hbm::test::pressure_tests
