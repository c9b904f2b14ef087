// Plans in words, and what a manager says it would do.
#include <hbm/explain/explain.hpp>
#include <hbm/hbm.hpp>

#include <doctest/doctest.h>

#include <support/managers.hpp>

namespace hbm::test::plan_text_tests {
namespace {

constexpr std::uint64_t q = 512;

TEST_CASE("a price says how far from the least it may be") {
    CHECK(price_in_words(4'100'000, 3'900'000) == "4.1 ms; nothing under 3.9 ms");
    CHECK(price_in_words(4'100'000, 4'100'000) == "4.1 ms, and nothing costs less");
    CHECK(price_in_words(4'100'000, ~std::uint64_t{0}) == "4.1 ms, and nothing costs less");
    CHECK(price_in_words(4'150'000, 4'110'000) == "4.1 ms; nothing under 4110000 ns");
    CHECK(price_in_words(4'100'000, 0) == "4.1 ms");
    CHECK(price_in_words(0, 0) == time_in_words(0));
}

TEST_CASE("a plan is told step by step, is only a value, and is what allocate does") {
    manager<bottom_reserve<compacting<best_fit>>, evict_lru> memory{{.capacity = 20 * q}};
    const auto top = memory.allocate(4 * q, "top");
    const auto kept = memory.allocate(4 * q, "kept");
    REQUIRE(memory.load({.name = "rare", .code = 4 * q, .reload_us = 5}));
    const auto low = memory.allocate(8 * q);
    REQUIRE(low);
    REQUIRE(memory.free(*top));
    SUBCASE("where it fits") {
        const planning_result result = memory.plan_for({.bytes = 4 * q});
        REQUIRE(result.found);
        CHECK(to_text(result, memory) == "Nothing has to be done.\n");
    }
    SUBCASE("to move and to evict") {
        const auto before = memory;
        const planning_result result = memory.plan_for({.bytes = 8 * q});
        REQUIRE(result.found);
        CHECK(memory == before);
        CHECK(to_text(result, memory) == "1. Evict program 'rare' (2.0K): 5.0 us\n"
                                         "2. Move buffer 'kept' (2.0K from 6.0K to 4.0K in 1 copy): 2.0 us\n"
                                         "In all 7.0 us, and nothing costs less.\n");
        auto by_hand = memory;
        REQUIRE(by_hand.relieve(*result.found));
        REQUIRE(by_hand.allocate(8 * q));
        REQUIRE(memory.allocate(8 * q));
        CHECK(memory.state().blocks == by_hand.state().blocks);
        CHECK(memory.done_so_far().move_nanoseconds + 5'000 == result.found->nanoseconds);
    }
    SUBCASE("to wait for nothing, where nothing is in flight") {
        REQUIRE(memory.pin(*kept));
        REQUIRE(memory.pin(*low));
        const planning_result result = memory.plan_for({.bytes = 8 * q});
        CHECK_FALSE(result.found);
        CHECK(result.proof == infeasibility::walls);
        CHECK(to_text(result, memory) ==
              "Nothing makes room (what must stay leaves no stretch that is long enough).\n");
    }
    SUBCASE("or why there is none") {
        CHECK(memory.plan_for({.bytes = 9 * q}).proof == infeasibility::too_few_bytes);
        CHECK(memory.plan_for({.bytes = ~std::uint64_t{0}}).proof == infeasibility::wrong_call);
        CHECK(to_text(memory.plan_for({.bytes = q, .alignment = 3}), memory) ==
              "Nothing makes room (the call itself is invalid).\n");
    }
}

TEST_CASE("a wait and a move that makes way have words as well") {
    const manager<compacting<best_fit>> memory{{.capacity = 20 * q}};
    manager<compacting<best_fit>> holder = memory;
    const auto held = holder.allocate(2 * q, "held");
    plan steps;
    steps.add({.what = step_kind::wait, .to = 3, .bytes = 4 * q, .nanoseconds = 300'000});
    steps.add({.what = step_kind::move,
               .subject = held->index,
               .from = 0,
               .to = q,
               .bytes = 2 * q,
               .nanoseconds = 4'000,
               .copies = 2,
               .purpose = step_purpose::aside});
    CHECK(to_text(steps, holder) ==
          "1. Wait for fence 3 (2.0K returns): 300 us\n"
          "2. Move buffer 'held' (1.0K from 0B to 512B in 2 copies), to make way for another: 4.0 us\n"
          "In all 304 us.\n");
}

}  // namespace
}  // namespace hbm::test::plan_text_tests
