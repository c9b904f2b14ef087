// Samples at uneven times: rates and forecasts go by time, a gap is no proof of growth.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "compare/growth/golden_sentence.hpp"
#include "compare/growth/samples_growth.hpp"
#include "compare/growth/text.hpp"
#include "compare/read/samples/samples.hpp"
#include "support/valid_json.hpp"

namespace hbm::test::samples_uneven_tests {

using namespace hbm::imported;

namespace {

constexpr std::uint64_t minute = 60'000'000;
constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

sample_series timed(std::vector<memory_sample> samples) {
    return {.unit = growth_unit::times, .samples = std::move(samples)};
}
void add(std::vector<memory_sample>& target, std::uint64_t position, std::uint64_t bytes) {
    target.push_back({position, bytes, bytes});
}

/// 60 samples a minute apart, ten hours without any, 60 samples more; `bytes` says what is in use after so many
/// minutes.
template <class Bytes>
sample_series around_a_night(Bytes bytes) {
    std::vector<memory_sample> samples;
    for (std::uint64_t at = 0; at < 120; ++at) {
        const std::uint64_t minutes = at < 60 ? at : at + 600;
        add(samples, minutes * minute, bytes(minutes));
    }
    return timed(std::move(samples));
}

/// Times that follow each other by chance: in a Poisson process, or in bursts of 40 that are an hour apart, or ever
/// more rarely.
std::vector<std::uint64_t> random_times(std::mt19937_64& random, int kind, std::size_t count) {
    std::vector<std::uint64_t> times;
    double now = 0;
    for (std::size_t at = 0; at < count; ++at) {
        const double chance = static_cast<double>(random() >> 11U) / 9007199254740992.0;
        if (kind == 0) now += -std::log(1 - chance) * 60e6 + 1;
        if (kind == 1) now += at % 40 == 39 ? 3600e6 : 1e6 + chance * 1e5;
        if (kind == 2) now += 1e6 * static_cast<double>(1 + at) * (0.5 + chance);
        times.push_back(static_cast<std::uint64_t>(now));
    }
    return times;
}

}  // namespace

TEST_CASE("a leak is found through a night without samples, and memory ends when it does") {
    const sample_series leak =
        around_a_night([](std::uint64_t minutes) { return 4096 * mebibyte + minutes * mebibyte; });
    const growth_summary match = growth_of(leak, "s.csv", 16384 * mebibyte);
    REQUIRE(match.growth);
    CHECK(match.micro_rate(*match.growth) / 1'000'000 == doctest::Approx(60.0 * mebibyte).epsilon(0.01));
    // After (16384 - 4096) minutes in all, of which 719 are over.
    CHECK(match.position(match.growth->end_step(*match.capacity)) == doctest::Approx(12288.0 * minute).epsilon(0.01));
    CHECK(!match.gap);
    check_sentence("forecast in hours", match);
    CHECK(is_valid_json(to_json(match)));
}

TEST_CASE("a rise from one side of a gap to the other is no growth, and is told") {
    const sample_series step = around_a_night(
        [](std::uint64_t minutes) { return (minutes < 60 ? 4096 : 6144) * mebibyte + minutes * 7919 % 13 * 4096; });
    const growth_summary match = growth_of(step, "s.csv", 16384 * mebibyte);
    CHECK(!match.growth);
    REQUIRE(match.gap);
    check_sentence("gap", match);
    CHECK(to_json(match).find("\"gap\":{\"begin_step\":3540000000,\"end_step\":39600000000,\"risen_bytes\":2147") !=
          std::string::npos);
    CHECK(is_valid_json(to_json(match)));
}

TEST_CASE("after a jump in a gap, growth is that of the samples since") {
    const sample_series both = around_a_night([](std::uint64_t minutes) {
        return minutes < 60 ? 1024 * mebibyte : 8192 * mebibyte + (minutes - 660) * mebibyte;
    });
    const growth_summary match = growth_of(both, "s.csv", 16384 * mebibyte);
    REQUIRE(match.growth);
    CHECK(match.micro_rate(*match.growth) / 1'000'000 == doctest::Approx(60.0 * mebibyte).epsilon(0.02));
    CHECK(match.position(match.growth->end_step(*match.capacity)) ==
          doctest::Approx((660.0 + 8192.0) * minute).epsilon(0.02));
    check_sentence("since a jump in a gap", match);
}

TEST_CASE("a program that began anew in a gap is judged by what came after") {
    const sample_series anew = around_a_night([](std::uint64_t minutes) {
        return 4096 * mebibyte + (minutes < 60 ? minutes : minutes - 660) * 100 * mebibyte;
    });
    const growth_summary match = growth_of(anew, "s.csv", 16384 * mebibyte);
    REQUIRE(match.growth);
    CHECK(match.position(match.growth->end_step(*match.capacity)) ==
          doctest::Approx((660.0 + 122.88) * minute).epsilon(0.002));
}

TEST_CASE("the rate is right however the times lie") {
    for (int kind = 0; kind < 3; ++kind)
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            CAPTURE(kind);
            CAPTURE(seed);
            std::mt19937_64 random(seed);
            const std::vector<std::uint64_t> times = random_times(random, kind, 600);
            std::vector<memory_sample> samples;
            for (const std::uint64_t time : times)
                add(samples, time,
                    4096 * mebibyte + random() % (64 * mebibyte) +
                        2048 * mebibyte / 1000 * (time / (times.back() / 1000)));
            const growth_summary match = growth_of(timed(samples), "", 16384 * mebibyte);
            REQUIRE(match.growth);
            // 2048 MiB over the whole length, so that 12288 MiB take six lengths.
            CHECK(match.position(match.growth->end_step(*match.capacity)) ==
                  doctest::Approx(6.0 * static_cast<double>(times.back())).epsilon(0.1));
        }
}

TEST_CASE("noise without growth raises no alarm however the times lie") {
    int alarms = 0;
    for (int kind = 0; kind < 3; ++kind)
        for (std::uint64_t seed = 1; seed <= 60; ++seed) {
            std::mt19937_64 random(seed);
            const std::vector<std::uint64_t> times = random_times(random, kind, 400);
            std::vector<memory_sample> samples;
            double noise = 0;
            for (const std::uint64_t time : times) {
                noise = 0.9 * noise + static_cast<double>(random() % (64 * mebibyte));
                add(samples, time, 4096 * mebibyte + static_cast<std::uint64_t>(noise));
            }
            alarms += growth_of(timed(samples), "").growth ? 1 : 0;
        }
    CHECK(alarms == 0);
}

TEST_CASE("times that vary a little are left as they are; the peak and the passing of the limit are told exactly") {
    std::vector<memory_sample> samples;
    for (std::uint64_t at = 0; at < 100; ++at) add(samples, at * minute + at * 7919 % 5'000'000, 1000);
    CHECK(!is_uneven(samples));
    CHECK(growth_of(timed(samples), "").samples == 0);

    samples.clear();
    for (std::uint64_t at = 0; at < 100; ++at) add(samples, at * at * 1000, 1000 + at % 2);
    samples[40].in_use = samples[40].most = 5000;
    samples[70].most = 9000;
    REQUIRE(is_uneven(samples));
    const growth_summary match = growth_of(timed(samples), "", 4000);
    CHECK(match.samples == 100);
    CHECK(match.position(match.peak_step) == 70 * 70 * 1000);
    REQUIRE(match.passed_step);
    CHECK(match.position(*match.passed_step) == 40 * 40 * 1000);
    CHECK(match.position(match.steps) == 99 * 99 * 1000);
    CHECK(to_json(match).find("\"steps\":100,") != std::string::npos);
}

TEST_CASE("even distances: the last sample of a part, lines through parts without any, never too many parts") {
    std::vector<memory_sample> samples{{0, 10, 10}, {10, 20, 25}, {19, 30, 30}, {50, 60, 60}, {60, 40, 40}};
    const std::vector<even_sample> even = evenly_spaced(samples);
    CHECK(even == std::vector<even_sample>{{0, 10, 10, true},
                                           {19, 30, 30, true},
                                           {20, 30, 30, false},
                                           {30, 40, 40, false},
                                           {40, 50, 50, false},
                                           {50, 60, 60, true},
                                           {60, 40, 40, true}});
    samples.push_back({~std::uint64_t{0}, 50, 50});
    CHECK(evenly_spaced(samples).size() <= 8 * samples.size() + 1);
    CHECK(is_uneven(samples));
    CHECK(!is_uneven(std::vector<memory_sample>{{1, 1, 1}, {900, 1, 1}}));
}

TEST_CASE("too few samples: the answer has their number and the bytes in use") {
    check_sentence("one sample", growth_of(timed({{7, 1, 1}}), ""));
    check_sentence("one sample of a device", growth_of(timed({{7, 3 << 20, 4 << 20}}), "", std::uint64_t{16} << 20));
    check_sentence("no samples", growth_of(timed({}), ""));
}

TEST_CASE("a few samples far apart are no growth, though there are many places between them") {
    std::vector<memory_sample> samples;
    for (std::uint64_t at = 0; at < 7; ++at) add(samples, at * at * at * minute, at * at * at * mebibyte);
    const growth_summary match = growth_of(timed(samples), "");
    CHECK(!match.growth);
    CHECK(to_json(match).find("\"verdict\":\"too_short\"") != std::string::npos);
}

}  // namespace hbm::test::samples_uneven_tests
