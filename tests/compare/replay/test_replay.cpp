// Small traces whose figures were worked out by hand.

#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/placement/lifetimes_apart.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "compare/read/csv/read.hpp"
#include "compare/replay/capacity.hpp"
#include "compare/replay/digest.hpp"
#include "compare/replay/replay.hpp"
#include "compare/replay/replayed_manager.hpp"

namespace hbm::test::replay_tests {

namespace {

using hbm::trace::figures;
using hbm::trace::workload;

workload parse(const std::string& text) {
    auto read = hbm::trace::read_text(text, "by hand");
    REQUIRE_MESSAGE(read, read.error().message());
    return *read;
}

hbm::memory_spec memory_of(std::uint64_t quanta) {
    return {.capacity = quanta * 512};
}

template <class Manager>
figures unlimited(const workload& trace, std::uint64_t quantum = 512) {
    return hbm::trace::measure<Manager>(trace, Manager::unlimited(quantum), true);
}

template <class... Policies>
using from_top = hbm::manager<hbm::bottom_reserve<hbm::best_fit>, Policies...>;

}  // namespace

TEST_CASE("footprint and digest of a trace with one reused hole") {
    // a at 0 (2 quanta), b at 2 (1), a freed, c (1) goes into the hole at 0, d (2) after b at 3: the end is 5.
    const workload trace = parse("op,id,bytes\nalloc,a,1024\nalloc,b,1\nfree,a,\nalloc,c,512\nalloc,d,513\n");
    const figures found = unlimited<hbm::manager<hbm::best_fit>>(trace);
    CHECK(found.completed);
    CHECK(found.events == 5);
    CHECK(found.footprint_bytes == 5 * 512);
    CHECK(found.peak_live_bytes == 4 * 512);
    CHECK(found.overhead_ratio->millionths == 1'250'000);
    CHECK(!found.capacity_bytes);
    CHECK(!found.fragmentation_mean);
    hbm::trace::digest offsets;
    for (const std::uint64_t offset : {0u, 1024u, 0u, 1536u}) offsets.add(offset);
    CHECK(found.placement_digest == offsets.value);
}

TEST_CASE("fragmentation is weighted by time, or by rows without times") {
    // 8 quanta; after the rows: free 4 in one run, free 6 in two runs of 4 and 2, free 8 in one.
    const std::string rows = "alloc,a,1024\nalloc,b,1024\nfree,a,\nfree,b,\n";
    const workload untimed = parse("op,id,bytes\n" + rows);
    figures found = hbm::trace::measure<hbm::manager<hbm::best_fit>>(untimed, memory_of(8), false);
    CHECK(found.capacity_bytes == 8 * 512);
    CHECK(found.fragmentation_worst->millionths == 333'333);
    CHECK(found.fragmentation_mean->millionths == 83'333);  // (0 + 0 + 1/3 + 0) / 4
    CHECK(!found.footprint_bytes);
    const workload timed = parse("t,op,id,bytes\n0,alloc,a,1024\n10,alloc,b,1024\n20,free,a,\n80,free,b,\n");
    found = hbm::trace::measure<hbm::manager<hbm::best_fit>>(timed, memory_of(8), false);
    CHECK(found.fragmentation_mean->millionths == 250'000);  // 1/3 for 60 of 80
}

TEST_CASE("the replay stops at the first row that fails and says whether enough was free") {
    // Of 7 quanta a, b, c hold 2 each; with a and c gone, holes of 2 and 3 are free, and 4 are asked for.
    const workload trace =
        parse("op,id,bytes\nalloc,a,1024\nalloc,b,1024\nalloc,c,1024\nfree,a,\nfree,c,\nalloc,d,2048\nfree,d,\n");
    figures found = hbm::trace::measure<hbm::manager<hbm::best_fit>>(trace, memory_of(7), false);
    CHECK(!found.completed);
    CHECK(found.failed_event == 5);
    CHECK(found.oom_with_enough_free == 1);
    CHECK(found.relieved == 0);
    CHECK(found.peak_live_bytes == 6 * 512);
    CHECK(*found.error ==
          "RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate 2.0K. That was not possible. "
          "There are "
          "2.5K free. The largest contiguous region of free memory is 1.5K due to fragmentation.; (0x0x0_HBM0)");

    // Where blocks may move, b slides down by 2 quanta, 1024 bytes once: 2 x 1024 / 819 GB/s and the fixed cost of a
    // copy.
    found = hbm::trace::measure<hbm::manager<hbm::compacting<hbm::best_fit>>>(trace, memory_of(7), false);
    CHECK(found.completed);
    CHECK(found.relieved == 1);
    CHECK(found.moves == 1);
    CHECK(found.moved_bytes == 1024);
    CHECK(found.move_us == 2);
    CHECK(found.oom_with_enough_free == 0);
}

TEST_CASE("programs are evicted for buffers and come back at a price") {
    // 10 quanta. p: code 2, scratch 3. The buffer of 6 needs p's 5 quanta back; after it is gone, p runs again and
    // returns.
    const workload trace = parse(
        "op,id,bytes,scratch,reload_us,outputs\nload,p,1024,1536,70,\nrun,p,,,,o:512\nfree,o,512\nalloc,big,3072\n"
        "free,big,\nrun,p,,,,o:512\n");
    const figures found = hbm::trace::measure<from_top<hbm::evict_lru>>(trace, memory_of(10), false);
    CHECK(found.completed);
    CHECK(found.evictions == 1);
    CHECK(found.evicted_bytes == 1024);
    CHECK(found.reloads == 1);
    CHECK(found.reload_us == 70);
    CHECK(found.relieved == 1);
    CHECK(found.moves == 0);
    const figures kept = hbm::trace::measure<from_top<>>(trace, memory_of(10), false);
    CHECK(!kept.completed);
    CHECK(kept.failed_event == 3);
    CHECK(kept.evictions == 0);
    CHECK(kept.oom_with_enough_free == 0);  // 5 quanta are free, 6 asked for
}

TEST_CASE("a program that cannot be loaded fails in the runtime's words") {
    const workload trace = parse("op,id,bytes,scratch\nalloc,a,2048,\nload,step,512,4096\n");
    const figures found = hbm::trace::measure<from_top<>>(trace, memory_of(10), false);
    CHECK(found.failed_event == 1);
    CHECK(*found.error == "RESOURCE_EXHAUSTED: Error loading program 'step': Attempting to reserve 4.0K at the bottom "
                          "of memory. That was not "
                          "possible. There are 3.0K free, 0B reserved, and 3.0K reservable.");
}

TEST_CASE("donation counts what was offered, taken and saved, and only fresh outputs are in the digest") {
    // s (4 quanta) is donated; o1 asks for 4, o2 for 2. Without donation 4 + 6 quanta are live at once.
    const workload trace =
        parse("op,id,bytes,donated,outputs\nalloc,s,2048,,\nload,p,512,,\nrun,p,,s,o1:2048 o2:1024\n");
    using donating = hbm::manager<hbm::best_fit, hbm::never_evict, hbm::donate_same_size>;
    figures found = unlimited<donating>(trace);
    CHECK(found.donations_offered == 1);
    CHECK(found.donations_taken == 1);
    CHECK(found.donated_bytes == 2048);
    CHECK(found.peak_live_bytes == 7 * 512);
    CHECK(found.footprint_bytes == 7 * 512);
    hbm::trace::digest offsets;
    for (const std::uint64_t offset : {0u, 5u * 512u}) offsets.add(offset);  // s, and o2 after s and the code
    CHECK(found.placement_digest == offsets.value);

    found = unlimited<hbm::manager<hbm::best_fit>>(trace);
    CHECK(found.donations_offered == 1);
    CHECK(found.donations_taken == 0);
    CHECK(found.peak_live_bytes == 11 * 512);
}

TEST_CASE("an unloaded program is loaded again by a run, a pinned buffer's memory returns with sync") {
    const workload trace =
        parse("op,id,bytes,scratch,outputs\nload,p,512,,\nunload,p,,,\nrun,p,,,o:512\npin,o,,,\nfree,o,,,\nsync,,,,\n"
              "alloc,all,1536,,\n");
    const figures found = hbm::trace::measure<hbm::manager<hbm::best_fit>>(trace, memory_of(4), false);
    CHECK(found.completed);
    CHECK(found.reloads == 0);  // it was unloaded, not evicted
    CHECK(found.relieved == 0);
}

TEST_CASE(
    "a run of an unloaded program is one call: what cannot be placed as a whole evicts nobody and counts nowhere") {
    // 8 quanta. q holds 6; p (3) and an output of 9 can never fit, be q evicted or not.
    const workload evicting =
        parse("op,id,bytes,outputs\nload,p,1536,\nunload,p,,\nload,q,3072,\nrun,p,,x:512 y:4608\n");
    using lru = hbm::manager<hbm::best_fit, hbm::evict_lru>;
    figures found = hbm::trace::measure<lru>(evicting, memory_of(8), false);
    CHECK(found.failed_event == 3);
    CHECK(found.evictions == 0);
    CHECK(found.reloads == 0);
    // 4 quanta are live when p would come back.
    const workload peak = parse("op,id,bytes,outputs\nload,p,1536,\nunload,p,,\nalloc,b,2048,\nrun,p,,x:4608\n");
    found = hbm::trace::measure<lru>(peak, memory_of(8), false);
    CHECK(found.failed_event == 3);
    CHECK(found.peak_live_bytes == 4 * 512);
}

TEST_CASE("an evicted program that is unloaded and loaded again was not reloaded, and may have another size") {
    // 4 quanta. a evicts p (2); p is unloaded, a freed, and p comes with 4 quanta; q needs room, p comes back: a
    // reload.
    const workload trace =
        parse("op,id,bytes,reload_us\nload,p,1024,5\nalloc,a,1536,\nunload,p,,\nfree,a,,\nload,p,2048,7\nalloc,b,512,\n"
              "free,b,,\nload,p,2048,7\n");
    const figures found = hbm::trace::measure<hbm::manager<hbm::best_fit, hbm::evict_lru>>(trace, memory_of(4), false);
    CHECK(found.completed);
    CHECK(found.evictions == 2);
    CHECK(found.evicted_bytes == 1024 + 2048);
    CHECK(found.reloads == 1);
    CHECK(found.reload_us == 7);
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

TEST_CASE("enough is free only if it is enough for all that the row needs") {
    // 13 quanta, of which p holds 3; the outputs need 12 together, though each of them alone would fit.
    const workload outputs = parse("op,id,bytes,outputs,scratch\nload,p,512,,1024\nrun,p,,b1:2048 b2:4096,\n");
    CHECK(hbm::trace::measure<hbm::manager<hbm::best_fit>>(outputs, memory_of(13), false).oom_with_enough_free == 0);
    // Of 7 quanta a and c (2 each) are gone, and 3 more are free at the end: code of 1 and scratch of 4 do not fit.
    const workload program = parse("op,id,bytes,scratch\nalloc,a,1024,\nalloc,b,512,\nalloc,c,1024,\nalloc,d,512,"
                                   "\nfree,a,,\nfree,c,,\nload,p,512,1536\n");
    CHECK(hbm::trace::measure<hbm::manager<hbm::best_fit>>(program, memory_of(6), false).oom_with_enough_free == 1);
    CHECK(
        hbm::trace::measure<hbm::manager<hbm::best_fit, hbm::never_evict, hbm::donate_same_size>>(
            parse("op,id,bytes,donated,outputs\nalloc,s,1024,,\nalloc,w,512,,\nload,p,512,,\nrun,p,,s,x:1024 y:1024\n"),
            memory_of(5), false)
            .oom_with_enough_free == 0);  // y needs 2 of the free quantum; x takes s over
}

TEST_CASE("a deferred free takes effect before a request fails, and that is relief") {
    const workload trace = parse("op,id,bytes\nalloc,a,1024\npin,a,\nfree,a,\nalloc,b,2048\n");
    const figures found = hbm::trace::measure<hbm::manager<hbm::best_fit>>(trace, memory_of(4), false);
    CHECK(found.completed);
    CHECK(found.relieved == 1);
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

    // The largest run is 4 quanta while a is fixed at the fifth, and all 6 after it may move.
    const auto completes = [](const std::string& text, std::uint64_t quanta) {
        return hbm::trace::measure<moving>(parse(text), memory_of(quanta), false).completed;
    };
    const std::string large = "alloc,d,2560\n";
    const std::string layout = "op,id,bytes,offset\nimport,a,1024,2048\n";
    CHECK_FALSE(completes(layout + large, 8));
    CHECK(completes(layout + "unpin,a\n" + large, 8));
    CHECK(completes(layout + "free,a\n" + large, 8));
    CHECK(completes(layout + "free,a\nimport,b,512,2560\n", 8));  // the freed memory returns for an import, too
    CHECK(completes(layout, 6));
    CHECK_FALSE(completes(layout, 5));
    CHECK_FALSE(completes(layout + "import,b,512,2560\n", 8));
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

TEST_CASE("a range that cannot be taken is an error of its row") {
    const auto failed = [](const std::string& rows, std::uint64_t quantum = 512) {
        hbm::memory_spec spec{.capacity = 8192, .quantum = quantum};
        return hbm::trace::measure<hbm::manager<hbm::best_fit>>(parse("op,id,bytes,offset\n" + rows), spec, false);
    };
    const figures taken = failed("import,a,1024,1024\nalloc,b,512\nimport,c,512,1536\n");
    CHECK(taken.failed_event == 2);
    CHECK(taken.error == "FAILED_PRECONDITION: the range to be taken is not free, or reaches beyond the memory");
    CHECK(taken.oom_with_enough_free == 1);
    CHECK(failed("import,a,512,8192\n").failed_event == 0);
    CHECK(failed("import,a,512,18446744073709551000\n").failed_event == 0);
    CHECK(failed("import,a,18446744073709551615,0\n").failed_event == 0);
    const figures crooked = failed("import,a,512,256\n");
    CHECK(crooked.failed_event == 0);
    CHECK(crooked.error->find("an imported range is made of whole quanta") != std::string::npos);
    CHECK(failed("import,a,512,256\n", 256).completed);
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
