// Compaction in idle time: what it aims at, in parts, and that it comes to an end.
#include <hbm/compact.hpp>
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <support/managers.hpp>
#include <vector>

#include "planning/failing_device.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::compact_tests {
namespace {

constexpr std::uint64_t q = 512;

template <class Memory>
concept can_compact = requires(Memory memory) {
    memory.compact(1);
};
static_assert(can_compact<manager<compacting<best_fit>>>);
static_assert(can_compact<manager<bottom_reserve<compacting<buddy>>>>);
static_assert(!can_compact<manager<best_fit>>);
static_assert(!can_compact<manager<bottom_reserve<best_fit>, evict_lru>>);

using plain = manager<compacting<first_fit>>;
constexpr std::uint64_t all = ~std::uint64_t{0};

/// Blocks of so many quanta, one after the other from the bottom; those of negative length are holes.
template <class Memory>
std::vector<buffer> lay_out(Memory& memory, const std::vector<int>& lengths) {
    std::vector<buffer> placed;
    for (const int length : lengths) {
        const auto size = static_cast<std::uint64_t>(length < 0 ? -length : length) * q;
        const std::uint64_t offset = placed.empty() ? 0 : memory.where(placed.back()).end();
        const auto made = memory.import({offset, size});
        REQUIRE(made);
        REQUIRE(memory.unpin(*made));
        placed.push_back(*made);
    }
    for (std::size_t at = 0; at < lengths.size(); ++at)
        if (lengths[at] < 0) REQUIRE(memory.free(placed[at]));
    return placed;
}

TEST_CASE("holes become one, where the next large request looks for it") {
    plain memory{{.capacity = 12 * q}};
    const auto blocks = lay_out(memory, {-2, 1, -3, 2, -1, 1});
    const compaction asked = memory.compact(0);
    CHECK(asked == compaction{.remaining = 3 * q, .needs = q});
    CHECK_FALSE(asked.done());
    const compaction found = memory.compact(all);
    CHECK(found.done());
    CHECK(found.moved == 3 * q);  // the block of 2 fills the first hole, so that the first one stays
    CHECK(found.copies == memory.done_so_far().copies);
    CHECK(found.nanoseconds == memory.done_so_far().move_nanoseconds);
    CHECK(memory.largest_free_bytes() == 8 * q);
    CHECK(memory.highest_end_bytes() == 4 * q);
    CHECK(memory.compact(all) == compaction{});

    manager<bottom_reserve<compacting<first_fit>>> reserving{{.capacity = 12 * q}};
    REQUIRE(reserving.load({.name = "p", .code = q, .scratch = 2 * q}));
    const auto a = reserving.allocate(2 * q);
    const auto b = reserving.allocate(3 * q);
    REQUIRE(a);
    REQUIRE(b);
    REQUIRE(reserving.free(*a));
    CHECK(reserving.reservable_bytes() == 4 * q);
    CHECK(reserving.compact(all).moved == 3 * q);
    CHECK(reserving.reservable_bytes() == 6 * q);
}

TEST_CASE("a short block that fills a hole jumps, so that long ones need not slide") {
    plain memory{{.capacity = 40 * q}};
    const auto blocks = lay_out(memory, {4, -3, 20, -5, 2, 1});
    const compaction found = memory.compact(all);  // 2 and 1 jump
    CHECK(found.done());
    CHECK(found.moved == 3 * q);
    CHECK(found.copies == 2);
    CHECK(memory.where(blocks[2]).offset == 7 * q);
    CHECK(memory.where(blocks[4]).offset == 4 * q);
    CHECK(memory.where(blocks[5]).offset == 6 * q);
    CHECK(memory.largest_free_bytes() == 13 * q);
}

TEST_CASE("blocks jump over walls where that makes a longer hole, and only there") {
    SUBCASE("longer") {
        plain memory{{.capacity = 20 * q}};
        const auto blocks = lay_out(memory, {2, -3, 1, 3});  // 1 is a wall, 11 are free at the end
        REQUIRE(memory.pin(blocks[2]));
        CHECK(memory.compact(all).moved == 3 * q);
        CHECK(memory.largest_free_bytes() == 14 * q);
        CHECK(memory.where(blocks[3]).offset == 2 * q);
    }
    SUBCASE("not longer") {
        plain memory{{.capacity = 30 * q}};
        const auto blocks = lay_out(memory, {5, -15, 1, 5});  // 15 before the wall, 4 after it
        REQUIRE(memory.pin(blocks[2]));
        CHECK(memory.compact(all) == compaction{});
        CHECK(memory.largest_free_bytes() == 15 * q);
    }
    SUBCASE("nor shorter, in the other direction") {
        plain memory{{.capacity = 30 * q}};
        const auto blocks = lay_out(memory, {8, -15, 1});  // 15 before the wall, 6 after it
        REQUIRE(memory.pin(blocks[2]));
        const auto last = memory.import({24 * q, 2 * q});
        REQUIRE(memory.unpin(*last));  // now 4 after it
        CHECK(memory.compact(all).done());
        CHECK(memory.largest_free_bytes() == 15 * q);
    }
}

/// Returns true if nothing moves in a memory of `count` times a wall, a block that could leave, and a short hole.
/// Beyond the compilers' default limits of constant evaluation, it fails to compile.
constexpr bool stays(std::uint32_t count) {
    memory_state<compacting<best_fit>> state;
    state.describe({.capacity = std::uint64_t{4} * count * q});
    state.blocks = compacting<best_fit>(4 * count);
    trivial_vector<block_index> freed;
    for (std::uint32_t at = 0; at < count; ++at) {
        state.blocks.map().pin(state.blocks.place({.length = 1}));
        state.blocks.place({.length = 2});
        freed.push_back(state.blocks.place({.length = 1}));
    }
    for (const block_index block : freed) state.blocks.release(block);
    return detail::moves_for(state, 4).moves.empty();
}
#ifdef __clang__
static_assert(stays(100));
#else
static_assert(stays(500));
#endif

TEST_CASE("compact: keeps the longest hole and makes no more where a block is aligned more coarsely than others") {
    manager<bottom_reserve<compacting<first_fit>>> memory{{.capacity = 40 * q}};
    const auto above = memory.allocate(20 * q);
    const auto coarse = memory.allocate(request{.bytes = 19 * q, .alignment = 16 * q});
    REQUIRE(coarse);
    REQUIRE(memory.free(*above));
    REQUIRE(memory.allocate(4 * q));
    REQUIRE(memory.where(*coarse) == extent{0, 19 * q});
    CHECK(memory.compact(all) == compaction{});  // at 16 it would leave holes of 16 and 1
    CHECK(memory.largest_free_bytes() == 17 * q);
    CHECK(memory.compact(q).done());
}

TEST_CASE("a block longer than the budget slides over several calls and is usable between them") {
    manager<compacting<first_fit>, never_evict, never_donate, relieve_cheapest, failing_device> memory{
        {.capacity = 32 * q}, {.device = failing_device(32 * q)}};
    const auto blocks = lay_out(memory, {-3, 10});
    write(memory, blocks[1], 1);
    compaction found = memory.compact(4 * q);
    CHECK(found == compaction{.moved = 4 * q, .copies = 2, .nanoseconds = found.nanoseconds, .remaining = 6 * q});
    CHECK(memory.moving());
    CHECK(memory.where(blocks[1]) == extent{0, 13 * q});
    CHECK(reads_back(memory, blocks[1], 1));
    SUBCASE("to its end") {
        CHECK(memory.compact(4 * q + 100).remaining == 2 * q);
        CHECK(reads_back(memory, blocks[1], 1));
        CHECK(memory.compact(q - 1) == compaction{.remaining = 2 * q, .needs = q});
        found = memory.compact(4 * q);
        CHECK(found.moved == 2 * q);
        CHECK(found.done());
        CHECK(memory.where(blocks[1]) == extent{0, 10 * q});
        CHECK(reads_back(memory, blocks[1], 1));
    }
    SUBCASE("others come and go") {
        const auto made = memory.allocate(19 * q);
        REQUIRE(made);
        CHECK(memory.moving());
        REQUIRE(memory.free(*made));
        REQUIRE(memory.allocate(22 * q));  // finishes the move
        CHECK_FALSE(memory.moving());
        CHECK(memory.compact(4 * q).done());
        CHECK(reads_back(memory, blocks[1], 1));
    }
    SUBCASE("it is freed meanwhile") {
        REQUIRE(memory.free(blocks[1]));
        CHECK(memory.compact(4 * q) == compaction{});
        CHECK(memory.free_bytes() == 32 * q);
    }
    SUBCASE("it is finished by hand") {
        REQUIRE(memory.finish_moves());
        CHECK(memory.compact(4 * q) == compaction{});
    }
    SUBCASE("the device fails meanwhile") {
        memory.device().copies_until_failure = 0;
        found = memory.compact(all);
        CHECK(found.reason == error::device_failed);
        CHECK(found.moved == 0);
        CHECK(found.remaining == 6 * q);
        CHECK_FALSE(found.done());
        CHECK(reads_back(memory, blocks[1], 1));
        memory.device().copies_until_failure = failing_device::never;
        CHECK(memory.compact(all).done());
        CHECK(reads_back(memory, blocks[1], 1));
    }
    CHECK(memory.device().overlaps == 0);
}

TEST_CASE("a piece in the bounce region comes out at once: a smaller budget moves nothing and says so") {
    manager<compacting<first_fit>, never_evict, never_donate, relieve_cheapest, failing_device> memory{
        {.capacity = 40 * q, .top_reserved = 6 * q, .bounce = 6 * q}, {.device = failing_device(40 * q)}};
    const auto blocks = lay_out(memory, {-1, 20});
    write(memory, blocks[1], 1);
    memory.device().copies_until_failure = 1;  // the first piece goes into the bounce region and stays there
    CHECK(memory.compact(all).reason == error::device_failed);
    REQUIRE(memory.moving().bounced == 6 * q);
    memory.device().copies_until_failure = failing_device::never;
    CHECK(memory.compact(5 * q) == compaction{.remaining = 20 * q, .needs = 6 * q});
    CHECK(memory.moving().bounced == 6 * q);
    CHECK(reads_back(memory, blocks[1], 1));
    const compaction found = memory.compact(6 * q);
    CHECK(found.moved == 6 * q);
    CHECK(found.remaining == 14 * q);
    CHECK(memory.moving().bounced == 0);
    CHECK(reads_back(memory, blocks[1], 1));
    CHECK(memory.compact(all).done());
    CHECK(reads_back(memory, blocks[1], 1));
}

constexpr bool compacts_at_compile_time() {
    plain memory{{.capacity = 8 * q}};
    const auto a = memory.allocate(2 * q);
    const auto b = memory.allocate(3 * q);
    const bool freed = memory.free(*a).has_value();
    const compaction part = memory.compact(q);
    return freed && part.moved == q && part.remaining == 2 * q && memory.pieces(*b).size() == 2 &&
           memory.compact(2 * q).done() && memory.where(*b) == extent{0, 3 * q};
}
static_assert(compacts_at_compile_time());

// -- random memories ----------------------------------------------------------------------------------------------

struct told {
    int memories = 0;
    int in_two_places = 0;
    int too_small = 0;
    int exact = 0;
};

template <class Placement>
void compact_at_random(told& sums, bool aligned, std::uint64_t bounce) {
    using memory_type = manager<Placement, evict_lru, donate_fitting, relieve_cheapest, failing_device>;
    for (std::uint64_t seed = 1; seed <= seeds_to_try(150); ++seed) {
        CAPTURE(seed);
        testing::random_numbers random(seed);
        const std::uint64_t capacity = 64 * q + bounce;
        memory_type memory{{.capacity = capacity, .top_reserved = bounce, .bounce = bounce},
                           {.device = failing_device(capacity)}};
        std::vector<buffer> held;
        for (int step = 0; step < 40; ++step) {
            const std::uint64_t size = (1 + random.below(random.once_in(4) ? 12 : 4)) * q;
            if (!held.empty() && random.once_in(3)) {
                const auto at = static_cast<std::size_t>(random.below(held.size()));
                REQUIRE(memory.free(held[at]));
                held.erase(held.begin() + static_cast<std::ptrdiff_t>(at));
            } else if (random.once_in(12)) {
                (void)memory.load({.name = "p", .code = size, .scratch = random.below(4) * q});
            } else if (const auto made =
                           memory.allocate(request{.bytes = size, .alignment = aligned ? q << random.below(3) : 0})) {
                held.push_back(*made);
            }
        }
        for (const buffer each : held) {
            write(memory, each, each.index);
            if (random.once_in(6)) REQUIRE(memory.pin(each));
        }
        std::uint64_t budget = random.once_in(3) ? all : (1 + random.below(16)) * q;
        const std::uint64_t longest = memory.largest_free_bytes();
        const compaction before = memory.compact(0);
        std::uint64_t expected = memory.compact(0).remaining;
        bool same_budget = false;
        for (int calls = 0;; ++calls) {
            REQUIRE(calls < 2000);
            const compaction found = memory.compact(budget);
            REQUIRE(found.reason == error::none);
            REQUIRE(found.moved <= budget);
            REQUIRE((found.moved != 0 || found.done() || found.needs > budget));
            if (same_budget && !aligned) {
                CHECK(found.moved + found.remaining == expected);
                ++sums.exact;
            }
            expected = found.remaining;
            same_budget = true;
            sums.in_two_places += memory.moving() ? 1 : 0;
            for (const buffer each : held) {
                const bool bytes_are_there = reads_back(memory, each, each.index);
                REQUIRE(bytes_are_there);
            }
            if (found.done()) break;
            if (found.moved == 0) {
                ++sums.too_small;
                budget = found.needs;
                same_budget = false;
            }
        }
        REQUIRE_FALSE(memory.moving());
        REQUIRE(memory.largest_free_bytes() >= longest);
        CHECK(memory.compact(all).done());
        CHECK(memory.compact(all).moved == 0);
        CHECK(memory.device().overlaps == 0);
        CHECK((before.remaining == 0) == before.done());
        ++sums.memories;
    }
}

TEST_CASE("it comes to an end, keeps all bytes, and says what is left") {
    told sums;
    for (const bool aligned : {false, true}) {
        for (const std::uint64_t bounce : {std::uint64_t{0}, 3 * q}) {
            CAPTURE(aligned);
            CAPTURE(bounce);
            compact_at_random<compacting<best_fit>>(sums, aligned, bounce);
            compact_at_random<bottom_reserve<compacting<best_fit>>>(sums, aligned, bounce);
            compact_at_random<compacting<bottom_reserve<first_fit>>>(sums, aligned, bounce);
            compact_at_random<compacting<bfc>>(sums, aligned, bounce);
        }
        compact_at_random<compacting<buddy>>(sums, true, 0);
        compact_at_random<bottom_reserve<compacting<buddy>>>(sums, true, 0);
    }
    CHECK(sums.memories == 20 * static_cast<int>(seeds_to_try(150)));
    if (!tries_all_seeds()) return;
    CHECK(sums.in_two_places > 500);
    CHECK(sums.too_small > 50);
    CHECK(sums.exact > 1000);
}

}  // namespace
}  // namespace hbm::test::compact_tests
