// Memory that becomes longer at its top while blocks are live. That blocks and sums stay as they are is checked by
// test_conformance.cpp.
#include <hbm/blocks/live_blocks.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/bfc.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/testing/audit.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace hbm::test::extend_tests {

namespace {

using testing::random_numbers;
using testing::snapshot;

template <class P>
snapshot seen(const P& memory, bool with_holes) {
    snapshot blocks;
    for (const block_view& block : block_range<typename P::quanta>{memory.map(), 0, 0, with_holes})
        blocks.push_back(block);
    return blocks;
}

template <class P>
void expect_sound(const P& memory) {
    const testing::claimed_sums sums{memory.map().capacity(), memory.map().free(), memory.map().live(),
                                     memory.largest_free()};
    REQUIRE(testing::audit_blocks(seen(memory, true), sums, 1, P::merges_neighbours) == nullptr);
}

template <class P>
block_index place_some(P& memory, random_numbers& random, std::uint64_t most) {
    need<typename P::quanta> asked;
    asked.length = static_cast<typename P::quanta>(1 + random.below(most));
    if (random.once_in(4)) asked.alignment = static_cast<typename P::quanta>(1u << random.below(4));
    return memory.place(asked);
}

template <class P>
std::vector<block_index> churn(P& memory, random_numbers& random, std::vector<block_index> live, int steps) {
    for (int step = 0; step < steps; ++step) {
        if (!live.empty() && random.once_in(2)) {
            const std::size_t victim = random.below(live.size());
            memory.release(live[victim]);
            live.erase(live.begin() + static_cast<std::ptrdiff_t>(victim));
        } else if (const block_index block = place_some(memory, random, 20); block != no_block) {
            live.push_back(block);
        }
    }
    return live;
}

/// The same blocks in a memory that always was as long.
template <class P>
P rebuilt(const P& memory) {
    P fresh(memory.map().capacity());
    if constexpr (reserves<P>) REQUIRE(fresh.reserve(memory.reserved()));
    for (const block_view& block : seen(memory, false)) {
        if (block.kind == block_kind::reservation) continue;
        REQUIRE(fresh.occupy({static_cast<typename P::quanta>(block.where.offset),
                              static_cast<typename P::quanta>(block.where.size)}) != no_block);
    }
    return fresh;
}

/// `Remembers`: which of equal holes is taken depends on what was before.
template <class P, bool Remembers = false>
void expect_extension() {
    using quanta = typename P::quanta;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        random_numbers random(seed);
        const std::uint64_t capacity = random.once_in(8) ? 0 : random.below(150);
        P memory{static_cast<quanta>(capacity)};
        if constexpr (reserves<P>) REQUIRE(memory.reserve(static_cast<quanta>(random.below(capacity / 4 + 1))));
        std::vector<block_index> live = churn(memory, random, {}, static_cast<int>(random.below(60)));
        const P before = memory;

        CHECK_FALSE(memory.extend(capacity));
        CHECK_FALSE(memory.extend(random.below(capacity + 1)));
        CHECK_FALSE(memory.extend(0));
        if constexpr (sizeof(quanta) < 8) {
            CHECK_FALSE(memory.extend(std::uint64_t{std::numeric_limits<quanta>::max()} + 1));
            CHECK_FALSE(memory.extend(~std::uint64_t{0}));
        }
        REQUIRE(memory == before);

        const std::uint64_t more = 1 + random.below(200);
        const block_index top = memory.map().last();
        std::uint64_t top_hole = more;
        for (block_index hole = top; hole != no_block && memory.map().is_hole(hole); hole = memory.map().previous(hole))
            top_hole += memory.map().size(hole);
        REQUIRE(memory.extend(capacity + more));
        expect_sound(memory);
        P trial_of_top = memory;
        std::uint64_t longest = top_hole;
        if constexpr (!P::merges_neighbours) {  // the longest aligned power of two in the top hole
            const std::uint64_t from = capacity + more - top_hole;
            for (std::uint64_t size = longest = 1; size <= top_hole; size *= 2)
                if ((from + size - 1) / size * size + size <= capacity + more) longest = size;
        }
        REQUIRE(trial_of_top.place({.length = static_cast<quanta>(longest)}) != no_block);
        expect_sound(trial_of_top);

        // Whatever comes goes where it would go had the memory always been as long.
        P fresh = rebuilt(memory);
        if constexpr (!Remembers) {
            P trial = memory;
            for (int step = 0; step < 30; ++step) {
                random_numbers same = random;
                const block_index block = place_some(trial, random, 40);
                const block_index other = place_some(fresh, same, 40);
                REQUIRE((block == no_block) == (other == no_block));
                if (block != no_block) REQUIRE(trial.map().range(block) == fresh.map().range(other));
            }
        }
        CHECK(memory.largest_free() == rebuilt(memory).largest_free());
        live = churn(memory, random, live, 60);
        expect_sound(memory);
        REQUIRE(memory.extend(memory.map().capacity() + 1));
        live = churn(memory, random, live, 30);
        expect_sound(memory);
        for (const block_index block : live) memory.release(block);
        if constexpr (reserves<P>) memory.reserve(0);
        CHECK(memory.largest_free() == memory.map().capacity());
        expect_sound(memory);
    }
}

template <class P>
constexpr bool extends_in_constant_evaluation() {
    P memory(4);
    const block_index low = memory.place({.length = 4});
    if (memory.place({.length = 4}) != no_block || memory.extend(4) || !memory.extend(12)) return false;
    const block_index high = memory.place({.length = 8});
    return high != no_block && memory.map().offset(high) == 4 && memory.map().offset(low) == 0 &&
           memory.map().free() == 0;
}

static_assert(extends_in_constant_evaluation<best_fit>());
static_assert(extends_in_constant_evaluation<best_fit_lifo>());
static_assert(extends_in_constant_evaluation<first_fit>());
static_assert(extends_in_constant_evaluation<good_fit>());
static_assert(extends_in_constant_evaluation<bfc>());

constexpr bool buddies_merge_across_the_old_top() {
    buddy memory(12);
    const block_index low = memory.place({.length = 8});
    return memory.extend(16) && memory.map().next(memory.map().next(low)) == no_block &&
           memory.map().offset(memory.place({.length = 8})) == 8;
}
static_assert(buddies_merge_across_the_old_top());

}  // namespace

TEST_CASE("every placement extends") {
    expect_extension<best_fit>();
    expect_extension<best_fit_lifo, true>();
    expect_extension<first_fit>();
    expect_extension<good_fit, true>();
    expect_extension<bfc>();
    expect_extension<buddy>();
    expect_extension<basic_best_fit<std::uint64_t>>();
    expect_extension<basic_buddy<std::uint64_t>>();
}

TEST_CASE("adaptors extend as what they adapt") {
    expect_extension<compacting<best_fit>>();
    expect_extension<bottom_reserve<best_fit>>();
    expect_extension<bottom_reserve<compacting<first_fit>>>();
    expect_extension<compacting<bottom_reserve<bfc, scratch_sharing::per_program>>>();
    expect_extension<bottom_reserve<buddy>>();
}

TEST_CASE("memory extends up to what its width can count, and no further") {
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    best_fit fit(10);
    CHECK(fit.extend(most));
    CHECK_FALSE(fit.extend(most));
    CHECK_FALSE(fit.extend(most + 1));
    CHECK(fit.place({.length = static_cast<std::uint32_t>(most)}) != no_block);
    buddy halves(10);
    CHECK(halves.extend(most));
    CHECK(halves.map().offset(halves.place({.length = 1u << 31})) == 0);
    basic_best_fit<std::uint64_t> wide(10);
    CHECK(wide.extend(~std::uint64_t{0}));
    CHECK_FALSE(wide.extend(~std::uint64_t{0}));
}

}  // namespace hbm::test::extend_tests
