// The observer that finds growth by tag, in managers.
#include <hbm/compact.hpp>
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/events/observers.hpp>
#include <hbm/events/statistics.hpp>
#include <hbm/growth/growth.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <support/managers.hpp>
#include <vector>

namespace hbm::test::growth_tests {

namespace {

constexpr std::uint64_t q = 512;

template <class Placement = best_fit, class Eviction = never_evict, class Events = growth_by_tag>
using watched = manager<Placement, Eviction, donate_same_size, relieve_cheapest, no_device, Events>;

constexpr memory_spec large{.name = "large", .capacity = 1'000'000 * q};

}  // namespace

TEST_CASE("a tag that leaks is named while the program runs; those that come and go are not") {
    watched<best_fit, never_evict, observers<statistics, growth_by_tag>> memory{large};
    const growth_by_tag& seen = memory.events().get<growth_by_tag>();
    const auto p = memory.load({.name = "p", .code = 4 * q});
    REQUIRE(p);
    std::optional<std::uint64_t> noticed;
    for (std::uint64_t step = 1; step <= 1000; ++step) {
        const auto batch = memory.allocate((100 + step % 7) * q, "batch");
        REQUIRE(batch);
        REQUIRE(memory.run(*p, {.donated = {*batch}, .outputs = {(100 + step % 7) * q, 2 * q}}));
        if (step % 4 == 0) REQUIRE(memory.allocate(3 * q, "metrics"));
        for (const auto& block : memory.blocks())
            if (block.kind == block_kind::data &&
                std::string(memory.name_of(static_cast<tag>(block.owner))) != "metrics")
                REQUIRE(memory.free(block.handle));
        if (!noticed && seen.total().series.growing()) noticed = step;
    }
    CHECK(noticed == 512);
    CHECK(seen.steps() == 1000);
    REQUIRE(seen.fastest());
    CHECK(std::string(memory.name_of(*seen.fastest())) == "metrics");
    CHECK(seen[memory.tag_of("metrics")].series.growing()->micro_bytes_a_step() / 1'000'000 == 383);  // 3 * 512 / 4
    CHECK(seen[memory.tag_of("metrics")].bytes == 250 * 3 * q);
    CHECK(seen[memory.tag_of("metrics")].count == 250);
    std::uint64_t oldest = 0;
    for (const auto& block : memory.blocks())
        if (block.kind == block_kind::data) oldest = std::max(oldest, seen.age(block.handle.index).value_or(0));
    CHECK(oldest == 996);
    CHECK(!seen[memory.tag_of("batch")].series.growing());
}

TEST_CASE("an output in flight counts with what it needs once its run is over") {
    for (const std::uint32_t in_flight : {0u, 1u}) {
        manager<best_fit, never_evict, donate_fitting, relieve_cheapest, no_device, growth_by_tag> memory{
            {.name = "small", .capacity = 40 * q, .runs_in_flight = in_flight}};
        const auto p = memory.load({.name = "p", .code = q});
        const auto input = memory.allocate(30 * q, "input");
        const auto ran = memory.run(*p, {.donated = {*input}, .outputs = {{2 * q, "output"}}});
        REQUIRE(ran);
        const tallied_tag& output = memory.events()[memory.tag_of("output")];
        CHECK(output.bytes == (in_flight == 0 ? 2 * q : 30 * q));
        memory.sync();
        CHECK(output.bytes == 2 * q);
        CHECK(output.count == 1);
        CHECK(memory.events().age(ran->outputs[0].index) == 1);
        CHECK(memory.events()[memory.tag_of("input")].bytes == 0);
        REQUIRE(memory.free(ran->outputs[0]));
        CHECK(output.bytes == 0);
        CHECK(output.count == 0);
    }
}

TEST_CASE("an observer that comes late counts what is there, and a copy goes on by itself") {
    watched<> memory{large};
    REQUIRE(memory.allocate(5 * q, "old"));
    CHECK(memory.events()[memory.tag_of("old")].bytes == 5 * q);
    watched<> copy = memory;
    CHECK(copy.events() == memory.events());
    REQUIRE(copy.allocate(q, "old"));
    CHECK(copy.events()[copy.tag_of("old")].bytes == 6 * q);
    CHECK(memory.events()[memory.tag_of("old")].bytes == 5 * q);

    growth_by_tag late;
    late.look_at(memory.view());
    late.step();
    late.look_at(copy.view());
    CHECK(late.total().bytes == 6 * q);
    CHECK(late.total().least == 5 * q);
}

TEST_CASE("steps by hand: for memory without programs") {
    watched<> memory{large, {.events = growth_by_tag{{.window = 1}}}};
    for (int step = 0; step < 50; ++step) {
        REQUIRE(memory.allocate(q, "leak"));
        const auto brief = memory.allocate(100 * q);
        REQUIRE(memory.free(*brief));
        memory.events().step();
    }
    REQUIRE(memory.events()[memory.tag_of("leak")].series.growing());
    CHECK(memory.events()[memory.tag_of("leak")].series.growing()->noticed == 32);
    CHECK(memory.events().total().series.growing());
}

TEST_CASE("a buffer that grows is noticed as soon if a run that donates it updates it in place") {
    const auto noticed = [](bool donates) {
        watched<> memory{{.capacity = 4'000'000 * q}};
        const program update = *memory.load({.name = "update", .code = q});
        const tag cache = memory.tag_of("cache");
        buffer now = *memory.allocate({.bytes = q, .label = cache});
        for (std::uint64_t step = 1; step <= 1000; ++step) {
            const std::uint64_t bytes = step * q;
            const buffer next = *memory.allocate({.bytes = bytes, .label = cache});
            memory.free(now);
            now = next;
            if (donates)
                now = memory.run(update, {.donated = {next}, .outputs = {output(bytes, cache)}})->outputs[0];
            else
                REQUIRE(memory.run(update, {.inputs = {next}}));
            if (memory.events()[cache].series.growing() && memory.events().total().series.growing()) return step;
        }
        return std::uint64_t{0};
    };
    CHECK(noticed(false) != 0);
    CHECK(noticed(true) == noticed(false));
}

TEST_CASE("an output of another tag takes the bytes of its donor, which are there all the time") {
    watched<best_fit, never_evict> memory{large};
    const program p = *memory.load({.name = "p", .code = q});
    memory.events().step();
    const buffer old = *memory.allocate(5 * q, "old");
    REQUIRE(memory.run(p, {.donated = {old}, .outputs = {output(5 * q, memory.tag_of("new"))}}));
    const growth_by_tag& seen = memory.events();
    CHECK(seen[memory.tag_of("old")].bytes == 0);
    CHECK(seen[memory.tag_of("old")].count == 0);
    CHECK(seen[memory.tag_of("new")].bytes == 5 * q);
    CHECK(seen[memory.tag_of("new")].count == 1);
    CHECK(seen.total().bytes == 6 * q);
    CHECK(seen.total().series.highest_bytes() == 6 * q);
}

TEST_CASE("new outputs and long donors are live at a time: so say the totals and the statistics") {
    using memory_type = manager<best_fit, never_evict, donate_fitting, relieve_cheapest, no_device,
                                observers<statistics, growth_by_tag>>;
    memory_type memory{large};
    const program p = *memory.load({.name = "p", .code = q});
    const buffer donor = *memory.allocate(400 * q);
    REQUIRE(memory.run(p, {.donated = {donor}, .outputs = {100 * q, 512 * q}})->donated == 1);
    CHECK(memory.peak_live_bytes() == 913 * q);
    CHECK(memory.events().get<statistics>().peak_bytes_in_use == 913 * q);
    CHECK(memory.events().get<growth_by_tag>().total().most == 913 * q);
    CHECK(memory.events().get<growth_by_tag>().total().bytes == 613 * q);
}

TEST_CASE("code that leaves, and memory that is recounted, in the middle of a move count their bytes once") {
    for (const bool unloads : {false, true}) {
        watched<compacting<best_fit>, evict_lru> memory{{.capacity = 2048 * q}};
        const buffer hole = *memory.allocate(128 * q);
        const program p = *memory.load({.name = "p", .code = 512 * q});
        memory.free(hole);
        memory.compact(256 * q);
        REQUIRE(memory.moving());
        REQUIRE((unloads ? memory.unload(p) : memory.evict(p)));
        CHECK(memory.events().programs().bytes == 0);
        CHECK(memory.events().programs().count == 0);
        CHECK(memory.events().total().bytes == 0);
    }
    watched<compacting<best_fit>> memory{{.capacity = 2048 * q}};
    const buffer hole = *memory.allocate(128 * q);
    REQUIRE(memory.allocate(512 * q, "large"));
    memory.free(hole);
    memory.compact(256 * q);
    REQUIRE(memory.moving());
    REQUIRE(memory.extend(4096 * q));
    CHECK(memory.events().total().bytes == 512 * q);
    REQUIRE(memory.finish_moves());
    CHECK(memory.events()[memory.tag_of("large")].bytes == 512 * q);
}

TEST_CASE("a recount keeps the bytes of a buffer that was freed in the middle of a move, and the names that counted") {
    watched<compacting<best_fit>> memory{{.capacity = 2048 * q, .runs_in_flight = 2}};
    const buffer hole = *memory.allocate(128 * q);
    const buffer half_moved = *memory.allocate(512 * q, "large");
    const program p = *memory.load({.name = "p", .code = q});
    memory.free(hole);
    memory.compact(256 * q);
    REQUIRE(memory.moving());
    memory.rename(half_moved, "renamed");
    memory.free(half_moved, memory.run(p, {}).value().over);
    REQUIRE(memory.extend(4096 * q));
    CHECK(memory.events().total().bytes == 513 * q);
    CHECK(memory.events()[memory.tag_of("large")].bytes == 512 * q);
    CHECK(memory.events()[memory.tag_of("renamed")].bytes == 0);
    memory.sync();
    CHECK(memory.events().total().bytes == q);
}

TEST_CASE("room_in: leaves room for scratch also where sizes are rounded") {
    watched<buddy> memory{{.capacity = 2048 * q}};
    REQUIRE(memory.load({.name = "p", .code = q, .scratch = 512 * q}));
    while (memory.allocate(5 * q)) {
    }
    CHECK(memory.events().room_in(memory) == 1536 * q);
}

}  // namespace hbm::test::growth_tests
