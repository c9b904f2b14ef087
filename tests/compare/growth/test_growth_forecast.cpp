// A single rise at once in a series, and a series that ends above where it began.

#include <hbm/growth/growth.hpp>
#include <hbm/hbm.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "compare/growth/forecast.hpp"
#include "compare/growth/golden_sentence.hpp"
#include "compare/growth/growth.hpp"
#include "compare/growth/text.hpp"
#include "compare/replay/capacity.hpp"
#include "compare/replay/replay.hpp"
#include "compare/replay/replayed_manager.hpp"
#include "compare/replay/trace_helpers.hpp"
#include "growth/leak_series.hpp"

namespace hbm::test::growth_forecast_tests {

namespace {

constexpr std::uint64_t gibi = std::uint64_t{1} << 30;

std::vector<std::uint64_t> series(std::size_t length, const std::function<double(std::size_t)>& bytes_at) {
    std::vector<std::uint64_t> result;
    for (std::size_t at = 0; at < length; ++at) result.push_back(static_cast<std::uint64_t>(bytes_at(at)));
    return result;
}

/// Noise of about 20 MB around 8 GiB, each value `memory` times the one before and as much new noise as keeps it at
/// that.
std::vector<std::uint64_t> noise(std::uint64_t seed, std::size_t length, double memory) {
    std::mt19937_64 random(seed);
    double now = 0;
    return series(length, [&](std::size_t) {
        double sum = -6;  // of twelve even numbers: nearly normal, with the variance 1
        for (int entry = 0; entry < 12; ++entry) sum += static_cast<double>(random() >> 11U) / 9007199254740992.0;
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
            const auto match = growth_jump_of(series(200, [&](std::size_t step) {
                return 8.0 * gibi + slope * static_cast<double>(step) + (step >= at ? 1.0 * gibi : 0);
            }));
            REQUIRE(match);
            CHECK(*match == growth_jump{at + 1, gibi});
        }
}

TEST_CASE("a jump is found in noise, about as large as it is") {
    for (const double memory : {0.0, 0.5, 0.9}) {
        CAPTURE(memory);
        std::vector<std::uint64_t> all = noise(5, 400, memory);
        for (std::size_t at = 300; at < 400; ++at) all[at] += gibi;
        const auto match = growth_jump_of(all);
        REQUIRE(match);
        CHECK(match->step == 301);
        CHECK(static_cast<double>(match->risen_bytes) == doctest::Approx(1.0 * gibi).epsilon(0.1));
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

TEST_CASE("forecast: distinguishes a spike from growth, a step and no change") {
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

namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;
constexpr std::uint64_t capacity = 16'000 * mib;

template <class Placement>
using watched = hbm::manager<Placement, hbm::never_evict, hbm::donate_same_size, hbm::relieve_cheapest, hbm::no_device,
                             hbm::growth_by_tag>;
using reserving = watched<hbm::bottom_reserve<hbm::compacting<hbm::best_fit>>>;

/// The steps of a training program beside an evaluation and a rare save, with batches of several sizes; each step keeps
/// a tensor that nobody frees. All three programs together hold 6.4 GiB of the 16: 4 GiB of them is scratch, which they
/// share.
struct steps {
    std::uint64_t seed = 0;

    [[nodiscard]] std::uint64_t batch(std::uint64_t step) const {
        return (400 + hbm::testing::random_numbers{seed * 100'000 + step}.below(200)) * mib;
    }
    [[nodiscard]] static std::uint64_t leaked(std::uint64_t) { return 2 * mib; }

    [[nodiscard]] std::string trace(std::uint64_t count) const {
        std::string text = "op,id,bytes,tag,inputs,outputs,scratch\n"
                           "load,train,1258291200,,,,4294967296\nload,eval,838860800,,,,2147483648\nload,save,"
                           "419430400,,,,1073741824\n"
                           "alloc,w,2147483648,weights,,,\n";
        for (std::uint64_t step = 0; step < count; ++step)
            text += "alloc,b," + std::to_string(batch(step)) + ",batch,,,\nrun," +
                    (step % 50 == 49 ? "eval" : "train") + ",,log,w b,l" + std::to_string(step) + ":" +
                    std::to_string(leaked(step)) + ",\nfree,b,,,,,\n";
        return text;
    }
};

/// The number of rows of the heading and of a step.
constexpr std::size_t first_rows = 4;
constexpr std::size_t step_rows = 3;

/// Whether a forecast, made after `now` of `end` steps, is off by at most a tenth of the steps that are left.
bool is_close(std::uint64_t forecast, std::uint64_t now, std::uint64_t end) {
    const std::uint64_t miss = forecast > end ? forecast - end : end - forecast;
    return miss * 10 <= end - now;
}

}  // namespace

TEST_CASE("the forecast from a trace counts the scratch that programs share, as the memory does in which it ends") {
    using evicting =
        hbm::manager<hbm::bottom_reserve<hbm::compacting<hbm::best_fit>>, hbm::evict_lru, hbm::donate_same_size>;
    for (const std::uint64_t seed : {1U}) {
        CAPTURE(seed);
        const hbm::trace::workload load = read_right(steps{seed}.trace(4500));
        const auto ended = hbm::trace::measure<reserving>(load, {.name = "device", .capacity = capacity}, false);
        REQUIRE(!ended.completed);
        const std::uint64_t end = (*ended.failed_event - first_rows) / step_rows;
        REQUIRE(end > 3000);
        // Where programs may leave, memory lasts longer.
        const auto later = hbm::trace::measure<evicting>(load, {.name = "device", .capacity = capacity}, false);
        REQUIRE(!later.completed);
        const std::uint64_t last = (*later.failed_event - first_rows) / step_rows;
        REQUIRE(last > end + 300);
        for (const std::uint64_t now : {1000U, 2000U}) {
            CAPTURE(now);
            const hbm::growth_summary told = hbm::trace::growth_of(load, 512, capacity, first_rows + now * step_rows);
            REQUIRE(told.growth);
            const std::uint64_t forecast = told.growth->end_step(*told.capacity);
            CAPTURE(forecast);
            CHECK(is_close(forecast, now, end));
            REQUIRE(told.evicting);
            CHECK(is_close(told.evicting->end_step(*told.capacity), now, last));
            hbm::test::check_sentence("programs that can be evicted", told);
        }
    }
}

TEST_CASE("the forecast of a manager leaves room for the scratch of its programs, wherever that lies") {
    const auto follow = [](auto memory) {
        const auto train = memory.load({.name = "train", .code = 1200 * mib, .scratch = 4096 * mib});
        const auto eval = memory.load({.name = "eval", .code = 800 * mib, .scratch = 2048 * mib});
        const auto weights = memory.allocate(2048 * mib, "weights");
        REQUIRE((train && eval && weights));
        std::optional<std::uint64_t> forecast;
        std::uint64_t step = 0;
        constexpr std::uint64_t now = 1000;
        for (;; ++step) {
            const auto batch = memory.allocate(steps{3}.batch(step), "batch");
            if (!batch) break;
            const auto ran =
                memory.run(step % 50 == 49 ? *eval : *train,
                           {.inputs = {*weights, *batch}, .outputs = {{steps::leaked(step), memory.tag_of("log")}}});
            if (!ran) break;
            REQUIRE(memory.free(*batch));
            if (step + 1 != now) continue;
            const std::optional<hbm::steady_growth>& growth = memory.events().total().series.growing();
            REQUIRE(growth);
            forecast = growth->end_step(memory.events().room_in(memory));
        }
        CAPTURE(step);
        REQUIRE(forecast);
        CAPTURE(*forecast);
        CHECK(is_close(*forecast, now, step));
    };
    follow(reserving{{.name = "device", .capacity = capacity}});
    // Without a reservation the scratch of each program is a block of its own.
    follow(watched<hbm::compacting<hbm::best_fit>>{{.name = "device", .capacity = capacity}});
}

TEST_CASE("scratch follows the programs that are loaded: the largest counts, and no number of blocks changes") {
    const hbm::trace::workload load = read_right("op,id,bytes,scratch\nload,a,512,4096\nload,b,512,1024\nload,c,512,"
                                                 "\nunload,a,\nrun,a,\nunload,b,\nunload,a,\n");
    const auto bytes_after = [&](std::size_t rows) {
        const hbm::growth_summary told = hbm::trace::growth_of(load, 512, std::nullopt, rows);
        REQUIRE(told.tags.size() == 1);
        CHECK(told.tags.front().at_end.bytes == told.end_bytes);
        return std::to_string(told.end_bytes) + " in " + std::to_string(told.tags.front().at_end.count);
    };
    CHECK(bytes_after(1) == "4608 in 1");
    CHECK(bytes_after(2) == "5120 in 2");
    CHECK(bytes_after(3) == "5632 in 3");
    CHECK(bytes_after(4) == "2048 in 2");
    CHECK(bytes_after(5) == "5632 in 3");
    CHECK(bytes_after(6) == "5120 in 2");
    CHECK(bytes_after(7) == "512 in 1");
}

}  // namespace hbm::test::growth_forecast_tests
