#include <hbm/growth/growth_fit.hpp>
#include <hbm/growth/growth_series.hpp>
#include <hbm/growth/growth_tally.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "growth/leak_series.hpp"

// Where growth began, and how far above its line memory ends.

namespace hbm::test::growth_onset_tests {

namespace {

std::vector<growth_window_sizes> windows_of(const std::vector<std::uint64_t>& means) {
    std::vector<growth_window_sizes> made;
    for (const std::uint64_t mean : means) made.push_back({mean, mean, mean});
    return made;
}

/// `level` places of 1000, then places that rise by `rise` each, and a ripple of `ripple`.
std::vector<growth_window_sizes> bent(std::size_t level, std::size_t count, std::uint64_t rise, std::uint64_t ripple) {
    std::vector<std::uint64_t> means;
    for (std::size_t at = 0; at < count; ++at)
        means.push_back(1000 + (at < level ? 0 : rise * (at - level)) + (at % 2 == 0 ? ripple : 0));
    return windows_of(means);
}

}  // namespace

TEST_CASE("places before a rise are told from the rise, unless the ripple hides them") {
    for (const std::size_t level : {0U, 5U, 12U, 24U}) {
        CAPTURE(level);
        CHECK(level_places(bent(level, 32, 100, 0)) == level);
        CHECK(level_places(bent(level, 32, 100, 20)) + 1 >= level);
        CHECK(level_places(bent(level, 32, 100, 20)) <= level + 1);
    }
    CHECK(level_places(bent(2, 32, 100, 4000)) == 0);
    CHECK(level_places(bent(25, 32, 100, 0)) == 24);  // at least eight places rise
    CHECK(level_places(bent(0, 8, 100, 0)) == 0);
    CHECK(level_places({}) == 0);
    // Falling, equal and very large sizes.
    CHECK(level_places(windows_of({9, 8, 7, 6, 5, 4, 3, 2, 1, 0})) == 0);
    CHECK(level_places(windows_of(std::vector<std::uint64_t>(32, max_grown_bytes))) == 0);
    std::vector<std::uint64_t> steep(32, 0);
    for (std::size_t at = 16; at < 32; ++at) steep[at] = max_grown_bytes / 16 * (at - 15);
    CHECK(level_places(windows_of(steep)) == 15);
}

TEST_CASE("a line is carried on backwards") {
    const line_backwards line(bent(0, 16, 100, 0), 10);  // 10 bytes a step
    REQUIRE(line.rises());
    CHECK(line.at(0) == 1000);
    CHECK(line.at(2) == 990);
    CHECK(line.at(400) == -1000);
    CHECK(line.holds(990, 2));
    CHECK(line.holds(990 + 50, 2));  // half the rise of a window
    CHECK(!line.holds(990 + 51, 2));
    CHECK(!line.holds(990 - 51, 2));
    CHECK(line.steps_between(500, 1000, 1'000'000) == 50);
    CHECK(line.steps_between(500, 1000, 7) == 7);
    CHECK(line.steps_between(1000, 500, 7) == 0);
    CHECK(!line_backwards(windows_of(std::vector<std::uint64_t>(16, 5)), 10).rises());
}

TEST_CASE("memory ends above a line as far as what comes again reaches first") {
    using detail::first_above;
    using detail::growth_slope;
    std::vector<std::int64_t> tops(16, 70);
    CHECK(first_above(tops, growth_slope{5, 1}) == 70);
    // A single outlier need not come again.
    tops[3] = 1000;
    CHECK(first_above(tops, growth_slope{5, 1}) == 70);
    // A peak in every eighth window: the line takes four windows on average until it meets a peak.
    tops[11] = 1000;
    CHECK(first_above(tops, growth_slope{1, 1}) >= 1000 - 8);
    CHECK(first_above(tops, growth_slope{1, 1}) <= 1000 - 2);
    // A line so steep that it is above memory before the next peak.
    CHECK(first_above(tops, growth_slope{930, 1}) < 500);
    // From half of the 64 quarters a steep line meets 70 first, from the others 90.
    tops = {70, 70, 70, 90, 90, 70, 70, 90, 90, 70, 70, 90, 90, 70, 70, 90};
    CHECK(first_above(tops, growth_slope{1000, 1}) == 90);
}

TEST_CASE("all steps since a leak began count from the first alarm on, and foretell the end within a tenth") {
    for (std::uint64_t seed = 10; seed < 25; ++seed) {
        CAPTURE(seed);
        const leak_run seen = watched_to_the_end({.bytes = leaks::deviation / 100}, seed);
        REQUIRE(seen.first);
        const std::uint64_t foretold = seen.first->end_step(leak_capacity);
        const std::uint64_t miss = foretold > seen.end ? foretold - seen.end : seen.end - foretold;
        CHECK(miss * 10 <= seen.end - seen.first->noticed);
    }
}

}  // namespace hbm::test::growth_onset_tests

// Whether a short series lies on a rising line, against brute force and by hand.

namespace hbm::test::growth_line_tests {

namespace {

using sizes = std::vector<std::uint64_t>;

sizes line(std::uint64_t from, std::uint64_t by, std::size_t count = 32) {
    sizes made;
    for (std::size_t at = 0; at < count; ++at) made.push_back(from + by * at);
    return made;
}

/// The lower median of all slopes, by sorting exact fractions in long double: exact enough below 2^40.
long double slope_of(const sizes& all) {
    std::vector<long double> slopes;
    for (std::size_t to = 1; to < all.size(); ++to)
        for (std::size_t from = 0; from < to; ++from)
            slopes.push_back((static_cast<long double>(all[to]) - static_cast<long double>(all[from])) /
                             static_cast<long double>(to - from));
    std::sort(slopes.begin(), slopes.end());
    return slopes[(slopes.size() - 1) / 2];
}

}  // namespace

TEST_CASE("a line grows by what it grows by") {
    for (const std::size_t count : {8U, 16U, 24U, 32U}) {
        const auto found = growth_line_of(line(1000, 7, count));
        REQUIRE(found);
        CHECK(found->rise_bytes == 7 * found->in_places);
        CHECK(found->end_bytes == 1000 + 7 * (count - 1));
        CHECK(found->rise_over(31) == 7 * 31);
    }
    CHECK(growth_line_of(line(0, 1)));
}

TEST_CASE("what stays, falls, or has another length does not grow") {
    CHECK(!growth_line_of({}));
    CHECK(!growth_line_of(line(1000, 0)));
    for (const std::size_t count : {1U, 7U, 9U, 12U, 31U, 33U, 40U}) CHECK(!growth_line_of(line(1000, 7, count)));
    sizes falling = line(1000, 7);
    std::reverse(falling.begin(), falling.end());
    CHECK(!growth_line_of(falling));
    CHECK(!growth_line_of(sizes(32, ~std::uint64_t{0})));
}

TEST_CASE("a step, two steps, a spike and what levels off do not grow") {
    sizes step(32, 1000);
    std::fill(step.begin() + 16, step.end(), 5000);
    CHECK(!growth_line_of(step));
    sizes stairs = step;
    std::fill(stairs.begin() + 24, stairs.end(), 9000);
    CHECK(!growth_line_of(stairs));
    sizes spike(32, 1000);
    spike[13] = 100'000;
    CHECK(!growth_line_of(spike));
    // It rises everywhere, but by half in each eighth: 0, 64, 96, 112 ...
    sizes level;
    for (std::size_t at = 0; at < 32; ++at) level.push_back(1'000'000 - (std::uint64_t{1'000'000} >> (at / 4)) + at);
    CHECK(!growth_line_of(level));
    // A line on top of a step that is larger than all of its rise.
    sizes both = line(1000, 7);
    for (std::size_t at = 16; at < 32; ++at) both[at] += 7 * 64;
    CHECK(!growth_line_of(both));
}

TEST_CASE("each condition counts by itself") {
    const auto made = [](auto bytes_at) {
        sizes all;
        for (std::uint64_t at = 0; at < 32; ++at) all.push_back(10'000 + bytes_at(at));
        return growth_line_of(all).has_value();
    };
    REQUIRE(made([](std::uint64_t at) { return 10 * at; }));
    // What grows ever faster has a first half with less than half of the slope, what slows down a second half.
    CHECK(!made([](std::uint64_t at) { return at < 10 ? at : 10 + 3 * (at - 10); }));
    CHECK(made([](std::uint64_t at) { return at < 10 ? 2 * at : 20 + 3 * (at - 10); }));
    CHECK(!made([](std::uint64_t at) { return at < 18 ? 3 * at : 54 + at - 18; }));
    CHECK(!made([](std::uint64_t at) { return at * at; }));
    CHECK(!made([](std::uint64_t at) { return 1000 - (31 - at) * (31 - at); }));
    // An eighth below the one before, by less than the line rises in two of them.
    CHECK(!made([](std::uint64_t at) { return 10 * at - (at / 4 == 4 ? 50 : 0); }));
    // Noise of three eighths: both halves rise, and a step is as close as half of the line.
    CHECK(made([](std::uint64_t at) { return 10 * at + at % 2 * 20; }));
    CHECK(!made([](std::uint64_t at) { return 10 * at + at % 2 * 60; }));
}

TEST_CASE("outliers in an eighth of the places do not change the slope by much") {
    sizes all = line(1000, 100);
    for (const std::size_t at : {5U, 14U, 22U, 30U}) all[at] += 1500;
    const auto found = growth_line_of(all);
    REQUIRE(found);
    CHECK(found->rise_over(31) >= 31 * 100);
    CHECK(found->rise_over(31) <= 31 * 115);
}

TEST_CASE("sizes near 2^64 count as 4 PiB, and nothing overflows") {
    sizes huge = line(~std::uint64_t{0} - 100, 3);
    CHECK(!growth_line_of(huge));
    sizes wide;
    for (std::uint64_t at = 0; at < 32; ++at) wide.push_back(at * (max_grown_bytes / 31));
    const auto found = growth_line_of(wide);
    REQUIRE(found);
    CHECK(found->rise_over(31) == wide.back());
    CHECK(found->end_bytes == wide.back());
}

TEST_CASE("the slope is the median of all slopes, whatever the noise") {
    testing::random_numbers random{7};
    int found_some = 0;
    for (int round = 0; round < 2000; ++round) {
        const std::size_t count = 8 * (1 + random.below(4));
        const std::uint64_t by = 1 + random.below(1000);
        const std::uint64_t noise = 1 + random.below(3 * by);
        sizes all;
        for (std::size_t at = 0; at < count; ++at) all.push_back(5000 + by * at + random.below(noise));
        const auto found = growth_line_of(all);
        if (!found) continue;
        ++found_some;
        CAPTURE(round);
        const long double difference =
            static_cast<long double>(found->rise_bytes) / static_cast<long double>(found->in_places) - slope_of(all);
        CHECK(difference < 1e-9L);
        CHECK(difference > -1e-9L);
    }
    CHECK(found_some > 1000);
}

TEST_CASE("a limit is reached at the median over windows and quarters") {
    // From the windows in order: 5, 6, 10 and 10 four times each; from the last 10 twice and 4 twice.
    const std::vector<std::int64_t> tops{4, 5, 6, 10, 20};
    CHECK(detail::first_above(tops, {.rise = 24, .run = 1}) == 10);
}

static_assert(growth_line_of(std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7}).has_value());

}  // namespace hbm::test::growth_line_tests

// Live bytes by tag.

namespace hbm::test::growth_tally_tests {

TEST_CASE("the least and the most of a step are those in between, and a new tag had nothing before") {
    growth_tally tally{{.window = 1}};
    tally.begin(1, 100);
    tally.settle();
    tally.step();
    tally.end(1, 100);
    tally.begin(1, 300);
    tally.begin(1, 50);
    tally.end(1, 50);
    CHECK(tally[1].least == 0);
    CHECK(tally[1].most == 350);
    tally.step();
    CHECK(tally[1].least == 300);
    CHECK(tally[1].most == 300);
    CHECK(tally[1].series.highest_bytes() == 350);
    CHECK(tally[7].series.steps() == 2);
    tally.begin(7, 512);
    tally.step();
    CHECK(tally[7].series.steps() == 3);
    CHECK(tally[7].least == 512);
}

TEST_CASE("a memory that is counted anew keeps its series") {
    growth_tally tally;
    tally.begin(2, 100);
    tally.step();
    const growth_series before = tally[2].series;
    tally.forget_blocks();
    CHECK(tally.total().bytes == 0);
    CHECK(tally[2].count == 0);
    tally.begin(2, 100);
    CHECK(tally[2].series == before);
    growth_tally same = tally;
    CHECK(same == tally);
    same.step();
    CHECK(!(same == tally));
}

}  // namespace hbm::test::growth_tally_tests
