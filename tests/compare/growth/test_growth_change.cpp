// A single rise at once in a series, and a series that ends above where it began.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "compare/growth/forecast.hpp"

namespace hbm::test::growth_change_tests {

namespace {

constexpr std::uint64_t gibi = std::uint64_t{1} << 30;

std::vector<std::uint64_t> series(std::size_t length, const std::function<double(std::size_t)>& bytes_at) {
    std::vector<std::uint64_t> made;
    for (std::size_t at = 0; at < length; ++at) made.push_back(static_cast<std::uint64_t>(bytes_at(at)));
    return made;
}

/// Noise of about 20 MB around 8 GiB, each value `memory` times the one before and as much new noise as keeps it at
/// that.
std::vector<std::uint64_t> noise(std::uint64_t seed, std::size_t length, double memory) {
    std::mt19937_64 random(seed);
    double now = 0;
    return series(length, [&](std::size_t) {
        double sum = -6;  // of twelve even numbers: nearly normal, with the variance 1
        for (int each = 0; each < 12; ++each) sum += static_cast<double>(random() >> 11U) / 9007199254740992.0;
        now = memory * now + std::sqrt(1 - memory * memory) * 2e7 * sum;
        return 8.0 * gibi + now;
    });
}

}  // namespace

TEST_CASE("a jump is found at its step and with its bytes, whatever the slope is") {
    for (const double slope : {0.0, 2e6, -2e6})
        for (const std::size_t at : {8U, 100U, 192U}) {
            CAPTURE(slope);
            CAPTURE(at);
            const auto found = growth_jump_of(series(200, [&](std::size_t step) {
                return 8.0 * gibi + slope * static_cast<double>(step) + (step >= at ? 1.0 * gibi : 0);
            }));
            REQUIRE(found);
            CHECK(*found == growth_jump{at + 1, gibi});
        }
}

TEST_CASE("a jump is found in noise, about as large as it is") {
    for (const double memory : {0.0, 0.5, 0.9}) {
        CAPTURE(memory);
        std::vector<std::uint64_t> all = noise(5, 400, memory);
        for (std::size_t at = 300; at < 400; ++at) all[at] += gibi;
        const auto found = growth_jump_of(all);
        REQUIRE(found);
        CHECK(found->step == 301);
        CHECK(static_cast<double>(found->risen_bytes) == doctest::Approx(1.0 * gibi).epsilon(0.1));
        all[50] += 3 * gibi;
        CHECK(!growth_jump_of(all));  // nobody knows which of the two it is
    }
}

TEST_CASE("what rises several times, goes back, or is short has no jump") {
    CHECK(
        !growth_jump_of(series(600, [](std::size_t at) { return 8.0 * gibi + 1e8 * static_cast<double>(at / 100); })));
    CHECK(!growth_jump_of(series(600, [](std::size_t at) { return 1.0 * gibi * (at % 100 < 50 ? 1 : 2); })));
    CHECK(!growth_jump_of(series(600, [](std::size_t at) { return 8.0 * gibi + 4e6 * static_cast<double>(at % 50); })));
    CHECK(!growth_jump_of(
        series(600, [](std::size_t at) { return 8.0 * gibi - gibi * std::exp(-0.1 * static_cast<double>(at)); })));
    CHECK(!growth_jump_of(series(600, [](std::size_t) { return 8.0 * gibi; })));
    CHECK(!growth_jump_of(series(39, [](std::size_t at) { return at < 12 ? 1 : 5; })));
    CHECK(growth_jump_of(series(40, [](std::size_t at) { return at < 12 ? 1 : 5; })) == growth_jump{13, 4});
    CHECK(!growth_jump_of({}));
    for (std::uint64_t seed = 0; seed < 200; ++seed)
        for (const double memory : {0.0, 0.9}) {
            CAPTURE(seed);
            CHECK(!growth_jump_of(noise(seed, 100, memory)));
        }
}

TEST_CASE("a series ends higher than it began if it rises by more than it ever falls") {
    // Of 200 sizes the first and last 25 count; the medians are those of the sizes 12 and 187.
    const auto line =
        growth_rise_of(series(200, [](std::size_t at) { return 1000.0 + 10.0 * static_cast<double>(at); }));
    REQUIRE(line);
    CHECK(*line == growth_rise{1120, 2870});
    const auto saw = [](double slope) {
        return growth_rise_of(series(400, [&](std::size_t at) {
            return 8.0 * gibi + slope * static_cast<double>(at) + 4e6 * static_cast<double>(at % 50);
        }));
    };
    CHECK(!saw(0));
    CHECK(saw(2e6));
    CHECK(!growth_rise_of(series(400, [](std::size_t at) { return 8.0 * gibi - 1e6 * static_cast<double>(at); })));
    CHECK(!growth_rise_of(series(400, [](std::size_t) { return 5.0; })));
    CHECK(!growth_rise_of({}));
    // A spike falls further than anything rises, unless it is left out.
    std::vector<std::uint64_t> spiky = series(400, [](std::size_t at) { return 1000.0 + static_cast<double>(at); });
    spiky[200] = 9000;
    CHECK(!growth_rise_of(spiky));
    CHECK(growth_rise_of(spiky, 1400));
    // Noise falls as far as it rises.
    for (std::uint64_t seed = 0; seed < 200; ++seed)
        for (const double memory : {0.0, 0.5, 0.9}) {
            CAPTURE(seed);
            CHECK(!growth_rise_of(noise(seed, 100, memory)));
        }
}

}  // namespace hbm::test::growth_change_tests
