// What the planner is told of a memory, read off hand-made states, and what it makes of that after some runs.
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/bfc.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/relief/planning_problem.hpp>
#include <hbm/relief/problem_of.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "relief/priced.hpp"

namespace hbm::test::planning_problem_tests {

namespace {

using moving = compacting<best_fit>;
using reserving = bottom_reserve<compacting<best_fit>>;
using reserving_sum = bottom_reserve<compacting<best_fit>, scratch_sharing::per_program>;

template <placement P>
memory_state<P> empty_memory(std::uint32_t quanta) {
    memory_state<P> state;
    state.describe(priced(quanta));
    state.blocks = P(quanta);
    return state;
}
template <placement P>
block_index add_buffer(memory_state<P>& state, std::uint32_t offset, std::uint32_t size, std::uint32_t granted = 0,
                       std::uint32_t alignment = 1) {
    const block_index block = state.blocks.occupy({offset, size}, granted == 0 ? size : granted, alignment);
    REQUIRE(block != no_block);
    return block;
}
/// A program in memory whose code is at `offset`; returns its slot.
template <placement P>
std::uint32_t add_program(memory_state<P>& state, std::uint32_t offset, std::uint32_t size, std::uint64_t reload,
                          std::uint32_t scratch = 0) {
    const auto slot = static_cast<std::uint32_t>(state.programs.size());
    program_record record;
    record.code = size * q;
    record.scratch = scratch * q;
    record.reload_nanoseconds = reload;
    record.generation = 1;
    record.resident = true;
    record.code_block = add_buffer(state, offset, size);
    state.blocks.map().set_owner(record.code_block, block_kind::code, slot);
    state.programs.push_back(record);
    return slot;
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
planning_problem read(const memory_state<P>& state, const std::vector<std::uint64_t>& scores = {},
                      std::uint32_t protected_slot = no_index,
                      const std::vector<need<std::uint32_t>>& needs = {{.length = 1}}) {
    return problem_of(state, std::span<const need<std::uint32_t>>{needs}, victims::window,
                      std::span<const std::uint64_t>{scores}, protected_slot);
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

constexpr auto all_may_leave = [](const problem_program&) { return true; };
constexpr auto nobody_may_leave = [](const problem_program&) { return false; };

}  // namespace

TEST_CASE("a problem lists the blocks by offset, with what moving them costs") {
    memory_state<moving> state = empty_memory<moving>(16);
    const block_index high = add_buffer(state, 12, 3);
    const block_index aligned = add_buffer(state, 4, 2, 0, 4);
    const std::uint32_t slot = add_program(state, 6, 1, 9000);
    const planning_problem problem = read(state, {5}, no_index, {{.length = 3, .alignment = 2}, {.length = 2}});
    CHECK(problem.capacity == 16);
    CHECK(problem.bottom == 0);
    CHECK(problem.rule == scratch_rule::none);
    CHECK(problem.may_move);
    CHECK_FALSE(problem.can_wait);
    CHECK(problem.choice == victims::window);
    CHECK(problem.spec == state.spec);
    CHECK(problem.bytes(3) == 1536);
    CHECK(problem.needs == trivial_vector<layout_need>{{3, 2}, {2, 1}});
    REQUIRE(problem.blocks.size() == 3);
    CHECK(problem.blocks[0].offset == 4);
    CHECK(problem.blocks[0].size == 2);
    CHECK(problem.blocks[0].alignment == 4);
    CHECK(problem.blocks[0].block == aligned);
    CHECK(problem.blocks[0].price == as_price(5000));
    CHECK(problem.blocks[0].program == no_index);
    CHECK(problem.blocks[1].offset == 6);
    CHECK(problem.blocks[1].price == as_price(3000));
    CHECK(problem.blocks[1].program == 0);
    CHECK(problem.blocks[2].offset == 12);
    CHECK(problem.blocks[2].block == high);
    CHECK(problem.blocks[2].price == as_price(7000));
    for (const problem_block& each : problem.blocks) {
        CHECK(each.movable_after == 0);
        CHECK(each.freed_after == never);
        CHECK(each.cut_after == never);
        CHECK_FALSE(each.pinned);
    }
    REQUIRE(problem.programs.size() == 1);
    CHECK(problem.programs[0].slot == slot);
    CHECK(problem.programs[0].score == 5);
    CHECK(problem.programs[0].evictable_after == 0);
    CHECK(problem.programs[0].eviction ==
          step{.what = step_kind::evict, .subject = 0, .from = 1, .bytes = q, .nanoseconds = 9000});
}

TEST_CASE("a placement that may not move says so, and buddy asks for powers of two") {
    memory_state<buddy> state = empty_memory<buddy>(16);
    const planning_problem problem = read(state, {}, no_index, {{.length = 3}, {.length = 5, .alignment = 16}});
    CHECK_FALSE(problem.may_move);
    CHECK(problem.needs == trivial_vector<layout_need>{{4, 4}, {8, 16}});
    memory_state<best_fit> fixed = empty_memory<best_fit>(8);
    add_buffer(fixed, 2, 2);
    const planning_problem walled = read(fixed);
    CHECK_FALSE(walled.may_move);
    CHECK(walled.blocks[0].movable_after == 0);
    CHECK_FALSE(walled.after(0, all_may_leave).blocks[0].movable);
}

TEST_CASE("what a run holds may move or leave after the last run that holds it") {
    memory_state<moving> state = empty_memory<moving>(16);
    const block_index once = add_buffer(state, 0, 2);
    const block_index twice = add_buffer(state, 2, 2);
    add_buffer(state, 4, 2);
    add_program(state, 6, 2, 1000);
    add_program(state, 8, 2, 1000);
    fly(state, {once, twice, state.programs[0].code_block});
    fly(state, {});
    fly(state, {twice});
    const planning_problem problem = read(state, {1, 1});
    CHECK(problem.can_wait);
    CHECK(problem.flights == state.flights);
    CHECK(at_offset(problem, 0).movable_after == 1);
    CHECK(at_offset(problem, 2).movable_after == 3);
    CHECK(at_offset(problem, 4).movable_after == 0);
    CHECK(at_offset(problem, 6).movable_after == 1);
    CHECK(problem.programs[0].evictable_after == 1);
    CHECK(problem.programs[1].evictable_after == 0);
    const auto movable = [&](std::size_t runs) {
        std::vector<bool> list;
        for (const layout_block& block : problem.after(runs, all_may_leave).blocks) list.push_back(block.movable);
        return list;
    };
    CHECK(movable(0) == std::vector<bool>{false, false, true, false, true});
    CHECK(movable(1) == std::vector<bool>{true, false, true, true, true});
    CHECK(movable(2) == std::vector<bool>{true, false, true, true, true});
    CHECK(movable(3) == std::vector<bool>{true, true, true, true, true});
    CHECK(problem.after(0, all_may_leave).programs.size() == 1);
    CHECK(problem.after(1, all_may_leave).programs.size() == 2);
    CHECK(problem.returned_after(3) == 0);
}

TEST_CASE("what is held otherwise than by a run in flight stays, and so does the program that is protected") {
    memory_state<moving> state = empty_memory<moving>(16);
    const block_index held = add_buffer(state, 0, 2);
    add_program(state, 2, 2, 1000);
    add_program(state, 4, 2, 1000);
    state.blocks.map().hold(held);
    state.blocks.map().hold(state.programs[0].code_block);
    fly(state, {held, state.programs[0].code_block});
    planning_problem problem = read(state, {1, 1}, 1);
    CHECK(at_offset(problem, 0).movable_after == never);
    CHECK(at_offset(problem, 2).movable_after == never);
    CHECK(problem.programs[0].evictable_after == never);
    CHECK(at_offset(problem, 4).movable_after == 0);  // protected from leaving, not from moving
    CHECK(problem.programs[1].evictable_after == never);
    CHECK(problem.after(1, all_may_leave).programs.empty());
    problem = read(state, {1, 1}, 0);
    CHECK(problem.programs[1].evictable_after == 0);
}

TEST_CASE("a pinned block does not move, and it is known when it could without its pins") {
    memory_state<moving> state = empty_memory<moving>(8);
    const block_index plain = add_buffer(state, 0, 1);
    const block_index flying = add_buffer(state, 1, 1);
    state.blocks.map().pin(plain);
    state.blocks.map().pin(flying);
    fly(state, {flying});
    const planning_problem problem = read(state);
    CHECK(at_offset(problem, 0).pinned);
    CHECK(at_offset(problem, 0).movable_after == never);
    CHECK(at_offset(problem, 0).movable_unpinned == 0);
    CHECK(at_offset(problem, 1).movable_after == never);
    CHECK(at_offset(problem, 1).movable_unpinned == 1);
    CHECK_FALSE(at_offset(problem.after(1, all_may_leave), 0)->movable);
}

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
    CHECK(problem.after(0, all_may_leave).blocks.size() == 4);
    CHECK(problem.after(2, all_may_leave).blocks.size() == 3);
    const layout last = problem.after(3, all_may_leave);
    REQUIRE(last.blocks.size() == 2);
    CHECK(last.blocks[0].block == forever);
    CHECK_FALSE(last.blocks[0].movable);
    CHECK(last.blocks[1].movable);
}

TEST_CASE("a fence between those of two runs waits for the later of them") {
    memory_state<moving> state = empty_memory<moving>(8);
    const block_index block = add_buffer(state, 0, 1);
    fly(state, {});  // fence 1
    state.issued = fence{4};
    fly(state, {});  // fence 5
    fly(state, {});  // fence 6
    const std::size_t expected[] = {0, 1, 2, 2, 2, 2, 3, 3};
    for (std::uint64_t until = 0; until < 8; ++until) {
        CAPTURE(until);
        memory_state<moving> later = state;
        defer(later, block, until);
        CHECK(at_offset(read(later), 0).freed_after == expected[until]);
    }
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
    const layout before = problem.after(1, all_may_leave);
    CHECK(at_offset(before, 0)->size == 5);
    CHECK(at_offset(before, 0)->price == as_price(11'000));
    CHECK_FALSE(at_offset(before, 0)->movable);
    const layout after = problem.after(2, all_may_leave);
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

TEST_CASE("a pinned block that was donated is cut as well, but does not move") {
    memory_state<moving> state = empty_memory<moving>(8);
    const block_index block = add_buffer(state, 2, 4, 1);
    state.blocks.map().pin(block);
    fly(state, {block});
    const layout after = read(state).after(1, all_may_leave);
    REQUIRE(after.blocks.size() == 1);
    CHECK(after.blocks[0].size == 1);
    CHECK_FALSE(after.blocks[0].movable);
}

TEST_CASE("the reservation is no block, and the programs say how far it falls: to the largest scratch") {
    memory_state<reserving> state = empty_memory<reserving>(32);
    REQUIRE(state.blocks.reserve(6));
    add_program(state, 10, 2, 1000, 6);
    add_program(state, 12, 3, 2000, 4);
    program_record coming;  // has no blocks yet
    coming.scratch = 2 * q;
    coming.resident = true;
    state.programs.push_back(coming);
    state.programs.push_back({.scratch = 9 * q});  // not in memory
    const planning_problem problem = read(state, {3, 2, 7, 7});
    CHECK(problem.bottom == 6);
    CHECK(problem.rule == scratch_rule::largest);
    CHECK(problem.blocks.size() == 2);
    REQUIRE(problem.programs.size() == 3);
    CHECK(problem.programs[0].scratch == 6);
    CHECK(problem.programs[1].scratch == 4);
    CHECK(problem.programs[2].scratch == 2);
    CHECK(problem.programs[2].evictable_after == never);
    const layout all = problem.after(0, all_may_leave);
    CHECK(all.scratch_of_others == 2);
    CHECK(all.bottom == 6);
    CHECK(all.level() == 6);
    CHECK(all.min_level() == 2);
    REQUIRE(all.programs.size() == 2);
    CHECK(all.programs[0].scratch == 6);
    CHECK(all.programs[0].size == 2);
    CHECK(all.programs[1].size == 3);
    CHECK(all.programs[0].blocks == 1);
    CHECK(all.blocks[0].program == 0);
    CHECK(all.blocks[1].program == 1);
    const layout some = problem.after(0, [](const problem_program& each) { return each.slot != 1; });
    CHECK(some.scratch_of_others == 4);
    REQUIRE(some.programs.size() == 1);
    CHECK(some.programs[0].slot == 0);
    CHECK(at_offset(some, 10)->program == 0);
    CHECK(at_offset(some, 12)->program == no_index);
    CHECK(problem.after(0, nobody_may_leave).scratch_of_others == 6);
}

TEST_CASE("where each program has scratch of its own the reservation is the sum, which may stop at the end") {
    memory_state<reserving_sum> state = empty_memory<reserving_sum>(32);
    REQUIRE(state.blocks.reserve(10));
    add_program(state, 12, 2, 1000, 6);
    add_program(state, 14, 2, 1000, 4);
    planning_problem problem = read(state, {1, 1});
    CHECK(problem.rule == scratch_rule::sum);
    CHECK(problem.after(0, nobody_may_leave).scratch_of_others == 10);
    CHECK(problem.after(0, all_may_leave).scratch_of_others == 0);
    CHECK(problem.after(0, all_may_leave).level() == 10);
    problem.programs[0].scratch = ~std::uint64_t{0};
    CHECK(problem.after(0, nobody_may_leave).scratch_of_others == ~std::uint64_t{0});
}

TEST_CASE("where nothing is reserved scratch is a block of its program") {
    memory_state<moving> state = empty_memory<moving>(16);
    const std::uint32_t slot = add_program(state, 2, 3, 1000, 4);
    const block_index scratch = add_buffer(state, 8, 4);
    state.blocks.map().set_owner(scratch, block_kind::scratch, slot);
    state.programs[slot].scratch_block = scratch;
    const layout seen = read(state, {1}).after(0, all_may_leave);
    REQUIRE(seen.programs.size() == 1);
    CHECK(seen.programs[0].size == 7);
    CHECK(seen.programs[0].blocks == 2);
    CHECK(seen.programs[0].scratch == 0);
    CHECK(at_offset(seen, 8)->program == 0);
    CHECK(seen.level() == 0);
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
    const layout seen = problem.after(0, all_may_leave);
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
        const layout seen = problem.after(0, all_may_leave);
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
