#include <hbm/events/allocation_ages.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/first_fit.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <support/managers.hpp>

namespace hbm::test::allocation_ages_tests {

namespace {

constexpr std::uint64_t q = 512;

template <class Placement, class Eviction = evict_lru>
using aged = manager<Placement, Eviction, donate_same_size, relieve_cheapest, no_device, allocation_ages>;

constexpr memory_spec small{.name = "small", .capacity = 100 * q};

}  // namespace

TEST_CASE("a block ages with every event and every run") {
    aged<first_fit> memory{small};
    const auto p = memory.load({.name = "p", .code = q});
    const auto x = memory.allocate(2 * q);
    const auto age = [&] { return memory.events().age(x->index); };
    CHECK(age() == allocation_age{0, 0});
    REQUIRE_FALSE(memory.allocate(200 * q));
    CHECK(age() == allocation_age{1, 0});
    const auto ran = memory.run(*p, {.outputs = {3 * q}});
    REQUIRE(ran);
    CHECK(age() == allocation_age{3, 1});
    CHECK(memory.events().age(ran->outputs[0].index) == allocation_age{1, 0});  // its own run is no age
    REQUIRE(memory.run(*p, {}));
    CHECK(memory.events().age(ran->outputs[0].index) == allocation_age{2, 1});
    REQUIRE(memory.free(*x));
    CHECK(age() == std::nullopt);
    const auto y = memory.allocate(2 * q);  // in the same place, with the same index
    CHECK(y->index == x->index);
    CHECK(age() == allocation_age{0, 0});
}

TEST_CASE("allocation_ages: work that is no run does not count as one") {
    for (const std::uint32_t in_flight : {0u, 1u, 4u}) {
        CAPTURE(in_flight);
        aged<first_fit> memory{{.name = "small", .capacity = 100 * q, .runs_in_flight = in_flight}};
        const auto p = memory.load({.name = "p", .code = q});
        const auto x = memory.allocate(q);
        const auto runs = [&](buffer held) { return memory.events().age(held.index)->runs; };
        memory.issue({.us = 10});
        const auto y = memory.allocate(q);
        CHECK(runs(*x) == 0);
        const auto ran = memory.run(*p, {.outputs = {q}});
        REQUIRE(ran);
        CHECK(runs(*x) == 1);
        CHECK(runs(*y) == 1);
        CHECK(runs(ran->outputs[0]) == 0);
        REQUIRE(memory.retire(memory.issue({.us = 10})));  // over before any other event
        REQUIRE(memory.allocate(q));
        CHECK(runs(*x) == 1);
        const auto again = memory.run(*p, {.outputs = {q, q}});
        REQUIRE(again);
        CHECK(runs(*y) == 2);
        CHECK(runs(again->outputs[1]) == 0);
        memory.sync();
        CHECK(runs(*y) == 2);
    }
}

TEST_CASE("an output that takes an input over is new") {
    aged<first_fit> memory{small};
    const auto p = memory.load({.name = "p", .code = q});
    const auto x = memory.allocate(2 * q);
    REQUIRE(memory.run(*p, {.inputs = {*x}}));
    const auto ran = memory.run(*p, {.donated = {*x}, .outputs = {2 * q}});
    REQUIRE(ran);
    CHECK(ran->outputs[0].index == x->index);
    CHECK(memory.events().age(x->index) == allocation_age{1, 0});
}

TEST_CASE("a freed buffer that waits is as old as it was, and nothing once it is gone") {
    aged<first_fit> memory{small};
    const auto x = memory.allocate(2 * q);
    REQUIRE(memory.pin(*x));
    REQUIRE(memory.free(*x));
    CHECK(memory.events().age(x->index) == allocation_age{1, 0});
    memory.sync();
    CHECK(memory.events().age(x->index) == std::nullopt);
}

TEST_CASE("a block that moves stays as old as it was") {
    aged<compacting<best_fit>> memory{{.name = "small", .capacity = 8 * q}};
    const auto a = memory.allocate(2 * q);
    const auto b = memory.allocate(2 * q);
    REQUIRE(memory.free(*a));
    REQUIRE(memory.allocate(6 * q));  // freed, moved, allocated
    CHECK(memory.where(*b).offset == 0);
    CHECK(memory.events().age(b->index) == allocation_age{3, 0});
}

TEST_CASE("the blocks of a program are as old as its latest load") {
    aged<first_fit> memory{small};
    const auto p = memory.load({.name = "p", .code = q, .scratch = 2 * q});
    const auto age = [&](block_index block) { return memory.events().age(block); };
    CHECK(age(memory.about(*p).code_block) == allocation_age{0, 0});
    CHECK(age(memory.about(*p).scratch_block) == allocation_age{0, 0});
    const auto x = memory.allocate(q);
    REQUIRE(x);
    CHECK(age(memory.about(*p).code_block) == allocation_age{1, 0});
    REQUIRE(memory.evict(*p));
    REQUIRE(memory.load(*p));
    CHECK(age(memory.about(*p).code_block) == allocation_age{0, 0});
    CHECK(age(memory.about(*p).scratch_block) == allocation_age{0, 0});
    CHECK(age(x->index) == allocation_age{2, 0});
}

TEST_CASE("what came to be unheard has no known age, nor has what never was") {
    aged<first_fit> memory{small};
    const auto x = memory.allocate(q);
    memory.events() = {};
    CHECK(memory.events().age(x->index) == std::nullopt);
    const auto y = memory.allocate(q);
    CHECK(memory.events().age(x->index) == std::nullopt);
    CHECK(memory.events().age(y->index) == allocation_age{0, 0});
    CHECK(memory.events().age(12345) == std::nullopt);
    CHECK(memory.events().age(no_block) == std::nullopt);
}

TEST_CASE("the age of the reservation is unknown, whatever had its index before") {
    aged<bottom_reserve<compacting<best_fit>>> memory{small};
    const program gone = *memory.load({.name = "gone", .code = 3 * q});
    const block_index index = memory.about(gone).code_block;
    REQUIRE(memory.events().age(index));
    REQUIRE(memory.unload(gone));
    REQUIRE(memory.load({.name = "next", .code = 3 * q, .scratch = 3 * q}));
    REQUIRE(memory.state().blocks.map().reservation() == index);
    CHECK(memory.events().age(index) == std::nullopt);
}

static_assert([] {
    aged<first_fit> memory{small};
    const auto x = memory.allocate(q);
    (void)memory.allocate(q);
    return memory.events().age(x->index) == allocation_age{1, 0};
}());

}  // namespace hbm::test::allocation_ages_tests
