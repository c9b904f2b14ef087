// What an executor does, in its order: events and copies in one story, and what is counted.
#include <hbm/compact.hpp>
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/hbm.hpp>
#include <hbm/manager/executor.hpp>
#include <hbm/testing/outcome.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <support/managers.hpp>
#include <vector>

#include "testing/seeds.hpp"

namespace hbm::test::executor_tests {

namespace {

constexpr std::uint64_t q = 512;
using story = std::string;  // a line for each event and copy

std::string number(std::uint64_t bytes) {
    return std::to_string(bytes / q);
}
std::string range(extent where) {
    return "[" + number(where.offset) + ", " + number(where.end()) + ")";
}

/// Writes down what it hears: names, and ranges in quanta.
struct story_observer {
    static constexpr fixed_string name{"story_observer"};
    story* told = nullptr;

    template <class Quanta>
    void on(const event& occurred, const memory_view<Quanta>& memory) {
        if (told == nullptr) return;
        *told += line(occurred, memory.name_of(occurred.label)) + (has_happened(occurred, memory) ? "\n" : " soon\n");
    }
    bool operator==(const story_observer&) const = default;

private:
    /// False where the memory is not yet as an event says it is.
    template <class Quanta>
    static bool has_happened(const event& occurred, const memory_view<Quanta>& memory) {
        switch (occurred.what) {
        case event_kind::allocated:
        case event_kind::moved:
        case event_kind::parted:
        case event_kind::trimmed: return memory.where(occurred.subject) == occurred.where;
        case event_kind::reserved: return memory.reserved_bytes() == occurred.where.size;
        case event_kind::evicted: return !memory.programs()[occurred.subject].resident;
        case event_kind::retired: return memory.map().is_hole(occurred.subject);
        case event_kind::reached: return memory.reached().number == occurred.from;
        default: return true;
        }
    }
    static std::string line(const event& occurred, const char* label) {
        static constexpr const char* words[] = {"allocated", "freed",   "deferred",  "retired",  "donated", "loaded",
                                                "reloaded",  "evicted", "unloaded",  "reserved", "moved",   "parted",
                                                "ran",       "reached", "thrashing", "failed",   "trimmed"};
        const std::string word = words[static_cast<std::size_t>(occurred.what)];
        const std::string all = word + " " + label + " " + range(occurred.where);
        switch (occurred.what) {
        case event_kind::donated:
        case event_kind::trimmed: return all + " less " + number(occurred.from);
        case event_kind::loaded:
        case event_kind::reloaded:
        case event_kind::evicted: return all + " with scratch of " + number(occurred.from);
        case event_kind::moved:
        case event_kind::parted: return all + " from " + number(occurred.from);
        case event_kind::reserved: return word + " " + range(occurred.where) + " after " + number(occurred.from);
        case event_kind::ran: return word + " " + label + " until " + std::to_string(occurred.from);
        case event_kind::reached: return word + " " + std::to_string(occurred.from);
        default: return all;
        }
    }
};

/// Copies nothing, and writes down what it is told to copy. Fails after `good` copies.
struct story_device {
    static constexpr fixed_string name{"story_device"};
    story* told = nullptr;
    std::uint64_t good = 1000;

    bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
        const bool works = good != 0;
        if (works) --good;
        if (told != nullptr)
            *told += (works ? "copy " : "no copy ") + range({from, bytes}) + " to " + range({to, bytes}) + "\n";
        return works;
    }
    bool operator==(const story_device&) const = default;
};

template <class Placement>
using observed = manager<Placement, evict_lru, never_donate, relieve_cheapest, story_device, story_observer>;

/// A memory whose device is as slow as this: 1,000 ns for a copy, and 4 ns for each byte.
memory_spec slow(std::uint64_t quanta, std::uint32_t runs_in_flight = 0) {
    return {.capacity = quanta * q,
            .bandwidth = 500'000'000,
            .host_link = 1'000'000'000,
            .copy_nanoseconds = 1000,
            .runs_in_flight = runs_in_flight};
}
template <class Placement>
observed<Placement> telling(const memory_spec& spec, story& told) {
    return observed<Placement>(spec, {.device = story_device{&told}, .events = story_observer{&told}});
}

}  // namespace

TEST_CASE("a program that leaves is heard of before what comes, and its scratch after its code") {
    story told;
    auto memory = telling<bottom_reserve<best_fit>>(slow(20), told);
    const auto a = memory.load({.name = "a", .code = 3 * q, .scratch = 4 * q});
    REQUIRE(memory.load({.name = "b", .code = 2 * q, .scratch = q}));
    told.clear();
    const totals before = memory.done_so_far();
    CHECK(before == totals{});
    REQUIRE(memory.allocate(14 * q, "x"));
    CHECK(told == "evicted a [17, 20) with scratch of 4\n"
                  "reserved [0, 1) after 4\n"
                  "allocated x [1, 15)\n");
    totals expected{.relieved = 1, .evictions = 1, .evicted_bytes = 3 * q};
    CHECK(memory.done_so_far() == expected);

    told.clear();
    REQUIRE(memory.evict(*a));  // not in memory: nothing to do
    CHECK(told.empty());
    CHECK(memory.done_so_far() == expected);
}

TEST_CASE("a program that comes back for another is heard of after that one has gone") {
    story told;
    auto memory = telling<bottom_reserve<best_fit>>(slow(10), told);
    const auto a = memory.load({.name = "a", .code = 4 * q, .scratch = 2 * q});
    REQUIRE(memory.load({.name = "b", .code = 5 * q, .scratch = 2 * q}));
    CHECK(told == "reserved [0, 2) after 0\n"
                  "loaded a [6, 10) with scratch of 2\n"
                  "evicted a [6, 10) with scratch of 2\n"
                  "loaded b [5, 10) with scratch of 2\n");
    told.clear();
    REQUIRE(memory.run(*a, {}));
    CHECK(told == "evicted b [5, 10) with scratch of 2\n"
                  "reloaded a [6, 10) with scratch of 2\n"
                  "ran a until 1\n");
    const totals expected{.relieved = 2,
                          .evictions = 2,
                          .evicted_bytes = 9 * q,
                          .reloads = 1,
                          .reload_nanoseconds = 4 * q};  // a byte a nanosecond
    CHECK(memory.done_so_far() == expected);
}

TEST_CASE("a move is copied piece by piece and heard of once it has arrived") {
    story told;
    auto memory = telling<compacting<best_fit>>(slow(6), told);
    const auto a = memory.allocate(2 * q, "a");
    REQUIRE(memory.allocate(3 * q, "b"));
    REQUIRE(memory.free(*a));
    told.clear();
    REQUIRE(memory.allocate(3 * q, "c"));
    CHECK(told == "copy [2, 4) to [0, 2)\n"
                  "copy [4, 5) to [2, 3)\n"
                  "moved b [0, 3) from 2\n"
                  "allocated c [3, 6)\n");
    const totals expected{
        .relieved = 1, .moves = 1, .copies = 2, .moved_bytes = 3 * q, .move_nanoseconds = 2 * 1000 + 3 * q * 4};
    CHECK(memory.done_so_far() == expected);
}

TEST_CASE("retired events follow the fence that the frees waited for, with the memory free") {
    story told;
    auto memory = telling<best_fit>(slow(10, 4), told);
    const auto step = memory.load({.name = "step", .code = q});
    const auto b = memory.allocate(2 * q, "b");
    const auto a = memory.allocate(3 * q, "a");
    REQUIRE(memory.run(*step, {.inputs = {*a}, .run_us = 5}));
    REQUIRE(memory.run(*step, {.run_us = 2}));
    told.clear();
    REQUIRE(memory.free(*a));
    REQUIRE(memory.free(*b, memory.issued()));
    REQUIRE(memory.allocate(7 * q, "c"));
    CHECK(told == "deferred a [3, 6)\n"
                  "deferred b [1, 3)\n"
                  "reached 1\n"
                  "retired a [3, 6)\n"
                  "allocated c [3, 10)\n");
    const totals waited{.relieved = 1, .waits = 1, .wait_nanoseconds = 5000};
    CHECK(memory.done_so_far() == waited);
    told.clear();
    memory.sync();
    CHECK(told == "reached 2\n"
                  "retired b [1, 3)\n");
    memory.sync();
    CHECK(told == "reached 2\n"
                  "retired b [1, 3)\n");    // no second time
    CHECK(memory.done_so_far() == waited);  // what the user waits for does not count
}

TEST_CASE("an output in flight reports what it returns once the run is over") {
    story told;
    using fitting = manager<best_fit, never_evict, donate_fitting, relieve_cheapest, story_device, story_observer>;
    for (const std::uint32_t in_flight : {0u, 1u}) {
        fitting memory(slow(20, in_flight), {.events = story_observer{&told}});
        const program step = *memory.load({.code = q});
        const buffer input = *memory.allocate(8 * q, "input");
        told.clear();
        REQUIRE(memory.run(step, {.donated = {input}, .outputs = {{3 * q, "output"}}}));
        memory.sync();
        CHECK(told == (in_flight == 0 ? "donated output [1, 4) less 5\n"
                                        "ran  until 1\n"
                                      : "donated output [1, 9) less 0\n"
                                        "ran  until 1\n"
                                        "reached 1\n"
                                        "trimmed output [1, 4) less 5\n"));
    }
}

TEST_CASE("a program in use leaves once the last of its runs is over") {
    story told;
    auto memory = telling<best_fit>(slow(10, 8), told);
    const auto a = memory.load({.name = "a", .code = 2 * q});
    const auto b = memory.load({.name = "b", .code = 3 * q});
    for (const auto& each : {a, b, a, b}) REQUIRE(memory.run(*each, {.run_us = 9}));
    told.clear();
    REQUIRE(memory.evict(*a));
    CHECK(told == "reached 3\n"
                  "evicted a [0, 2) with scratch of 0\n");
    CHECK(memory.flights().size() == 1);
    const totals expected{.evictions = 1, .evicted_bytes = 2 * q};  // and no wait for room
    CHECK(memory.done_so_far() == expected);
}

TEST_CASE("a reservation that changes while another program leaves is heard of once") {
    story told;
    auto memory = telling<bottom_reserve<best_fit>>(slow(10), told);
    REQUIRE(memory.load({.name = "a", .code = 4 * q, .scratch = 2 * q}));
    told.clear();
    REQUIRE(memory.load({.name = "b", .code = 5 * q, .scratch = 3 * q}));
    CHECK(told == "evicted a [6, 10) with scratch of 2\n"
                  "reserved [0, 3) after 2\n"
                  "loaded b [5, 10) with scratch of 3\n");
}

namespace {

/// `[ step | 2 free | x, 2 long | p, 4 long | 1 free ]` with a run of step in flight, and a plan of a wait, an eviction
/// and a move.
struct planned {
    story told;
    observed<compacting<best_fit>> memory = telling<compacting<best_fit>>(slow(10, 4), told);
    plan steps;

    planned() {
        const auto step = memory.load({.name = "step", .code = q});
        const auto gone = memory.allocate(2 * q, "gone");
        const auto x = memory.allocate(2 * q, "x");
        const auto p = memory.load({.name = "p", .code = 4 * q});
        REQUIRE(memory.run(*step, {.run_us = 5}));
        REQUIRE(memory.free(*gone));
        steps.add({.what = step_kind::wait, .to = 1});
        steps.add(memory.state().eviction_of(p->index));
        steps.add(memory.state().move_of(x->index, 1));
        told.clear();
    }
    planned(const planned&) = delete;
    planned& operator=(const planned&) = delete;
};

}  // namespace

TEST_CASE("the steps of a plan are taken in its order") {
    planned here;
    REQUIRE(here.memory.relieve(here.steps));
    CHECK(here.told == "reached 1\n"
                       "evicted p [5, 9) with scratch of 0\n"
                       "copy [3, 5) to [1, 3)\n"
                       "moved x [1, 3) from 3\n");
    const totals expected{.evictions = 1,
                          .evicted_bytes = 4 * q,
                          .moves = 1,
                          .copies = 1,
                          .moved_bytes = 2 * q,
                          .move_nanoseconds = 1000 + 2 * q * 4,
                          .waits = 1,
                          .wait_nanoseconds = 5000};
    CHECK(here.memory.done_so_far() == expected);
    here.told.clear();
    plan again;
    again.add({.what = step_kind::wait, .to = 1});
    REQUIRE(here.memory.relieve(again));  // reached already
    CHECK(here.told.empty());
    CHECK(here.memory.done_so_far() == expected);
}

TEST_CASE("the steps before the one that the device fails have been taken, those after it are not") {
    planned here;
    here.memory.device().good = 0;
    here.steps.add({.what = step_kind::wait, .to = 1});
    CHECK(here.memory.relieve(here.steps).error().reason == error::device_failed);
    CHECK(here.told == "reached 1\n"
                       "evicted p [5, 9) with scratch of 0\n"
                       "no copy [3, 5) to [1, 3)\n");
    const totals expected{.evictions = 1, .evicted_bytes = 4 * q, .waits = 1, .wait_nanoseconds = 5000};
    CHECK(here.memory.done_so_far() == expected);
    CHECK_FALSE(here.memory.moving());
}

TEST_CASE("interrupted moves: calls and runs finish them also without a device and without relief") {
    using memory_type = manager<compacting<best_fit>, never_evict, donate_same_size, never_relieve>;
    memory_type memory{{.capacity = 32 * q}};
    const auto step = memory.load({.code = q});
    const auto hole = memory.allocate(2 * q);
    const auto donor = memory.allocate(8 * q);
    REQUIRE(memory.free(*hole));
    REQUIRE(memory.compact(4 * q).moved == 4 * q);
    REQUIRE(memory.moving());  // the donor has both places, 10 long
    SUBCASE("a run that donates the block") {
        const auto ran = memory.run(*step, {.donated = {*donor}, .outputs = {8 * q}});
        REQUIRE(ran);
        CHECK_FALSE(memory.moving());
        CHECK(memory.where(ran->outputs[0]).size == 8 * q);
        CHECK(memory.pieces(ran->outputs[0]).size() == 1);
    }
    SUBCASE("a run that donates the block and needs the hole next to it") {
        CHECK(memory.run(*step, {.donated = {*donor}, .outputs = {8 * q, 23 * q}}));
        CHECK_FALSE(memory.moving());
    }
    SUBCASE("an allocation that fits once the move is finished") {
        CHECK(memory.allocate(23 * q));
        CHECK_FALSE(memory.moving());
    }
    SUBCASE("an allocation that does not fit then, either") {
        const memory_type before = memory;
        const auto refused = memory.allocate(24 * q);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().free == 23 * q);
        CHECK(memory == before);
    }
    SUBCASE("a fork") {
        CHECK(memory.fork().allocate(23 * q));
    }
}

TEST_CASE("thrashing: a program in the place of an unloaded one is not taken for it") {
    manager<best_fit, evict_lru> memory{{.capacity = 16 * q}};
    const auto first = memory.load({.code = 10 * q});
    const auto second = memory.load({.code = 10 * q});
    REQUIRE((first && second));
    for (int round = 0; round < 2; ++round) REQUIRE((memory.run(*first, {}) && memory.run(*second, {})));
    const std::uint64_t before = memory.done_so_far().thrashing;
    memory.unload(*second);
    const auto other = memory.load({.code = 10 * q});  // evicts nothing: the first was evicted for the second
    REQUIRE(other);
    CHECK(other->index == second->index);
    REQUIRE(memory.run(*first, {}));
    CHECK(memory.done_so_far().thrashing == before);
}

}  // namespace hbm::test::executor_tests
