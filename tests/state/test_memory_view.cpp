// Handles that are good and handles that are not, free runs, and what can be reserved. Places, pieces, sums and the
// list of blocks are tested through managers.
#include <hbm/state/memory_view.hpp>
// The placements that are looked at.
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/buddy.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace hbm::test::memory_view_tests {

namespace {

constexpr std::uint64_t q = 512;
constexpr std::uint32_t salt = 40;

static_assert(!scratch_traits_of<best_fit>().reserved && !scratch_traits_of<best_fit>().shared);
static_assert(scratch_traits_of<bottom_reserve<best_fit>>().reserved);
static_assert(scratch_traits_of<bottom_reserve<best_fit>>().shared);
static_assert(scratch_traits_of<bottom_reserve<best_fit, scratch_sharing::per_program>>().reserved);
static_assert(!scratch_traits_of<bottom_reserve<best_fit, scratch_sharing::per_program>>().shared);

using view32 = memory_view<std::uint32_t>;

/// A memory with its view.
template <class P>
struct seen_memory {
    memory_state<P> state;
    tag_names names;

    explicit seen_memory(std::uint32_t capacity) {
        state.describe({.capacity = (capacity + 4) * q, .top_reserved = 4 * q, .bounce = 4 * q});
        state.salt = salt;
        state.blocks = P(capacity);
    }
    [[nodiscard]] view32 view(const largest_free_query<std::uint32_t>* largest = nullptr) const {
        return {state.blocks.map(), state, scratch_traits_of<P>(), names, largest};
    }
    block_index stand(std::uint32_t offset, std::uint32_t size, std::uint32_t granted = 0) {
        const block_index block = state.blocks.occupy({offset, size}, granted == 0 ? size : granted, 1);
        REQUIRE(block != no_block);
        return block;
    }
    [[nodiscard]] buffer handle(block_index block) const { return {block, state.blocks.map().generation(block), salt}; }
};

/// Says always the same.
struct says_seven final : largest_free_query<std::uint32_t> {
    [[nodiscard]] constexpr std::uint32_t largest_free() const override { return 7; }
};

}  // namespace

TEST_CASE("a buffer's handle is good, or the view says why not") {
    seen_memory<best_fit> memory(32);
    const block_index block = memory.stand(4, 3);
    const buffer good = memory.handle(block);
    const auto why = [&](buffer held) { return memory.view().check(held); };
    CHECK(why(good) == error::none);
    CHECK(why(buffer{}) == error::stale_handle);
    CHECK(why({block, good.generation, salt + 1}) == error::foreign_handle);
    CHECK(why({block, good.generation, 0}) == error::foreign_handle);
    CHECK(why({block, good.generation + 1, salt}) == error::stale_handle);
    CHECK(why({block, good.generation + 4, salt}) == error::stale_handle);
    CHECK(why({block, 0, salt}) == error::stale_handle);
    for (const block_index index :
         {0u, 1u, 8u, 16u, 100'000u, no_index / 2, memory.state.blocks.map().next(block), no_index - 1}) {
        CAPTURE(index);
        CHECK(why({index, good.generation, salt}) == error::stale_handle);
        CHECK(why({index, 0, salt}) == error::stale_handle);
        CHECK(why({index, 5, salt + 1}) == error::foreign_handle);  // nothing else can be said of it
    }

    memory.state.blocks.map().pin(block);
    CHECK(why(good) == error::none);
    memory.state.blocks.map().unpin(block);
    for (const block_kind kind : {block_kind::code, block_kind::scratch, block_kind::reservation}) {
        memory.state.blocks.map().set_owner(block, kind, 0);
        CHECK(why(good) == error::wrong_kind);
    }
    memory.state.blocks.map().set_owner(block, block_kind::data, 0);
    CHECK(why(good) == error::none);
    memory.state.blocks.release(block);
    CHECK(why(good) == error::stale_handle);
    memory.stand(0, 1);
    REQUIRE(memory.stand(1, 3) == block);  // the same node, another generation
    CHECK(why(good) == error::stale_handle);
    CHECK(why(memory.handle(block)) == error::none);
}

TEST_CASE("a program's handle is good, or the view says why not") {
    seen_memory<best_fit> memory(32);
    memory.state.programs = {{.generation = 1}, {.code = 3 * q, .generation = 7}, {.generation = 8}};
    const auto why = [&](program held) { return memory.view().check(held); };
    CHECK(why({0, 1, salt}) == error::none);
    CHECK(why({1, 7, salt}) == error::none);
    CHECK(why(program{}) == error::stale_handle);
    CHECK(why({1, 7, salt - 1}) == error::foreign_handle);
    CHECK(why({1, 5, salt}) == error::stale_handle);
    CHECK(why({1, 9, salt}) == error::stale_handle);
    CHECK(why({2, 8, salt}) == error::stale_handle);  // unloaded: a handle of that generation was never given out
    CHECK(why({2, 7, salt}) == error::stale_handle);
    CHECK(why({3, 1, salt}) == error::stale_handle);
    CHECK(why({no_index - 1, 1, salt}) == error::stale_handle);
    CHECK(why({3, 1, salt - 1}) == error::foreign_handle);
    CHECK(memory.view().about({1, 7, salt}).code == 3 * q);
    CHECK(&memory.view().about({1, 7, salt}) == &memory.state.programs[1]);
    for (const program bad : {program{}, program{1, 7, salt - 1}, program{1, 5, salt}, program{3, 1, salt}})
        CHECK(memory.view().about(bad) == program_record{});
}

TEST_CASE("the slot of a program has its handle, unless it was unloaded") {
    seen_memory<best_fit> memory(32);
    memory.state.programs = {{.generation = 1}, {.generation = 2}, {.generation = 7}, {}};
    const view32 view = memory.view();
    CHECK(view.handle_of(0) == program{0, 1, salt});
    CHECK_FALSE(view.handle_of(1));
    CHECK(view.handle_of(2) == program{2, 7, salt});
    CHECK_FALSE(view.handle_of(3));  // no program was there yet
    CHECK_FALSE(view.handle_of(4));
    CHECK_FALSE(view.handle_of(no_index));
    CHECK(view.programs().size() == 4);
    CHECK(view.programs()[2].generation == 7);
}

TEST_CASE("holes that touch are one free run") {
    seen_memory<buddy> memory(12);  // free: 8 and 4
    CHECK(memory.view().largest_free_bytes() == 12 * q);
    const block_index middle = memory.stand(3, 1);  // free: 2 and 1, then 4 and 4
    CHECK(memory.view().largest_free_bytes() == 8 * q);
    const block_index high = memory.stand(8, 4);
    CHECK(memory.view().largest_free_bytes() == 4 * q);
    const block_index low = memory.stand(5, 3);  // free: 2 and 1, then 1
    CHECK(memory.view().largest_free_bytes() == 3 * q);
    std::vector<extent> holes;
    for (const block_view& each : memory.view().blocks_and_holes())
        if (each.kind == block_kind::hole) holes.push_back(each.where);
    CHECK(holes == std::vector<extent>{{0, 2 * q}, {2 * q, q}, {4 * q, q}});
    memory.stand(0, 3);
    CHECK(memory.view().largest_free_bytes() == q);
    memory.stand(4, 1);
    CHECK(memory.view().largest_free_bytes() == 0);
    memory.state.blocks.release(middle);
    memory.state.blocks.release(high);
    memory.state.blocks.release(low);
    CHECK(memory.view().largest_free_bytes() == 7 * q);  // 3 at 5, then 4
    CHECK(seen_memory<best_fit>(0).view().largest_free_bytes() == 0);
}

TEST_CASE("the placement is asked for the longest free run where it can be") {
    seen_memory<buddy> memory(12);
    memory.stand(3, 1);
    const says_seven query;
    CHECK(memory.view(&query).largest_free_bytes() == 7 * q);
    CHECK(memory.view().largest_free_bytes() == 8 * q);
    const largest_free_of<buddy> asked(memory.state.blocks);
    CHECK(asked.largest_free() == 8);
    CHECK(memory.view(&asked).largest_free_bytes() == 8 * q);
    memory.stand(4, 4);
    CHECK(memory.view(&asked).largest_free_bytes() == 4 * q);  // it refers to the placement
}

TEST_CASE("what can be reserved goes over holes that touch") {
    seen_memory<bottom_reserve<buddy, scratch_sharing::per_program>> memory(16);
    CHECK(memory.view().reserves_scratch());
    CHECK_FALSE(memory.view().shares_scratch());
    REQUIRE(memory.state.blocks.reserve(3));
    CHECK(memory.view().reserved_bytes() == 3 * q);
    CHECK(memory.view().reservable_bytes() == 13 * q);  // 1, 4 and 8
    memory.stand(10, 1);
    CHECK(memory.view().reservable_bytes() == 7 * q);  // 1, 4 and 2
}

TEST_CASE("iterators of blocks outlive the range that they come from") {
    using range = block_range<std::uint32_t>;
    best_fit blocks(8);
    const best_fit others(20);
    const block_index held = blocks.place({.length = 2});
    range blocks_and_holes(blocks.map(), 9, 1, true);
    range::iterator at = blocks_and_holes.begin();
    blocks_and_holes = range(others.map(), 3, 2, false);  // another range in its place
    CHECK((*at).handle == buffer::of(held, blocks.map().generation(held), 1));
    CHECK((*at).where == extent{0, 2 * 512});
    CHECK((*++at).kind == block_kind::hole);
    CHECK((*at).where == extent{2 * 512, 6 * 512});
    CHECK(++at == range::iterator{});
}

}  // namespace hbm::test::memory_view_tests
