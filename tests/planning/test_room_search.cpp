// The quick search by itself: what it reports can be carried out in order, and where it fails nothing is left of it.
#include <hbm/planning/room_search.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "planning/random_layout.hpp"
#include "support/layout_brute_force.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::room_search_tests {

namespace {

using testing::random_numbers;

constexpr std::uint64_t unlimited = unlimited_price;
constexpr std::uint64_t much_effort = 1'000'000;

/// A random layout that does not meet its goal, empty otherwise.
layout random_start(random_numbers& random, const layout_size& size) {
    for (;;) {
        layout made = random_layout(random, size);
        if (!made.fits()) return made;
    }
}

}  // namespace

TEST_CASE("room_search: its changes can be carried out in order, meet the goal, and cost what it says") {
    std::uint64_t ways = 0;
    std::uint64_t mixed = 0;
    for_each_seed(4000, [&](testing::outcome& found, random_numbers& random) {
        const layout start =
            random_start(random, {.min_capacity = 12, .max_capacity = 30, .max_programs = 6, .max_needs = 3});
        room_search search(layout(start), much_effort);
        const bool deeply = random.once_in(3);
        const std::uint64_t price = deeply ? search.run_deeply() : search.run(unlimited);
        if (price == unlimited) {
            if (!deeply && !search.changes().empty()) found.broken = "there is no way, and changes are left";
            return;
        }
        ++ways;
        found.broken = broken_rule(start, search.changes(), price, false);
        bool evicts = false;
        bool moves = false;
        for (const change& next : search.changes()) (next.evicts ? evicts : moves) = true;
        mixed += evicts && moves;
        if (search.effort() > much_effort) found.broken = "there is more effort left than there was";
    });
    if (!tries_all_seeds()) return;
    CHECK(ways > 1000);
    CHECK(mixed > 50);
}

TEST_CASE("blocks that jump, slide and are evicted, each where it is cheapest") {
    layout start;
    start.capacity = 10;
    start.device = {.quantum = 512, .bandwidth = 512'000'000, .copy_nanoseconds = 1000};
    // [ 2 free | block 0: 2 | 2 free | wall | block 1: 1 | 2 free ]
    start.blocks = {{.offset = 2, .size = 2, .price = as_price(5000), .block = 0, .movable = true},
                    {.offset = 6, .size = 1, .block = 9},
                    {.offset = 7, .size = 1, .price = as_price(3000), .block = 1, .movable = true}};
    const auto found_for = [&](const layout& some, std::uint64_t effort) {
        room_search search(layout(some), effort);
        const std::uint64_t price = search.run(unlimited);
        return std::pair(price, trivial_vector<change>(search.changes()));
    };
    start.needs = {{3}};  // by one place less than the slide's two: but it packs to a side
    CHECK(found_for(start, much_effort).first == as_price(3000));  // block 1 to the top or to the bottom
    start.needs = {{4}};
    CHECK(found_for(start, much_effort) ==
          std::pair(as_price(5000), trivial_vector<change>{{.subject = 0, .from = 2, .to = 0}}));
    CHECK(found_for(start, 0) == found_for(start, much_effort));  // the slide is always looked for
    start.needs = {{6}};                                          // block 0 jumps over the wall
    CHECK(found_for(start, much_effort) ==
          std::pair(as_price(5000), trivial_vector<change>{{.subject = 0, .from = 2, .to = 8}}));
    CHECK(found_for(start, 0).first == unlimited);
    start.needs = {{7}};
    CHECK(found_for(start, much_effort).first == unlimited);
    start.needs = {{6}};
    start.programs = {{.price = as_price(4999), .size = 2, .blocks = 1}};
    start.blocks[0].program = 0;
    CHECK(found_for(start, much_effort) ==
          std::pair(as_price(4999), trivial_vector<change>{{.evicts = true, .subject = 0}}));
    start.programs[0].price = as_price(5001);
    CHECK(found_for(start, much_effort) ==
          std::pair(as_price(5000), trivial_vector<change>{{.subject = 0, .from = 2, .to = 8}}));
}

TEST_CASE("the reservation pushes up what is in its way, the topmost block first") {
    layout start;
    start.capacity = 8;
    start.rule = scratch_rule::largest;
    start.scratch_of_others = 2;
    start.bottom = 1;
    start.device = {.quantum = 512, .bandwidth = 512'000'000, .copy_nanoseconds = 1000};
    start.blocks = {{.offset = 1, .size = 1, .price = as_price(3000), .block = 4, .movable = true},
                    {.offset = 2, .size = 2, .price = as_price(5000), .block = 5, .movable = true},
                    {.offset = 6, .size = 2, .block = 6}};
    // Block 4 jumps over block 5: cheaper than to push both.
    room_search jumps(layout(start), much_effort);
    CHECK(jumps.run(unlimited) == as_price(3000));
    // Without effort both are pushed: block 5 by one, in two copies, and then block 4.
    room_search pushes(layout(start), 0);
    CHECK(pushes.run(unlimited) == as_price(9000));
    CHECK(pushes.changes() ==
          trivial_vector<change>{{.subject = 5, .from = 2, .to = 3}, {.subject = 4, .from = 1, .to = 2}});
    room_search below(layout(start), 0);
    CHECK(below.run(as_price(9000)) == unlimited);
    start.scratch_of_others = 4;
    room_search too_high(layout(start), much_effort);
    CHECK(too_high.run(unlimited) == unlimited);
}

TEST_CASE("where blocks are bound to multiples of their size there is a way as long as enough is free") {
    std::uint64_t deep = 0;
    for_each_seed(1500, [&](testing::outcome& found, random_numbers& random) {
        layout start;
        start.device.copy_nanoseconds = random.below(2) * 700;
        std::uint64_t free = 0;
        const auto add = [&](std::uint64_t at, std::uint64_t size) {
            start.blocks.push_back({.offset = at,
                                    .size = size,
                                    .alignment = size,
                                    .price = as_move_price(start.device.move_nanoseconds(size * 512)),
                                    .block = static_cast<block_index>(at),
                                    .movable = true});
        };
        if (random.once_in(25)) {  // a free quantum in each sixteen, and a block of each size beside it
            start.capacity = 256;
            for (std::uint64_t at = 0; at < start.capacity; at += 16) {
                const std::uint64_t hole = at + random.below(16);
                ++free;
                for (std::uint64_t quantum = at; quantum < at + 16;) {
                    const std::uint64_t apart = quantum ^ hole;
                    const std::uint64_t size = std::bit_floor(apart);
                    if (size != 0) add(quantum, size);
                    quantum += size == 0 ? 1 : size;
                }
            }
        } else {
            start.capacity = 64;
            for (std::uint64_t at = 0; at < start.capacity;) {
                std::uint64_t size = std::uint64_t{1} << random.below(5);
                while (at % size != 0) size /= 2;
                if (random.once_in(3))
                    free += size;
                else
                    add(at, size);
                at += size;
            }
        }
        std::uint64_t length = 1;
        while (2 * length <= free) length *= 2;
        start.needs = {{length, length}};
        if (free == 0 || start.fits()) return;
        room_search search(layout(start), much_effort);
        const std::uint64_t price = search.run_deeply();
        if (price == unlimited)
            found.broken = "enough is free, and there is no way";
        else
            found.broken = broken_rule(start, search.changes(), price, false);
        room_search shallow(layout(start), much_effort);
        deep += shallow.run(unlimited) == unlimited;
    });
    if (!tries_all_seeds()) return;
    CHECK(deep > 20);
}

}  // namespace hbm::test::room_search_tests
