// What explain() says: named scenarios, message for message; and what it does with hostile calls.
#include <hbm/compact.hpp>
#include <hbm/explain/dump.hpp>
#include <hbm/explain/explain.hpp>
#include <hbm/explain/ledger.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/planning/relief_policies.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <support/managers.hpp>
#include <vector>

#include "support/golden_text.hpp"

namespace hbm::test::explain_tests {
namespace {

using namespace hbm::literals;

constexpr std::uint64_t q = 512;

void check_text(const char* section, const std::string& text) {
    CHECK(text == golden_text("explain/texts.txt", section, text));
}

/// Returns true if the advice, applied to a copy, makes the attempt succeed.
template <class Memory>
bool helps(const Memory& memory, attempt tried, const explanation& what, std::size_t number) {
    auto fork = memory.fork();
    return apply(what.remedies[number].what, fork, tried, what.why.reason) && tried.on(fork).reason == error::none;
}

/// Relief policy that neither moves nor evicts, whatever the placement permits.
struct only_wait {
    static constexpr fixed_string name{"only_wait"};
    template <class Planner>
    [[nodiscard]] constexpr std::optional<plan> choose(const Planner& ways) const {
        return ways.by_waiting();
    }
    [[maybe_unused]] friend constexpr bool operator==(const only_wait&, const only_wait&) = default;
};

/// Returns the dump and the explanation of a request that fails although enough is free.
template <class Memory>
std::string texts_of_scattered(bool blocks_stay) {
    Memory memory{{.name = "small", .capacity = 64 * q}};
    for (std::uint64_t at = 3; at < 64; at += 8) REQUIRE(memory.import({at * q, 3 * q}, memory.tag_of("wall")));
    const auto loose = memory.allocate(3 * q, "loose");
    REQUIRE(loose);
    const auto failed = memory.allocate(7 * q, "asked");
    REQUIRE_FALSE(failed);
    allocation_dump dumped = dump(memory, failed.error(), {.blocks_stay = blocks_stay});
    dumped.manager = "";
    return to_text(dumped) + to_text(explanation_of(memory, failed.error(), {.blocks_stay = blocks_stay}));
}

}  // namespace

TEST_CASE("explain: where blocks stay, compacting<best_fit> explains like best_fit") {
    using moving = manager<compacting<best_fit>, never_evict, never_donate, only_wait>;
    const std::string text = texts_of_scattered<manager<best_fit>>(false);
    CHECK(texts_of_scattered<moving>(true) == text);
    CHECK(texts_of_scattered<moving>(false) != text);
}

TEST_CASE("pytorch/xla#3470: the buffer that caps the run at the bottom has a name") {
    manager<bottom_reserve<best_fit>> memory{tpu::v3};
    const std::uint64_t low = 3.33_GiB / q * q;
    REQUIRE(memory.import({low, 1_GiB}, memory.tag_of("embedding")));
    REQUIRE(memory.allocate(tpu::v3.capacity - 1_GiB - 6.78_GiB, "parameters"));
    const auto step = memory.load({.name = "jit_step", .code = 64_MiB, .scratch = 6.48_GiB});
    REQUIRE(!step);
    check_text("pytorch/xla#3470", explain(memory, step.error()));

    const explanation what = explanation_of(memory, step.error());
    CHECK(what.shortfall == step.error().requested - low);
    for (std::size_t i = 0; i < what.remedies.size(); ++i)
        CHECK(helps(memory, attempt::from(memory, step.error()), what, i));
}

TEST_CASE("a program that was evicted for a buffer cannot come back, and the buffer is named") {
    manager<bottom_reserve<best_fit>, evict_lru> memory{{.capacity = 16_MiB}};
    const auto step = memory.load({.name = "step", .code = 2_MiB, .scratch = 6_MiB});
    REQUIRE(step);
    const auto cache = memory.allocate(11_MiB, "kv_cache");
    REQUIRE(cache);
    REQUIRE(!memory.about(*step).resident);
    const auto again = memory.load(*step);
    REQUIRE(!again);
    check_text("evicted program", explain(memory, again.error()));
    // A run that would bring it back says the same.
    const auto out = memory.run(*step, {.inputs = {*cache}});
    REQUIRE(!out);
    CHECK(explain(memory, out.error()) == explain(memory, again.error()));
}

TEST_CASE("fragmentation: the neighbours of the longest hole are named") {
    manager<first_fit> memory{{.capacity = 8_MiB}};
    const auto first = memory.allocate(2_MiB, "first");
    REQUIRE(memory.allocate(1_MiB, "wedge"));
    const auto third = memory.allocate(3_MiB, "third");
    REQUIRE(memory.allocate(2_MiB, "top"));
    memory.free(*first);
    memory.free(*third);
    const auto failed = memory.allocate(4_MiB, "new");
    REQUIRE(!failed);
    check_text("neighbours of the longest hole", explain(memory, failed.error()));
}

/// Plans nothing, not even waits.
struct never_plan {
    static constexpr fixed_string name{"never_plan"};
    constexpr std::optional<plan> choose(const planner&) const { return std::nullopt; }
    friend constexpr bool operator==(const never_plan&, const never_plan&) = default;
};

TEST_CASE("a run is told which argument to donate, and which fence to wait for") {
    manager<best_fit, evict_lru, donate_same_size, never_plan> memory{{.capacity = 16 * q, .runs_in_flight = 2},
                                                                      {.salt = 7}};
    const auto weights = memory.allocate(6 * q, "weights");
    const auto old = memory.allocate(6 * q, "old");
    const auto step = memory.load({.name = "step", .code = q});
    REQUIRE(step);
    REQUIRE(memory.run(*step, {.inputs = {*weights, *old}, .run_us = 300}));
    memory.free(*old);  // deferred: a run in flight uses it
    const std::vector<buffer> inputs{*weights};
    const std::vector<output> outputs{6 * q};
    const attempt tried{*step, {.inputs = inputs, .outputs = outputs}};
    const explanation what = explanation_of(memory, tried);
    check_text("donate or wait", explain(memory, tried));
    for (std::size_t i = 0; i < what.remedies.size(); ++i) CHECK(helps(memory, tried, what, i));
}

// All inputs are as large as the outputs, and nothing is free: all have to be donated.
TEST_CASE("several arguments to donate are a list, a long list has runs of indices") {
    const auto told = [](std::uint64_t count) {
        manager<best_fit, evict_lru, donate_same_size> memory{{.capacity = (count + 1) * q}};
        std::vector<buffer> inputs;
        std::vector<std::string> names;
        for (std::uint64_t at = 0; at < count; ++at) names.push_back("cache" + std::to_string(at));
        for (const std::string& each : names) inputs.push_back(*memory.allocate(q, each.c_str()));
        const auto step = memory.load({.name = "step", .code = q});
        REQUIRE(step);
        const std::vector<output> outputs(count, output{q});
        return explain(memory, attempt{*step, {.inputs = inputs, .outputs = outputs}});
    };
    check_text("many arguments", told(28));
    CHECK(detail::arguments_in_words({{0, "a"}, {2, ""}, {3, ""}, {4, ""}, {9, "b"}}) ==
          "arguments 0, 2-4 and 9 ('a' and 4 more)");
    CHECK(detail::arguments_in_words({{1, ""}, {2, "b"}}) == "arguments 1 and 2 ('b')");
}

TEST_CASE("a program that is in the way is evicted by hand where nobody else does") {
    manager<best_fit> memory{{.capacity = 20 * q}};
    REQUIRE(memory.load({.name = "rare", .code = 4 * q, .reload_us = 70'000}));
    const auto hole = memory.allocate(6 * q);
    REQUIRE(memory.allocate(8 * q, "data"));
    memory.free(*hole);
    check_text("evict by hand", explain(memory, request{.bytes = 9 * q}));
}

TEST_CASE("what there is no room for after everything is proven to be hopeless") {
    manager<bottom_reserve<compacting<best_fit>>, evict_lru> memory{{.capacity = 16 * q}};
    REQUIRE(memory.allocate(10 * q, "data"));
    const auto failed = memory.allocate(8 * q);
    REQUIRE(!failed);
    check_text("hopeless", explain(memory, failed.error()));
}

TEST_CASE("that nothing can be arranged is proven where few blocks can move, and only said where many can") {
    // A place is aligned where a multiple of eight quanta begins, and each of these is taken, whoever moves.
    const request aligned{.bytes = q, .alignment = 8 * q};
    manager<first_fit> small{{.capacity = 16 * q}};
    for (int i = 0; i < 2; ++i) REQUIRE(small.allocate(aligned));
    const explanation proven = explanation_of(small, aligned);
    CHECK(proven.conclusion == remedy_status::no_arrangement);
    CHECK(proven.lower_bound == ~std::uint64_t{0});

    manager<first_fit> large{{.capacity = 8 * 40 * q}};
    for (int i = 0; i < 40; ++i) REQUIRE(large.allocate(aligned));
    check_text("nothing found", explain(large, aligned));
}

TEST_CASE("a call that is wrong in itself has no remedy") {
    manager<bottom_reserve<compacting<best_fit>>, evict_lru, donate_same_size> memory{{.capacity = 16 * q}};
    const auto gone = memory.allocate(q);
    const auto step = memory.load({.name = "step", .code = q});
    REQUIRE(gone);
    REQUIRE(step);
    memory.free(*gone);
    const auto expect_nothing = [&](const explanation& what, error why) {
        CHECK(what.why.reason == why);
        CHECK(what.main_obstacle == obstacle::call);
        CHECK(what.remedies.empty());
        CHECK(to_text(what).ends_with(why == error::range_is_taken
                                          ? "Reason: not all of that range is free.\n"
                                          : "Reason: the call itself is invalid; more room would not help.\n"));
    };
    const std::uint64_t largest = ~std::uint64_t{0};
    for (const std::uint64_t bytes : {largest, largest - 1, largest - q, std::uint64_t{1} << 63}) {
        expect_nothing(explanation_of(memory, request{.bytes = bytes}), error::size_too_large);
        expect_nothing(explanation_of(memory, memory.allocate(bytes).error()), error::size_too_large);
        expect_nothing(explanation_of(memory, program_spec{.code = bytes}), error::size_too_large);
        expect_nothing(explanation_of(memory, program_spec{.code = q, .scratch = bytes}), error::size_too_large);
        expect_nothing(explanation_of(memory, attempt{*step, {.outputs = {output{bytes}}}}), error::size_too_large);
    }
    expect_nothing(explanation_of(memory, request{.bytes = q, .alignment = 3}), error::bad_alignment);
    expect_nothing(explanation_of(memory, attempt{*step, {.inputs = {*gone}}}), error::stale_handle);
    expect_nothing(explanation_of(memory, attempt{program{}}), error::stale_handle);
    expect_nothing(explanation_of(memory, memory.free(*gone).error()), error::stale_handle);
    expect_nothing(explanation_of(memory, memory.import({0, 64 * q}).error()), error::range_is_taken);
    manager<best_fit> stranger{{.capacity = q}, {.salt = 99}};
    expect_nothing(explanation_of(stranger, attempt{*step}), error::foreign_handle);
}

TEST_CASE("sizes that can be counted and that no memory has") {
    manager<bottom_reserve<compacting<best_fit>>, evict_lru> memory{{.capacity = 16 * q}};
    const std::uint64_t large = (std::uint64_t{1} << 32) * q - q;
    for (const explanation& what :
         {explanation_of(memory, request{.bytes = large}), explanation_of(memory, program_spec{.code = large}),
          explanation_of(memory, program_spec{.code = q, .scratch = large}),
          explanation_of(memory, program_spec{.code = large, .scratch = large})}) {
        CHECK(what.conclusion == remedy_status::not_enough_bytes);
        CHECK(what.missing > 1_TiB);
        CHECK(!to_text(what).empty());
    }
    manager<compacting<buddy>> powers{{.capacity = 16 * q}};
    CHECK(explanation_of(powers, request{.bytes = large}).conclusion == remedy_status::not_enough_bytes);
    CHECK(explanation_of(powers, request{.bytes = q, .alignment = large / 2 + q / 2}).why.reason == error::none);
}

TEST_CASE("an empty manager, no bytes, and what fits") {
    manager<best_fit> nothing;
    const explanation what = explanation_of(nothing, request{.bytes = 0});
    CHECK(what.conclusion == remedy_status::not_enough_bytes);
    REQUIRE(what.remedies.size() == 1);
    CHECK(what.remedies[0].what.capacity == q);
    CHECK(what.culprits.empty());
    CHECK(to_text(what).find("the manager has 0 bytes") != std::string::npos);
    const std::string load = explain(nothing, program_spec{.name = "step", .code = q});
    CHECK(load.find("'step'") != std::string::npos);
    manager<bottom_reserve<buddy>> reserving;
    CHECK(explanation_of(reserving, program_spec{.scratch = 1}).conclusion == remedy_status::not_enough_bytes);

    manager<best_fit> memory{{.capacity = q}};
    CHECK(explain(memory, request{}) == "OK\nIt fits.\n");
    REQUIRE(memory.allocate(0, "all"));
    CHECK(explanation_of(memory, request{}).conclusion == remedy_status::not_enough_bytes);
}

TEST_CASE("the failure of a run is enough to explain all of it, as long as no other was refused since") {
    manager<best_fit> memory{{.capacity = 16 * q}};
    const auto step = memory.load({.name = "step", .code = q});
    const auto out = memory.run(*step, {.outputs = {{10 * q, memory.tag_of("a")}, {7 * q, memory.tag_of("b")}}});
    REQUIRE(!out);
    // 15 are free, and nobody evicts a program for its own run.
    check_text("refused run", explain(memory, out.error()));
    CHECK(ledger_of(memory, out.error()).required == 17 * q);
    CHECK(ledger_of(memory, out.error()).available() == size_difference{true, 2 * q});

    REQUIRE(!memory.run(*step, {.outputs = {16 * q}}));
    check_text("another run refused since", explain(memory, out.error()));
    const std::vector<output> outputs{10 * q, 7 * q};  // an attempt refers to them
    const attempt again{*step, {.outputs = outputs}};
    CHECK(explanation_of(memory, again).missing == 2 * q);
}

TEST_CASE("a refused run can be tried again out of what is remembered of it") {
    manager<best_fit> memory{{.capacity = 16 * q}};
    const auto step = memory.load({.name = "step", .code = q});
    const auto input = memory.allocate(2 * q);
    const auto out = memory.run(*step, {.inputs = {*input}, .outputs = {9 * q, 9 * q}});
    REQUIRE(!out);
    const attempt again = attempt::from(memory, out.error());
    for (int i = 0; i < 3; ++i) CHECK(again.on(memory) == out.error());
    CHECK(memory.refused().inputs == trivial_vector<buffer>{*input});
    CHECK(memory.refused().outputs.size() == 2);
    CHECK(memory.refused().fresh_bytes == 18 * q);
}

TEST_CASE("a later part that finds no room: what came before it is where it would be") {
    manager<first_fit, never_evict, donate_same_size> memory{{.capacity = 32 * q}};
    const auto step = memory.load({.name = "step", .code = q});
    const auto low = memory.allocate(15 * q, "low");
    REQUIRE(memory.allocate(q, "wedge"));
    const auto high = memory.allocate(6 * q, "high");
    REQUIRE(memory.allocate(9 * q, "rest"));
    memory.free(*low);
    memory.free(*high);
    const auto out = memory.run(*step, {.outputs = {12 * q, 8 * q}});  // holes of 15 and 6
    REQUIRE(!out);
    check_text("part of a run", explain(memory, out.error()));
}

TEST_CASE("an argument of the run is in the way: it stays while the run is placed, and can be moved before") {
    manager<compacting<first_fit>> memory{{.capacity = 16 * q}};
    const auto step = memory.load({.name = "step", .code = q});
    const auto low = memory.allocate(5 * q);
    const auto input = memory.allocate(2 * q, "input");
    memory.free(*low);
    const auto out = memory.run(*step, {.inputs = {*input}, .outputs = {10 * q}});
    REQUIRE(!out);
    const explanation what = explanation_of(memory, out.error());
    check_text("argument in the way", to_text(what));
    for (std::size_t i = 0; i < what.remedies.size(); ++i)
        CHECK(helps(memory, attempt::from(memory, out.error()), what, i));
}

TEST_CASE("what is said fits the policies: no relief") {
    manager<compacting<first_fit>, evict_lru, never_donate, never_relieve> idle{{.capacity = 8 * q}};
    const auto low = idle.allocate(3 * q, "low");
    REQUIRE(idle.allocate(2 * q, "kept"));
    idle.free(*low);
    check_text("no relief", explain(idle, request{.bytes = 6 * q}));
}

TEST_CASE("a block whose move has stopped in the middle is explained as it will be when that is finished") {
    manager<compacting<first_fit>> memory{{.capacity = 100 * q}};
    const auto hole = memory.allocate(7 * q, "hole");
    const auto b = memory.allocate(30 * q, "b");
    const auto c = memory.allocate(10 * q, "c");
    const auto d = memory.allocate(5 * q, "d");
    REQUIRE(b);
    REQUIRE(memory.free(*hole));
    REQUIRE(memory.pin(*c));
    REQUIRE(memory.pin(*d));
    REQUIRE(memory.compact(10 * q).moved == 10 * q);
    REQUIRE(memory.moving());  // "b" has both places, 37 long
    const auto before = memory;
    const auto failed = memory.allocate(54 * q, "x");
    REQUIRE_FALSE(failed);
    CHECK(failed.error().free == 55 * q);  // its own relief finishes the move first
    CHECK(memory == before);
    const explanation what = explanation_of(memory, failed.error());
    REQUIRE_FALSE(what.remedies.empty());
    const attempt again = attempt::from(memory, failed.error());
    for (std::size_t i = 0; i < what.remedies.size(); ++i) CHECK(helps(memory, again, what, i));
    check_text("half moved", explain(memory, failed.error()));
}

}  // namespace hbm::test::explain_tests
