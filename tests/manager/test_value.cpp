// A manager is a regular value, null policies cost nothing, and the hot path asks the host for nothing.
#include <hbm/device/host_device.hpp>
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/events/allocation_ages.hpp>
#include <hbm/events/statistics.hpp>
#include <hbm/eviction/more_scores.hpp>
#include <hbm/growth/growth.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/placement/lifetimes_apart.hpp>
#include <hbm/planning/relief_policies.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <manager/host_allocations.hpp>
#include <string>
#include <string_view>
#include <support/managers.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace hbm::test::value_tests {

using plain = manager<best_fit>;
static_assert(std::regular<plain>);
static_assert(std::regular<manager<bottom_reserve<compacting<buddy>>, evict_greedy_dual, donate_fitting, compact_first,
                                   no_device, event_log>>);
// Real memory is not copied by accident.
using with_bytes = manager<compacting<best_fit>, never_evict, never_donate, relieve_cheapest, host_device>;
static_assert(std::movable<with_bytes> && !std::copy_constructible<with_bytes> &&
              !std::is_copy_assignable_v<with_bytes> && std::regular<with_bytes::forked>);

static_assert(std::is_empty_v<never_evict> && std::is_empty_v<never_donate> && std::is_empty_v<no_device> &&
              std::is_empty_v<no_events> && std::is_empty_v<never_relieve>);
static_assert(sizeof(plain) == sizeof(manager<best_fit, evict_lru, donate_fitting, compact_first>));
static_assert(sizeof(manager<best_fit, never_evict, never_donate, never_relieve>) + sizeof(std::uint64_t) ==
              sizeof(manager<best_fit, evict_greedy_dual, never_donate, never_relieve>));
static_assert(sizeof(plain) + sizeof(event_log) ==
              sizeof(manager<best_fit, never_evict, never_donate, relieve_cheapest, no_device, event_log>));
static_assert(sizeof(plain) + sizeof(host_device) ==
              sizeof(manager<best_fit, never_evict, never_donate, relieve_cheapest, host_device>));
static_assert(std::same_as<plain::forked, plain>);

constexpr memory_spec hundred{.name = "hundred", .capacity = 100 * 512};

TEST_CASE("names are types as a user would write them, without trailing null policies") {
    CHECK(std::string(plain::name.c_str()) == "best_fit");
    CHECK(std::string(plain::full_name.c_str()) == "best_fit/never_evict/never_donate");
    CHECK(std::string(manager<good_fit, evict_lru>::name.c_str()) == "good_fit/evict_lru");
    CHECK(std::string(manager<good_fit, never_evict, donate_fitting>::name.c_str()) ==
          "good_fit/never_evict/donate_fitting");
}

TEST_CASE("rename: changes the name of a buffer and nothing else") {
    manager<best_fit, never_evict, never_donate, relieve_cheapest, no_device, event_log> memory{hundred};
    const auto held = memory.allocate(512, "before");
    const auto other = memory.allocate(512, "before");
    const auto name = [&](buffer subject) {
        return std::string(memory.name_of(static_cast<tag>(memory.state().blocks.map().owner(subject.index))));
    };
    const auto before = memory.state();
    CHECK(memory.pin(*held));
    CHECK(memory.rename(*held, "after"));
    CHECK(memory.unpin(*held));
    CHECK(name(*held) == "after");
    CHECK(name(*other) == "before");
    CHECK(memory.events().events.size() == 2);
    CHECK(memory.rename(*held, "before"));
    CHECK(memory.state() == before);
    CHECK(memory.free(*held));
    const auto stale = memory.rename(*held, "late");
    REQUIRE_FALSE(stale);
    CHECK(stale.error().reason == error::stale_handle);
}

TEST_CASE("names: a part of a text is a name, and one that ends in a zero is not copied") {
    plain memory{hundred};
    const std::string text = "weights and more";
    const std::string_view part = std::string_view(text).substr(0, 7);
    const auto held = memory.allocate(512, part);
    REQUIRE(held);
    const auto label = static_cast<tag>(memory.state().blocks.map().owner(held->index));
    CHECK(std::string(memory.name_of(label)) == "weights");
    CHECK(memory.tag_of(part) == label);
    CHECK(memory.tag_of(std::string("weights")) == label);
    CHECK(memory.tag_of(text) != label);
    CHECK(memory.tag_of(std::string_view{}) == tag::none);
    CHECK(detail::with_c_str(text, [](const char* name) { return name; }) == text.c_str());
}

TEST_CASE("a copy honours the handles of the original, an unrelated manager does not") {
    plain memory{hundred, {.salt = 7}};
    const auto held = memory.allocate(512);
    plain copy = memory;
    CHECK(copy == memory);
    CHECK(copy.free(*held));
    CHECK_FALSE(copy == memory);
    CHECK(memory.check(*held) == error::none);
    CHECK(copy.check(*held) == error::stale_handle);

    plain other{hundred, {.salt = 8}};
    static_cast<void>(other.allocate(512));
    CHECK(other.check(*held) == error::foreign_handle);
    CHECK(other.free(*held).error().reason == error::foreign_handle);
    CHECK(memory.check(buffer{}) != error::none);
}

TEST_CASE("unrelated managers differ by default, in constant evaluation as well, and copies and forks agree") {
    plain memory{hundred};
    plain other{hundred}, beside{hundred};
    const auto held = memory.allocate(512);
    static_cast<void>(other.allocate(512));
    static_cast<void>(beside.allocate(512));
    CHECK(other.check(*held) == error::foreign_handle);
    CHECK(beside.check(*held) == error::foreign_handle);
    CHECK(other.check(*beside.allocate(512)) == error::foreign_handle);
    CHECK(other.free(*held).error().reason == error::foreign_handle);
    CHECK(plain(memory).check(*held) == error::none);
    CHECK(memory.fork().check(*held) == error::none);
    CHECK(memory.copy().check(*held) == error::none);

    const auto salt_of = [](const memory_spec& spec) { return plain{spec}.state().salt; };  // made in one place
    CHECK(salt_of(hundred) == salt_of(hundred));
    CHECK(salt_of(hundred) != salt_of({.capacity = 64 * 512}));
    CHECK(salt_of({.capacity = 4096, .quantum = 512}) != salt_of({.capacity = 4096, .quantum = 1024}));
    CHECK(plain{hundred, {.salt = 0}}.state().salt == 0);

    static_assert([] {
        plain one{hundred};
        plain two{hundred};
        const auto first = one.allocate(512);
        const auto second = two.allocate(512);
        return one.check(*second) == error::foreign_handle && two.check(*first) == error::foreign_handle &&
               one.fork().check(*first) == error::none;
    }());
}

TEST_CASE("options have names, and a copy that copies real memory is asked for") {
    with_bytes memory{{.name = "small", .capacity = 4096}, {.device = host_device(4096), .salt = 5}};
    const auto held = memory.allocate(512);
    REQUIRE(held);
    CHECK(held->salt == 5);
    memory.device().bytes(memory.where(*held).offset, 1)[0] = std::byte{7};
    const with_bytes copy = memory.copy();
    CHECK(copy == memory);
    memory.device().bytes(memory.where(*held).offset, 1)[0] = std::byte{8};
    CHECK(copy.device().bytes(copy.where(*held).offset, 1)[0] == std::byte{7});
    CHECK_FALSE(copy == memory);
    const with_bytes moved = std::move(memory);
    CHECK(moved.device().bytes(moved.where(*held).offset, 1)[0] == std::byte{8});

    const manager<best_fit, evict_lru, donate_fitting, rent_or_buy, no_device, event_log> named{
        hundred, {.relief = {.spent_nanoseconds = 3}, .events = event_log{}}};
    CHECK(named.capacity_bytes() == hundred.capacity);
}

TEST_CASE("after reserve_metadata the hot path does not ask the host") {
    manager<bottom_reserve<best_fit>, never_evict, donate_fitting> memory{hundred};
    memory.reserve_metadata(64);
    const auto step = memory.load({.name = "step", .code = 512, .scratch = 1024});
    REQUIRE(step);
    buffer held[40];
    run_result ran;
    ran.reserve(3);
    const std::size_t before = host_allocations();
    for (int round = 0; round < 10; ++round) {
        for (buffer& each : held) each = *memory.allocate(512);
        for (int i = 0; i < 40; i += 2) memory.free(held[i]);
        REQUIRE(
            memory.run(*step, {.inputs = {held[1]}, .donated = {held[3], held[5]}, .outputs = {512, 100, 2048}}, ran));
        for (const buffer each : ran.outputs) memory.free(each);
        for (int i = 1; i < 40; i += 2)
            if (memory.check(held[i]) == error::none) memory.free(held[i]);
    }
    CHECK(host_allocations() == before);
}

TEST_CASE("one input named millions of times is held once") {
    memory_spec spec = hundred;
    spec.runs_in_flight = 4;
    manager<best_fit> memory{spec};
    const auto step = memory.load({.name = "step", .code = 512});
    const auto input = memory.allocate(512);
    REQUIRE(step);
    REQUIRE(input);
    const std::vector<buffer> inputs(std::size_t{1} << 21, *input);
    CHECK(memory.run(*step, {.inputs = inputs}));
    CHECK(memory.state().blocks.map().holds(input->index) == 1);
    memory.sync();
    CHECK(memory.state().blocks.map().holds(input->index) == 0);
}

TEST_CASE("the same memory can go on under other policies") {
    manager<best_fit> stuck{hundred, {.salt = 7}};
    const auto idle = stuck.load({.name = "idle", .code = 60 * 512});
    const auto held = stuck.allocate(10 * 512, "held");
    CHECK_FALSE(stuck.allocate(80 * 512));
    auto other = stuck.under<manager<best_fit, evict_lru, donate_same_size>>();
    CHECK(other.check(*held) == error::none);
    CHECK(other.where(*held) == stuck.where(*held));
    CHECK(other.tag_of("held") == stuck.tag_of("held"));
    CHECK(other.allocate(60 * 512));
    CHECK_FALSE(other.about(*idle).resident);
    CHECK(stuck.about(*idle).resident);

    manager<bottom_reserve<best_fit>> reserving{hundred, {.salt = 7}};
    const auto step = reserving.load({.name = "step", .code = 512, .scratch = 10 * 512});
    const auto buffer = reserving.allocate(512);
    const auto hole = reserving.allocate(7 * 512);
    REQUIRE(reserving.allocate(512));
    CHECK(reserving.free(*hole));
    auto moving = reserving.under<manager<bottom_reserve<compacting<first_fit>>, evict_lru>>();
    CHECK(moving.where(*buffer) == reserving.where(*buffer));
    CHECK(moving.reserved_bytes() == 10 * 512);
    CHECK(moving.largest_free_bytes() == reserving.largest_free_bytes());
    CHECK(moving.allocate(86 * 512));  // which moves
    CHECK(moving.check(*step) == error::none);
}

TEST_CASE_TEMPLATE("value: a manager that was moved from manages nothing", memory_type, manager<best_fit>,
                   manager<buddy>, manager<first_fit, evict_lru>, manager<lifetimes_apart<best_fit>>,
                   manager<bottom_reserve<compacting<good_fit>>, evict_cheapest_window, donate_fitting>) {
    const auto full = [] {
        memory_type memory{{.capacity = 100 * 512, .runs_in_flight = 2}};
        const auto step = memory.load({.name = "step", .code = 512, .scratch = 512});
        const auto input = memory.allocate(512, "input");
        REQUIRE(memory.run(*step, {.inputs = {*input}, .outputs = {512}}));
        REQUIRE(memory.free(*input));
        return memory;
    };
    const auto is_empty = [](memory_type& gone) {
        CHECK(gone.blocks_and_holes().begin() == gone.blocks_and_holes().end());
        CHECK(gone.programs().empty());
        CHECK(gone.flights().empty());
        CHECK(gone.capacity_bytes() + gone.free_bytes() + gone.live_bytes() + gone.largest_free_bytes() == 0);
        CHECK(gone.allocate(512).error().reason == error::buffer_does_not_fit);
        CHECK(gone.load({.name = "step", .code = 512}).error().reason == error::code_does_not_fit);
        CHECK(gone.fork().allocate(1).error().reason == error::buffer_does_not_fit);
        gone.sync();
        gone = memory_type{{.capacity = 512}};
        CHECK(gone.allocate(512));
    };
    memory_type first = full();
    const memory_type copy = first;
    memory_type second = std::move(first);
    CHECK(second == copy);
    is_empty(first);
    second = full();
    memory_type third;
    third = std::move(second);
    is_empty(second);
    CHECK(third.programs().size() == 1);
    second = full();
    third = std::move(second);  // over one that is not empty
    is_empty(second);
}

/// The name of a block as `name_of` has it.
std::string name_at(const manager<best_fit>& memory, buffer held) {
    for (const block_view& block : memory.blocks())
        if (block.handle == held) return memory.name_of(static_cast<tag>(block.owner));
    return "no such buffer";
}

TEST_CASE("names: a name in use by the present call stays, also while a fork shares the names") {
    for (int more = 1000; more < 1030; ++more) {
        manager<best_fit> memory{hundred};
        const auto step = memory.load({.code = 512});
        memory.free(*memory.allocate(512, "known"));
        for (int count = 0; count < 1024 + more; ++count)
            memory.free(*memory.allocate(512, ("name " + std::to_string(count)).c_str()));
        const auto fork = memory.fork();
        const auto ran = memory.run(*step, {.outputs = {{512, "known"}, {512, "new"}}});
        REQUIRE(ran);
        for (int count = 0; count < 3; ++count) memory.free(*memory.allocate(512, std::to_string(count).c_str()));
        CAPTURE(more);
        CHECK(name_at(memory, ran->outputs[0]) == "known");
        CHECK(name_at(memory, ran->outputs[1]) == "new");
        CHECK(fork.live_bytes() == 512);
    }
}

TEST_CASE("copy: has the search budget of a fork") {
    manager<compacting<best_fit>> memory{{.capacity = 16 * 512}};
    std::array<buffer, 16> held{};
    for (buffer& one : held) one = *memory.allocate(512);
    for (std::size_t at = 0; at < held.size(); at += 2) memory.free(held[at]);
    search_budget nothing(0);
    CHECK_FALSE(memory.fork(nothing).copy().allocate(4 * 512));
    CHECK(memory.copy().allocate(4 * 512));
}

/// Returns the bytes that a manager with an observer requests from the host for each block, growing tables included.
template <class Observer>
std::size_t host_bytes_a_block() {
    constexpr std::size_t blocks = 4096;
    const std::size_t before = test::host_bytes();
    manager<best_fit, never_evict, never_donate, relieve_cheapest, no_device, Observer> memory{
        {.capacity = blocks * 512}};
    for (std::size_t count = 0; count < blocks; ++count) CHECK(memory.allocate(512));
    return (test::host_bytes() - before) / blocks;
}

TEST_CASE("the pins of a buffer are counted up to a limit") {
    manager<best_fit> memory{hundred};
    const auto held = memory.allocate(512);
    REQUIRE(held);
    for (std::uint32_t pins = 0; pins < 4094; ++pins) REQUIRE(memory.pin(*held));
    CHECK(memory.pin(*held).error().reason == error::too_many_pins);
    CHECK(memory.pins(*held) == 4094);
}

}  // namespace hbm::test::value_tests
