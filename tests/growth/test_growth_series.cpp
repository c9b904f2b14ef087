// Steady growth in a series: what is found, when, and what is no growth.
#include <hbm/growth/growth_series.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace hbm::test::growth_series_tests {

namespace {

constexpr std::int64_t mebi = std::int64_t{1} << 20;

template <class BytesAt>
growth_series watched(std::int64_t steps, const BytesAt& bytes_at,
                      growth_series seen = growth_series{growth_series::usual_window, growth_series::fewest}) {
    for (std::int64_t step = 1; step <= steps; ++step) {
        const auto bytes = static_cast<std::uint64_t>(1024 * mebi + bytes_at(step));
        seen.add(bytes, bytes);
    }
    return seen;
}

/// Returns noise with a standard deviation of about 8 MiB, nearly normal: the sum of twelve uniform numbers.
std::int64_t noise(testing::random_numbers& random) {
    std::int64_t sum = 0;
    for (int i = 0; i < 12; ++i) sum += static_cast<std::int64_t>(random.below(1 << 16));
    return (sum - 12 * 32768) * 128;
}

}  // namespace

TEST_CASE("a line is found after 32 windows, with its slope and its end") {
    const auto line = [](std::int64_t step) { return 3000 * step; };
    CHECK(!watched(511, line, {}).growing());
    const growth_series seen = watched(700, line, {});
    REQUIRE(seen.growing());
    CHECK(seen.growing()->noticed == 512);
    CHECK(seen.growing()->since == 0);
    CHECK(seen.growing()->micro_bytes_a_step() == 3'000'000'000);
    const auto capacity = static_cast<std::uint64_t>(1124 * mebi);
    const std::uint64_t end = seen.growing()->end_step(capacity);
    CHECK(end >= 100 * mebi / 3000 - 32);
    CHECK(end <= 100 * mebi / 3000 + 32);
    CHECK(seen.growing()->steps_left(0) == 0);
    CHECK(!seen.stopped());
}

TEST_CASE("eight sizes on a line are growth from the start, seven are not") {
    const auto line = [](std::int64_t step) { return mebi * step; };
    CHECK(!watched(7, line, growth_series{1, growth_series::fewest}).growing());
    CHECK(watched(8, line, growth_series{1, growth_series::fewest}).growing());
}

TEST_CASE("noise, a step, a spike and a saw are no growth") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        testing::random_numbers random{seed};
        CHECK(!watched(5000, [&](std::int64_t) { return noise(random); }).growing());
    }
    CHECK(!watched(1000, [](std::int64_t step) { return step > 500 ? 100 * mebi : 0; }).growing());
    CHECK(!watched(1000, [](std::int64_t step) { return step == 500 ? 100 * mebi : 0; }).growing());
    for (const std::int64_t period : {10, 50, 64, 100, 123, 500})
        CHECK(!watched(5000, [&](std::int64_t step) { return step % period * mebi; }).growing());
}

TEST_CASE("fewer than one random walk of 200 looks like growth") {
    int found = 0;
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        testing::random_numbers random{seed};
        std::int64_t place = 0;
        found += watched(1000, [&](std::int64_t) { return place += noise(random) / 16; }).growing() ? 1 : 0;
    }
    CHECK(found <= 3);
}

TEST_CASE("a leak in noise is found, and stays found with more steps or more growth") {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        CAPTURE(seed);
        const auto leak = [&](std::int64_t steps, std::int64_t slope) {
            testing::random_numbers random{seed};
            return watched(steps, [&](std::int64_t step) { return slope * step + noise(random); }).growing();
        };
        const bool is_found = leak(1000, mebi / 32).has_value();  // 36 standard errors of a slope
        if (!is_found) continue;
        CHECK(leak(1500, mebi / 32));
        CHECK(leak(2000, mebi / 32));
        CHECK(leak(1000, mebi / 24));
        CHECK(leak(1000, mebi / 16));
    }
    testing::random_numbers random{1};
    const growth_series seen = watched(1000, [&](std::int64_t step) { return mebi / 16 * step + noise(random); });
    REQUIRE(seen.growing());
    CHECK(seen.growing()->micro_bytes_a_step() / 1'000'000 > mebi * 9 / 160);
    CHECK(seen.growing()->micro_bytes_a_step() / 1'000'000 < mebi * 11 / 160);
}

TEST_CASE("the least visible growth is found, and half of it is not") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        CAPTURE(seed);
        const auto with = [&](std::int64_t slope) {
            testing::random_numbers random{seed};
            return watched(1000, [&](std::int64_t step) { return slope * step + noise(random); });
        };
        const auto visible = static_cast<std::int64_t>(with(0).visible_micro_bytes_a_step().value() / 1'000'000);
        CHECK(visible > 0);
        CHECK(with(visible + visible / 2).growing());
        CHECK(!with(visible / 2).growing());
    }
    CHECK(!growth_series{}.visible_micro_bytes_a_step());
}

TEST_CASE("growth that stops is over, and it is known when it stopped") {
    for (const std::int64_t steps : {200, 1000, 3000}) {
        CAPTURE(steps);
        const growth_series seen = watched(
            steps, [&](std::int64_t step) { return std::min(step, steps / 2) * mebi / 8; },
            growth_series{steps == 200 ? 4U : 16U, growth_series::fewest});
        CHECK(!seen.growing());
        REQUIRE(seen.stopped());
        CHECK(seen.stopped()->at + static_cast<std::uint64_t>(steps / 16) >= static_cast<std::uint64_t>(steps / 2));
        CHECK(seen.stopped()->at <= static_cast<std::uint64_t>(steps / 2 + steps / 16));
    }
}

TEST_CASE("growth that is given back is over, and counts again above what was there before") {
    const auto saw = [](std::int64_t step) { return step <= 1000 ? 4096 * step : 4096 * (step - 1000); };
    CHECK(watched(1000, saw).growing());
    CHECK(!watched(1100, saw).growing());
    CHECK(!watched(1900, saw).growing());
    CHECK(watched(2600, saw).growing());
}

TEST_CASE("a late leak is found as soon as an early one") {
    testing::random_numbers random{3};
    growth_series seen;
    std::uint64_t noticed = 0;
    for (std::int64_t step = 1; step <= 210'000 && noticed == 0; ++step) {
        const auto bytes = static_cast<std::uint64_t>(
            1024 * mebi + std::max<std::int64_t>(0, step - 200'000) * (mebi / 8) + noise(random));
        seen.add(bytes, bytes);
        if (seen.growing()) noticed = seen.steps();
    }
    CHECK(noticed > 200'000);
    CHECK(noticed <= 201'000);
    CHECK(seen.growing()->since >= 199'800);
}

TEST_CASE("sizes beyond 4 PiB, and steps of all sizes, are no trouble") {
    growth_series seen{1, growth_series::fewest};
    for (std::uint64_t at = 0; at < 64; ++at) seen.add(~std::uint64_t{0} - at, ~std::uint64_t{0});
    CHECK(!seen.growing());
    CHECK(seen.highest_bytes() == max_grown_bytes);
    growth_series wide{1, growth_series::fewest};
    for (std::uint64_t at = 0; at < 64; ++at) wide.add(max_grown_bytes / 64 * at, max_grown_bytes / 64 * at);
    REQUIRE(wide.growing());
    CHECK(wide.growing()->rise_bytes > max_grown_bytes / 64 * 30);
}

}  // namespace hbm::test::growth_series_tests
