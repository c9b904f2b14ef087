#include <hbm/events/allocation_ages.hpp>
#include <hbm/events/observers.hpp>
#include <hbm/events/statistics.hpp>
#include <hbm/hbm.hpp>

#include <doctest/doctest.h>

#include <string>
#include <support/managers.hpp>

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
