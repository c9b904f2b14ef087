#include <hbm/donation/donate_fitting.hpp>
#include <hbm/events/allocation_ages.hpp>
#include <hbm/events/observers.hpp>
#include <hbm/events/statistics.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/first_fit.hpp>

#include <doctest/doctest.h>

#include <string>
#include <support/managers.hpp>
#include <vector>

namespace hbm::test::events_tests {

constexpr std::uint64_t q = 512;

static_assert(observer<no_events> && !hears_events<no_events>);
static_assert(observer<event_log> && hears_events<event_log>);
static_assert(observer<statistics> && !observer<int>);

template <class Placement, class Events, class Eviction = evict_lru>
using observed = manager<Placement, Eviction, donate_fitting, relieve_cheapest, no_device, Events>;

TEST_CASE("the log tells a story in order") {
    observed<bottom_reserve<compacting<best_fit>>, event_log> memory{{.name = "small", .capacity = 20 * q}};
    const auto p = memory.load({.name = "p", .code = 2 * q, .scratch = 4 * q});
    const tag x_name = memory.tag_of("x");
    const auto x = memory.allocate({.bytes = 6 * q, .label = x_name});
    const auto ran = memory.run(*p, {.donated = {*x}, .outputs = {4 * q}});
    REQUIRE(ran);
    const buffer y = ran->outputs[0];
    REQUIRE_FALSE(memory.allocate(21 * q));
    REQUIRE(memory.pin(y));
    REQUIRE(memory.free(y));
    memory.sync();
    REQUIRE(memory.evict(*p));
    REQUIRE(memory.load(*p));
    REQUIRE(memory.unload(*p));

    const trivial_vector<event>& log = memory.events().events;
    const event_kind expected[] = {
        event_kind::reserved, event_kind::loaded,   event_kind::allocated, event_kind::donated, event_kind::ran,
        event_kind::failed,   event_kind::deferred, event_kind::retired,   event_kind::evicted, event_kind::reserved,
        event_kind::reserved, event_kind::reloaded, event_kind::unloaded,  event_kind::reserved};
    REQUIRE(log.size() == std::size(expected));
    for (std::size_t i = 0; i < log.size(); ++i) CHECK(log[i].what == expected[i]);
    CHECK(log[0].where == extent{0, 4 * q});
    CHECK(log[0].from == 0);
    CHECK(log[1].where == extent{18 * q, 2 * q});
    CHECK(log[1].from == 4 * q);
    CHECK(log[2].where == extent{12 * q, 6 * q});
    CHECK(log[2].label == x_name);
    CHECK(log[3].where == extent{12 * q, 4 * q});
    CHECK(log[3].from == 2 * q);
    CHECK(log[5].reason == error::buffer_does_not_fit);
    CHECK(log[5].where.size == 21 * q);
    CHECK(log[9].from == 4 * q);
    CHECK(log[9].where.size == 0);
}

TEST_CASE("what asks for memory and fails is heard of, other failures are only returned") {
    observed<best_fit, event_log> memory{{.name = "small", .capacity = 20 * q}};
    const auto gone = memory.load({.name = "gone", .code = q});
    const auto step = memory.load({.name = "step", .code = q});
    const auto x = memory.allocate(q);
    REQUIRE(memory.unload(*gone));
    const tag y_name = memory.tag_of("y");
    std::size_t heard = memory.events().events.size();
    const auto hears = [&](error why, std::uint64_t bytes, tag label = tag::none) {
        const trivial_vector<event>& log = memory.events().events;
        return log.size() == ++heard &&
               log.back() == event{.what = event_kind::failed, .reason = why, .label = label, .where = {0, bytes}};
    };
    const std::uint64_t most = ~std::uint64_t{0};
    CHECK_FALSE(memory.allocate({.bytes = 21 * q, .label = y_name}));
    CHECK(hears(error::buffer_does_not_fit, 21 * q, y_name));
    CHECK_FALSE(memory.import({0, 1}));
    CHECK(hears(error::bad_alignment, 1));
    CHECK_FALSE(memory.load({.code = most}));
    CHECK(hears(error::size_too_large, most));
    CHECK_FALSE(memory.load(*gone));
    CHECK(hears(error::stale_handle, 0));
    CHECK_FALSE(memory.run(*gone, {}));
    CHECK(hears(error::stale_handle, 0));
    CHECK_FALSE(memory.run(*step, {.outputs = {q, {most, y_name}}}));
    CHECK(hears(error::size_too_large, most, y_name));
    CHECK_FALSE(memory.run(*step, {.inputs = {*x}, .donated = {*x}}));
    CHECK(hears(error::donated_and_used, 0));

    CHECK_FALSE(memory.free(buffer{}));
    CHECK_FALSE(memory.free(*x, fence{9}));
    CHECK_FALSE(memory.pin(buffer{}));
    CHECK_FALSE(memory.unpin(*x));
    CHECK_FALSE(memory.retire(fence{9}));
    CHECK_FALSE(memory.evict(*gone));
    CHECK_FALSE(memory.unload(*gone));
    CHECK(memory.events().events.size() == heard);
}

TEST_CASE("events of a move carry both offsets, and a fork emits none") {
    observed<compacting<best_fit>, event_log> memory{{.name = "small", .capacity = 8 * q}};
    const auto a = memory.allocate(2 * q);
    const auto b = memory.allocate(2 * q);
    REQUIRE(memory.free(*a));
    const std::size_t before = memory.events().events.size();
    auto trial = memory.fork();
    REQUIRE(trial.allocate(6 * q));
    CHECK(memory.events().events.size() == before);
    REQUIRE(memory.allocate(6 * q));
    REQUIRE(memory.events().events.size() == before + 2);
    CHECK(memory.events().events[before] ==
          event{.what = event_kind::moved, .subject = b->index, .where = {0, 2 * q}, .from = 2 * q});
    CHECK(memory.events().events[before + 1].what == event_kind::allocated);
}

TEST_CASE("moved events tell buffers, code and scratch apart") {
    observed<compacting<first_fit>, event_log, never_evict> memory{{.name = "small", .capacity = 9 * q}};
    const auto hole = memory.allocate(q);
    REQUIRE(memory.load({.name = "p", .code = 2 * q, .scratch = 3 * q}));
    REQUIRE(memory.allocate(2 * q));
    REQUIRE(memory.free(*hole));
    memory.events().events.clear();
    REQUIRE(memory.allocate(2 * q));
    std::vector<block_kind> kinds;
    for (const event& occurred : memory.events().events)
        if (occurred.what == event_kind::moved) kinds.push_back(occurred.kind);
    CHECK(kinds == std::vector<block_kind>{block_kind::scratch, block_kind::code, block_kind::data});
}

TEST_CASE("the statistics are those of the memory after frees have taken effect") {
    for (const std::uint32_t in_flight : {0u, 2u}) {
        observed<best_fit, statistics, never_evict> memory{
            {.name = "small", .capacity = 20 * q, .runs_in_flight = in_flight}};
        const auto p = memory.load({.name = "p", .code = q});
        const auto x = memory.allocate(9 * q);
        const auto y = memory.allocate(4 * q);
        REQUIRE(memory.run(*p, {.inputs = {*x}}));
        for (const auto& pinned : {x, y}) REQUIRE(memory.pin(*pinned));
        for (const auto& freed : {x, y}) REQUIRE(memory.free(*freed));
        CHECK(memory.events().bytes_in_use == 14 * q);
        memory.sync();
        CHECK(memory.events().bytes_in_use == q);
        CHECK(memory.events().largest_free_block_bytes == 19 * q);
    }
}

}  // namespace hbm::test::events_tests

namespace hbm::test::observers_tests {

namespace {

constexpr std::uint64_t q = 512;
constexpr memory_spec small{.name = "small", .capacity = 100 * q};

/// Hears nothing.
struct silent {
    static constexpr fixed_string name{"silent"};
    friend constexpr bool operator==(const silent&, const silent&) = default;
};

/// Hears no more than events.
struct counter {
    static constexpr fixed_string name{"counter"};
    std::uint64_t heard = 0;
    constexpr void on(const event&) { ++heard; }
    friend constexpr bool operator==(const counter&, const counter&) = default;
};

template <class Events>
using memory_for = manager<bottom_reserve<best_fit>, evict_lru, donate_same_size, relieve_cheapest, no_device, Events>;

using three = observers<counter, silent, statistics>;

static_assert(observer<three> && observer<observers<>> && observer<observers<silent>>);
static_assert(hears_events_of<three, memory_for<three>>);

// Null parts cost nothing: nobody is called, and no byte is taken.
static_assert(!hears_events<observers<>> && !hears_events_of<observers<>, memory_for<no_events>>);
static_assert(!hears_events_of<observers<silent, no_events>, memory_for<no_events>>);
static_assert(sizeof(memory_for<observers<>>) == sizeof(memory_for<no_events>));
static_assert(sizeof(memory_for<observers<silent, no_events>>) == sizeof(memory_for<no_events>));
static_assert(sizeof(observers<counter, silent, no_events>) == sizeof(counter));

}  // namespace

TEST_CASE("several observers hear what each would have heard alone") {
    memory_for<three> together{small};
    memory_for<counter> counting{small};
    memory_for<statistics> measuring{small};
    const auto live = [](auto& memory) {
        const auto p = memory.load({.name = "p", .code = 2 * q, .scratch = 5 * q});
        const auto x = memory.allocate(6 * q);
        REQUIRE(memory.run(*p, {.donated = {*x}, .outputs = {6 * q, q}}));
        REQUIRE_FALSE(memory.allocate(200 * q));
    };
    live(together);
    live(counting);
    live(measuring);
    CHECK(together.events().get<counter>() == counting.events());
    CHECK(together.events().get<counter>().heard > 0);
    CHECK(together.events().get<statistics>() == measuring.events());
    CHECK(together.events().get<silent>() == silent{});
}

TEST_CASE("observers are a regular value, and can be given their parts") {
    const three a{counter{5}, silent{}, statistics{}};
    three b = a;
    CHECK(a == b);
    CHECK(b.get<counter>().heard == 5);
    b.get<counter>().heard = 6;
    CHECK_FALSE(a == b);
    CHECK(three{} == three{counter{}, silent{}, statistics{}});
    const memory_for<three> memory{small, {.events = a}};
    CHECK(memory.events().get<counter>().heard == 5);
}

TEST_CASE("observers are named after their parts, and can be parts themselves") {
    CHECK(std::string(three::name.c_str()) == "observers<counter,silent,statistics>");
    CHECK(std::string(observers<>::name.c_str()) == "observers<>");
    memory_for<observers<three, event_log>> memory{small};
    REQUIRE(memory.allocate(q));
    CHECK(memory.events().get<three>().get<counter>().heard == 1);
    CHECK(memory.events().get<event_log>().events.size() == 1);
}

TEST_CASE("an observer is found by its type, alone or among others") {
    const three several{counter{5}, silent{}, statistics{}};
    REQUIRE(observer_in<counter>(several) != nullptr);
    CHECK(observer_in<counter>(several)->heard == 5);
    CHECK(observer_in<event_log>(several) == nullptr);
    const counter alone{7};
    CHECK(observer_in<counter>(alone) == &alone);
    CHECK(observer_in<statistics>(alone) == nullptr);
    const observers<event_log, three> nested{event_log{}, several};
    REQUIRE(observer_in<counter>(nested) != nullptr);
    CHECK(observer_in<counter>(nested)->heard == 5);
    CHECK(observer_in<no_events>(nested) == nullptr);
}

static_assert([] {
    memory_for<observers<allocation_ages, event_log, counter>> memory{small};
    const auto x = memory.allocate(q);
    const auto p = memory.load({.name = "p", .code = q});
    (void)memory.run(*p, {.donated = {*x}});
    return memory.events().get<event_log>().events.size() == 4 && memory.events().get<counter>().heard == 4;
}());

}  // namespace hbm::test::observers_tests
