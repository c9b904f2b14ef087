#include <hbm/explain/explain.hpp>
#include <hbm/explain/message.hpp>
#include <hbm/explain/words.hpp>
#include <hbm/hbm.hpp>
#include <hbm/mesh.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <string>
#include <support/managers.hpp>
#include <utility>

#include "support/golden_text.hpp"

namespace hbm::test::error_table_tests {

TEST_CASE("every error has a name of its own, a status, a message, and the runtime's number if it has one") {
    std::string text;
    std::set<std::string> names;
    int reason = 0;
    for (; std::string(error_name(static_cast<error>(reason))) != "unknown"; ++reason) {
        const failure why{.reason = static_cast<error>(reason)};
        const std::string name = error_name(why.reason);
        CHECK(names.insert(name).second);
        const std::string code = runtime_code(why.reason);
        text += name + ", status " + std::to_string(static_cast<int>(status_of(why.reason))) +
                (code.empty() ? "" : ", " + code) + "\n  " + message(why) + "\n";
        CHECK(message(why).starts_with(status_name(status_of(why.reason))));
    }
    CHECK(reason == static_cast<int>(error::device_failed) + 1);
    CHECK(text == golden_text("explain/texts.txt", "errors", text));
}

}  // namespace hbm::test::error_table_tests

// Plans in words, and what a manager says it would do.

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

// The expected texts are those that the runtime printed in public reports, or follow from its rules for sizes; those
// about arguments are ours.

namespace hbm::test::words_tests {

TEST_CASE("size_in_words: the digits and units of the runtime, ties to the even digit") {
    const std::pair<std::uint64_t, const char*> expected[] = {
        {0, "0B"},
        {1023, "1023B"},
        {1024, "1.0K"},
        {1024 + 256, "1.2K"},  // 1.25
        {1536, "1.5K"},
        {1024 + 768, "1.8K"},  // 1.75
        {4096, "4.0K"},
        {(1u << 20) - 1, "1024.0K"},  // a unit ends at 1024 times itself
        {8u << 20, "8.00M"},
        {554'696'704, "529.00M"},
        {(1u << 30) - 1, "1024.00M"},
        {4'237'689'856, "3.95G"},
        {6'532'939'776, "6.08G"},
        {std::uint64_t{1} << 40, "1.00T"},
        {~std::uint64_t{0}, "16.00E"},
    };
    for (const auto& [bytes, text] : expected) CHECK(hbm::size_in_words(bytes) == text);
}

TEST_CASE("where a run is as long as what was asked for, it is not fragmentation that is told of") {
    // Four mebibytes are free in one run, but no place in it is as well aligned.
    const std::uint64_t mebibyte = 1u << 20;
    hbm::manager<hbm::best_fit> memory{{.name = "small", .capacity = 6 * mebibyte}};
    REQUIRE(memory.allocate(mebibyte));
    REQUIRE(memory.allocate(mebibyte));
    const auto aligned = memory.allocate({.bytes = 2 * mebibyte, .alignment = 4 * mebibyte});
    REQUIRE(aligned);  // at 4M
    REQUIRE(memory.free(*aligned));
    REQUIRE(memory.allocate({.bytes = 512, .alignment = 4 * mebibyte}));
    const auto failed = memory.allocate({.bytes = mebibyte, .alignment = 4 * mebibyte});
    REQUIRE_FALSE(failed);
    CHECK(hbm::message(failed.error()) ==
          "RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate 1.00M. That was not possible. "
          "There are 4.00M free.; (0x0x0_HBM0)");
    const auto too_far = memory.allocate({.bytes = mebibyte, .alignment = std::uint64_t{1} << 63U});
    REQUIRE_FALSE(too_far);
    CHECK(
        hbm::message(too_far.error()) ==
        "RESOURCE_EXHAUSTED: an alignment of 9223372036854775808 bytes is more quanta than the manager's placement can "
        "count");
    CHECK(hbm::message({.reason = hbm::error::buffer_does_not_fit,
                        .requested = 2 * mebibyte,
                        .free = 4 * mebibyte,
                        .largest_free = 2 * mebibyte - 512}) ==
          "RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate 2.00M. That was not possible. "
          "There are 4.00M free. The largest contiguous region of free memory is 2.00M due to fragmentation.; "
          "(0x0x0_HBM0)");
}

TEST_CASE("digits come in groups of three") {
    CHECK(hbm::grouped_digits(0) == "0");
    CHECK(hbm::grouped_digits(999) == "999");
    CHECK(hbm::grouped_digits(1000) == "1,000");
    CHECK(hbm::grouped_digits(6'532'939'776) == "6,532,939,776");
    CHECK(hbm::grouped_digits(~std::uint64_t{0}) == "18,446,744,073,709,551,615");
}

TEST_CASE("a buffer's message names the chip, a program's the replica and partition when both are told") {
    const hbm::failure buffer{.reason = hbm::error::buffer_does_not_fit, .requested = 1024, .free = 512};
    const std::string words = "RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate 1.0K. That "
                              "was not possible. There are 512B free.; ";
    CHECK(hbm::message(buffer) == words + "(0x0x0_HBM0)");
    CHECK(hbm::message(buffer, "", {.at = {.x = 1, .y = 2, .z = 3, .hbm = 1}}) == words + "(1x2x3_HBM1)");
    CHECK(hbm::message(buffer, "", {.replica = 3, .partition = 4}) == words + "(0x0x0_HBM0)");

    const hbm::failure program{.reason = hbm::error::code_does_not_fit, .requested = 1024, .free = 512};
    const std::string loading = "RESOURCE_EXHAUSTED: Error loading program 'p': Attempting to allocate 1.0K. That was "
                                "not possible. There are 512B free.";
    CHECK(hbm::message(program, "p") == loading);
    CHECK(hbm::message(program, "p", {.replica = 1}) == loading);
    CHECK(hbm::message(program, "p", {.partition = 1}) == loading);
    CHECK(hbm::message(program, "p", {.replica = 1, .partition = 2}) ==
          loading + " Scope: unknown..: while running replica 1 and partition 2 of a replicated computation (other "
                    "replicas may have failed as well).");
}

TEST_CASE("the mistakes in the arguments of a run have their numbers and the first use") {
    // Arguments are counted from 0, inputs first.
    hbm::manager<hbm::best_fit, hbm::never_evict, hbm::donate_same_size> memory{{.name = "small", .capacity = 1 << 20}};
    const auto p = *memory.load({.name = "p", .code = 512});
    const auto a = *memory.allocate(512);
    const auto b = *memory.allocate(512);
    const auto gone = *memory.allocate(512);
    REQUIRE(memory.free(gone));
    std::string text;
    const auto add = [&](const hbm::failure& why) { text += hbm::message(why) + "\n"; };
    const auto refuse = [&](const hbm::run_spec& spec) { add(memory.run(p, spec).error()); };

    refuse({.inputs = {a, gone}});
    refuse({.inputs = {a}, .donated = {b, gone}});
    refuse({.inputs = {a}, .donated = {b, b}});
    refuse({.inputs = {a, b}, .donated = {b}});
    REQUIRE(memory.pin(b));
    refuse({.inputs = {a}, .donated = {b}});
    REQUIRE(memory.unpin(b));
    refuse({.inputs = {a, {.index = b.index, .generation = b.generation, .salt = 7}}});
    const auto must = [](std::uint64_t bytes, std::uint32_t partner) {
        return hbm::output{bytes, hbm::tag::none, hbm::aliasing::must, partner};
    };
    refuse({.donated = {a}, .outputs = {must(1024, 0)}});
    refuse({.donated = {a}, .outputs = {must(512, 0)}, .kept = {0}});
    refuse({.inputs = {b}, .donated = {a}, .outputs = {must(512, 0), must(512, 0)}});
    refuse({.inputs = {b}, .donated = {a}, .kept = {0, 0}});
    refuse({.donated = {a}, .kept = {3}});
    refuse({.donated = {a}, .outputs = {512, must(512, 7)}});
    hbm::manager<hbm::best_fit> never{{.name = "small", .capacity = 1 << 20}};
    const auto step = *never.load({.name = "step", .code = 512});
    const auto c = *never.allocate(512);
    add(never.run(step, {.donated = {c}, .outputs = {must(512, 0)}}).error());
    // Without an argument, it is about a handle.
    add(memory.free(gone).error());
    add(memory.free({.index = a.index, .generation = a.generation, .salt = 7}).error());
    // A donated buffer is dead afterwards.
    REQUIRE(memory.run(p, {.donated = {a}, .outputs = {512}}));
    refuse({.inputs = {a}});
    CHECK(text == hbm::test::golden_text("explain/texts.txt", "arguments of a run", text));
}

TEST_CASE("memories and meshes that cannot be say why") {
    using memory = hbm::manager<hbm::best_fit>;
    std::string text;
    const auto add = [&](const hbm::failure& why) { text += hbm::message(why) + "\n"; };
    add(memory{{.capacity = 512, .top_reserved = 1024}}.allocate(512).error());
    add(memory{{.capacity = 512, .quantum = 3}}.allocate(512).error());
    add(memory{{.capacity = 4096, .top_reserved = 512, .bounce = 1024}}.allocate(512).error());
    add(memory{{.capacity = std::uint64_t{1} << 42}}.allocate(512).error());
    add(memory{{.capacity = 512}}.allocate(-1).error());
    const hbm::memory_spec spec{.name = "small", .capacity = 1 << 20};
    add(hbm::mesh<memory>({2, 2}, {spec, spec}).allocate(512).error().why);
    add(hbm::mesh<memory>({0, 0}, spec).allocate(512).error().why);
    hbm::mesh<memory> devices({1, 2}, spec);
    add(devices.allocate({512, 512, 512}).error().why);
    CHECK(text == hbm::test::golden_text("explain/texts.txt", "memories and meshes", text));
}

TEST_CASE("time_in_words: three digits and a unit") {
    const std::pair<std::uint64_t, const char*> expected[] = {{0, "0 ns"},
                                                              {999, "999 ns"},
                                                              {1000, "1.0 us"},
                                                              {99'999, "99.9 us"},
                                                              {100'000, "100 us"},
                                                              {999'999, "999 us"},
                                                              {1'000'000, "1.0 ms"},
                                                              {12'345'678'901, "12.3 s"},
                                                              {1'234'000'000'000, "1234 s"}};
    for (const auto& [nanoseconds, text] : expected) CHECK(hbm::time_in_words(nanoseconds) == text);
}

}  // namespace hbm::test::words_tests
