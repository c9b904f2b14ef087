// A series that is watched step by step: what is noticed, when, since when, and when memory ends.
#include <hbm/growth/growth_series.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>

#include "growth/leak_series.hpp"

namespace hbm::test::growth_series_tests {

namespace {

constexpr std::uint64_t mebi = std::uint64_t{1} << 20;

}  // namespace

TEST_CASE("a line is noticed after forty windows less one step, with its slope and its end") {
    const auto bytes_at = [](std::uint64_t step) { return 100 * mebi + 3000 * step; };
    CHECK(!watched(623, bytes_at).growing());
    const growth_series seen = watched(700, bytes_at);
    REQUIRE(seen.growing());
    const steady_growth growth = *seen.growing();
    CHECK(growth.noticed == 624);
    CHECK(growth.since == 0);
    CHECK(growth.micro_bytes_a_step() == 3'000'000'000);
    // The most of a step is below the capacity up to the step before the end.
    const std::uint64_t capacity = 200 * mebi;
    const std::uint64_t end = growth.end_step(capacity);
    CHECK(bytes_at(end - 16) < capacity);
    CHECK(bytes_at(end + 16) >= capacity);
    CHECK(growth.steps_left(0) == 0);
    CHECK(seen.alarms() == 1);
}

TEST_CASE("growth that begins late is noticed as soon, and said to begin where it begins") {
    for (const std::uint64_t begin : {5000U, 12'345U, 100'000U}) {
        CAPTURE(begin);
        growth_series seen;
        std::optional<std::uint64_t> noticed;
        for (std::uint64_t step = 1; step <= begin + 20'000; ++step) {
            const std::uint64_t bytes = 100 * mebi + (step > begin ? 4096 * (step - begin) : 0);
            seen.add(bytes, bytes + mebi);
            if (seen.growing() && !noticed) noticed = seen.growing()->noticed;
        }
        REQUIRE(noticed);
        CHECK(*noticed >= begin + 500);
        CHECK(*noticed <= begin + 700);
        REQUIRE(seen.growing());
        CHECK(seen.growing()->since + 150 >= begin);
        CHECK(seen.growing()->since <= begin + 150);
        CHECK(seen.growing()->noticed == *noticed);
    }
}

TEST_CASE("growth that ends is over, and a rise that goes back is not believed again unless it is larger") {
    growth_series seen;
    std::uint64_t bytes = 100 * mebi;
    const auto go = [&](std::uint64_t steps, std::int64_t by) {
        for (std::uint64_t step = 0; step < steps; ++step) {
            bytes = static_cast<std::uint64_t>(static_cast<std::int64_t>(bytes) + by);
            seen.add(bytes, bytes);
        }
    };
    go(1000, 4096);
    CHECK(seen.growing());
    go(1000, 0);
    CHECK(!seen.growing());
    CHECK(seen.alarms() == 1);
    go(1, -4'096'000);
    go(1000, 0);
    go(1000, 4096);
    CHECK(!seen.growing());
    go(3000, 4096);
    CHECK(seen.growing());
    CHECK(seen.alarms() == 2);
}

TEST_CASE("one that was never taken back is believed again at once") {
    growth_series seen;
    for (int round = 0; round < 3; ++round) {
        for (std::uint64_t step = 0; step < 2000; ++step) {
            const std::uint64_t grown = static_cast<std::uint64_t>(round) * 1000 + (step < 1000 ? step : 1000);
            seen.add(100 * mebi + 4096 * grown, 100 * mebi + 4096 * grown);
            if (step == 700) CHECK(seen.growing());
        }
        CHECK(!seen.growing());
    }
    CHECK(seen.alarms() == 3);
}

TEST_CASE("what comes and goes within windows is not seen, however large") {
    // Everything is freed once in 16 steps.
    CHECK(watched(20'000, [](std::uint64_t step) { return step % 16 * 100 * mebi; }).alarms() == 0);
    // The least of a step counts, not the most.
    growth_series seen;
    for (std::uint64_t step = 1; step < 5000; ++step) seen.add(mebi, mebi + 5000 * step);
    CHECK(seen.alarms() == 0);
}

TEST_CASE("hostile sizes: 2^64 - 1, a least above the most, windows of no steps") {
    growth_series seen{0};
    for (int step = 0; step < 1000; ++step) seen.add(~std::uint64_t{0}, 0);
    CHECK(!seen.growing());
    CHECK(seen.highest_bytes() == max_grown_bytes);
    CHECK(steady_growth{.rise_bytes = 1, .over_steps = 1000, .at = ~std::uint64_t{0}}.end_step(max_grown_bytes) ==
          ~std::uint64_t{0});
    CHECK(steady_growth{.rise_bytes = max_grown_bytes, .over_steps = 1}.micro_bytes_a_step() == ~std::uint64_t{0});
}

TEST_CASE("copies are equal and go on alike") {
    growth_series first;
    for (std::uint64_t step = 0; step < 1000; ++step) first.add(step * 100, step * 100);
    growth_series second = first;
    CHECK(first == second);
    second.add(0, 0);
    CHECK(!(first == second));
    first.add(0, 0);
    CHECK(first == second);
}

// The figures of bench/RESULTS.md, in small: other seeds, fewer steps.
TEST_CASE("series without a leak raise no alarm") {
    using leaks::shape;
    constexpr std::uint64_t steps = 50'000;
    const leaks::series_spec clean[] = {
        {.name = "white noise"},
        {.name = "correlated 0.9", .correlation = 900},
        {.name = "saw of 10", .what = shape::saw, .period = 10, .correlation = 500},
        {.name = "saw of 500", .what = shape::saw, .period = 500, .correlation = 500},
        {.name = "spike", .what = shape::spike, .correlation = 900, .steps = steps},
        {.name = "step", .what = shape::stair, .correlation = 900, .steps = steps},
        {.name = "warm-up", .what = shape::warm_up, .period = 100, .correlation = 900},
    };
    for (const leaks::series_spec& each : clean) {
        CAPTURE(each.name);
        leaks::leaking_series made(each, {}, 11);
        growth_series seen;
        for (std::uint64_t step = 0; step < steps; ++step) {
            const std::uint64_t bytes = made.next();
            seen.add(bytes, bytes);
        }
        CHECK(seen.alarms() == 0);
    }
}

TEST_CASE("leaks of several sizes are noticed in time, and the end of memory is foretold") {
    for (const std::int64_t part : {10, 100, 300}) {
        CAPTURE(part);
        leaks::leaking_series made({.name = "", .correlation = 900}, {.bytes = leaks::deviation / part}, 12);
        growth_series seen;
        std::uint64_t step = 0;
        std::uint64_t foretold = 0;
        for (std::uint64_t bytes = 0; bytes < leak_capacity;) {
            bytes = made.next();
            seen.add(bytes, bytes);
            ++step;
            if (foretold == 0 && seen.growing()) foretold = seen.growing()->end_step(leak_capacity);
        }
        REQUIRE(foretold != 0);
        CHECK(foretold > step - step / 10);
        CHECK(foretold < step + step / 10);
        CHECK(seen.growing()->noticed < (part == 10 ? step * 7 / 10 : step / 3));
        CHECK(seen.alarms() == 1);
    }
}

}  // namespace hbm::test::growth_series_tests
