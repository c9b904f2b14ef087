// Room for all needs of a call at once: against brute force in tiny layouts, and by its rules in larger ones.
#include <hbm/planning/joint_search.hpp>

#include <doctest/doctest.h>

#include <string>

#include "planning/random_layout.hpp"
#include "support/layout_brute_force.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::joint_search_tests {

namespace {

using testing::random_numbers;

struct tally {
    std::uint64_t arenas = 0;  // in which something did not fit
    std::uint64_t plans = 0;
    std::uint64_t claimed = 0;  // to be the cheapest
    std::uint64_t exact = 0;    // that are
    std::uint64_t refusals = 0;
    std::uint64_t proven = 0;
    std::uint64_t missed = 0;  // refusals where there is a way
    std::uint64_t bounds_broken = 0;
    std::uint64_t price = 0;
    std::uint64_t least = 0;

    std::string words() const {
        std::string text;
        const auto add = [&](const char* what, std::uint64_t count) { text += what + std::to_string(count); };
        add("arenas ", arenas), add(", plans ", plans), add(", claimed exact ", claimed), add(", exact ", exact);
        add(", refusals ", refusals), add(", proven ", proven), add(", missed ", missed);
        add(", bounds broken ", bounds_broken), add(", price ", price), add(" of ", least);
        return text;
    }
};

const char* compare(const layout& start, tally& seen) {
    ++seen.arenas;
    layout_brute_force all(start);
    joint_search search(start);
    search.run();
    if (search.price() == unlimited_price) {
        ++seen.refusals;
        seen.proven += search.proof() != infeasibility::unknown;
        const bool possible = all.cheapest(layout_brute_force::impossible) != layout_brute_force::impossible;
        seen.missed += possible;
        if (possible && search.proof() != infeasibility::unknown)
            return "there is a way, and a proof that there is none";
        return possible ? "there is a way, and it was not found" : nullptr;
    }
    ++seen.plans;
    if (const char* broken = broken_rule(start, search.changes(), search.price())) return broken;
    const std::uint64_t least = all.cheapest(search.price());
    if (least > search.price()) return "brute force finds nothing as cheap";
    seen.price += search.price() >> tie_bits;
    seen.least += least >> tie_bits;
    seen.exact += least == search.price();
    seen.claimed += search.bound() == search.price();
    seen.bounds_broken += search.bound() > least;
    return search.bound() > least ? "there is a way below the bound" : nullptr;
}

void expect_optimum(const char* name, std::uint64_t usual, const layout_size& size) {
    tally seen;
    const std::uint64_t only = number_from_environment("HBM_SEED", 0);
    const std::uint64_t first = only != 0 ? only : number_from_environment("HBM_FIRST_SEED", 1);
    const std::uint64_t seeds = only != 0 ? 1 : seeds_to_try(usual);
    for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
        random_numbers random(seed);
        const layout start = random_layout(random, size);
        if (start.blocks.size() > 8 || start.fits()) continue;
        const char* broken = compare(start, seen);
        if (broken == nullptr) continue;
        const std::string found =
            std::string(broken) + ": " + words_for(start) + "; again with HBM_SEED=" + std::to_string(seed);
        FAIL_CHECK(found);
        return;
    }
    const std::string summary = std::string(name) + ": " + seen.words();
    MESSAGE(summary);
}

}  // namespace

TEST_CASE("no way is cheaper than what is found, or the bound says by how much one could be") {
    expect_optimum("one need", 4000, {.max_needs = 1});
    expect_optimum("several needs", 8000, {});
    expect_optimum("nothing moves", 4000, {.max_programs = 8, .movable_percent = 0});
}

TEST_CASE("in larger layouts what is found can be carried out, and costs no less than the bound") {
    std::uint64_t plans = 0;
    std::uint64_t unproven = 0;
    const auto try_once = [&](const layout_size& size, std::uint64_t seed) {
        testing::outcome found{.seed = seed, .step = 1};
        random_numbers random(seed);
        const layout start = random_layout(random, size);
        joint_search search(start);
        search.run();
        if (search.price() == unlimited_price) {
            unproven += search.proof() == infeasibility::unknown;
            return found;
        }
        ++plans;
        found.broken = broken_rule(start, search.changes(), search.price());
        if (search.bound() > search.price()) found.broken = "the bound is above the price";
        if (start.fits() != (search.price() == 0)) found.broken = "what fits costs nothing, and nothing else";
        return found;
    };
    for_each_seed(1000, 1, [&](std::uint64_t seed, std::uint32_t) {
        return try_once({.min_capacity = 24, .max_capacity = 60, .max_programs = 12, .max_needs = 4}, seed);
    });
    for_each_seed(300, 1, [&](std::uint64_t seed, std::uint32_t) {
        return try_once({.min_capacity = 100, .max_capacity = 400, .max_block = 9, .max_programs = 20, .max_needs = 20},
                        seed);
    });
    for_each_seed(20, 1, [&](std::uint64_t seed, std::uint32_t) {
        return try_once({.min_capacity = 2000, .max_capacity = 4000, .max_programs = 30, .max_needs = 200}, seed);
    });
    if (!tries_all_seeds()) return;
    CHECK(plans > 500);
    CHECK(unproven < plans / 10);
}

TEST_CASE("joint_search: finds a plan by its last resort, and proves one between walls to be the cheapest") {
    const auto searched = [](std::uint64_t seed, std::uint64_t max_needs) {
        random_numbers random(seed);
        return random_layout(random,
                             {.min_capacity = 24, .max_capacity = 60, .max_programs = 12, .max_needs = max_needs});
    };
    const layout hard = searched(15'709, 4);  // programs leave, and blocks move
    REQUIRE_FALSE(hard.fits());
    joint_search any(hard);
    any.run();
    REQUIRE(any.price() != unlimited_price);
    CHECK(broken_rule(hard, any.changes(), any.price()) == nullptr);
    const layout walled = searched(2579, 1);
    REQUIRE_FALSE(walled.fits());
    joint_search cheapest(walled);
    cheapest.run();
    REQUIRE(cheapest.price() != unlimited_price);
    CHECK(cheapest.price() == cheapest.bound());
    CHECK(broken_rule(walled, cheapest.changes(), cheapest.price()) == nullptr);
}

TEST_CASE("what comes to nothing is not in the plan, and programs of no price leave for nothing") {
    layout start;
    start.capacity = 8;
    start.rule = scratch_rule::sum;
    start.bottom = 3;
    start.programs = {{.price = 0, .scratch = 3}, {.price = 100, .scratch = 0, .size = 2, .blocks = 1}};
    start.blocks = {{.offset = 3, .size = 2, .price = 50, .block = 0, .program = 1, .movable = true}};
    start.needs = {{3}, {3}};
    joint_search search(start);
    search.run();
    CHECK(search.price() == 0);
    CHECK(search.changes() == trivial_vector<change>{{.evicts = true, .subject = 0}});
}

TEST_CASE("a load: the reservation grows and the code finds room, for the price of both") {
    // [ reserved | data | 3 free | wall | data | 3 free ]: both blocks go where the reservation leaves two quanta.
    layout start;
    start.capacity = 10;
    start.rule = scratch_rule::largest;
    start.bottom = 1;
    start.scratch_of_others = 3;
    start.blocks = {{.offset = 1, .size = 1, .price = 20, .block = 0, .movable = true},
                    {.offset = 5, .size = 1, .block = 1},
                    {.offset = 6, .size = 1, .price = 10, .block = 2, .movable = true}};
    start.needs = {{4}};
    start.device.copy_nanoseconds = 0;
    joint_search search(start);
    search.run();
    CHECK(search.proof() == infeasibility::unknown);
    CHECK(search.price() == 30);
    CHECK(search.bound() == search.price());
}

TEST_CASE("joint_search: among hundreds of blocks the cheapest plan is found and proven, a few moves are enough") {
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
        CAPTURE(seed);
        random_numbers random(seed);
        layout start;
        start.device = {.bandwidth = 1'000'000'000, .copy_nanoseconds = 700};
        for (block_index next = 0; next < 200; ++next) {
            layout_block& placed = start.blocks.emplace_back();
            placed.offset = start.capacity + random.below(4);
            placed.size = 1 + random.below(8);
            placed.block = next;
            placed.movable = !random.once_in(12);
            placed.price = as_move_price(start.device.move_nanoseconds(placed.size * start.device.quantum));
            start.capacity = placed.end();
        }
        start.needs = {{8}};
        REQUIRE_FALSE(start.fits());
        joint_search search(start);
        search.run();
        REQUIRE(search.price() != unlimited_price);
        CHECK(search.price() == search.bound());
        CHECK(broken_rule(start, search.changes(), search.price()) == nullptr);
    }
}

}  // namespace hbm::test::joint_search_tests
