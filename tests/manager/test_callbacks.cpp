// Calls out of a manager: an observer that throws, and one that calls the manager back. The folder faults has all
// places.
#include <hbm/compact.hpp>
#include <hbm/hbm.hpp>

#include <doctest/doctest.h>

#include <csignal>
#include <cstdint>
#include <functional>
#include <string>
#include <support/managers.hpp>
#include <utility>
#include <vector>

#include "support/child_process.hpp"

namespace hbm::test::callbacks_tests {

namespace {

constexpr std::uint64_t q = 512;

struct thrown {
    std::uint64_t number;
};

/// Counts events, and throws at those whose number is a multiple of `period`.
struct throwing_observer {
    static constexpr fixed_string name{"throwing_observer"};
    std::uint64_t period = 0;
    std::uint64_t events = 0;

    void on(const event& /*occurred*/) {
        ++events;
        if (period != 0 && events % period == 0) throw thrown{events};
    }
    bool operator==(const throwing_observer&) const = default;
};

/// Makes a call in a process of its own. Returns its messages if it aborts, else nothing.
template <class Call>
std::string last_words(Call call) {
    const test::process_end end = test::run_in_child(call);
    return end.signal == SIGILL ? end.messages : std::string{};
}

/// Calls `back` at each event of a kind.
struct calling_observer {
    static constexpr fixed_string name{"calling_observer"};
    event_kind when = event_kind::allocated;
    const std::function<void()>* back = nullptr;

    void on(const event& occurred) {
        if (back != nullptr && occurred.what == when) (*back)();
    }
    bool operator==(const calling_observer&) const = default;
};

struct calling_device {
    static constexpr fixed_string name{"calling_device"};
    const std::function<void()>* back = nullptr;

    bool copy(std::uint64_t, std::uint64_t, std::uint64_t) {
        if (back != nullptr) (*back)();
        return true;
    }
    bool operator==(const calling_device&) const = default;
};

using called_back =
    manager<compacting<best_fit>, evict_lru, never_donate, relieve_cheapest, no_device, calling_observer>;
using called_by_device = manager<compacting<best_fit>, evict_lru, never_donate, relieve_cheapest, calling_device>;

}  // namespace

TEST_CASE("callbacks: an exception at the second of two frees that take effect frees nothing twice") {
    manager<best_fit, never_evict, never_donate, relieve_cheapest, no_device, throwing_observer> memory{
        {.capacity = 8 * q}};
    const buffer first = *memory.allocate(q);
    REQUIRE(memory.allocate(q));
    const buffer second = *memory.allocate(q);
    for (const buffer pinned : {first, second}) REQUIRE(memory.pin(pinned));
    for (const buffer pinned : {first, second}) REQUIRE(memory.free(pinned));
    memory.events() = {.period = 2};
    CHECK_THROWS_AS(memory.sync(), thrown);
    memory.events() = {};
    const buffer fresh = *memory.allocate(q);
    memory.sync();
    CHECK(memory.check(fresh) == error::none);
    CHECK(memory.live_bytes() == 2 * q);
}

TEST_CASE("callbacks: a call of the manager by its observer ends the program with a message") {
    called_back memory{{.capacity = 16 * q}};
    const buffer held = *memory.allocate(q);
    const program step = *memory.load({.code = q});
    const std::vector<std::pair<const char*, std::function<void()>>> calls{
        {"allocate", [&] { static_cast<void>(memory.allocate(q)); }},
        {"allocate a request", [&] { static_cast<void>(memory.allocate(request{.bytes = q})); }},
        {"import",
         [&] {
             static_cast<void>(memory.import({8 * q, q}));
         }},
        {"free", [&] { memory.free(held); }},
        {"free as of a fence", [&] { memory.free(held, memory.issued()); }},
        {"pin", [&] { memory.pin(held); }},
        {"unpin", [&] { memory.unpin(held); }},
        {"load", [&] { static_cast<void>(memory.load({.code = q})); }},
        {"load again", [&] { memory.load(step); }},
        {"evict", [&] { memory.evict(step); }},
        {"unload", [&] { memory.unload(step); }},
        {"unload for now", [&] { memory.unload_for_now(step); }},
        {"run", [&] { static_cast<void>(memory.run(step, {})); }},
        {"donors_of", [&] { static_cast<void>(memory.donors_of({.outputs = {q}})); }},
        {"sync", [&] { memory.sync(); }},
        {"relieve", [&] { memory.relieve(plan{}); }},
        {"compact", [&] { memory.compact(q); }},
        {"extend", [&] { memory.extend(20 * q); }},
        {"reserve_metadata", [&] { memory.reserve_metadata(10); }}};
    for (const auto& call : calls) {
        CAPTURE(call.first);
        const std::string words = last_words([&] {
            memory.events().back = &call.second;
            static_cast<void>(memory.allocate(q));
        });
        CHECK(words == "hbm: an observer or device called the manager that called it\n");
    }
}

TEST_CASE("callbacks: a call of the manager by its device ends the program with a message") {
    called_by_device memory{{.capacity = 6 * q}};
    const buffer hole = *memory.allocate(2 * q);
    const buffer held = *memory.allocate(q);
    REQUIRE(memory.free(hole));
    const std::vector<std::function<void()>> calls{[&] { static_cast<void>(memory.allocate(q)); },
                                                   [&] { memory.free(held); }, [&] { memory.pin(held); }};
    for (const std::function<void()>& call : calls)
        CHECK(last_words([&] {
                  memory.device().back = &call;
                  static_cast<void>(memory.allocate(5 * q));
              }) == "hbm: an observer or device called the manager that called it\n");
}

TEST_CASE("callbacks: an observer may look at its manager and fork it") {
    called_back memory{{.capacity = 16 * q}};
    std::uint64_t live = 0;
    bool fits = false;
    const std::function<void()> look = [&] {
        live = memory.live_bytes();
        auto copy = memory;
        copy.events().back = nullptr;
        fits = memory.fork().allocate(12 * q) && copy.allocate(12 * q);
    };
    memory.events().back = &look;
    REQUIRE(memory.allocate(2 * q));
    CHECK(live == 2 * q);
    CHECK(fits);
}

namespace {

/// A manager in which neither of two programs fits next to the other, and that calls out during relief.
template <std::uint32_t InFlight>
struct crowded {
    called_back memory{{.capacity = 16 * q, .runs_in_flight = InFlight}, {.salt = 7}};
    program first = *memory.load({.name = "first", .code = 10 * q});
    program second = *memory.load({.name = "second", .code = 10 * q});  // evicts the first
    buffer input = *memory.allocate(q);

    /// Checks that nothing of the call in progress is in the memory or in copies of it.
    void check_inside() const {
        CHECK_FALSE(memory.about(first).resident);
        CHECK(memory.where(first).size == 0);
        CHECK(memory.pins(input) == 0);
        CHECK(memory.check(input) == error::none);
        for (const block_view& block : memory.blocks()) CHECK(block.pins == 0);
        auto copy = memory;
        copy.events().back = nullptr;
        check(copy);
        check(memory.fork());
        check(memory.under<manager<best_fit, evict_lru>>());
    }
    template <class Copy>
    void check(Copy copy) const {
        CHECK(copy.pins(input) == 0);
        CHECK_FALSE(copy.about(first).resident);
        CHECK(copy.evict(first));
        const auto ran = copy.run(first, {.donated = {input}});
        REQUIRE(ran);
        CHECK(ran->reloaded);
        CHECK(copy.where(first).size == 10 * q);
        copy.sync();
        CHECK(copy.unload(first));
        CHECK(copy.free_bytes() == 16 * q);
    }
};

}  // namespace

TEST_CASE_TEMPLATE("callbacks: a fork during relief has neither the program that comes in nor pins of the call",
                   subject, crowded<0>, crowded<2>) {
    using act = void (*)(subject&);
    for (const act call : {act{[](subject& now) { CHECK(now.memory.load(now.first)); }},
                           act{[](subject& now) { CHECK(now.memory.run(now.first, {.inputs = {now.input}})); }}}) {
        subject watched;
        subject calm;
        int looks = 0;
        const std::function<void()> look = [&] {
            ++looks;
            watched.check_inside();
        };
        watched.memory.events().when = event_kind::evicted;
        watched.memory.events().back = &look;
        call(watched);
        call(calm);
        CHECK(looks == 1);
        CHECK(watched.memory.state() == calm.memory.state());
        CHECK(watched.memory.about(watched.first).resident);
    }
}

TEST_CASE("callbacks: a program that is being loaded is not in memory during relief, and a fork may load it") {
    called_back memory{{.capacity = 16 * q, .runs_in_flight = 2}};
    REQUIRE(memory.load({.name = "idle", .code = 10 * q}));
    int looks = 0;
    const std::function<void()> look = [&] {
        ++looks;
        auto copy = memory.fork();
        CHECK_FALSE(memory.programs()[1].resident);
        CHECK(copy.run(copy.handle_of(1), {}));
        CHECK(copy.where(copy.handle_of(1)).size == 10 * q);
    };
    memory.events().when = event_kind::evicted;
    memory.events().back = &look;
    const auto loaded = memory.load({.name = "new", .code = 10 * q});
    REQUIRE(loaded);
    CHECK(looks == 1);
    CHECK(memory.about(*loaded).resident);
}

TEST_CASE("callbacks: a fork by a device, or as runs end, during relief has no pins of the call") {
    called_by_device memory{{.capacity = 8 * q, .runs_in_flight = 4}};
    const program step = *memory.load({.name = "step", .code = q});
    const buffer low = *memory.allocate(2 * q);
    const buffer input = *memory.allocate(q);
    const buffer high = *memory.allocate(2 * q);
    REQUIRE(memory.free(low));
    int looks = 0;
    const std::function<void()> look = [&] {
        ++looks;
        CHECK(memory.pins(input) == 0);
        auto copy = memory.fork();
        CHECK(copy.pins(input) == 0);
        CHECK(copy.run(step, {.donated = {input}}));
    };
    memory.device().back = &look;
    const extent before = memory.where(input);
    REQUIRE(memory.run(step, {.inputs = {input}, .outputs = {4 * q}}));  // moves `high`, not its input
    CHECK(looks == 1);
    CHECK(memory.where(input) == before);
    CHECK(memory.pins(input) == 0);
    CHECK(memory.check(high) == error::none);

    called_back waiting{{.capacity = 8 * q, .runs_in_flight = 4}};
    const program next = *waiting.load({.code = q});
    const buffer kept = *waiting.allocate(q);
    const buffer gone = *waiting.allocate(4 * q);
    REQUIRE(waiting.run(next, {.inputs = {gone}}));
    REQUIRE(waiting.free(gone));
    const std::function<void()> wait = [&] {
        ++looks;
        CHECK(waiting.fork().pins(kept) == 0);
    };
    waiting.events().when = event_kind::reached;
    waiting.events().back = &wait;
    REQUIRE(waiting.run(next, {.inputs = {kept}, .outputs = {5 * q}}));
    CHECK(looks == 2);
    CHECK(waiting.pins(kept) == 0);
}

}  // namespace hbm::test::callbacks_tests
