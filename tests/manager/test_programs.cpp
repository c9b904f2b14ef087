// Programs, their scratch, runs, donation. State spaces and conformance cover reservations, pins and imports.
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/events/statistics.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <support/managers.hpp>
#include <vector>

namespace hbm::test::programs_tests {

constexpr std::uint64_t q = 512;
constexpr memory_spec of(std::uint64_t quanta) {
    return {.name = "small", .capacity = quanta * q};
}

TEST_CASE("where a program's code is") {
    manager<bottom_reserve<compacting<best_fit>>, evict_lru> memory{{.capacity = 64 * 512}};
    const auto step = memory.load({.name = "step", .code = 3 * 512, .scratch = 2 * 512});
    REQUIRE(step);
    const extent code = memory.where(*step);
    CHECK(code.size == 3 * 512);
    CHECK(code.offset >= memory.reserved_bytes());
    CHECK(memory.view().where(memory.about(*step).code_block) == code);
    REQUIRE(memory.evict(*step));
    CHECK(memory.where(*step) == extent{});
    REQUIRE(memory.load(*step));
    CHECK(memory.where(*step).size == 3 * 512);
    REQUIRE(memory.unload(*step));
    CHECK(memory.where(*step) == extent{});
    CHECK(memory.where(program{}) == extent{});
}

TEST_CASE("placements that cannot reserve place scratch like a buffer") {
    manager<best_fit> memory{of(10)};
    const auto p = memory.load({.name = "p", .code = 2 * q, .scratch = 3 * q});
    REQUIRE(p);
    CHECK(memory.reserved_bytes() == 0);
    CHECK(memory.live_bytes() == 5 * q);
    CHECK(memory.unload(*p));
    CHECK(memory.live_bytes() == 0);
    CHECK(memory.load(*p).error().reason == error::stale_handle);
    CHECK(memory.run(*p, {}).error().reason == error::stale_handle);
}

TEST_CASE("an output takes over an input of its size, or part of a larger one") {
    manager<best_fit, never_evict, donate_same_size> same{of(20)};
    manager<best_fit, never_evict, donate_fitting> fitting{of(20)};
    manager<best_fit> never{of(20)};
    const auto play = [](auto& memory) {
        const auto p = memory.load({.name = "p", .code = q});
        const auto x = memory.allocate(4 * q);
        const auto y = memory.allocate(2 * q);
        const auto ran = memory.run(*p, {.inputs = {}, .donated = {*x, *y}, .outputs = {3 * q, 2 * q}});
        REQUIRE(ran);
        CHECK(memory.check(*x) == error::stale_handle);
        CHECK(memory.check(*y) == error::stale_handle);
        CHECK(memory.live_bytes() == 6 * q);
        return *ran;
    };
    CHECK(play(never).donated == 0);
    const run_result first_run = play(same);
    CHECK(first_run.donated == 1);
    CHECK(same.where(first_run.outputs[1]) == extent{5 * q, 2 * q});
    const run_result both = play(fitting);
    CHECK(both.donated == 2);
    CHECK(fitting.where(both.outputs[0]) == extent{q, 3 * q});  // the tail returns to the free space
    CHECK(fitting.where(both.outputs[1]) == extent{5 * q, 2 * q});
    CHECK(fitting.done_so_far().donations_offered == 2);
    CHECK(fitting.done_so_far().donated_bytes == 5 * q);
}

TEST_CASE("a result owns what it says, however many runs follow and whatever becomes of the manager") {
    run_result first;
    {
        manager<best_fit, never_evict, donate_same_size> memory{of(20)};
        const auto p = memory.load({.name = "p", .code = q});
        const auto one = memory.run(*p, {.outputs = {q, 2 * q}});
        REQUIRE(one);
        first = *one;
        const std::vector<buffer> said(one->outputs.begin(), one->outputs.end());
        const auto two = memory.run(*p, {.donated = {said[0]}, .outputs = {3 * q, q}});
        REQUIRE(two);
        const auto three = memory.run(*p, {.outputs = {4 * q}});
        REQUIRE(three);
        memory.reserve_metadata(4000, 4000);
        CHECK(std::vector<buffer>(one->outputs.begin(), one->outputs.end()) == said);
        CHECK(memory.check(one->outputs[0]) == error::stale_handle);  // donated
        CHECK(memory.where(one->outputs[1]).size == 2 * q);
        CHECK(memory.where(two->outputs[0]).size == 3 * q);
        CHECK(two->donors[1] == 0);
        CHECK(memory.free(two->outputs[1]));
        CHECK(memory.where(three->outputs[0]).size == 4 * q);
    }
    CHECK(first.outputs.size() == 2);
    CHECK(first.donors[0] == no_index);
}

TEST_CASE("a run into an earlier result may take its own outputs as arguments, and changes it only if it succeeds") {
    manager<best_fit, never_evict, donate_same_size> memory{of(20)};
    const auto p = memory.load({.name = "p", .code = q});
    run_result ran;
    REQUIRE(memory.run(*p, {.outputs = {q, 2 * q, 3 * q}}, ran));
    for (int step = 0; step < 5; ++step) {
        const std::vector<buffer> before(ran.outputs.begin(), ran.outputs.end());
        REQUIRE(memory.run(*p, {.donated = ran.outputs, .outputs = {3 * q, q, 2 * q}}, ran));
        CHECK(ran.donated == 3);
        for (const buffer old : before) CHECK(memory.check(old) == error::stale_handle);
        for (const buffer made : ran.outputs) CHECK(memory.check(made) == error::none);
        CHECK(memory.live_bytes() == 7 * q);
    }
    const run_result before = ran;
    CHECK(memory.run(*p, {.donated = ran.outputs, .outputs = {40 * q}}, ran).error().reason ==
          error::buffer_does_not_fit);
    CHECK(std::vector<buffer>(ran.outputs.begin(), ran.outputs.end()) ==
          std::vector<buffer>(before.outputs.begin(), before.outputs.end()));
    CHECK(ran.over == before.over);
    REQUIRE(memory.unload_for_now(*p));
    REQUIRE(memory.evict(*p));
    ran.reloaded = true;
    CHECK_FALSE(memory.run(*p, {.outputs = {40 * q}}, ran));
    CHECK(ran.reloaded);
    for (const buffer made : ran.outputs) CHECK(memory.check(made) == error::none);
}

TEST_CASE("an output that takes an input over keeps its name unless it has one of its own") {
    manager<best_fit, never_evict, donate_same_size> memory{of(20)};
    const auto p = memory.load({.name = "p", .code = q});
    const auto name = [&](buffer held) {
        for (const block_view each : memory.blocks())
            if (each.handle == held) return std::string(memory.name_of(static_cast<tag>(each.owner)));
        return std::string("nowhere");
    };
    const auto state = memory.allocate(3 * q, "state");
    std::string fleeting = "logits";
    const auto one = memory.run(*p, {.donated = {*state}, .outputs = {3 * q, {2 * q, fleeting.c_str()}, q}});
    REQUIRE(one);
    fleeting = "......";
    CHECK(name(one->outputs[0]) == "state");
    CHECK(name(one->outputs[1]) == "logits");
    CHECK(name(one->outputs[2]) == "");
    const auto two = memory.run(*p, {.donated = {one->outputs[0], one->outputs[2]},
                                     .outputs = {{3 * q, "other"}, {q, memory.tag_of("tagged")}}});
    REQUIRE(two);
    CHECK(name(two->outputs[0]) == "other");
    CHECK(name(two->outputs[1]) == "tagged");
    const auto refused = memory.run(*p, {.outputs = {q, {100 * q, "huge"}}});
    REQUIRE_FALSE(refused);
    CHECK(std::string(memory.name_of(refused.error().label)) == "huge");
    CHECK(std::string(memory.name_of(memory.refused().outputs[1].label)) == "huge");
}

TEST_CASE("what a manager said may be what it is asked next") {
    manager<best_fit, never_evict, donate_same_size> memory{of(20)};
    const auto p = memory.load({.name = "p", .code = q});
    // A name of its own beside a new name that makes the registry grow.
    const char* known = memory.name_of(memory.tag_of("known for a long time"));
    const std::string fresh(4000, 'x');
    const auto named = memory.run(*p, {.outputs = {{q, fresh.c_str()}, {q, known}}});
    REQUIRE(named);
    CHECK(memory.tag_of("known for a long time") ==
          static_cast<tag>(memory.state().blocks.map().owner(named->outputs[1].index)));
    // Which donors would be taken, as those to be kept.
    const buffer a = named->outputs[0];
    const buffer b = named->outputs[1];
    const auto donors = memory.donors_of({.donated = {a, b}, .outputs = {q}});
    CHECK(donors.size() == 1);
    const auto kept =
        memory.run(*p, {.donated = {a, b}, .outputs = {{2 * q, tag::none, aliasing::may, 1}}, .kept = donors});
    REQUIRE(kept);
    CHECK(memory.check(a) == error::none);
    // The arguments of a refused run in other places of the next.
    const std::vector<buffer> many(64, a);
    CHECK_FALSE(memory.run(*p, {.inputs = many, .outputs = {40 * q}}));
    CHECK_FALSE(memory.run(*p, {.inputs = memory.refused().inputs, .donated = {}, .outputs = {40 * q}}));
    const run_spec again = memory.refused().spec();
    CHECK_FALSE(memory.run(*p, {.inputs = {a}, .donated = {}, .outputs = again.outputs}));
    CHECK(memory.refused().inputs.size() == 1);
    CHECK(memory.refused().fresh_bytes == 40 * q);
}

TEST_CASE("under buddy a hopeless run changes nothing, though the sum of its outputs is free") {
    manager<compacting<buddy>, evict_lru> memory{of(16)};
    const auto idle = memory.load({.name = "idle", .code = 4 * q});
    const auto p = memory.load({.name = "p", .code = q});
    REQUIRE(idle);
    const auto before = memory;
    CHECK_FALSE(memory.run(*p, {.outputs = {q, 5 * q, 5 * q}}));  // 1 + 8 + 8 of the 11 that are free
    CHECK(memory == before);
}

TEST_CASE_TEMPLATE("refused runs name the output for which pending frees are not enough", memory_type,
                   manager<first_fit>, manager<buddy>, manager<compacting<best_fit>, evict_lru>) {
    memory_type memory{of(8)};
    const buffer freed = memory.allocate(2 * q).value_or(buffer{});
    const program step = memory.load({.name = "step", .code = 2 * q}).value_or(program{});
    REQUIRE(memory.allocate(4 * q));
    memory.pin(freed);
    memory.free(freed);
    REQUIRE(memory.free_bytes() == 0);
    const memory_type before = memory;
    const auto failure_of = [&](std::initializer_list<output> outputs) {
        const failure why = memory.run(step, {.outputs = outputs}).error();
        CHECK(memory.state() == before.state());
        return std::vector<std::uint64_t>{why.argument, why.requested, why.free};
    };
    CHECK(failure_of({q, 2 * q}) == std::vector<std::uint64_t>{1, 2 * q, q});
    CHECK(failure_of({q, q, q}) == std::vector<std::uint64_t>{2, q, 0});
    CHECK(failure_of({4 * q, q}) == std::vector<std::uint64_t>{0, 4 * q, 0});
    CHECK(memory.run(step, {.outputs = {q, q}}));
}

TEST_CASE("two programs that push each other out at every step are recognised") {
    manager<best_fit, evict_lru, never_donate, relieve_cheapest, no_device, event_log> memory{of(10)};
    const auto other = memory.load({.name = "other", .code = q});
    const auto a = memory.load({.name = "a", .code = 6 * q});
    const auto b = memory.load({.name = "b", .code = 6 * q});
    REQUIRE(b);
    REQUIRE(other);
    CHECK_FALSE(memory.about(*a).resident);
    for (int turn = 0; turn < 2; ++turn) {
        CHECK(memory.done_so_far().thrashing == 0);
        REQUIRE(memory.run(turn % 2 == 0 ? *a : *b, {}));
    }
    REQUIRE(memory.run(*a, {}));  // the fourth eviction of one for the other
    CHECK(memory.done_so_far().thrashing == 1);
    const auto& events = memory.events().events;
    const auto reports = [&] {
        int found = 0;
        for (const event& e : events) {
            if (e.what != event_kind::thrashing) continue;
            CHECK(e.subject == a->index);
            CHECK(e.from == b->index);
            CHECK(e.label == memory.tag_of("a"));
            ++found;
        }
        return found;
    };
    CHECK(reports() == 1);
    // Whoever leaves for a buffer is nobody's evicted_for.
    const auto buffer = memory.allocate(8 * q);
    REQUIRE(buffer);
    CHECK(memory.free(*buffer));
    REQUIRE(memory.run(*b, {}));
    REQUIRE(memory.run(*a, {}));
    CHECK(memory.done_so_far().thrashing == 1);
}

TEST_CASE("scratch beyond the share that a program may have is spilled, at a price in every run") {
    memory_spec spec = of(1000);
    spec.scratch_percent = 25;
    manager<bottom_reserve<best_fit>> memory{spec};
    const auto modest = memory.load({.name = "modest", .code = q, .scratch = 250 * q});
    CHECK(memory.about(*modest).spilled == 0);
    const auto greedy = memory.load({.name = "greedy", .code = q, .scratch = 600 * q});
    REQUIRE(greedy);
    CHECK(memory.reserved_bytes() == 250 * q);
    CHECK(memory.about(*greedy).scratch == 250 * q);
    CHECK(memory.about(*greedy).spilled == 350 * q);
    REQUIRE(memory.run(*modest, {}));
    CHECK(memory.done_so_far().spilled_runs == 0);
    REQUIRE(memory.run(*greedy, {}));
    REQUIRE(memory.run(*greedy, {}));
    CHECK(memory.done_so_far().spilled_runs == 2);
    // 2 x (2 us + 2 x 179,200 bytes at 819 GB/s)
    CHECK(memory.done_so_far().spill_nanoseconds == 2 * (2000 + 2 * 218));
}

TEST_CASE("asking about a handle that is not good says nothing, and harms nothing") {
    manager<best_fit> memory{{.capacity = 64 * 512}};
    const auto held = memory.allocate(1024);
    REQUIRE(held);
    CHECK(memory.where(*held).size == 1024);
    CHECK(memory.granted(*held) == 1024);
    REQUIRE(memory.free(*held));
    for (const buffer bad : {*held, buffer{}, buffer{7, 1, 0}, buffer{0, 1, 9}}) {
        CHECK(memory.where(bad) == extent{});
        CHECK(memory.granted(bad) == 0);
        CHECK(memory.free(bad).error().reason != error::none);
    }
    CHECK(memory.about(program{}) == no_program);
    CHECK(memory.check(buffer{}) == error::stale_handle);
}

TEST_CASE("refused: a part of a refused run, tried again, is the run that was refused") {
    manager<best_fit> memory{{.capacity = 16 * q}};
    const auto step = memory.load({.code = q});
    REQUIRE_FALSE(memory.run(*step, {.outputs = {20 * q, 30 * q, 40 * q}}));
    run_spec again = memory.refused().spec();
    again.outputs = {again.outputs.begin() + 1, 2};
    REQUIRE_FALSE(memory.run(*step, again));
    REQUIRE(memory.refused().outputs.size() == 2);
    CHECK(memory.refused().outputs[0].bytes == 30 * q);
    CHECK(memory.refused().outputs[1].bytes == 40 * q);
    CHECK(memory.refused().donors.size() == 2);
    again = memory.refused().spec();
    again.outputs = {again.outputs.begin(), 1};
    REQUIRE_FALSE(memory.run(*step, again));
    REQUIRE(memory.refused().outputs.size() == 1);
    CHECK(memory.refused().outputs[0].bytes == 30 * q);
    CHECK(memory.refused().fresh_bytes == 30 * q);
}

}  // namespace hbm::test::programs_tests
