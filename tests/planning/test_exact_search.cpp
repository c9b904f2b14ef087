// The exact search by itself: the optimum of all that moves and evictions lead to, and what it says where it stops.
#include <hbm/planning/exact_search.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>

#include "planning/random_layout.hpp"
#include "support/layout_brute_force.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::exact_search_tests {

namespace {

using testing::random_numbers;

using search_type = exact_search;
using outcome = exact_search::outcome;

constexpr std::uint64_t unlimited = unlimited_price;

/// A layout small enough for the search and for brute force, which may meet its goal already.
std::optional<layout> small_layout(std::uint64_t seed) {
    random_numbers random(seed);
    const layout made = random_layout(random, {});
    if (made.blocks.size() > 7) return std::nullopt;
    return made;
}

/// A row of `blocks` blocks of a quantum, with `gap` free quanta before each and at the end.
layout row_of(std::uint64_t blocks, std::uint64_t gap) {
    layout made;
    std::uint64_t end = gap;
    for (block_index block = 0; block < blocks; ++block, end += gap + 1)
        made.blocks.push_back({.offset = end, .size = 1, .price = as_move_price(10), .block = block, .movable = true});
    made.capacity = end;
    return made;
}

}  // namespace

TEST_CASE("what is found is the optimum, and what is exhausted has no way") {
    std::uint64_t optima = 0;
    std::uint64_t impossible = 0;
    for_each_seed(1500, [&](testing::outcome& found, random_numbers&) {
        const std::optional<layout> start = small_layout(found.seed);
        if (!start) return;
        if (!search_type::can_try(*start)) return;
        search_type search(*start, 16'000);
        const outcome ended = search.run(unlimited);
        if (!search.is_complete()) found.broken = "places are left out where holes are short";
        if (ended == outcome::given_up) return;
        const std::uint64_t least = layout_brute_force(*start).cheapest(unlimited);
        if ((ended == outcome::found) != (least != layout_brute_force::impossible))
            found.broken = "a way is missed or invented";
        if (ended == outcome::exhausted) {
            ++impossible;
            if (search.price() != unlimited || search.bound() != unlimited || !search.changes().empty())
                found.broken = "there is no way, and something is left of one";
            return;
        }
        ++optima;
        if (search.price() != least) found.broken = "not the optimum";
        if (search.bound() != least) found.broken = "the bound is not the optimum";
        if (const char* broken = broken_rule(*start, search.changes(), search.price())) found.broken = broken;
    });
    if (!tries_all_seeds()) return;
    CHECK(optima > 300);
    CHECK(impossible > 100);
}

TEST_CASE("only ways below the limit are found") {
    std::uint64_t seen = 0;
    for_each_seed(1000, [&](testing::outcome& found, random_numbers&) {
        const std::optional<layout> start = small_layout(found.seed);
        if (!start) return;
        const std::uint64_t least = layout_brute_force(*start).cheapest(unlimited);
        if (least == 0 || least == layout_brute_force::impossible) return;
        search_type at_the_optimum(*start, 16'000);
        const outcome ended = at_the_optimum.run(least);
        if (ended == outcome::given_up) return;
        ++seen;
        if (ended != outcome::exhausted) found.broken = "a way is as dear as the limit";
        if (at_the_optimum.bound() != least) found.broken = "the bound is not the limit";
        search_type just_above(*start, 16'000);
        if (just_above.run(least + 1) != outcome::found || just_above.price() != least)
            found.broken = "a way just below the limit is missed";
    });
    if (!tries_all_seeds()) return;
    CHECK(seen > 100);
}

TEST_CASE("where copies are dear, far away and back in two moves is cheaper than a short move in four copies") {
    // [ wall: 4 | 1 free | block: 4 | 5 free ], and the need fits at offset 8 only.
    layout start;
    start.capacity = 14;
    start.device = {.quantum = 512, .bandwidth = 512'000'000, .copy_nanoseconds = 10'000};
    start.blocks = {{.offset = 0, .size = 4, .block = 0},
                    {.offset = 5, .size = 4, .price = as_move_price(18'000), .block = 1, .movable = true}};
    start.needs = {{6, 8}};
    search_type search(start, 1500);
    REQUIRE(search.run(unlimited) == outcome::found);
    CHECK(search.price() == as_price(36'000));
    REQUIRE(search.changes().size() == 2);
    CHECK(search.changes()[0].from == 5);
    CHECK(search.changes()[1].from == search.changes()[0].to);
    CHECK(search.changes()[1].to == 4);
}

TEST_CASE("a search that gives up says so, claims no way, and bounds the optimum") {
    std::uint64_t given_up = 0;
    std::uint64_t on_the_way = 0;
    for_each_seed(1500, [&](testing::outcome& found, random_numbers&) {
        const std::optional<layout> start = small_layout(found.seed);
        if (!start) return;
        const std::size_t states = found.seed % 2 == 0 ? 1 : 800;
        search_type search(*start, states);
        const outcome ended = search.run(unlimited);
        if (states == 1 && ended == outcome::found && search.price() != 0)
            found.broken = "a way is found without a look at anything but the start";
        if (ended != outcome::given_up) return;
        ++given_up;
        on_the_way += states != 1;
        if (search.price() != unlimited || !search.changes().empty()) found.broken = "it gives up, and there is a way";
        const std::uint64_t least = layout_brute_force(*start).cheapest(unlimited);
        if (search.bound() > least) found.broken = "the bound is above the optimum";
    });
    if (!tries_all_seeds()) return;
    CHECK(given_up > 300);
    CHECK(on_the_way > 20);
}

TEST_CASE("a block in a long hole is tried at the ends only, and the search says so") {
    // A block amid free quanta: of more than 16 places not all are tried.
    layout start = row_of(1, 7);  // 15 places
    start.needs = {{8}};
    search_type all(start, 1500);
    CHECK(all.run(unlimited) == outcome::found);
    CHECK(all.is_complete());
    start = row_of(1, 8);  // 17 places
    start.needs = {{9}};
    search_type ends(start, 1500);
    CHECK(ends.run(unlimited) == outcome::found);
    CHECK_FALSE(ends.is_complete());
    CHECK(ends.price() == as_price(10));
    REQUIRE(ends.changes().size() == 1);
    const std::uint64_t to = ends.changes()[0].to;
    CHECK((to == 0 || to == 16));
    start.blocks[0].offset = 0;
    start.capacity = 17;
    start.blocks[0].alignment = 2;  // nine places
    start.needs = {{17}};
    search_type aligned(start, 1500);
    CHECK(aligned.run(unlimited) == outcome::exhausted);
    CHECK(aligned.is_complete());
}

TEST_CASE("a layout that meets its goal costs nothing, also where the reservation has to fall first") {
    layout start = row_of(2, 3);
    start.needs = {{3}, {3}, {3}};
    search_type fits(start, 1500);
    CHECK(fits.run(unlimited) == outcome::found);
    CHECK(fits.price() == 0);
    CHECK(fits.bound() == 0);
    CHECK(fits.changes().empty());
    start.rule = scratch_rule::largest;
    start.bottom = 2;
    search_type lowered(start, 1500);
    CHECK(lowered.run(unlimited) == outcome::found);
    CHECK(lowered.price() == 0);
    search_type at_no_price(start, 1500);
    CHECK(at_no_price.run(0) == outcome::exhausted);
}

TEST_CASE("it is tried with few blocks, programs and needs") {
    layout some = row_of(8, 1);
    CHECK(search_type::can_try(some));
    CHECK_FALSE(search_type::can_try(row_of(9, 1)));
    some = row_of(24, 1);
    for (std::size_t at = 8; at < 24; ++at) some.blocks[at].movable = false;
    CHECK(search_type::can_try(some));
    some.programs.push_back({});
    some.blocks[8].program = 0;
    CHECK_FALSE(search_type::can_try(some));  // it may go
    some.blocks[7].movable = false;
    CHECK(search_type::can_try(some));
    layout longer = row_of(25, 1);
    for (layout_block& block : longer.blocks) block.movable = false;
    CHECK_FALSE(search_type::can_try(longer));
    some.programs.resize(8);
    CHECK(search_type::can_try(some));
    some.programs.resize(9);
    CHECK_FALSE(search_type::can_try(some));
    some.programs.resize(8);
    some.needs.resize(6);
    CHECK(search_type::can_try(some));
    some.needs.resize(7);
    CHECK_FALSE(search_type::can_try(some));
}

TEST_CASE("however few states it may look at, it comes to an end") {
    layout start;
    std::uint64_t end = 16;
    for (block_index block = 0; block < 24; ++block, end += 17)
        start.blocks.push_back(
            {.offset = end, .size = 1, .price = as_move_price(10), .block = block, .movable = block % 3 == 0});
    start.capacity = end;
    start.needs = {{18}};
    for (const std::size_t states : {1U, 700U, 769U, 1000U, 1023U, 1024U, 1025U, 1500U, 2048U}) {
        search_type search(start, states);
        const outcome found = search.run(unlimited);
        CHECK((found == outcome::found || found == outcome::given_up));
    }
}

}  // namespace hbm::test::exact_search_tests
