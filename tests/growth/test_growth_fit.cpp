// Where growth began, and how far above its line memory ends.
#include <hbm/growth/growth_fit.hpp>
#include <hbm/growth/growth_series.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "growth/leak_run.hpp"

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
