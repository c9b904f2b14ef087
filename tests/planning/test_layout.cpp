// What fits into a layout: against all placements there are, and the bytes and windows that bound it.
#include <hbm/planning/layout.hpp>
#include <hbm/planning/segments.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "planning/random_layout.hpp"
#include "support/layout_brute_force.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::layout_tests {

namespace {

using testing::random_numbers;

/// A layout of one quantum blocks where `map` has an x.
layout drawn(const std::string& map, trivial_vector<layout_need> needs, scratch_rule rule = scratch_rule::none) {
    layout made;
    made.capacity = map.size();
    made.needs = std::move(needs);
    made.rule = rule;
    for (std::uint64_t at = 0; at < map.size(); ++at)
        if (map[at] == 'x') made.blocks.push_back({.offset = at, .size = 1, .block = static_cast<block_index>(at)});
    return made;
}

bool is_free(const layout& now, std::uint64_t at) {
    for (const layout_block& each : now.blocks)
        if (!each.gone && each.offset <= at && at < each.end()) return false;
    return true;
}

/// Null, or what is wrong with the places.
const char* broken_place(const layout& now, const trivial_vector<std::uint64_t>& places) {
    if (places.size() != now.needs.size()) return "a place is missing";
    for (std::size_t at = 0; at < places.size(); ++at) {
        const layout_need& need = now.needs[at];
        if (places[at] % need.alignment != 0) return "a place is not aligned";
        if (places[at] < now.level() || places[at] + need.length > now.capacity) return "a place is out of memory";
        for (std::uint64_t quantum = places[at]; quantum < places[at] + need.length; ++quantum)
            if (!is_free(now, quantum)) return "a place is not free";
        for (std::size_t other = 0; other < at; ++other)
            if (places[other] < places[at] + need.length && places[at] < places[other] + now.needs[other].length)
                return "two places overlap";
    }
    return nullptr;
}

}  // namespace

TEST_CASE("all needs fit at once exactly where some placement of all of them does") {
    std::uint64_t fitting = 0;
    std::uint64_t bytes_only = 0;
    for_each_seed(20'000, [&](testing::outcome& found, random_numbers& random) {
        layout now = random_layout(random, {.max_capacity = 14, .max_block = 3, .max_needs = 6});
        if (now.blocks.size() > 12) return;
        for (layout_need& need : now.needs) need.length = 1 + need.length / 2;
        const layout start = now;
        std::uint64_t evicted = 0;
        for (std::uint32_t who = 0; who < now.programs.size(); ++who) {
            if (!random.once_in(3)) continue;
            now.evict(who);
            evicted |= std::uint64_t{1} << who;
        }
        const bool expected = layout_brute_force(start).fits_after(evicted);
        const auto places = now.places();
        if (now.fits() != expected) found.broken = "fits() is not what all placements say";
        if (places.has_value() != expected) found.broken = "places() are not there exactly where all fit";
        if (places)
            if (const char* broken = broken_place(now, *places)) found.broken = broken;
        if (expected && now.missing_above(now.level()) != 0) found.broken = "bytes are missing, and all fit";
        if (expected && window_bound(now) != 0) found.broken = "what fits has a price";
        fitting += expected && now.needs.size() > 1;
        bytes_only += !expected && now.missing_above(now.level()) == 0;
    });
    if (!tries_all_seeds()) return;
    CHECK(fitting > 1000);
    CHECK(bytes_only > 1000);
}

TEST_CASE("needs go up where the rule reserves at the bottom, and beside the reservation only at last") {
    CHECK(*drawn("...x..x....x...", {{2}}).places() == trivial_vector<std::uint64_t>{4});
    CHECK(*drawn("...x...x...x...", {{2}}).places() == trivial_vector<std::uint64_t>{0});
    CHECK(*drawn("...x...x...x...", {{2}}, scratch_rule::largest).places() == trivial_vector<std::uint64_t>{13});
    CHECK(*drawn("..x...x...xxxxx", {{2}}, scratch_rule::largest).places() == trivial_vector<std::uint64_t>{8});
    CHECK(*drawn("...xxxxxxxxxxxx", {{2}}, scratch_rule::largest).places() == trivial_vector<std::uint64_t>{1});
}

TEST_CASE("the level follows who is there, and the reservation falls with it") {
    layout now;
    now.capacity = 20;
    now.bottom = 7;
    now.programs = {{.scratch = 7}, {.scratch = 4}};
    now.scratch_of_others = 2;
    CHECK(now.level() == 7);  // no rule: nothing falls
    now.rule = scratch_rule::largest;
    CHECK(now.level() == 7);
    now.evict(0);
    CHECK(now.bottom == 4);
    now.evict(1);
    CHECK(now.bottom == 2);
    now.bring_back(1, 4);
    CHECK(now.level() == 4);
    now.rule = scratch_rule::sum;
    CHECK(now.level() == 6);
    CHECK_FALSE(now.settled().programs.size() > 0);
    CHECK(now.settled().level() == 6);
    now.programs[1].scratch = ~std::uint64_t{0} - 1;
    CHECK(now.level() == ~std::uint64_t{0});
    CHECK_FALSE(now.fits());
}

TEST_CASE("a block that moves stands among the others by its offset") {
    random_numbers random(7);
    for (std::uint32_t round = 0; round < 2'000; ++round) {
        layout now = drawn("x.x.xx...x.x", {});
        for (std::uint32_t step = 0; step < 6; ++step) {
            const std::size_t at = random.below(now.blocks.size());
            const block_index moved = now.blocks[at].block;
            const std::uint64_t to = random.below(now.capacity);
            if (to != now.blocks[at].offset && !is_free(now, to)) continue;
            const std::size_t place = now.move(at, to);
            REQUIRE(now.blocks[place].block == moved);
            REQUIRE(now.blocks[place].offset == to);
            REQUIRE(now.find(moved, to) == place);
            for (std::size_t next = 1; next < now.blocks.size(); ++next)
                REQUIRE(now.blocks[next - 1].offset < now.blocks[next].offset);
        }
    }
}

TEST_CASE("the largest numbers do not wrap around") {
    layout now;
    now.capacity = ~std::uint64_t{0};
    now.needs = {{~std::uint64_t{0}}};
    CHECK(now.fits());
    CHECK(now.places());
    now.needs = {{~std::uint64_t{0}}, {1}};
    CHECK_FALSE(now.fits());
    CHECK(now.missing_above(0) == 0);  // the sum stops at the largest number
    now.needs = {{1, std::uint64_t{1} << 63}, {1, std::uint64_t{1} << 63}};
    CHECK(now.fits());
    now.needs.push_back({1, std::uint64_t{1} << 63});
    CHECK_FALSE(now.fits());
}

}  // namespace hbm::test::layout_tests
