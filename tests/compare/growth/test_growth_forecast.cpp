// When memory ends under a leak beside programs: the forecast against the row at which a replay fails.
#include <hbm/growth/growth.hpp>
#include <hbm/hbm.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "compare/growth/growth.hpp"
#include "compare/growth/text.hpp"
#include "compare/read/csv/read.hpp"
#include "compare/replay/capacity.hpp"
#include "compare/replay/replay.hpp"
#include "compare/replay/replayed_manager.hpp"
#include "compare/replay/trace_helpers.hpp"

namespace hbm::test::growth_forecast_tests {

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
            CHECK(hbm::sentence(told).find("; if programs that do not run are evicted, it is full at run ") !=
                  std::string::npos);
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
