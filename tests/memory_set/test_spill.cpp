// The choice of another memory when the wanted one is full, and its price.
#include <hbm/hbm.hpp>
#include <hbm/memory_set.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace hbm::test::spill_tests {

/// Chooses a constant, whatever the places.
struct spill_to {
    static constexpr fixed_string name{"spill_to"};
    std::size_t number = 0;
    [[nodiscard]] std::size_t choose(std::span<const spill_place> places) const {
        if (seen != nullptr) seen->assign(places.begin(), places.end());
        return number;
    }
    std::vector<spill_place>* seen = nullptr;
    friend constexpr bool operator==(const spill_to&, const spill_to&) = default;
};

namespace {

constexpr std::uint64_t q = 512;
constexpr std::uint64_t no_room = spill_place::no_room;
using plain = manager<best_fit>;
template <class Spill>
using memories = memory_set<Spill, of_kind<"fast", plain>, of_kind<"device", manager<compacting<best_fit>, evict_lru>>,
                            of_kind<"pinned_host", plain>>;

template <class Spill>
memories<Spill> set_of(std::uint64_t fast, std::uint64_t device, std::uint64_t host, Spill policy = {}) {
    return memories<Spill>(
        {{.capacity = fast * q, .runs_in_flight = 2}, {.capacity = device * q}, {.capacity = host * q}},
        {.spill = policy});
}
template <class Set>
const char* kind_of(Set& set, typename Set::kind wanted, std::uint64_t quanta) {
    const auto held = set.allocate(wanted, quanta * q);
    return held ? set.kind_of(*held).name() : held.error().kind;
}

std::size_t chosen_by(const auto& policy, std::vector<std::uint64_t> relief, std::uint64_t bytes) {
    std::vector<spill_place> places;
    for (const std::uint64_t price : relief) places.push_back({"", bytes, price});
    return policy.choose(places);
}

TEST_CASE("spill: spill_in_order takes the first memory with room, whatever its price") {
    CHECK(chosen_by(spill_in_order{}, {900, 0}, 1) == 0);
    CHECK(chosen_by(spill_in_order{}, {no_room, no_room, 7, 0}, 1) == 2);
    CHECK(chosen_by(spill_in_order{}, {no_room, no_room}, 1) >= 2);
}

TEST_CASE("spill: spill_if_cheaper compares relief with transfers over the link") {
    const spill_if_cheaper once{.uses = 1, .bytes_per_second = 1'000'000'000};  // a byte is a nanosecond
    const spill_if_cheaper thrice{.uses = 3, .bytes_per_second = 1'000'000'000};
    CHECK(chosen_by(once, {1000, 0}, 1000) == 0);  // a tie goes to the first
    CHECK(chosen_by(once, {1001, 0}, 1000) == 1);
    CHECK(chosen_by(once, {1001, 1}, 1000) == 0);
    CHECK(chosen_by(thrice, {3000, 0}, 1000) == 0);
    CHECK(chosen_by(thrice, {3001, 0}, 1000) == 1);
    CHECK(chosen_by(once, {9000, 5, 4}, 1000) == 2);
    CHECK(chosen_by(once, {no_room, no_room, 9}, 1000) == 2);
    CHECK(chosen_by(once, {no_room, 0}, no_room) == 1);  // even if the price saturates
    CHECK(chosen_by(once, {no_room}, 1) == 0);
    CHECK(spill_if_cheaper{}.bytes_per_second == memory_spec{}.host_link);
}

TEST_CASE("spill: never_spill fails in the wanted memory") {
    auto set = set_of<never_spill>(4, 8, 8);
    CHECK(kind_of(set, "fast", 4) == doctest::String("fast"));
    const auto failed = set.allocate("fast", q, "extra");
    CHECK(failed.error().kind == doctest::String("fast"));
    CHECK(failed.error().why.reason == error::buffer_does_not_fit);
}

TEST_CASE("spill: a request goes to the next memories in order, never to one before, and fails in the wanted one") {
    auto set = set_of<spill_in_order>(4, 4, 4);
    CHECK(kind_of(set, "fast", 3) == doctest::String("fast"));
    CHECK(kind_of(set, "fast", 2) == doctest::String("device"));
    CHECK(kind_of(set, "fast", 3) == doctest::String("pinned_host"));
    CHECK(kind_of(set, "device", 1) == doctest::String("device"));
    CHECK(kind_of(set, "device", 1) == doctest::String("device"));
    CHECK(kind_of(set, "device", 1) == doctest::String("pinned_host"));
    const auto failed = set.allocate("device", q, "extra");  // one quantum of `fast` is free
    CHECK(failed.error().kind == doctest::String("device"));
    CHECK(set.name_of(failed.error()) == doctest::String("extra"));
    CHECK(set.memory<"fast">().free_bytes() == q);
    CHECK(set.memory<"device">().done_so_far().relieved == 0);
}

TEST_CASE("spill: the price of a wait, a move or an eviction decides") {
    // A wait of 1,000 microseconds against a transfer of 3 quanta: 96 nanoseconds a use.
    for (const std::uint64_t uses : {1u, 100'000u}) {
        auto set = set_of(4, 8, 8, spill_if_cheaper{.uses = uses});
        const auto step = set.load({.name = "step", .parts = {{"fast", q}}});
        const auto held = set.allocate("fast", 3 * q);
        REQUIRE(set.run(*step, {.inputs = {*held}, .run_us = 1000}));
        REQUIRE(set.free(*held));
        CHECK(kind_of(set, "fast", 3) == doctest::String(uses == 1 ? "device" : "fast"));
        CHECK(set.reached().number == (uses == 1 ? 0 : 1));
    }
    // An eviction whose reload takes 50 microseconds.
    for (const std::uint64_t reload_us : {0u, 50u}) {
        auto set = set_of(4, 4, 8, spill_if_cheaper{});
        REQUIRE(set.load({.name = "step", .parts = {{"device", 3 * q, 0, reload_us}}}));
        CHECK(kind_of(set, "device", 2) == doctest::String(reload_us == 0 ? "device" : "pinned_host"));
        CHECK(set.memory<"device">().done_so_far().evictions == (reload_us == 0 ? 1 : 0));
    }
}

TEST_CASE("spill: a free that can take effect at once costs nothing") {
    for (const char* name : {"fast", "device"}) {
        auto set = set_of(4, 4, 8, spill_if_cheaper{.uses = 0});
        const auto kind = *decltype(set)::kind::named(name);
        const auto held = set.allocate(kind, 4 * q);
        CHECK(set.pin(*held));
        CHECK(set.free(*held));  // deferred, because it is pinned
        CHECK(kind_of(set, kind, 3) == doctest::String(name));
    }
}

TEST_CASE("spill: a policy sees the wanted memory and those behind it, with the prices of relief") {
    std::vector<spill_place> seen;
    auto set = set_of(4, 8, 2, spill_to{.number = 1, .seen = &seen});
    CHECK(kind_of(set, "fast", 4) == doctest::String("fast"));
    CHECK(seen.empty());  // it surely fits: the policy is not called
    std::vector<set_buffer> held;
    for (int count = 0; count < 4; ++count) held.push_back(*set.allocate("device", 2 * q));
    CHECK(set.free(held[0]));
    CHECK(set.free(held[2]));
    CHECK(kind_of(set, "fast", 3) == doctest::String("device"));  // by a move
    REQUIRE(seen.size() == 3);
    CHECK(seen[0].kind == doctest::String("fast"));
    CHECK(seen[2].kind == doctest::String("pinned_host"));
    CHECK(seen[0].relief_nanoseconds == no_room);
    CHECK(seen[1].relief_nanoseconds == memory_spec{}.move_nanoseconds(2 * q));
    CHECK(seen[2].relief_nanoseconds == no_room);
    CHECK(seen[1].bytes == 3 * q);
    static_cast<void>(set.allocate("pinned_host", 3 * q));
    CHECK(seen.size() == 1);
    // The choice of a memory without room, or of none, is the wanted memory.
    auto other = set_of(4, 2, 2, spill_to{.number = 2});
    CHECK(kind_of(other, "fast", 5) == doctest::String("fast"));
    auto beyond = set_of(4, 8, 8, spill_to{.number = 7});
    CHECK(kind_of(beyond, "fast", 5) == doctest::String("fast"));
}

TEST_CASE("spill: an aligned request spills if no hole admits it") {
    auto set = set_of<spill_in_order>(4, 8, 8);
    CHECK(kind_of(set, "fast", 1) == doctest::String("fast"));
    const auto aligned = set.allocate("fast", q, "", {.alignment = 4 * q});
    REQUIRE(aligned);
    CHECK(set.kind_of(*aligned).name() == doctest::String("device"));
    CHECK(set.where(*aligned).offset % (4 * q) == 0);
    const auto even = set.allocate("fast", q, "", {.alignment = 2 * q});
    CHECK(set.kind_of(*even).name() == doctest::String("fast"));
    CHECK(set.allocate("fast", q, "", {.alignment = 3}).error().why.reason == error::bad_alignment);
}

TEST_CASE("spill: outputs of runs and move_to do not spill") {
    auto set = set_of<spill_in_order>(4, 8, 8);
    const auto step = set.load({.name = "step", .parts = {{"fast", q}}});
    CHECK(set.run(*step, {.outputs = {{"fast", 4 * q}}}).error().kind == doctest::String("fast"));
    const auto held = set.allocate("device", 4 * q);
    CHECK(set.move_to(*held, "fast", [](const auto&) { return true; }).error().kind == doctest::String("fast"));
}

static_assert(check_spill<spill_to>());

}  // namespace
}  // namespace hbm::test::spill_tests
