// What a history says is compared with the manager itself, asked after each row of a second replay.

#include <hbm/donation/donate_fitting.hpp>
#include <hbm/eviction/policies.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compare/replay/history.hpp"
#include "compare/replay/replay.hpp"
#include "compare/replay/replayed_manager.hpp"
#include "compare/replay/trace_helpers.hpp"

namespace hbm::test::history_tests {

namespace {

using namespace hbm::trace;
using hbm::block_kind;

using moving = hbm::manager<hbm::bottom_reserve<hbm::compacting<hbm::best_fit>>, hbm::evict_lru, hbm::donate_same_size>;

template <class Manager>
history record(const workload& trace, std::uint64_t quanta) {
    replayed<Manager> memory(hbm::memory_spec{.capacity = quanta * 512});
    return record_history(trace, memory, 512);
}

/// What is said of a block, without its number.
struct seen_block {
    hbm::extent where;
    block_kind kind = block_kind::hole;
    friend bool operator==(const seen_block&, const seen_block&) = default;
};

std::vector<seen_block> blocks_after(const history& of, std::size_t row) {
    std::vector<seen_block> seen;
    for (const recorded_place& each : of.places)
        if (each.begin <= row && row < each.end) seen.push_back({each.where, of.blocks[each.block].kind});
    std::sort(seen.begin(), seen.end(),
              [](const seen_block& a, const seen_block& b) { return a.where.offset < b.where.offset; });
    return seen;
}

/// Rows at random: buffers, pins, programs, runs with donation, syncs.
std::string random_rows(std::uint64_t seed, std::size_t rows) {
    hbm::testing::random_numbers random(seed);
    std::string text = "op,id,bytes,scratch,inputs,donated,outputs\n";
    std::vector<std::string> live, programs, pinned;
    std::size_t next = 0;
    const auto take = [&](std::vector<std::string>& from) {
        const auto at = static_cast<std::ptrdiff_t>(random.below(from.size()));
        std::string taken = from[static_cast<std::size_t>(at)];
        from.erase(from.begin() + at);
        return taken;
    };
    const auto quanta = [&](std::uint64_t most) { return std::to_string((1 + random.below(most)) * 512); };
    for (std::size_t row = 0; row < rows; ++row) {
        const std::uint64_t what = random.below(12);
        if (what < 5 || live.empty()) {
            live.push_back("b" + std::to_string(next++));
            text += "alloc," + live.back() + "," + quanta(5) + ",,,,\n";
        } else if (what < 7) {
            text += "free," + take(live) + ",,,,,\n";
        } else if (what == 7 && programs.size() < 3) {
            programs.push_back("p" + std::to_string(next++));
            text += "load," + programs.back() + "," + quanta(3) + "," + quanta(4) + ",,,\n";
        } else if (what == 8 && !programs.empty()) {
            text += "unload," + take(programs) + ",,,,,\n";
        } else if (what == 9 && !programs.empty()) {
            const std::string donor = take(live);
            const std::string made = "b" + std::to_string(next++);
            text +=
                "run," + programs[random.below(programs.size())] + ",,,," + donor + "," + made + ":" + quanta(5) + "\n";
            live.push_back(made);
        } else if (what == 10) {
            pinned.push_back(take(live));
            text += "pin," + pinned.back() + ",,,,,\nfree," + pinned.back() + ",,,,,\n";
        } else {
            text += "sync,,,,,,\n";
        }
    }
    return text;
}

}  // namespace

TEST_CASE("a buffer that is allocated and freed has one place") {
    const history found = record<hbm::manager<hbm::best_fit>>(
        read_right("op,id,bytes,tag\nalloc,a,1024,\nalloc,b,1,weights\nfree,a,,\nalloc,c,512,\n"), 100);
    REQUIRE(found.blocks.size() == 3);
    CHECK(found.blocks[0] == recorded_block{.subject = 0, .granted = 1024, .begin = 0, .end = 2});
    CHECK(found.blocks[1] == recorded_block{.subject = 1, .tag = 1, .granted = 512, .begin = 1, .end = 4});
    CHECK(found.blocks[2] == recorded_block{.subject = 2, .granted = 512, .begin = 3, .end = 4});
    REQUIRE(found.places.size() == 3);
    CHECK(found.places[2] == recorded_place{.block = 2, .where = {0, 512}, .begin = 3, .end = 4});
    REQUIRE(found.readings.size() == 4);
    CHECK(found.readings[2] == recorded_reading{512, 99 * 512, 97 * 512, 1536});
    CHECK(found.reliefs.empty());
    CHECK(!found.failed_row);
}

TEST_CASE("moves, evictions and reloads are recorded with their rows") {
    // Nine quanta: scratch at 0, code at 7, `a` at 5, `b` at 3. Without `a` four are free, and `c` needs five together:
    // `p` has to go, and `b` in the middle moves to the bottom, where it is in the way when the scratch comes back.
    const history found =
        record<moving>(read_right("op,id,bytes,scratch\nload,p,1024,512\nalloc,a,1024,\nalloc,b,1024,\n"
                                  "free,a,,\nalloc,c,2560,\nfree,c,,\nrun,p,,\n"),
                       9);
    REQUIRE(!found.failed_row);
    // In order of their beginning: the reservation, the code of `p`, `a`, `b`, `c`, reservation and code again.
    using kind = relief_kind;
    CHECK(found.reliefs ==
          std::vector<recorded_relief>{
              {kind::moved, 4, 3}, {kind::evicted, 4, 1}, {kind::moved, 6, 3}, {kind::reloaded, 6, 6}});
    REQUIRE(found.places.size() == 9);
    CHECK(found.places[3] == recorded_place{3, {3 * 512, 1024}, 2, 4});
    CHECK(found.places[4] == recorded_place{3, {0, 1024}, 4, 6});
    CHECK(found.blocks[1].subject == found.blocks[6].subject);
    CHECK(found.blocks[6].kind == block_kind::code);
}

TEST_CASE("the row that fails is named with the message of the runtime") {
    const history found =
        record<hbm::manager<hbm::best_fit>>(read_right("op,id,bytes\nalloc,a,1024\nalloc,b,1024\n"), 3);
    CHECK(found.failed_row == 1);
    CHECK(found.error.find("RESOURCE_EXHAUSTED") != std::string::npos);
    CHECK(found.blocks.size() == 1);
    CHECK(found.blocks[0].end == 1);
}

TEST_CASE_TEMPLATE("after every row the recorded places are the blocks in memory", tested, moving,
                   hbm::manager<hbm::buddy, hbm::evict_lru, hbm::donate_fitting>) {
    std::size_t reliefs = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        CAPTURE(seed);
        const workload trace = read_right(random_rows(seed, 120));
        const history found = record<tested>(trace, 24);
        reliefs += found.reliefs.size();
        replayed<tested> memory(hbm::memory_spec{.capacity = 24 * 512});
        replay run(trace, memory);
        for (std::size_t row = 0; run.step(); ++row) {
            std::vector<seen_block> there;
            for (const hbm::block_view& each : memory.manager().blocks())
                if (each.where.size != 0) there.push_back({each.where, each.kind});
            std::vector<seen_block> said = blocks_after(found, row);
            // A buffer that waits for its free is the same block under another kind.
            for (std::vector<seen_block>* of : {&there, &said})
                for (seen_block& each : *of)
                    if (each.kind == block_kind::deferred) each.kind = block_kind::data;
            REQUIRE(said == there);
            REQUIRE(found.readings[row].free == memory.manager().free_bytes());
        }
        REQUIRE(found.failed_row.value_or(trace.rows.size()) == run.at());
        const hbm::totals& sums = memory.manager().done_so_far();
        const auto count = [&](relief_kind kind) {
            return static_cast<std::uint64_t>(
                std::count_if(found.reliefs.begin(), found.reliefs.end(),
                              [&](const recorded_relief& each) { return each.kind == kind; }));
        };
        CHECK(count(relief_kind::evicted) == sums.evictions);
        CHECK(count(relief_kind::reloaded) == sums.reloads);
        CHECK(count(relief_kind::moved) <= sums.moves);
    }
    CHECK(reliefs > 100);
}

}  // namespace hbm::test::history_tests
