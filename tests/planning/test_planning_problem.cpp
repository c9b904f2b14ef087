// Frees that wait, blocks that are cut, and ranks of programs in a planning problem. Blocks, walls and the reservation
// are compared with brute force in test_several_needs.cpp.
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/bfc.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/planning/planner.hpp>
#include <hbm/state/problem_of.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "planning/priced.hpp"

namespace hbm::test::planning_problem_tests {

namespace {

using moving = compacting<best_fit>;

template <placement P>
memory_state<P> empty_memory(std::uint32_t quanta) {
    memory_state<P> state;
    state.describe(priced(quanta));
    state.blocks = P(quanta);
    return state;
}
template <placement P>
block_index add_buffer(memory_state<P>& state, std::uint32_t offset, std::uint32_t size, std::uint32_t granted = 0) {
    const block_index block = state.blocks.occupy({offset, size}, granted == 0 ? size : granted, 1);
    REQUIRE(block != no_block);
    return block;
}
/// A run in flight that holds some blocks; its fence is the next.
template <placement P>
void fly(memory_state<P>& state, std::initializer_list<block_index> holds) {
    ++state.issued.number;
    state.flights.push_back({.over = state.issued, .holds = static_cast<std::uint32_t>(holds.size())});
    for (const block_index block : holds) state.begin_hold(block);
}
/// A buffer that was freed, but not yet.
template <placement P>
void defer(memory_state<P>& state, block_index block, std::uint64_t until) {
    state.blocks.map().set_owner(block, block_kind::deferred, 0);
    state.deferred.push_back({.block = block, .until = fence{until}});
}
template <placement P>
planning_problem read(const memory_state<P>& state) {
    const need<std::uint32_t> required{.length = 1};
    return problem_of(state, std::span{&required, 1}, victims::window, std::span<const std::uint64_t>{});
}
const problem_block& at_offset(const planning_problem& problem, std::uint64_t offset) {
    for (const problem_block& each : problem.blocks)
        if (each.offset == offset) return each;
    FAIL("no block is there");
    return problem.blocks[0];
}
const layout_block* at_offset(const layout& seen, std::uint64_t offset) {
    for (const layout_block& each : seen.blocks)
        if (each.offset == offset) return &each;
    return nullptr;
}

/// Reads a memory of `count` deferred frees, each after a run of its own, and as many other blocks.
/// Beyond the compilers' default limits of constant evaluation, it fails to compile.
constexpr bool reads_deferred_frees(std::uint32_t count) {
    memory_state<moving> state;
    state.describe({.capacity = std::uint64_t{2} * count * default_quantum});
    state.blocks = moving(2 * count);
    for (std::uint32_t at = 0; at < count; ++at) {
        const block_index freed = state.blocks.place({.length = 1});
        state.blocks.place({.length = 1});
        state.flights.push_back({.over = {++state.issued.number}});
        state.blocks.map().set_owner(freed, block_kind::deferred, 0);
        state.deferred.push_back({.block = freed, .until = state.issued});
    }
    const planning_problem problem = problem_of(state, {}, victims::window, {});
    for (const problem_block& entry : problem.blocks) {
        const bool is_freed = entry.offset % 2 == 0;
        if (entry.freed_after != (is_freed ? entry.offset / 2 + 1 : never)) return false;
    }
    return problem.blocks.size() == 2 * count;
}
#ifdef __clang__
static_assert(reads_deferred_frees(500));
#else
static_assert(reads_deferred_frees(3'000));
#endif

/// The memory after so many runs, in which all programs may leave.
layout seen_after(const planning_problem& problem, std::size_t runs) {
    return layout_after(problem, runs, program_set(problem.programs.size(), 1));
}

}  // namespace

TEST_CASE("a deferred free takes effect when its fence is reached and no run holds the block") {
    memory_state<moving> state = empty_memory<moving>(16);
    state.reached = state.issued = fence{10};
    const block_index at_once = add_buffer(state, 0, 1);
    const block_index by_fence = add_buffer(state, 1, 2);
    const block_index by_hold = add_buffer(state, 3, 3);
    const block_index forever = add_buffer(state, 6, 4);
    add_buffer(state, 10, 1);
    state.blocks.map().pin(at_once);
    state.blocks.map().hold(forever);
    fly(state, {by_fence});
    fly(state, {});
    fly(state, {by_hold});
    defer(state, at_once, 10);
    defer(state, by_fence, 12);
    defer(state, by_hold, 11);
    defer(state, forever, 11);
    const planning_problem problem = read(state);
    CHECK(problem.can_wait);
    CHECK(problem.reached == fence{10});
    CHECK(at_offset(problem, 0).freed_after == 0);
    CHECK(at_offset(problem, 1).freed_after == 2);
    CHECK(at_offset(problem, 3).freed_after == 3);
    CHECK(at_offset(problem, 6).freed_after == never);
    CHECK(at_offset(problem, 10).freed_after == never);
    for (const std::uint64_t offset : {0u, 1u, 3u, 6u}) {
        CHECK(at_offset(problem, offset).movable_after == never);
        CHECK_FALSE(at_offset(problem, offset).pinned);
    }
    CHECK(problem.returned_after(0) == 512);
    CHECK(problem.returned_after(1) == 512);
    CHECK(problem.returned_after(2) == 3 * 512);
    CHECK(problem.returned_after(3) == 6 * 512);
    CHECK(seen_after(problem, 0).blocks.size() == 4);
    CHECK(seen_after(problem, 2).blocks.size() == 3);
    const layout last = seen_after(problem, 3);
    REQUIRE(last.blocks.size() == 2);
    CHECK(last.blocks[0].block == forever);
    CHECK_FALSE(last.blocks[0].movable);
    CHECK(last.blocks[1].movable);
}

TEST_CASE("a donated block is cut when the last run lets go of it") {
    memory_state<moving> state = empty_memory<moving>(16);
    const block_index longer = add_buffer(state, 0, 5, 2);
    const block_index exact = add_buffer(state, 6, 3);
    add_buffer(state, 10, 4, 1);  // no run holds it: nothing cuts it
    fly(state, {exact});
    fly(state, {longer});
    const planning_problem problem = read(state);
    CHECK(at_offset(problem, 0).cut_after == 2);
    CHECK(at_offset(problem, 0).size_when_cut == 2);
    CHECK(at_offset(problem, 0).size == 5);
    CHECK(at_offset(problem, 0).price == as_price(11'000));
    CHECK(at_offset(problem, 6).cut_after == never);
    CHECK(at_offset(problem, 10).cut_after == never);
    CHECK(problem.returned_after(1) == 0);
    CHECK(problem.returned_after(2) == 3 * 512);
    const layout before = seen_after(problem, 1);
    CHECK(at_offset(before, 0)->size == 5);
    CHECK(at_offset(before, 0)->price == as_price(11'000));
    CHECK_FALSE(at_offset(before, 0)->movable);
    const layout after = seen_after(problem, 2);
    CHECK(at_offset(after, 0)->size == 2);
    CHECK(at_offset(after, 0)->price == as_price(5000));
    CHECK(at_offset(after, 0)->movable);
    CHECK(at_offset(after, 10)->size == 4);
    CHECK(state.blocks.map().size(longer) == 5);  // the state is as it was
}

TEST_CASE("how far a donated block is cut the placement says") {
    memory_state<compacting<buddy>> halves = empty_memory<compacting<buddy>>(16);
    const block_index eight = halves.blocks.place({.length = 8});
    const auto offset = halves.blocks.map().offset(eight);
    halves.blocks.map().renew(eight, 0);
    halves.blocks.map().regrant(eight, 3);
    fly(halves, {eight});
    const planning_problem by_halves = read(halves);
    CHECK(at_offset(by_halves, offset).size_when_cut == 4);
    CHECK(by_halves.returned_after(1) == 4 * 512);

    memory_state<compacting<bfc>> whole = empty_memory<compacting<bfc>>(16);
    const block_index kept = add_buffer(whole, 0, 5, 3);   // two would be left of five: no split
    const block_index split = add_buffer(whole, 6, 6, 3);  // as much would be left as is needed
    fly(whole, {kept, split});
    const planning_problem worthwhile = read(whole);
    CHECK(at_offset(worthwhile, 0).size_when_cut == 5);
    CHECK(at_offset(worthwhile, 6).size_when_cut == 3);
    CHECK(worthwhile.returned_after(1) == 3 * 512);
}

TEST_CASE("of programs that cost the same the lower score is cheaper, by less than a nanosecond") {
    planning_problem problem;
    problem.capacity = 8;
    problem.programs.resize(4);
    for (std::uint32_t at = 0; at < 4; ++at) {
        problem.programs[at].slot = at;
        problem.programs[at].evictable_after = 0;
        problem.programs[at].eviction.nanoseconds = 1000;
    }
    problem.programs[0].score = 7;
    problem.programs[1].score = 3;
    problem.programs[2].score = 7;
    problem.programs[3].score = 9;
    const layout seen = seen_after(problem, 0);
    REQUIRE(seen.programs.size() == 4);
    CHECK(seen.programs[0].price == as_price(1000) + 1);
    CHECK(seen.programs[1].price == as_price(1000));
    CHECK(seen.programs[2].price == as_price(1000) + 1);
    CHECK(seen.programs[3].price == as_price(1000) + 3);
    CHECK(seen.programs[3].score == 9);
}

TEST_CASE("all ranks together stay below a nanosecond, however many programs there are") {
    for (const std::uint32_t count : {2u, 31u, 32u, 33u, 200u}) {
        planning_problem problem;
        problem.programs.resize(count);
        for (std::uint32_t at = 0; at < count; ++at) {
            problem.programs[at].score = at;
            problem.programs[at].evictable_after = 0;
        }
        std::uint64_t sum = 0;
        std::uint64_t before = 0;
        const layout seen = seen_after(problem, 0);
        for (const evictable_program& each : seen.programs) {
            CHECK(each.price >= before);
            before = each.price;
            sum += each.price;
        }
        CHECK(sum < as_price(1));
        CHECK(before > 0);
    }
}

}  // namespace hbm::test::planning_problem_tests
