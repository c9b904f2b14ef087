// Memory of other owners: each is called exactly once, when its memory is no longer used.
#include <hbm/hbm.hpp>
#include <hbm/memory_set.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <utility>
#include <vector>

namespace hbm::test::adopted_tests {
namespace {

constexpr std::uint64_t q = 512;
constexpr extent outside{1'000'000, 4'000};
using host_memory = manager<best_fit, never_evict, donate_same_size>;
using memories = memory_set<never_spill, of_kind<"device", host_memory>, of_kind<"pinned_host", host_memory>>;

/// Ranges that were released, in order.
using releases = std::vector<extent>;
memory_owner owner_of(releases& released) {
    return {[](void* context, extent where) noexcept { static_cast<releases*>(context)->push_back(where); }, &released};
}
memories set_of(std::uint32_t runs_in_flight) {
    return memories({{.capacity = 8 * q, .runs_in_flight = runs_in_flight}, {.capacity = 8 * q}});
}

TEST_CASE("adopt: the range lies outside of the memory of the set, and takes nothing from it") {
    memories set = set_of(0);
    for (const extent bad : {extent{0, 1}, extent{8 * q - 1, 1}, extent{4 * q, 40 * q}, extent{~std::uint64_t{0}, 1},
                             extent{~std::uint64_t{0}, 2}, extent{4 * q, ~std::uint64_t{0}}}) {
        const auto failed = set.adopt("pinned_host", bad);
        CHECK(failed.error().why.reason == error::range_is_taken);
        CHECK(failed.error().why.requested == bad.size);
        CHECK(failed.error().kind == doctest::String("pinned_host"));
    }
    for (const extent good : {extent{8 * q, 100}, extent{0, 0}, extent{~std::uint64_t{0}, 0}, extent{8 * q, 7}}) {
        const auto held = set.adopt("pinned_host", good);
        REQUIRE(held);
        CHECK(held->adopted);
        CHECK(set.where(*held) == good);
        CHECK(set.granted(*held) == good.size);
        CHECK(set.kind_of(*held) == memories::kind("pinned_host"));
    }
    CHECK(set.memory<"pinned_host">().live_bytes() == 0);
    CHECK_FALSE(set.adopt("pinned_host", {8 * q - 1, 2}));
}

TEST_CASE("adopt: free calls the owner once; a null function is not called") {
    releases released;  // outlives the set, whose end calls owners
    memories set = set_of(0);
    const auto held = set.adopt("device", outside, owner_of(released));
    const auto silent = set.adopt("device", outside);
    CHECK(set.pin(*held));  // without effect
    CHECK(set.unpin(*held));
    CHECK(set.unpin(*held));
    CHECK(set.free(*silent));
    CHECK(released.empty());
    CHECK(set.free(*held));
    CHECK(released == releases{outside});
    CHECK(set.free(*held).error().why.reason == error::stale_handle);
    CHECK(set.check(*held) == error::stale_handle);
    const auto again = set.adopt("device", outside);  // the slot is used again, the old handle stays stale
    CHECK(again->held.index == held->held.index);
    CHECK(set.check(*held) == error::stale_handle);
    CHECK(set.where(*held) == extent{});
    CHECK(released.size() == 1);
}

TEST_CASE("adopt: a range that is adopted twice is two buffers, and its owners are called for each") {
    releases released;  // outlives the set, whose end calls owners
    memories set = set_of(0);
    const auto first = set.adopt("device", outside, owner_of(released));
    const auto second = set.adopt("device", outside, owner_of(released));
    CHECK(*first != *second);
    CHECK(set.free(*first));
    CHECK(set.where(*second) == outside);
    CHECK(set.free(*second));
    CHECK(released == releases{outside, outside});
}

TEST_CASE("adopt: the owner is called after the last run and fence that use the memory") {
    releases released;  // outlives the set, whose end calls owners
    memories set = set_of(3);
    const auto step = set.load({.name = "step", .parts = {{"device", q}}});
    const auto held = set.adopt("pinned_host", outside, owner_of(released));
    const auto other = set.adopt("pinned_host", {2'000'000, 1}, owner_of(released));
    const auto first = set.run(*step, {.inputs = {*held, *held}});
    CHECK_FALSE(set.part(*step, "pinned_host"));  // adopted memory takes no part of the program
    const auto second = set.run(*step, {});
    CHECK(set.free(*held));
    CHECK(set.free(*other, second->over));
    CHECK(set.check(*held) == error::stale_handle);
    CHECK(released.empty());
    CHECK(set.retire(first->over));
    CHECK(released == releases{outside});
    set.sync();
    CHECK(released == releases{outside, {2'000'000, 1}});
    // A wait that the set declares by itself counts as well.
    const auto third = set.adopt("device", outside, owner_of(released));
    const auto output = set.run(*step, {.inputs = {*third}, .outputs = {{"device", 6 * q}}});
    CHECK(set.free(*third));
    CHECK(set.free(output->outputs[0]));
    CHECK(released.size() == 2);
    CHECK(set.allocate("device", 6 * q));
    CHECK(released.size() == 3);
}

TEST_CASE("adopt: adopted memory that is donated and kept is read until the run is over, and takes no output") {
    releases released;  // outlives the set, whose end calls owners
    memories set = set_of(2);
    const auto step = set.load({.name = "step"});
    const auto held = set.adopt("device", outside, owner_of(released));
    const auto mine = set.allocate("device", q);
    const auto ran = set.run(*step, {.donated = {*mine, *held}, .outputs = {{"device", q}}, .kept = {1}});
    REQUIRE(ran);
    CHECK(ran->donors[0] == 0);
    CHECK(set.free(*held));
    CHECK(released.empty());
    CHECK(set.retire(ran->over));
    CHECK(released == releases{outside});
    const auto other = set.adopt("device", outside);
    for (const aliasing bound : {aliasing::may, aliasing::must}) {
        const memories::output taken{.kind = "device", .bytes = outside.size, .alias = bound, .partner = 0};
        const auto failed = set.run(*step, {.donated = {*other}, .outputs = {taken}, .kept = {0}});
        CHECK(failed.error().why.reason == error::donor_is_referenced);
        CHECK(failed.error().why.argument == 0);
    }
}

TEST_CASE("adopt: adopted memory cannot be donated, and bad handles are errors") {
    releases released;  // outlives the set, whose end calls owners
    memories set = set_of(0);
    const auto step = set.load({.name = "step"});
    const auto held = set.adopt("device", outside, owner_of(released));
    const auto mine = set.allocate("device", q);
    const auto failed = set.run(*step, {.inputs = {*mine}, .donated = {*held}});
    CHECK(failed.error().why.reason == error::donor_is_referenced);
    CHECK(failed.error().why.argument == 1);
    set_buffer forged = *mine;
    forged.adopted = true;
    CHECK(set.check(forged) != error::none);
    CHECK(set.run(*step, {.inputs = {forged}}).error().why.argument == 0);
    CHECK(released.empty());
}

TEST_CASE("adopt: frees in any order call the owners whose fence is reached, in the order of the frees") {
    releases released;  // outlives the set, whose end calls owners
    memories set = set_of(3);
    const auto step = set.load({.name = "step", .parts = {{"device", q}}});
    std::vector<fence> fences{fence{}};
    for (int runs = 0; runs < 3; ++runs) fences.push_back(set.run(*step, {})->over);
    const auto range = [](std::size_t at) { return extent{1'000'000 + at, 1}; };
    std::vector<set_buffer> held;
    for (std::size_t at = 0; at < 60; ++at) held.push_back(*set.adopt("device", range(at), owner_of(released)));
    releases expected;
    const auto until = [&](std::size_t at) { return at * 7 % fences.size(); };
    for (std::size_t at = 0; at < held.size(); ++at) {
        CHECK(set.free(held[at], fences[until(at)]));
        if (until(at) == 0) expected.push_back(range(at));
        CHECK(released == expected);
        CHECK(set.check(held[at]) == error::stale_handle);
    }
    for (std::size_t run = 1; run < fences.size(); ++run) {
        CHECK(set.retire(fences[run]));
        for (std::size_t at = 0; at < held.size(); ++at)
            if (until(at) == run) expected.push_back(range(at));
        CHECK(released == expected);
    }
    CHECK(released.size() == held.size());
}

TEST_CASE("adopt: adopted memory is not donated or kept twice, or donated and used, like a buffer of the set") {
    memories set = set_of(0);
    const auto step = set.load({.name = "step"});
    const auto other = set.allocate("device", q);
    const auto adopted = set.adopt("device", outside);
    const auto mine = set.allocate("device", q);
    const memories before = set;
    for (const set_buffer held : {*adopted, *mine}) {
        const auto fails = [&](const memories::run_spec& spec, error reason, std::uint32_t argument,
                               std::uint32_t first_use) {
            const auto ran = set.run(*step, spec);
            REQUIRE_FALSE(ran);
            CHECK(error_name(ran.error().why.reason) == doctest::String(error_name(reason)));
            CHECK(ran.error().why.argument == argument);
            CHECK(ran.error().why.first_use == first_use);
            CHECK(set == before);
        };
        fails({.donated = {held, *other, held}, .kept = {0, 1, 2}}, error::donated_twice, 2, 0);
        fails({.inputs = {*other, held}, .donated = {held}, .kept = {0}}, error::donated_and_used, 2, 1);
        fails({.inputs = {*other}, .donated = {held}, .kept = {0, 0}}, error::kept_twice, 1, no_index);
        CHECK(memories(set).run(*step, {.inputs = {*other}, .donated = {held}, .kept = {0}}));
    }
}

TEST_CASE("adopt: move_to takes adopted memory into the set, of its own kind or another") {
    releases released;  // outlives the set, whose end calls owners
    memories set = set_of(0);
    for (const auto target : {memories::kind("device"), memories::kind("pinned_host")}) {
        const auto held = set.adopt("device", {1'000'000, 3 * q - 1}, owner_of(released));
        memories::move seen{};
        const auto mine = set.move_to(*held, target, [&](const memories::move& copy) {
            seen = copy;
            return true;
        });
        REQUIRE(mine);
        CHECK_FALSE(mine->adopted);
        CHECK(set.kind_of(*mine) == target);
        CHECK(seen.source == extent{1'000'000, 3 * q - 1});
        CHECK(seen.bytes == 3 * q - 1);
        CHECK(set.granted(*mine) == 3 * q);
        CHECK(set.check(*held) == error::stale_handle);
    }
    CHECK(released.size() == 2);
}

TEST_CASE("adopt: destruction and assignment call owners once; copies, forks and moved-from sets call none") {
    releases released;
    {
        std::optional<memories> set(set_of(2));
        const auto step = set->load({.name = "step"});
        const auto held = set->adopt("device", outside, owner_of(released));
        const auto leaving = set->adopt("device", {2'000'000, 5}, owner_of(released));
        CHECK(set->run(*step, {.inputs = {*leaving}}));
        CHECK(set->free(*leaving));
        {
            memories copy = *set;
            CHECK(copy == *set);
            CHECK(copy.check(*held) == error::none);
            CHECK(copy.free(*held));
            memories::forked fork = set->fork();
            CHECK(fork.where(*held) == outside);
            fork.sync();
            copy = *set;
            const memories& same = copy;
            copy = same;
        }
        CHECK(released.empty());
        memories moved = std::move(*set);
        set.reset();
        CHECK(released.empty());
        memories& itself = moved;
        moved = itself;
        CHECK(moved.where(*held) == outside);
        CHECK(released.empty());
        memories target = set_of(0);
        CHECK(target.adopt("device", {3'000'000, 7}, owner_of(released)));
        target = std::move(moved);
        CHECK(released == releases{{3'000'000, 7}});
        target.sync();
        CHECK(released.size() == 2);
        CHECK(target.where(*held) == outside);
        CHECK(target.allocate("device", q));
    }
    CHECK(released == releases{{3'000'000, 7}, {2'000'000, 5}, outside});
}

}  // namespace
}  // namespace hbm::test::adopted_tests
