// Small traces whose figures were worked out by hand. A section of figures.txt has managers with their quanta, a trace,
// `---`, and the figures under each manager. A new section needs no more than these: with HBM_WRITE_GOLDEN=1 the
// figures are written below them.

#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/placement/lifetimes_apart.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/read/csv/read.hpp"
#include "compare/replay/capacity.hpp"
#include "compare/replay/digest.hpp"
#include "compare/replay/replay.hpp"
#include "compare/replay/replayed_manager.hpp"
#include "support/golden_text.hpp"

namespace hbm::test::replay_tests {

namespace {

using hbm::trace::figures;
using hbm::trace::workload;

workload parse(const std::string& text) {
    return hbm::trace::read_text(text, "by hand");
}

hbm::memory_spec memory_of(std::uint64_t quanta) {
    return {.capacity = quanta * 512};
}

template <class... Managers>
struct manager_list {};

using from_top = hbm::bottom_reserve<hbm::best_fit>;
using all_managers = manager_list<hbm::manager<hbm::best_fit>, hbm::manager<hbm::best_fit, hbm::evict_lru>,
                                  hbm::manager<hbm::best_fit, hbm::never_evict, hbm::donate_same_size>,
                                  hbm::manager<hbm::compacting<hbm::best_fit>>, hbm::manager<from_top>,
                                  hbm::manager<from_top, hbm::evict_lru>>;

/// Returns the figures that are stated and not 0.
std::string words(std::initializer_list<std::pair<const char*, std::optional<std::uint64_t>>> stated) {
    std::string text;
    for (const auto& [name, value] : stated)
        if (value.value_or(0) != 0) text += std::string(", ") + name + " " + std::to_string(*value);
    return text;
}

std::optional<std::uint64_t> millionths(const std::optional<hbm::trace::fraction>& value) {
    return value ? std::optional(value->millionths) : std::nullopt;
}

std::string described(const figures& result) {
    std::string text = result.completed ? "completes" : "fails at " + std::to_string(*result.failed_event);
    text += words({{"events", result.events},
                   {"capacity", result.capacity_bytes},
                   {"peak", result.peak_live_bytes},
                   {"footprint", result.footprint_bytes},
                   {"overhead", millionths(result.overhead_ratio)},
                   {"fragmentation", millionths(result.fragmentation_mean)},
                   {"at worst", millionths(result.fragmentation_worst)},
                   {"enough free", result.oom_with_enough_free},
                   {"relieved", result.relieved},
                   {"evictions", result.evictions},
                   {"bytes", result.evicted_bytes},
                   {"reloads", result.reloads},
                   {"us", result.reload_us},
                   {"moves", result.moves},
                   {"bytes", result.moved_bytes},
                   {"us", result.move_us},
                   {"donations", result.donations_offered},
                   {"taken", result.donations_taken},
                   {"bytes", result.donated_bytes}});
    return text + (result.error ? "\n  " + *result.error : "") + "\n";
}

/// Replays a trace if `under` names the manager; `quanta` is a number, or unlimited.
template <class Manager>
std::string replayed_under(std::string_view under, const std::string& quanta, const workload& trace) {
    if (under != std::string_view(Manager::name.c_str())) return {};
    if (quanta != "unlimited")
        return described(hbm::trace::measure<Manager>(trace, memory_of(std::stoull(quanta)), false));
    if constexpr (requires { Manager::unlimited(512); })
        return described(hbm::trace::measure<Manager>(trace, Manager::unlimited(512), true));
    return {};
}

/// Replays the trace of a section under each of its managers.
std::string described(const std::string& section) {
    const std::size_t end = section.find('\n');
    const workload trace = parse(section.substr(end + 1));
    std::istringstream managers(section.substr(0, end));
    std::string text;
    for (std::string manager; std::getline(managers >> std::ws, manager, ';');) {
        const std::size_t space = manager.find(' ');
        const std::string under = manager.substr(0, space);
        const std::string quanta = manager.substr(space + 1);
        const auto replay = [&]<class... Managers>(manager_list<Managers...>) {
            return (replayed_under<Managers>(under, quanta, trace) + ...);
        };
        text += replay(all_managers{});
    }
    return text;
}

}  // namespace

TEST_CASE("replay: figures are those of the golden file") {
    check_golden_inputs("compare/replay/figures.txt",
                        [](const std::string&, const std::string& section) { return described(section); });
}

TEST_CASE("replay: the digest is that of the offsets of fresh blocks") {
    using donating = hbm::manager<hbm::best_fit, hbm::never_evict, hbm::donate_same_size>;
    const workload trace = parse("op,id,bytes,donated,outputs\nalloc,s,2048,,\nload,p,512,,\nrun,p,,s,o:2048 x:1024\n");
    hbm::trace::digest offsets;
    for (const std::uint64_t offset : {0u, 5u * 512u}) offsets.add(offset);  // s, and x after s and the code
    CHECK(hbm::trace::measure<donating>(trace, donating::unlimited(512), true).placement_digest == offsets.value);
}

TEST_CASE("a manager keeps the handle of a program that is unloaded for now") {
    using lru = hbm::manager<hbm::best_fit, hbm::evict_lru>;
    lru memory(memory_of(4));
    const hbm::program p = *memory.load({.name = "p", .code = 1024, .scratch = 512, .reload_us = 3});
    REQUIRE(memory.unload_for_now(p));
    CHECK(memory.check(p) == hbm::error::none);
    CHECK(!memory.about(p).resident);
    CHECK(memory.about(p).uses == 0);
    CHECK(memory.live_bytes() == 0);
    CHECK(memory.unload_for_now(p));  // nothing to do
    const auto ran = memory.run(p, {.outputs = {512}});
    REQUIRE(ran);
    CHECK(!ran->reloaded);
    CHECK(memory.about(p).resident);
    CHECK(memory.about(p).uses == 1);
    CHECK(memory.done_so_far().evictions == 0);
    CHECK(memory.done_so_far().reloads == 0);
    REQUIRE(memory.evict(p));
    REQUIRE(memory.load(p));
    CHECK(memory.done_so_far().reloads == 1);  // it was evicted this time
    REQUIRE(memory.unload(p));
    CHECK(memory.unload_for_now(p).error().reason == hbm::error::stale_handle);
}

TEST_CASE("an imported range lies at its offset, and stays there until somebody unpins it") {
    using moving = hbm::manager<hbm::compacting<hbm::best_fit>>;
    const std::string held = "op,id,bytes,offset\nimport,a,1000,2048\nalloc,b,512\nalloc,c,512\n";
    const workload trace = parse(held);
    hbm::trace::replayed<moving> memory(memory_of(8));
    hbm::trace::replay run(trace, memory);
    REQUIRE(run.step());
    CHECK(memory.where(run.buffer_of(0)) == hbm::extent{2048, 1024});  // 1,000 bytes are two quanta
    CHECK(memory.pins(run.buffer_of(0)) == 1);
    CHECK(run.fresh().empty());
}

TEST_CASE("imports into every kind of placement") {
    const workload trace = parse("op,id,bytes,offset\nimport,a,1536,1024\nimport,b,512,0\nalloc,c,512\nfree,a\n");
    const auto check = [&]<class Placement>(Placement) {
        hbm::trace::replayed<hbm::manager<Placement>> memory(memory_of(16));
        hbm::trace::replay run(trace, memory);
        while (run.step()) {
            if (run.at() == 3) {
                CHECK(memory.where(run.buffer_of(0)) == hbm::extent{1024, 1536});
                CHECK(memory.where(run.buffer_of(1)) == hbm::extent{0, 512});
            }
        }
        CHECK(run.at() == 4);
    };
    check(hbm::best_fit{});
    check(hbm::first_fit{});
    check(hbm::good_fit{});
    check(hbm::buddy{});
    check(hbm::bfc{});
    check(hbm::bottom_reserve<hbm::best_fit>{});
    check(hbm::bottom_reserve<hbm::compacting<hbm::buddy>>{});
    check(hbm::free_together<hbm::best_fit>{});
    check(hbm::lifetimes_apart<hbm::first_fit>{});
}

TEST_CASE("random imports lie where they were asked for, as long as their ranges are free") {
    constexpr std::uint64_t quanta = 48;
    const auto check = [&]<class Placement>(Placement, std::uint64_t seed) {
        CAPTURE(seed);
        std::uint64_t state = seed;
        const auto below = [&](std::uint64_t bound) {
            state = state * 6364136223846793005 + 1442695040888963407;
            return (state >> 33U) % bound;
        };
        struct range {
            std::uint64_t offset, size;
            bool is_live;
        };
        std::vector<range> ranges;  // the plain model: all that was imported, by number
        std::string rows = "op,id,bytes,offset\n";
        bool taken = false;
        while (ranges.size() < 60 && !taken) {
            const range wanted{below(quanta), 1 + below(8), true};
            taken = wanted.offset + wanted.size > quanta;
            for (const range& each : ranges)
                taken = taken || (each.is_live && each.offset < wanted.offset + wanted.size &&
                                  wanted.offset < each.offset + each.size);
            if (taken && below(12) != 0) {
                taken = false;
                const std::uint64_t freed = ranges.empty() ? 0 : below(ranges.size());
                if (ranges.empty() || !ranges[freed].is_live) continue;
                ranges[freed].is_live = false;
                rows += (below(2) == 0 ? "unpin,r" + std::to_string(freed) + "\n" : "") + "free,r" +
                        std::to_string(freed) + "\n";
                continue;
            }
            rows += "import,r" + std::to_string(ranges.size()) + ',' + std::to_string(wanted.size * 512 - below(512)) +
                    ',' + std::to_string(wanted.offset * 512) + '\n';
            ranges.push_back(wanted);
        }
        CAPTURE(rows);
        const workload trace = parse(rows);
        hbm::trace::replayed<hbm::manager<Placement>> memory(memory_of(quanta));
        hbm::trace::replay run(trace, memory);
        while (run.step()) {
        }
        REQUIRE(run.at() == trace.rows.size() - (taken ? 1 : 0));
        if (taken) CHECK(run.trouble().reason == hbm::error::range_is_taken);
        for (std::size_t at = 0; at + (taken ? 1 : 0) < ranges.size(); ++at)
            if (ranges[at].is_live)
                CHECK(memory.where(run.buffer_of(static_cast<hbm::trace::id>(at))) ==
                      hbm::extent{ranges[at].offset * 512, ranges[at].size * 512});
    };
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        check(hbm::best_fit{}, seed);
        check(hbm::buddy{}, seed);
        check(hbm::bottom_reserve<hbm::compacting<hbm::best_fit>>{}, seed);
    }
}

TEST_CASE("the least bytes of a workload reach to the end of every imported range") {
    CHECK(hbm::trace::min_bytes(parse("op,id,bytes,offset\nimport,a,100,1024\nalloc,b,512\n"), 512) == 3 * 512);
    CHECK(hbm::trace::min_bytes(parse("op,id,bytes,offset\nimport,a,100,512\nalloc,b,2048\n"), 512) == 5 * 512);
    CHECK(hbm::trace::min_bytes(parse("op,id,bytes,offset\nimport,a,1,18446744073709551613\n"), 512) ==
          ~std::uint64_t{0});
    const workload trace = parse("op,id,bytes,offset\nimport,a,512,1024\nalloc,b,1536\n");
    const auto found =
        hbm::trace::min_capacity(hbm::trace::min_bytes(trace, 512), 1 << 20, 512, 100, [&](std::uint64_t bytes) {
            hbm::trace::replayed<hbm::manager<hbm::best_fit>> memory({.capacity = bytes});
            return hbm::trace::completes(trace, memory);
        });
    REQUIRE(found);
    CHECK(found->bytes == 6 * 512);  // b does not fit below a
}

TEST_CASE("the least bytes of a workload bound every manager") {
    const workload plain = parse("op,id,bytes\nalloc,a,1\nalloc,b,513\nfree,a,\nalloc,c,512\n");
    CHECK(hbm::trace::min_bytes(plain, 512) == 3 * 512);
    CHECK(hbm::trace::min_bytes(plain, 1) == 1025);
    const workload program =
        parse("op,id,bytes,scratch,donated,outputs\nalloc,s,2048,,,\nload,p,512,1024,,\nrun,p,,,s,o:2048\n");
    CHECK(hbm::trace::min_bytes(program, 512) == (4 + 1 + 2) * 512);
}

TEST_CASE("the minimum capacity is searched everywhere when that is affordable") {
    // Completes at 7, 9 and from 11 on: success need not grow with capacity.
    int asked = 0;
    const auto completes = [&](std::uint64_t capacity) {
        ++asked;
        return capacity == 7 || capacity == 9 || capacity >= 11;
    };
    auto found = hbm::trace::min_capacity(4, 1000, 1, 100, completes);
    REQUIRE(found);
    CHECK(found->bytes == 7);
    CHECK(found->how == hbm::trace::search::exhaustive);
    CHECK(found->larger_fails == 8);
    // Of 43 to 50 only 45 completes.
    found = hbm::trace::min_capacity(43, 1000, 1, 100,
                                     [](std::uint64_t capacity) { return capacity == 45 || capacity > 50; });
    REQUIRE(found);
    CHECK(found->bytes == 45);
    CHECK(found->larger_fails == 46);
    found = hbm::trace::min_capacity(43, 1000, 1, 100, [](std::uint64_t capacity) { return capacity > 50; });
    REQUIRE(found);
    CHECK(found->bytes == 51);
    CHECK(!found->larger_fails);

    asked = 0;
    const auto grows = [&](std::uint64_t capacity) {
        ++asked;
        return capacity >= 777'000;
    };
    found = hbm::trace::min_capacity(1000, 1'000'000'000, 1000, 10, grows);
    REQUIRE(found);
    CHECK(found->bytes == 777'000);
    CHECK(!found->larger_fails);
    CHECK(found->how == hbm::trace::search::bisection);
    CHECK(asked < 100);

    // From 1.018 to 1.022 of what is live, and from 1.032 on: bisection of all between would miss the first.
    found = hbm::trace::min_capacity(1'000'000, 1'000'000'000, 1, 10, [](std::uint64_t capacity) {
        return (capacity >= 1'018'000 && capacity < 1'022'000) || capacity >= 1'032'000;
    });
    REQUIRE(found);
    CHECK(found->bytes == 1'018'000);
    CHECK(found->how == hbm::trace::search::bisection);

    CHECK(!hbm::trace::min_capacity(8, 4, 1, 10, completes));
    CHECK(!hbm::trace::min_capacity(4, 6, 1, 10, completes));
    found = hbm::trace::min_capacity(9, 1000, 1, 10, completes);
    REQUIRE(found);
    CHECK(found->bytes == 9);
    CHECK(found->how == hbm::trace::search::exhaustive);
}

TEST_CASE("fractions round to the nearest millionth and do not overflow") {
    CHECK(hbm::trace::fraction::of(1, 3).millionths == 333'333);
    CHECK(hbm::trace::fraction::of(2, 3).millionths == 666'667);
    CHECK(hbm::trace::fraction::of(~std::uint64_t{0}, ~std::uint64_t{0}).millionths == 1'000'000);
    CHECK(hbm::trace::fraction::of(0, 1).millionths == 0);
}

}  // namespace hbm::test::replay_tests
