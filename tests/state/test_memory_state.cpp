// Sizes and limits of a memory, what it reports when runs end, and plans that are checked. Moves that stop and runs in
// flight are tested through managers: manager/test_in_flight.cpp, planning/test_pending_move.cpp.
#include <hbm/state/memory_state.hpp>
// The placements that it is tried with.
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/buddy.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace hbm::test::memory_state_tests {

namespace {

constexpr std::uint64_t q = 512;
constexpr std::uint64_t most = ~std::uint64_t{0};

using plain_state = memory_state<best_fit>;
using shared_state = memory_state<bottom_reserve<best_fit>>;
using per_program_state = memory_state<bottom_reserve<best_fit, scratch_sharing::per_program>>;
using wide_state = memory_state<basic_best_fit<std::uint64_t>>;

/// A placement that can do nothing but place and free.
struct unmovable {
    static constexpr fixed_string name{"unmovable"};
    using quanta = std::uint32_t;
    static constexpr quanta unlimited = best_fit::unlimited;
    static constexpr bool merges_neighbours = true;

    unmovable() = default;
    explicit unmovable(quanta capacity) : blocks_(capacity) {}
    block_index place(const need<quanta>& n) { return blocks_.place(n); }
    void release(block_index block) { blocks_.release(block); }
    [[nodiscard]] need<quanta> requirement(const need<quanta>& n) const { return n; }
    [[nodiscard]] quanta largest_free() const { return blocks_.largest_free(); }
    [[nodiscard]] block_map<quanta>& map() { return blocks_.map(); }
    [[nodiscard]] const block_map<quanta>& map() const { return blocks_.map(); }
    friend bool operator==(const unmovable&, const unmovable&) = default;

private:
    best_fit blocks_;
};
static_assert(placement<unmovable> && !relocates<unmovable> && !stretches<unmovable> && !shrinks<unmovable>);

/// A byte takes a nanosecond each way, a copy 100 more.
template <class State>
State made(std::uint64_t capacity_in_quanta) {
    State fresh;
    fresh.describe({.capacity = capacity_in_quanta * q, .bandwidth = 1'000'000'000, .copy_nanoseconds = 100});
    fresh.blocks = decltype(fresh.blocks)(static_cast<typename State::quanta>(capacity_in_quanta));
    return fresh;
}

/// A block at a given place; `granted` quanta of it were asked for, all of them by default.
template <class State>
block_index stand(State& state, typename State::quanta offset, typename State::quanta size,
                  typename State::quanta granted = 0) {
    const block_index block = state.blocks.occupy({offset, size}, granted == 0 ? size : granted, 1);
    REQUIRE(block != no_block);
    return block;
}

/// A program in memory, of one generation; its scratch is not reserved yet.
template <class State>
std::uint32_t add_program(State& state, typename State::quanta offset, typename State::quanta size,
                          std::uint64_t scratch = 0) {
    const auto slot = static_cast<std::uint32_t>(state.programs.size());
    const block_index code = stand(state, offset, size);
    state.blocks.map().set_owner(code, block_kind::code, slot);
    state.programs.push_back({.code = size * q,
                              .scratch = scratch,
                              .reload_nanoseconds = 1000,
                              .code_block = code,
                              .generation = 5,
                              .resident = true});
    return slot;
}

/// A run in flight that holds blocks.
template <class State>
void fly(State& state, std::initializer_list<block_index> blocks) {
    for (const block_index block : blocks) state.begin_hold(block);
    ++state.issued.number;
    state.flights.push_back({.over = state.issued, .holds = static_cast<std::uint32_t>(blocks.size())});
}

/// A free that waits, as the executor defers it.
template <class State>
void defer(State& state, block_index block, fence until = {}) {
    state.blocks.map().invalidate_handles(block);
    state.blocks.map().set_owner(block, block_kind::deferred, 0);
    state.deferred.push_back({block, until});
}

plan one_step(const step& only) {
    plan steps;
    steps.add(only);
    return steps;
}

/// What stands against a plan; looking for it changes nothing.
template <class State>
error checked(const State& state, const plan& steps) {
    const State before = state;
    const error why = state.check(steps);
    CHECK(state == before);
    return why;
}

/// The limit of a memory of so many bytes, all of them usable.
std::uint64_t limit_of(std::uint64_t capacity, std::uint64_t quantum, std::uint32_t percent) {
    wide_state state;
    state.describe({.capacity = capacity, .quantum = quantum, .scratch_percent = percent});
    state.blocks = basic_best_fit<std::uint64_t>(capacity / quantum);
    return state.scratch_limit();
}

}  // namespace

TEST_CASE("sizes are shifted by the quantum, and bytes of less than a quantum are dropped") {
    plain_state state = made<plain_state>(100);
    CHECK(state.shift() == 9);
    CHECK(state.bytes(3) == 1536);
    CHECK(state.bytes(0xffffffffu) == std::uint64_t{0xffffffffu} * 512);  // more than 32 bits
    CHECK(state.in_quanta(1536) == 3);
    CHECK(state.in_quanta(2047) == 3);
    CHECK(state.in_quanta(511) == 0);
    CHECK(state.in_quanta(std::uint64_t{0xffffffffu} * 512) == 0xffffffffu);
    CHECK(state.quanta_of({1024, 2560}) == basic_extent<std::uint32_t>{2, 5});
    const block_index block = stand(state, 7, 4);
    CHECK(state.where(block) == extent{7 * q, 4 * q});

    state.describe({.capacity = 100, .quantum = 1});
    CHECK(state.shift() == 0);
    CHECK(state.bytes(3) == 3);
    CHECK(state.where(block) == extent{7, 4});
    state.describe({.capacity = 1 << 20, .quantum = 4096});
    CHECK(state.shift() == 12);
    CHECK(state.in_quanta(8191) == 1);
    CHECK(memory_records{}.quantum_shift == 9);  // of the quantum that a spec has by default
}

TEST_CASE("the most scratch of a program is its percentage of the capacity, in whole quanta") {
    CHECK(limit_of(1000, 1, 50) == 500);
    CHECK(limit_of(1000, 1, 0) == 0);
    CHECK(limit_of(199, 1, 1) == 1);
    CHECK(limit_of(199, 1, 99) == 197);  // 197.01
    CHECK(limit_of(150, 1, 33) == 49);   // 49.5
    CHECK(limit_of(99, 1, 1) == 0);
    CHECK(limit_of(10 * q, q, 50) == 5 * q);
    CHECK(limit_of(11 * q, q, 50) == 5 * q);
    CHECK(limit_of(3 * q, q, 34) == q);  // 522.24
    CHECK(limit_of(3 * q, q, 33) == 0);  // 506.88
    CHECK(limit_of(0, q, 99) == 0);
    CHECK(limit_of(1000, 1, 100) == most);  // no limit
    CHECK(limit_of(1000, 1, 101) == most);
    CHECK(limit_of(1000, 1, 0xffffffffu) == most);
}

TEST_CASE("the limit of the largest capacities does not wrap around") {
    CHECK(limit_of(most, 1, 99) == 18'262'276'632'972'456'098u);
    CHECK(limit_of(most, 1, 50) == 9'223'372'036'854'775'807u);
    CHECK(limit_of(most, 1, 1) == 184'467'440'737'095'516u);
    CHECK(limit_of(most - 511, q, 99) == 18'262'276'632'972'455'424u);
    CHECK(limit_of(most - 511, q, 33) == 6'087'425'544'324'151'808u);
}

TEST_CASE("the limit is a part of what is usable, not of what is reserved at the top") {
    plain_state state;
    state.describe({.capacity = 100 * q, .top_reserved = 60 * q, .scratch_percent = 50});
    state.blocks = best_fit(40);
    CHECK(state.scratch_limit() == 20 * q);
}

TEST_CASE("programs share the reservation, or each has its own, as the placement says") {
    const auto level = [](auto state, std::initializer_list<program_record> programs) {
        for (const program_record& each : programs) state.programs.push_back(each);
        return state.scratch_level();
    };
    const std::initializer_list<program_record> three = {{.scratch = 3 * q, .resident = true},
                                                         {.scratch = 7 * q, .resident = true},
                                                         {.scratch = 5 * q, .resident = true}};
    CHECK(level(made<shared_state>(100), three) == 7 * q);
    CHECK(level(made<per_program_state>(100), three) == 15 * q);
    CHECK(level(made<plain_state>(100), three) == 0);
    const std::initializer_list<program_record> evicted = {
        {.scratch = 3 * q, .resident = true}, {.scratch = 7 * q, .resident = false}, {.scratch = 0, .resident = true}};
    CHECK(level(made<shared_state>(100), evicted) == 3 * q);
    CHECK(level(made<per_program_state>(100), evicted) == 3 * q);
    CHECK(level(made<shared_state>(100), {}) == 0);
    CHECK(level(made<per_program_state>(100), {}) == 0);
}

TEST_CASE("a sum of scratch stops at the largest number") {
    const auto sum = [](std::initializer_list<std::uint64_t> scratch) {
        per_program_state state = made<per_program_state>(10);
        for (const std::uint64_t each : scratch) state.programs.push_back({.scratch = each, .resident = true});
        return state.scratch_level();
    };
    CHECK(sum({most - 10, 9}) == most - 1);
    CHECK(sum({most - 10, 10}) == most);
    CHECK(sum({most - 10, 11}) == most);
    CHECK(sum({most, most}) == most);
    CHECK(sum({most, 5, 0, most - 1}) == most);
    shared_state shared = made<shared_state>(10);
    shared.programs = {{.scratch = most, .resident = true}, {.scratch = most - 1, .resident = true}};
    CHECK(shared.scratch_level() == most);
}

TEST_CASE("a level that the memory does not have leaves the reservation as it is") {
    shared_state state = made<shared_state>(64);
    add_program(state, 60, 4, 3 * q);
    add_program(state, 50, 4, (std::uint64_t{1} << 41) + 5 * q);  // five quanta more than the width can tell from none
    REQUIRE(state.blocks.reserve(7));
    state.evict(0);
    CHECK(state.reserved_bytes() == 7 * q);
}

namespace {

/// Keeps what a memory reports when runs end.
struct kept_log final : retirement_log {
    std::vector<event_kind> kinds;
    std::vector<block_index> blocks;

    void add(event_kind what, block_index block, std::uint64_t) override {
        kinds.push_back(what), blocks.push_back(block);
    }
};

}  // namespace

TEST_CASE("deferred frees take effect in their order, when their fence is reached and no run holds them") {
    plain_state state = made<plain_state>(40);
    std::vector<block_index> block;
    for (std::uint32_t at = 0; at < 6; ++at) block.push_back(stand(state, 6 * at, 4));
    fly(state, {block[1], block[2]});
    fly(state, {block[2], block[4]});
    fly(state, {});
    state.blocks.map().pin(block[3]);
    defer(state, block[4], fence{1});  // run 2 holds it longer
    defer(state, block[0], fence{3});
    defer(state, block[3], fence{1});  // pinned, which does not stand against it
    defer(state, block[2]);
    defer(state, block[1]);
    const auto retire = [&](std::uint64_t upto) {
        kept_log log;
        const bool later = fence{upto} > state.reached;
        state.retire(fence{upto}, &log);
        if (later) {
            CHECK(log.kinds.front() == event_kind::reached);
            log.blocks.erase(log.blocks.begin());
        }
        return log.blocks;
    };
    using blocks = std::vector<block_index>;
    CHECK(retire(0) == blocks{});
    CHECK(state.deferred.size() == 5);
    CHECK(retire(1) == blocks{block[3], block[1]});
    CHECK(state.deferred ==
          trivial_vector<deferred_free>{{block[4], fence{1}}, {block[0], fence{3}}, {block[2], fence{0}}});
    CHECK(state.blocks.map().free() == 40 - 4 * 4);
    CHECK(retire(2) == blocks{block[4], block[2]});
    CHECK(state.flights.size() == 1);
    CHECK(retire(3) == blocks{block[0]});
    CHECK(state.deferred.empty());
    CHECK_FALSE(state.can_wait());
    CHECK(state.blocks.map().live_blocks() == 1);
    CHECK(state.where(block[5]) == extent{30 * q, 4 * q});
}

TEST_CASE("check: a wait is for a fence that was issued") {
    plain_state state = made<plain_state>(20);
    fly(state, {});
    fly(state, {});
    CHECK(checked(state, plan{}) == error::none);
    for (const std::uint64_t fence : {std::uint64_t{0}, std::uint64_t{2}, std::uint64_t{3}, most})
        CHECK(checked(state, one_step({.what = step_kind::wait, .to = fence})) ==
              (fence <= 2 ? error::none : error::unknown_fence));
}

TEST_CASE("check: an eviction is of a program that is the same, in memory and not in use") {
    plain_state state = made<plain_state>(20);
    const std::uint32_t slot = add_program(state, 4, 4);
    const step leave = state.eviction_of(slot);
    const auto with = [&](auto change) {
        plain_state other = state;
        step changed = leave;
        change(other, changed);
        return checked(other, one_step(changed));
    };
    CHECK(checked(state, one_step(leave)) == error::none);
    for (const std::uint32_t subject : {1u, 1000u, no_index})
        CHECK(with([&](plain_state&, step& next) { next.subject = subject; }) == error::stale_handle);
    CHECK(with([&](plain_state& other, step&) { other.programs[slot].generation = 7; }) == error::stale_handle);
    CHECK(with([](plain_state&, step& next) { next.from += std::uint64_t{1} << 32; }) == error::stale_handle);
    CHECK(with([](plain_state&, step& next) { next.bytes += q; }) == error::stale_handle);
    CHECK(with([&](plain_state& other, step&) { other.evict(slot); }) == error::stale_handle);
    plan twice = one_step(leave);
    twice.add(leave);
    CHECK(checked(state, twice) == error::stale_handle);

    fly(state, {state.programs[slot].code_block});
    CHECK(checked(state, one_step(leave)) == error::stale_handle);
    plan after_a_wait = one_step({.what = step_kind::wait, .to = 1});
    after_a_wait.add(leave);
    CHECK(checked(state, after_a_wait) == error::none);
}

TEST_CASE("check: a move is of a block that is no wall and where it was, to what is free except for itself") {
    plain_state state = made<plain_state>(32);
    const block_index block = stand(state, 8, 4);
    const block_index other = stand(state, 20, 2);
    const auto with = [&](auto change) {
        step changed = state.move_of(block, 2);
        change(changed);
        return checked(state, one_step(changed));
    };
    const auto to = [&](std::uint64_t place) { return with([&](step& next) { next.to = place; }); };
    for (const std::uint64_t place : {0u, 2u, 7u, 8u, 16u, 28u}) CHECK(to(place * q) == error::none);
    // Onto another block, beyond the end, where the width of the quanta sees 2, and no whole quanta.
    for (const std::uint64_t place :
         {17 * q, 21 * q, 29 * q, 32 * q, 33 * q, 0 - q, (std::uint64_t{1} << 41) + 2 * q, 2 * q + 1, 2 * q - 1}) {
        CAPTURE(place);
        CHECK(to(place) == error::range_is_taken);
    }
    for (const std::uint64_t from : {9 * q, 8 * q - 1})
        CHECK(with([&](step& next) { next.from = from; }) == error::range_is_taken);
    for (const std::uint64_t bytes : {std::uint64_t{0}, 4 * q - 1, 5 * q, most})
        CHECK(with([&](step& next) { next.bytes = bytes; }) == error::range_is_taken);
    SUBCASE("no block at all") {
        for (const block_index subject : {block_index{0}, block_index{1}, state.blocks.map().next(block), no_block,
                                          block_index{100'000}, no_block / 2}) {
            CAPTURE(subject);
            CHECK(with([&](step& next) { next.subject = subject; }) == error::range_is_taken);
        }
    }
    SUBCASE("a hole that is a block") {
        auto halves = made<memory_state<buddy>>(8);
        const block_index low = stand(halves, 0, 4);
        const block_index hole = halves.blocks.map().next(low);
        REQUIRE(halves.blocks.map().is_hole(hole));
        CHECK(checked(halves, one_step({.what = step_kind::move, .subject = hole, .from = 4 * q, .bytes = 4 * q})) ==
              error::range_is_taken);
    }
    SUBCASE("walls") {
        state.blocks.map().pin(block);
        CHECK(to(2 * q) == error::range_is_taken);
        state.blocks.map().unpin(block);
        state.begin_hold(block);
        CHECK(to(2 * q) == error::range_is_taken);
        state.blocks.map().release_hold(block);
        CHECK(to(2 * q) == error::none);
        state.blocks.map().set_owner(block, block_kind::deferred, 0);
        CHECK(to(2 * q) == error::range_is_taken);
    }
    SUBCASE("half moved") {
        state.begin_move({.block = block, .from = 8 * q, .to = 6 * q, .bytes = 4 * q, .moved = 2 * q});
        CHECK(to(2 * q) == error::range_is_taken);
        // Also with the range that it owns for now.
        const step whole{.what = step_kind::move, .subject = block, .from = 6 * q, .to = 0, .bytes = 6 * q};
        CHECK(checked(state, one_step(whole)) == error::range_is_taken);
        CHECK(checked(state, one_step(state.move_of(other, 0))) == error::none);
        CHECK(checked(state, one_step(state.move_of(other, 6))) == error::range_is_taken);
    }
    SUBCASE("one that must stay a multiple") {
        const block_index aligned = state.blocks.occupy({24, 2}, 2, 8);
        CHECK(checked(state, one_step(state.move_of(aligned, 16))) == error::none);
        CHECK(checked(state, one_step(state.move_of(aligned, 28))) == error::range_is_taken);
    }
}

TEST_CASE("retire: moves no more holds and flights than end") {
    constexpr std::size_t in_flight = 100;
    plain_state state = made<plain_state>(20);
    const block_index a = stand(state, 0, 1);
    const block_index b = stand(state, 1, 1);
    for (std::size_t run = 0; run < in_flight; ++run) fly(state, {a, b});
    std::size_t moved = 0;
    constexpr std::size_t ended = 10 * in_flight;
    for (std::size_t run = 0; run < ended; ++run) {
        const flight* const next = state.flights.begin() + 1;
        const block_index* const held = state.held.begin() + 2;
        state.retire(next[-1].over);
        if (state.flights.begin() != next) moved += state.flights.size();
        if (state.held.begin() != held) moved += state.held.size();
        REQUIRE(state.flights.size() == in_flight - 1);
        REQUIRE(state.blocks.map().holds(a) == in_flight - 1);
        fly(state, {a, b});
    }
    CHECK(moved <= 3 * ended);
    CHECK(plain_state(state) == state);
}

TEST_CASE("the reservation does not move, and nothing moves into it") {
    shared_state state = made<shared_state>(32);
    REQUIRE(state.blocks.reserve(4));
    const block_index block = stand(state, 20, 4);
    CHECK(checked(state, one_step(state.move_of(state.blocks.map().first(), 8))) == error::range_is_taken);
    CHECK(checked(state, one_step(state.move_of(block, 3))) == error::range_is_taken);
    CHECK(checked(state, one_step(state.move_of(block, 4))) == error::none);
}

TEST_CASE("check: each step of a plan is checked after the steps before it") {
    plain_state state = made<plain_state>(20);
    const std::uint32_t slot = add_program(state, 0, 4);
    const block_index a = stand(state, 4, 4);
    const block_index b = stand(state, 10, 4);
    const step into_the_hole = state.move_of(a, 0);
    const step where_a_was = state.move_of(b, 4);
    CHECK(checked(state, one_step(into_the_hole)) == error::range_is_taken);
    CHECK(checked(state, one_step(where_a_was)) == error::range_is_taken);
    plan steps = one_step(state.eviction_of(slot));
    steps.add(into_the_hole);
    steps.add(where_a_was);
    CHECK(checked(state, steps) == error::none);
    plan further = steps;
    further.add(state.move_of(b, 4, 5));
    CHECK(checked(state, further) == error::none);
    further = steps;
    further.add(where_a_was);  // where it is no longer
    CHECK(checked(state, further) == error::range_is_taken);
    further = steps;
    further.add({.what = step_kind::wait, .to = 1});
    CHECK(checked(state, further) == error::unknown_fence);

    // A wait frees what a move needs.
    fly(state, {});
    defer(state, a, fence{1});
    CHECK(checked(state, one_step(where_a_was)) == error::range_is_taken);
    plan waits = one_step({.what = step_kind::wait, .to = 1});
    waits.add(where_a_was);
    CHECK(checked(state, waits) == error::none);
}

TEST_CASE("nothing moves where the placement cannot move") {
    auto state = made<memory_state<unmovable>>(20);
    const block_index block = state.blocks.place({.length = 4});
    CHECK(checked(state, one_step(state.move_of(block, 10))) == error::range_is_taken);
    CHECK(checked(state, one_step({.what = step_kind::wait})) == error::none);
    const auto before = state;
    state.begin_move({.block = block, .from = 0, .to = 2 * q, .bytes = 4 * q, .moved = q});
    CHECK(state == before);
    CHECK_FALSE(state.apply(state.move_of(block, 10)));
    CHECK(state == before);
}

}  // namespace hbm::test::memory_state_tests
