#include <hbm/compact.hpp>
#include <hbm/events/allocation_ages.hpp>
#include <hbm/events/observers.hpp>
#include <hbm/explain/dump.hpp>
#include <hbm/explain/explain.hpp>
#include <hbm/growth/growth.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>

#include <doctest/doctest.h>

#include <string>
#include <support/managers.hpp>
#include <vector>

#include "support/golden_text.hpp"

namespace hbm::test::dump_tests {

using namespace hbm::literals;

namespace {

constexpr std::uint64_t q = 512;

template <class Placement, class Eviction = evict_lru, class Events = no_events, class Relief = relieve_cheapest>
using memory_of = manager<Placement, Eviction, donate_same_size, Relief, no_device, Events>;

/// 100 quanta, so that a cell of the map is one of them.
constexpr memory_spec small{.name = "small", .capacity = 100 * q};

template <class Memory>
buffer put(Memory& memory, std::uint64_t offset, std::uint64_t length, const char* name) {
    const auto imported = memory.import({offset * q, length * q}, memory.tag_of(name));
    REQUIRE(imported);
    return *imported;
}

/// Makes a request for which there is no room, and dumps the memory.
template <class Memory>
allocation_dump dump_without_room_for(std::uint64_t quanta, Memory& memory) {
    const auto failed = memory.allocate(quanta * q);
    REQUIRE_FALSE(failed);
    return dump(memory, failed.error());
}

void check_text(const char* section, const std::string& text) {
    CHECK(text == golden_text("explain/texts.txt", section, text));
}

}  // namespace

TEST_CASE("the map shows each kind in its place, one hundred characters wide") {
    memory_of<bottom_reserve<best_fit>> memory{{.name = "small", .capacity = 100 * q, .runs_in_flight = 2}};
    const auto p = memory.load({.name = "p", .code = 4 * q, .scratch = 10 * q});  // [96, 100)
    REQUIRE(p);
    const auto x = memory.allocate(6 * q, "x");  // [90, 96)
    const auto y = memory.allocate(5 * q, "y");  // [85, 90)
    const auto r = memory.load({.name = "r", .code = 3 * q});
    REQUIRE(r);                                  // [82, 85)
    const auto z = memory.allocate(2 * q, "z");  // [80, 82)
    put(memory, 20, 5, "held");
    REQUIRE(memory.run(*p, {.inputs = {*x, *y}, .run_us = 7}));
    REQUIRE(memory.free(*y));
    const allocation_dump dumped = dump_without_room_for(80, memory);
    CHECK(dumped.map == std::string(10, '=') + std::string(10, '.') + std::string(5, '#') + std::string(55, '.') +
                            "bb" + "ppp" + "ddddd" + std::string(10, '#'));
    REQUIRE(z);
}

TEST_CASE("a cell of the map with several kinds in it is mixed") {
    const auto cells = [](std::uint64_t bytes, const std::vector<std::uint64_t>& ends, const std::string& kinds) {
        detail::memory_map drawn{bytes};
        std::uint64_t at = 0;
        for (std::size_t i = 0; i < ends.size(); ++i) {
            drawn.draw(kinds[i], {at, ends[i] - at});
            at = ends[i];
        }
        return drawn.cells();
    };
    CHECK(cells(1000, {1000}, ".") == std::string(100, '.'));
    CHECK(cells(1000, {10, 25, 1000}, "b.p") == "b.+" + std::string(97, 'p'));
    CHECK(cells(1000, {11, 14, 20, 1000}, "b.b.") == "b+" + std::string(98, '.'));
    CHECK(cells(1000, {15, 20, 1000}, "bb.") == "bb" + std::string(98, '.'));
    // The first cells of 150 bytes are one, two, one and two bytes long.
    CHECK(cells(150, {1, 3, 5, 150}, "b.b.") == "b.b+" + std::string(96, '.'));
    // Fewer bytes than cells: each is as many cells as begin in it.
    CHECK(cells(2, {1, 2}, "b.") == std::string(50, 'b') + std::string(50, '.'));
    CHECK(cells(1, {1}, "b") == std::string(100, 'b'));
    // Nothing there, and as much as can be counted.
    CHECK(cells(0, {}, "") == std::string(100, ' '));
    const std::uint64_t all = ~std::uint64_t{0};
    CHECK(cells(all, {all / 2, all}, "b.").substr(0, 49) == std::string(49, 'b'));
    CHECK(cells(all, {all / 2, all}, "b.").substr(51) == std::string(49, '.'));
}

TEST_CASE("the largest allocations have names, ages and sizes") {
    memory_of<first_fit, evict_lru, allocation_ages> memory{small};
    const auto p = memory.load({.name = "p", .code = 4 * q});
    const auto x = memory.allocate(6 * q, "x");
    REQUIRE(memory.allocate(5 * q));
    REQUIRE(memory.run(*p, {.inputs = {*x}}));
    REQUIRE(memory.run(*p, {.donated = {*x}, .outputs = {{6 * q, memory.tag_of("y")}}}));
    REQUIRE(memory.run(*p, {}));
    const auto failed = memory.allocate(90 * q);
    const allocation_dump dumped = dump(memory, failed.error());
    REQUIRE(dumped.allocations.items.size() == 3);
    CHECK(dumped.allocations.items[0].age == allocation_age{.events = 3, .runs = 1});  // ran, ran, failed
    check_text("ages and sizes", to_text(dumped));

    memory_of<first_fit> deaf{small};
    REQUIRE(deaf.allocate(6 * q, "x"));
    const allocation_dump ageless = dump_without_room_for(99, deaf);
    CHECK_FALSE(ageless.allocations.items[0].age);
}

TEST_CASE("no more is shown than was asked for, the largest first, equals in address order") {
    memory_of<first_fit> memory{small};
    for (std::uint64_t i = 0; i < 12; ++i) put(memory, 8 * i, i == 5 ? 4 : 2, i == 5 ? "large" : "x");
    const auto failed = memory.allocate(90 * q);
    const allocation_dump ten = dump(memory, failed.error());
    CHECK(ten.allocations.items.size() == 10);
    CHECK(ten.allocations.items[0].name == "large");
    const allocation_dump two = dump(memory, failed.error(), {.most = 2});
    CHECK(two.allocations.items.size() == 2);
    CHECK(two.holes.items.size() == 2);
    CHECK(two.holes.count == 12);
    CHECK(two.walls.count == 12);
    const allocation_dump none = dump(memory, failed.error(), {.most = 0});
    CHECK(none.allocations.items.empty());
    CHECK(none.allocations.bytes == 26 * q);
}

TEST_CASE("a device without a name has an empty one") {
    const manager<best_fit> memory{{.name = nullptr, .capacity = 1 << 20}};
    const allocation_dump dumped = dump(memory, {});
    CHECK(dumped.device.empty());
    CHECK(to_text(dumped).size() > 100);
}

TEST_CASE("holes have neighbours, and a neighbour says whether it is a wall") {
    memory_of<compacting<bottom_reserve<best_fit>>> memory{small};
    REQUIRE(memory.load({.name = "p", .code = 4 * q, .scratch = 10 * q}));  // code at [96, 100)
    put(memory, 30, 5, "pinned");
    const buffer free_to_move = put(memory, 70, 5, "unpinned");
    REQUIRE(memory.unpin(free_to_move));
    const std::string text = to_text(dump_without_room_for(95, memory));
    CHECK(text.find("buffer 'pinned' of 2.5K (a wall: pinned once) and buffer 'unpinned' of 2.5K") !=
          std::string::npos);

    // At the ends of memory there is nobody.
    memory_of<first_fit> empty{small};
    const allocation_dump dumped = dump_without_room_for(101, empty);
    CHECK_FALSE(dumped.holes.items[0].below);
    CHECK_FALSE(dumped.holes.items[0].above);
}

TEST_CASE("who may neither move nor be evicted is a wall without any pin") {
    const auto walls_of = [](auto memory) {
        REQUIRE(memory.load({.name = "p", .code = 4 * q}));
        REQUIRE(memory.allocate(5 * q, "x"));
        const auto failed = memory.allocate(99 * q);
        const allocation_dump dumped = dump(memory, failed.error());
        CHECK(dumped.walls.count == 0);
        bool buffer_is_wall = false;
        bool code_is_wall = false;
        for (const dumped_block& block : dumped.allocations.items)
            (block.kind == block_kind::data ? buffer_is_wall : code_is_wall) = block.wall;
        return std::pair{buffer_is_wall, code_is_wall};
    };
    CHECK(walls_of(memory_of<compacting<first_fit>, evict_lru>{small}) == std::pair{false, false});
    CHECK(walls_of(memory_of<compacting<first_fit>, never_evict>{small}) == std::pair{false, false});
    CHECK(walls_of(memory_of<first_fit, evict_lru>{small}) == std::pair{true, false});
    CHECK(walls_of(memory_of<first_fit, never_evict>{small}) == std::pair{true, true});
    CHECK(walls_of(memory_of<compacting<first_fit>, evict_lru, no_events, never_relieve>{small}) ==
          std::pair{true, true});
}

TEST_CASE("holes that touch are one hole, also where the placement keeps them apart") {
    memory_of<buddy> memory{{.name = "small", .capacity = 16 * q}};
    REQUIRE(memory.allocate(q, "x"));  // [0, 1), and holes of 1, 2, 4 and 8 after it
    const allocation_dump dumped = dump_without_room_for(16, memory);
    CHECK(dumped.holes.count == 1);
    CHECK(dumped.holes.items[0].where == extent{q, 15 * q});
    CHECK(dumped.holes.items[0].below->name == "x");
    CHECK_FALSE(dumped.holes.items[0].above);
}

TEST_CASE("programs come in the order in which they would be missed least") {
    memory_of<first_fit> memory{small};
    const auto a = memory.load({.name = "a", .code = 4 * q, .reload_us = 3});
    const auto b = memory.load({.name = "b", .code = 5 * q, .scratch = 6 * q, .reload_us = 4000});
    const auto c = memory.load({.name = "c", .code = 7 * q, .reload_us = 0});
    REQUIRE(memory.run(*b, {}));
    REQUIRE(memory.run(*a, {}));
    REQUIRE(memory.evict(*b));
    const auto failed = memory.load({.name = "d", .code = 200 * q});
    const allocation_dump dumped = dump(memory, failed.error());
    CHECK(dumped.programs.bytes == 16 * q);
    check_text("programs", to_text(dumped));
    REQUIRE(c);
}

TEST_CASE("spilled scratch is told") {
    memory_of<bottom_reserve<best_fit>> memory{{.name = "small", .capacity = 100 * q, .scratch_percent = 10}};
    REQUIRE(memory.load({.name = "p", .code = q, .scratch = 16 * q}));
    CHECK(to_text(dump_without_room_for(101, memory)).find("scratch 5.0K and 3.0K spilled") != std::string::npos);
}

TEST_CASE("walls say why, pending frees what they wait for, runs what they take") {
    memory_of<bottom_reserve<compacting<best_fit>>, never_evict> memory{
        {.name = "small", .capacity = 100 * q, .runs_in_flight = 3}};
    const auto p = memory.load({.name = "p", .code = 4 * q, .scratch = 8 * q});  // [96, 100)
    const auto r = memory.load({.name = "r", .code = 3 * q});                    // [93, 96)
    const auto x = memory.allocate(6 * q, "x");                                  // [87, 93)
    const auto y = memory.allocate(5 * q, "y");                                  // [82, 87)
    const auto z = memory.allocate(2 * q, "z");                                  // [80, 82)
    const auto plain = memory.allocate(q, "plain");                              // [79, 80)
    REQUIRE(memory.run(*p, {.inputs = {*x, *y}, .run_us = 7}));
    const auto second = memory.run(*r, {.inputs = {*x}, .run_us = 1500});
    REQUIRE(memory.pin(*x));
    REQUIRE(memory.pin(*x));
    REQUIRE(memory.free(*y));                // waits for the first run
    REQUIRE(memory.free(*z, second->over));  // waits for somebody else until the second run is over
    REQUIRE(memory.pin(*plain));
    REQUIRE(memory.free(*plain));  // waits for the next time frees take effect
    // Nothing is waited for when that would not help: the failed call leaves all as it was.
    const allocation_dump dumped = dump_without_room_for(101, memory);
    CHECK(dumped.pending_frees.bytes == 8 * q);
    check_text("walls, frees and runs", to_text(dumped));
}

TEST_CASE("a block whose move has stopped in the middle is shown in both places, as a wall that says so") {
    memory_of<compacting<best_fit>> memory{small};
    const buffer a = put(memory, 10, 30, "a");
    REQUIRE(memory.unpin(a));
    REQUIRE(memory.compact(10 * q).moved == 10 * q);
    REQUIRE(memory.moving());
    const auto failed = memory.allocate(80 * q);
    REQUIRE_FALSE(failed);
    const allocation_dump dumped = dump(memory, failed.error());
    CHECK(dumped.allocations.items[0].half_moved);
    CHECK(to_text(dumped).find(", half moved") != std::string::npos);
    REQUIRE(memory.finish_moves());
    CHECK_FALSE(dump(memory, failed.error()).allocations.items[0].half_moved);
}

TEST_CASE("donations: offered, taken and kept") {
    memory_of<first_fit, evict_lru, allocation_ages> memory{small};
    const auto p = memory.load({.name = "p", .code = q});
    const auto x = memory.allocate(6 * q, "x");
    const auto y = memory.allocate(5 * q, "y");
    const auto z = memory.allocate(4 * q, "z");
    REQUIRE(memory.run(*p, {.donated = {*x, *y, *z}, .outputs = {6 * q, 3 * q}, .kept = {2}}));
    check_text("donations", to_text(dump_without_room_for(99, memory)));
}

TEST_CASE("the ledger counts what the request would add") {
    // Shared scratch: only what is more than is reserved already.
    memory_of<bottom_reserve<best_fit>, never_evict> shared{
        {.name = "small", .capacity = 100 * q, .top_reserved = 20 * q}};
    REQUIRE(shared.load({.name = "p", .code = 4 * q, .scratch = 10 * q}));
    put(shared, 15, 5, "low");
    const auto more = shared.load({.name = "r", .code = 3 * q, .scratch = 16 * q});
    REQUIRE_FALSE(more);
    CHECK(
        ledger_of(shared, more.error()) ==
        memory_ledger{
            .capacity = 100 * q, .top_reserved = 20 * q, .allocated = 19 * q, .required = 9 * q, .for_program = true});
    CHECK(ledger_of(shared, more.error()).available() == size_difference{false, 52 * q});

    // Scratch of its own: all of it.
    memory_of<bottom_reserve<best_fit, scratch_sharing::per_program>, never_evict> own{small};
    REQUIRE(own.load({.name = "p", .code = 4 * q, .scratch = 10 * q}));
    put(own, 15, 5, "low");
    const auto all = own.load({.name = "r", .code = 3 * q, .scratch = 16 * q});
    REQUIRE_FALSE(all);
    CHECK(ledger_of(own, all.error()).required == 19 * q);

    // Scratch as a block.
    memory_of<best_fit, never_evict> block{small};
    const auto as_block = block.load({.name = "r", .code = 3 * q, .scratch = 98 * q});
    REQUIRE_FALSE(as_block);
    CHECK(ledger_of(block, as_block.error()).required == 101 * q);
    CHECK(to_text(ledger_of(block, as_block.error())).find("   -512B (            -512 bytes)\n") != std::string::npos);

    // A buffer, and what nothing could hold.
    const auto buffer = block.allocate(101 * q);
    CHECK(to_text(ledger_of(block, buffer.error())).find("           Buffer requirement:    50.5K (") !=
          std::string::npos);
    const auto endless = block.allocate(~std::uint64_t{0});
    CHECK(ledger_of(block, endless.error()).available() == size_difference{true, ~std::uint64_t{0} - 100 * q});
    CHECK(
        ledger_of(block,
                  failure{.reason = error::code_does_not_fit, .code = ~std::uint64_t{0}, .scratch = ~std::uint64_t{0}})
            .required == ~std::uint64_t{0});
    // A failure that was put together by hand says only what was asked for.
    CHECK(ledger_of(block, failure{.reason = error::code_does_not_fit, .requested = q}).required == q);
}

TEST_CASE("a memory of nothing, and failures that are not for want of room, can be dumped") {
    const memory_of<first_fit> nothing;
    memory_of<first_fit> trial = nothing;
    const auto failed = trial.allocate(1);
    const allocation_dump dumped = dump(trial, failed.error());
    CHECK(dumped.map == std::string(100, ' '));
    CHECK(dumped.allocations.count == 0);

    memory_of<first_fit> memory{small};
    const auto x = memory.allocate(q);
    REQUIRE(memory.free(*x));
    const allocation_dump stale = dump(memory, memory.free(*x).error());
    CHECK(to_text(stale).substr(0, 17) == "INVALID_ARGUMENT:");
}

TEST_CASE("a dump changes nothing and is the same twice; managers of any width can be dumped") {
    memory_of<bottom_reserve<buddy>> memory{small};
    REQUIRE(memory.load({.name = "p", .code = 4 * q, .scratch = 10 * q}));
    REQUIRE(memory.allocate(7 * q, "x"));
    const auto failed = memory.allocate(90 * q);
    REQUIRE_FALSE(failed);
    const auto before = memory;
    CHECK(to_text(dump(memory, failed.error())) == to_text(dump(memory, failed.error())));
    CHECK(memory == before);
    manager<basic_best_fit<std::uint64_t>> wide{{.name = "wide", .capacity = std::uint64_t{1} << 62, .quantum = 1}};
    REQUIRE(wide.allocate(1, "x"));
    const auto too_much = wide.allocate(std::uint64_t{1} << 62);
    CHECK(dump(wide, too_much.error()).map == "+" + std::string(99, '.'));
}

TEST_CASE("tags that grow come first, with what they grow by; without the observer that is unknown") {
    const auto dumped = [](auto memory, auto step) {
        REQUIRE(memory.allocate(500 * q, "weights"));
        REQUIRE(memory.allocate(20 * q));
        for (int at = 0; at < 50; ++at) {
            REQUIRE(memory.allocate(q, "log"));
            step(memory);
        }
        const auto failed = memory.allocate(1000 * q);
        REQUIRE(!failed);
        return dump(memory, failed.error());
    };
    using watching = manager<best_fit, never_evict, never_donate, relieve_cheapest, no_device, growth_by_tag>;
    const memory_spec large{.name = "large", .capacity = 1000 * q};
    const allocation_dump seen = dumped(watching{large, {.events = growth_by_tag{{.window = 1}}}},
                                        [](watching& memory) { memory.events().step(); });
    CHECK(seen.tags.bytes == 570 * q);
    check_text("growing tags", to_text(seen));

    // Tags that share an entry are not said to grow, as it is not known which of them does.
    const allocation_dump shared = dumped(watching{large, {.events = growth_by_tag{{.window = 1, .most_tags = 2}}}},
                                          [](watching& memory) { memory.events().step(); });
    for (const dumped_tag& its : shared.tags.items) CHECK(its.micro_bytes_a_step.has_value() == its.name.empty());

    using deaf = manager<best_fit>;
    const allocation_dump unseen = dumped(deaf{large}, [](deaf&) {});
    CHECK(unseen.tags.items[0].name == "weights");
    CHECK(!unseen.tags.items[0].micro_bytes_a_step);
}

}  // namespace hbm::test::dump_tests
