// A series that has ended: growth without persistence, a spike, the rise since a step, the range of a forecast.
#include <doctest/doctest.h>

#include <cstdint>
#include <optional>

#include "compare/growth/forecast.hpp"
#include "growth/leak_run.hpp"
#include "growth/leak_series.hpp"

namespace hbm::test::ended_series_tests {

namespace {

constexpr std::uint64_t mebi = std::uint64_t{1} << 20;

}  // namespace

TEST_CASE("short series: no growth below 8 steps, without persistence below 40") {
    const auto bytes_at = [](std::uint64_t step) { return mebi + 512 * step; };
    for (std::uint64_t steps = 0; steps < 8; ++steps) CHECK(!growth_at_end(watched(steps, bytes_at, 1)));
    for (std::uint64_t steps = 8; steps < 200; ++steps) {
        CAPTURE(steps);
        const auto grew = growth_at_end(watched(steps, bytes_at, growth_window(steps)));
        REQUIRE(grew);
        CHECK(grew->micro_bytes_a_step() == 512'000'000);
    }
    CHECK(!growth_at_end(watched(
        30, [](std::uint64_t) { return mebi; }, 1)));
    CHECK(growth_window(0) == 1);
    CHECK(growth_window(79) == 1);
    CHECK(growth_window(80) == 2);
    CHECK(growth_window(~std::uint64_t{0}) == 16);
}

TEST_CASE("a spike is told from growth, from a step, and from nothing") {
    const auto spiked = [](std::uint64_t at) {
        return [at](std::uint64_t step) { return step == at ? 900 * mebi : 100 * mebi + step % 7 * mebi; };
    };
    for (const std::uint64_t steps : {100U, 1000U, 12'345U}) {
        for (const std::uint64_t at : {std::uint64_t{steps} / 2, std::uint64_t{steps} - 1, std::uint64_t{steps}}) {
            CAPTURE(at);
            const growth_series seen = watched(steps, spiked(at), growth_window(steps));
            REQUIRE(spike_of(seen));
            CHECK(*spike_of(seen) == growth_spike{at, 900 * mebi, 106 * mebi});
            CHECK(!growth_at_end(seen));
        }
        CHECK(!spike_of(watched(steps, spiked(0))));
        const auto stepped = [&](std::uint64_t step) { return (step > steps / 2 ? 900 : 100) * mebi; };
        CHECK(!spike_of(watched(steps, stepped, growth_window(steps))));
        CHECK(!growth_at_end(watched(steps, stepped, growth_window(steps))));
    }
    CHECK(!spike_of(watched(7, spiked(3), 1)));
}

TEST_CASE("what a floor has risen by since a step") {
    const growth_series seen = watched(4096, [](std::uint64_t step) { return 1000 * step; });
    CHECK(risen_since(seen, 0) > 3'900'000);
    CHECK(risen_since(seen, 2048) > 1'900'000);
    CHECK(risen_since(seen, 2048) < 2'200'000);
    CHECK(risen_since(seen, 4096) == 0);
    CHECK(risen_since(growth_series{}, 5) == 0);
}

TEST_CASE("the range of a forecast contains the end, also of blocks that leak at random") {
    for (const leaks::leak_spec leak : {leaks::leak_spec{.bytes = leaks::deviation / 10, .once_in = 30},
                                        leaks::leak_spec{.bytes = leaks::deviation / 10}}) {
        for (std::uint64_t seed = 20; seed < 30; ++seed) {
            CAPTURE(seed);
            leaks::leaking_series made({.name = "", .correlation = 900}, leak, seed);
            growth_series seen;
            std::optional<growth_forecast> first;
            std::uint64_t step = 0;
            for (std::uint64_t bytes = 0; bytes < leak_capacity; ++step) {
                bytes = made.next();
                seen.add(bytes, bytes);
                if (!first && seen.growing()) first = growth_at_end(seen);
            }
            REQUIRE(first);
            CHECK(first->earliest_end_step(leak_capacity) <= step);
            CHECK(first->latest_end_step(leak_capacity) >= step);
            CHECK(first->earliest_end_step(leak_capacity) < first->end_step(leak_capacity));
            CHECK(first->latest_end_step(leak_capacity) < 10 * step);
        }
    }
    growth_forecast full{{.rise_bytes = 1, .at = 7, .top_bytes = 9}};
    full.least_top_bytes = full.most_top_bytes = 9;
    CHECK(full.earliest_end_step(9) == 7);
    CHECK(full.latest_end_step(9) == 7);
    growth_forecast unsure{{.rise_bytes = 1, .at = 7}};
    unsure.doubt_bytes = unsure.seen_steps = 1;
    CHECK(unsure.latest_end_step(9) == ~std::uint64_t{0});
}

TEST_CASE("noise is not a spike, twenty deviations for three steps are") {
    using leaks::shape;
    constexpr std::uint64_t steps = 50'000;
    for (const shape what : {shape::flat, shape::saw, shape::spike, shape::stair, shape::warm_up}) {
        CAPTURE(static_cast<int>(what));
        const std::uint64_t period = what == shape::warm_up ? 100 : 500;
        leaks::leaking_series made({.name = "", .what = what, .period = period, .correlation = 900, .steps = steps}, {},
                                   11);
        growth_series seen;
        for (std::uint64_t step = 0; step < steps; ++step) {
            const std::uint64_t bytes = made.next();
            seen.add(bytes, bytes);
        }
        CHECK(spike_of(seen).has_value() == (what == shape::spike));
    }
}

TEST_CASE("hostile sizes are neither growth nor a spike") {
    growth_series seen{0};
    for (int step = 0; step < 1000; ++step) seen.add(~std::uint64_t{0}, 0);
    CHECK(!growth_at_end(seen));
    CHECK(!spike_of(seen));
    CHECK(!spike_of(growth_series{}));
}

}  // namespace hbm::test::ended_series_tests
