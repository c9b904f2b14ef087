// Placing all that a call needs, or nothing: on a state alone, without a manager.
#include <hbm/eviction/policies.hpp>
#include <hbm/manager.hpp>
#include <hbm/manager/call_parts.hpp>
#include <hbm/manager/planning_transaction.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/bfc.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <support/managers.hpp>
#include <utility>
#include <vector>

namespace hbm::test::call_parts_tests {

namespace {

constexpr std::uint64_t q = 512;
using part = call_part<std::uint32_t>;
using parts = std::vector<part>;
using ranges = std::vector<basic_extent<std::uint32_t>>;

template <placement P>
memory_state<P> state_of(std::uint32_t capacity) {
    memory_state<P> state(capacity);
    state.describe({.name = "small", .capacity = capacity * q});
    return state;
}
template <placement P>
ranges live(const memory_state<P>& state) {
    ranges found;
    const auto& map = state.blocks.map();
    for (block_index at = map.first(); at != no_block; at = map.next(at))
        if (!map.is_hole(at)) found.push_back(map.range(at));
    return found;
}
parts buffers(std::initializer_list<std::uint32_t> lengths) {
    parts made;
    for (const std::uint32_t length : lengths) made.push_back({.required = {.length = length}});
    return made;
}
/// A program in memory, of nothing but scratch.
template <placement P>
void add_scratch(memory_state<P>& state, std::uint64_t bytes) {
    state.programs.push_back({.scratch = bytes, .generation = 1, .resident = true});
}
/// A buffer is freed while something stands against it.
template <placement P>
void defer(memory_state<P>& state, block_index block, fence until = {}) {
    state.blocks.map().set_owner(block, block_kind::deferred, 0);
    state.deferred.push_back({block, until});
}

/// Chooses a given plan.
struct given_plan final : relief_interface {
    std::optional<plan> answer;

    [[nodiscard]] std::uint64_t score(const program_record&, std::uint64_t) const noexcept override { return 0; }
    [[nodiscard]] std::optional<plan> choose(const planning_problem&) const noexcept override { return answer; }
};
struct listener final : policy_interface {
    std::vector<event> heard;
    std::vector<event> retired;
    std::function<extent(block_index)> where = [](block_index) { return extent{}; };
    given_plan chosen;
    std::vector<plan> carried_out;

    listener() {
        hears = true;
        relief = &chosen;
    }
    bool copy(std::uint64_t, std::uint64_t, std::uint64_t) noexcept override { return true; }
    void on(const event& occurred) noexcept override { heard.push_back(occurred); }
    void add(event_kind what, block_index block, std::uint64_t) override {
        retired.push_back({.what = what, .subject = block, .where = where(block)});
    }
    void report_retired() override { heard.insert(heard.end(), retired.begin(), retired.end()), retired.clear(); }
    [[nodiscard]] std::uint64_t credit(const program_record&, std::uint64_t) const noexcept override { return 0; }
    void evicted(const program_record&) noexcept override {}
    void relieved(const plan& steps) noexcept override { carried_out.push_back(steps); }
};

}  // namespace

TEST_CASE("parts are placed in their order, up to the first without room") {
    auto state = state_of<first_fit>(10);
    parts all = buffers({3, 5, 4, 1});
    CHECK(detail::place_in_order(state, all) == 2);
    CHECK(live(state) == ranges{{0, 3}, {3, 5}});
    CHECK(state.blocks.map().offset(all[1].block) == 3);
    CHECK(all[2].block == no_block);
    CHECK(all[3].block == no_block);
    parts rest = buffers({1, 1});
    CHECK(detail::place_in_order(state, rest) == 2);
    CHECK(live(state) == ranges{{0, 3}, {3, 5}, {8, 1}, {9, 1}});
}

TEST_CASE("the reservation grows to the level of the programs in memory, and does not shrink") {
    auto state = state_of<bottom_reserve<best_fit>>(20);
    add_scratch(state, 6 * q);
    parts all{{.kind = part_kind::reservation}, {.required = {.length = 14}}};
    CHECK(detail::place_all_or_none(state, all));
    CHECK(state.blocks.reserved() == 6);
    CHECK(live(state) == ranges{{0, 6}, {6, 14}});
    state.programs[0].scratch = 2 * q;
    parts less{{.kind = part_kind::reservation}};
    CHECK(detail::place_all_or_none(state, less));
    CHECK(state.blocks.reserved() == 6);
    state.programs[0].scratch = 7 * q;
    const auto before = state;
    CHECK_FALSE(detail::place_all_or_none(state, less));
    CHECK(state == before);
    state.programs[0].scratch = ~std::uint64_t{0};  // more quanta than can be counted
    CHECK_FALSE(detail::place_all_or_none(state, less));
    CHECK(state.blocks.reserved() == 6);
}

TEST_CASE("what found no room is named by its part, with the figures of then") {
    auto state = state_of<bottom_reserve<best_fit>>(20);
    REQUIRE(state.blocks.reserve(3));
    state.blocks.occupy({8, 4});
    const call_outcome outcome = detail::no_room(state, 2);
    CHECK(outcome.reason == error::buffer_does_not_fit);
    CHECK(outcome.part == 2);
    CHECK(outcome.figures == failure{.free = 13 * q, .largest_free = 8 * q, .reserved = 3 * q, .reservable = 5 * q});
}

namespace {

/// Random blocks and random parts. Whether all parts find room is tried one after the other on a copy.
template <placement P>
void expect_all_or_none(std::uint64_t seed) {
    testing::random_numbers random(seed);
    auto state = state_of<P>(64);
    std::vector<block_index> held;
    for (int step = 0; step < 30; ++step) {
        if (!held.empty() && random.once_in(2)) {
            const auto gone = static_cast<std::ptrdiff_t>(random.below(held.size()));
            state.release(held[static_cast<std::size_t>(gone)]);
            held.erase(held.begin() + gone);
        }
        parts all(random.below(5));
        for (part& each : all) {
            each.required.length = static_cast<std::uint32_t>(1 + random.below(10));
            if (random.once_in(4)) each.required.alignment = static_cast<std::uint32_t>(1u << random.below(5));
            if (reserves<P> && random.once_in(4)) each.kind = part_kind::reservation;
        }
        if (reserves<P> && random.once_in(4)) add_scratch(state, random.below(20) * q);
        const auto before = state;
        auto expected = state;
        bool fits = true;
        for (const part& each : all) {
            if (!fits) break;
            if constexpr (reserves<P>) {
                if (each.kind == part_kind::reservation) {
                    const auto level = static_cast<std::uint32_t>(expected.scratch_level() / q);
                    fits = level <= expected.blocks.reserved() || expected.blocks.reserve(level);
                    continue;
                }
            }
            fits = expected.blocks.place(each.required) != no_block;
        }
        REQUIRE(detail::place_all_or_none(state, all) == fits);
        REQUIRE(state == (fits ? expected : before));
        if (!fits) continue;
        for (const part& each : all)
            if (each.kind == part_kind::data) held.push_back(each.block);
    }
}

}  // namespace

TEST_CASE("under every kind of placement parts are placed as one after the other would be, or not at all") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        expect_all_or_none<best_fit>(seed);
        expect_all_or_none<bfc>(seed);
        expect_all_or_none<compacting<buddy>>(seed);
        expect_all_or_none<bottom_reserve<compacting<first_fit>>>(seed);
        expect_all_or_none<bottom_reserve<buddy, scratch_sharing::per_program>>(seed);
    }
}

TEST_CASE("frees that only wait to be noticed take effect before the first part without room") {
    auto state = state_of<first_fit>(10);
    const block_index freed = state.blocks.occupy({0, 4});
    state.blocks.occupy({4, 3});
    state.blocks.map().pin(freed);
    defer(state, freed);
    listener policies;
    policies.where = [&](block_index block) { return state.where(block); };
    parts all = buffers({2, 4, 1});
    CHECK(detail::place_with_pending_frees(state, policies, all));
    CHECK(live(state) == ranges{{0, 4}, {4, 3}, {7, 2}, {9, 1}});  // the first part went where room was
    CHECK(state.blocks.map().offset(all[1].block) == 0);
    CHECK(state.blocks.map().pins(all[1].block) == 0);
    CHECK(state.deferred.empty());
    CHECK(state.done.relieved == 1);
    CHECK(state.done.waits == 0);
    REQUIRE(policies.heard.size() == 1);  // and no fence is reached
    CHECK(policies.heard[0] == event{.what = event_kind::retired, .subject = freed, .where = {0, 4 * q}});
}

TEST_CASE("where frees that could take effect at once are not enough, none does") {
    auto state = state_of<first_fit>(10);
    const block_index freed = state.blocks.occupy({0, 4});
    const block_index used = state.blocks.occupy({4, 3});
    listener policies;
    parts single = buffers({4});
    CHECK_FALSE(detail::place_with_pending_frees(state, policies, single));  // no free is pending
    CHECK(state.done.relieved == 0);
    defer(state, freed);
    const auto expect_refused = [&](parts all) {
        const auto before = state;
        CHECK_FALSE(detail::place_with_pending_frees(state, policies, all));
        CHECK(state == before);
    };
    expect_refused(buffers({5}));
    expect_refused(buffers({4, 3, 1}));  // the first two would find room
    state.issued.number = 1;
    state.flights.push_back({.over = {1}, .holds = 1});
    state.begin_hold(used);
    defer(state, used);
    expect_refused(buffers({7}));  // a run in flight stands against the second
    state.deferred[0].until = {1};
    expect_refused(buffers({4}));  // and now its fence against the first
    CHECK(policies.heard.empty());
    state.deferred[0].until = {};
    CHECK(detail::place_with_pending_frees(state, policies, single));
    CHECK(live(state) == ranges{{0, 4}, {4, 3}});
    CHECK(state.deferred.size() == 1);
    CHECK(state.flights.size() == 1);
}

namespace {

plan places_at(std::initializer_list<std::uint64_t> offsets) {
    plan made;
    for (const std::uint64_t offset : offsets) made.places.push_back(offset * q);
    return made;
}
/// Holes of 6 at 0 and of 5 at 7. In order, best fit takes of the wrong one: 3 of the five, 3 of the six, then nothing
/// is left for 5.
template <placement P>
memory_state<P> two_holes() {
    auto state = state_of<P>(12);
    state.blocks.occupy({6, 1});
    return state;
}
template <placement P>
call_outcome relieve(memory_state<P>& state, listener& policies, parts& all) {
    return planning_transaction<P>(state, policies, no_index).run(all);
}

}  // namespace

TEST_CASE("executor: a stale plan ends before it evicts a program that a run uses") {
    manager<compacting<best_fit>, evict_lru> memory({.capacity = 8 * q, .runs_in_flight = 1});
    const auto step = memory.load({.name = "step", .code = 4 * q});
    REQUIRE(memory.run(*step, {.run_us = 1}));
    auto state = memory.state();
    const auto before = state;
    listener policies;
    plan steps;
    steps.add(state.eviction_of(step->index));
    CHECK(executor<compacting<best_fit>>(state, policies).carry_out(steps) == error::stale_handle);
    CHECK(state == before);
    CHECK(policies.heard.empty());
    plan patient;
    patient.add({.what = step_kind::wait, .to = state.issued.number});
    patient.add(steps.steps[0]);
    CHECK(executor<compacting<best_fit>>(state, policies).carry_out(patient) == error::none);
    CHECK_FALSE(state.programs[step->index].resident);
}

TEST_CASE("where their own order leaves no room, parts go where the plan says") {
    using placement_type = compacting<best_fit>;
    auto state = two_holes<placement_type>();
    listener policies;
    policies.chosen.answer = places_at({3, 0, 7});
    parts all = buffers({3, 3, 5});
    all[1].required.alignment = 2;
    CHECK(relieve(state, policies, all).reason == error::none);
    CHECK(live(state) == ranges{{0, 3}, {3, 3}, {6, 1}, {7, 5}});
    CHECK(state.blocks.map().offset(all[0].block) == 3);
    CHECK(state.blocks.map().offset(all[1].block) == 0);
    CHECK(state.blocks.map().offset(all[2].block) == 7);
    CHECK(state.blocks.map().alignment(all[1].block) == 2);
    CHECK(state.blocks.map().granted(all[2].block) == 5);
    CHECK(state.done.relieved == 1);
    REQUIRE(policies.carried_out.size() == 1);
    CHECK(policies.carried_out[0] == *policies.chosen.answer);
}

TEST_CASE("a plan whose places are not free or too few is refused, and nothing is changed") {
    using placement_type = compacting<best_fit>;
    auto state = two_holes<placement_type>();
    const auto before = state;
    listener policies;
    const auto expect_refused = [&](std::optional<plan> answer) {
        policies.chosen.answer = std::move(answer);
        parts all = buffers({3, 3, 5});
        const call_outcome outcome = relieve(state, policies, all);
        CHECK(outcome.reason == error::buffer_does_not_fit);
        CHECK(outcome.part == 2);
        CHECK(outcome.figures.free == 5 * q);  // when the third found no room
        CHECK(state == before);
        CHECK(policies.carried_out.empty());
        CHECK(policies.heard.empty());
    };
    expect_refused(std::nullopt);
    expect_refused(places_at({}));
    expect_refused(places_at({0, 3}));
    expect_refused(places_at({0, 2, 7}));   // the second on the first
    expect_refused(places_at({0, 3, 6}));   // on what was there
    expect_refused(places_at({0, 3, 8}));   // beyond the top
    expect_refused(places_at({0, 3, 12}));  // at the top
    plan moves_too_far = places_at({0, 3, 7});
    moves_too_far.add(state.move_of(state.blocks.map().previous(state.blocks.map().last()), 12));
    expect_refused(moves_too_far);
}

TEST_CASE("in a plan the reservation has no place of its own, wherever it stands among the parts") {
    using placement_type = bottom_reserve<compacting<best_fit>>;
    auto state = state_of<placement_type>(15);
    state.blocks.occupy({9, 1});
    add_scratch(state, 3 * q);
    const auto before = state;
    // In order: 3 of the five above the wall, 3 below it, the reservation, and no 5 anywhere.
    parts all = buffers({3, 3, 0, 5});
    all[2].kind = part_kind::reservation;
    listener policies;
    policies.chosen.answer = places_at({3, 6, 10});
    SUBCASE("") {
        CHECK(relieve(state, policies, all).reason == error::none);
        CHECK(state.blocks.reserved() == 3);
        CHECK(live(state) == ranges{{0, 3}, {3, 3}, {6, 3}, {9, 1}, {10, 5}});
        CHECK(state.blocks.map().offset(all[0].block) == 3);
        CHECK(state.blocks.map().offset(all[3].block) == 10);
    }
    SUBCASE("nor is its place another part's") {
        policies.chosen.answer = places_at({2, 6, 10});
        const call_outcome outcome = relieve(state, policies, all);
        CHECK(outcome.reason == error::buffer_does_not_fit);
        CHECK(outcome.part == 3);
        CHECK(outcome.figures.reserved == 3 * q);
        CHECK(state == before);
    }
    SUBCASE("and what it needs more than there is refuses the plan") {
        state.programs[0].scratch = 10 * q;
        const auto wider = state;
        CHECK(relieve(state, policies, all).reason == error::buffer_does_not_fit);
        CHECK(state == wider);
    }
}

}  // namespace hbm::test::call_parts_tests
