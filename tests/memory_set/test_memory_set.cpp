// Two memories under one roof: each sentence of the interface.
#include <hbm/device/host_device.hpp>
#include <hbm/events/statistics.hpp>
#include <hbm/explain/dump.hpp>
#include <hbm/explain/explain.hpp>
#include <hbm/hbm.hpp>
#include <hbm/manager/awaited_fence.hpp>
#include <hbm/memory_set.hpp>
#include <hbm/placement/first_fit.hpp>

#include <doctest/doctest.h>

#include <concepts>
#include <string>
#include <utility>
#include <vector>

namespace hbm::test::memory_set_tests {
namespace {

constexpr std::uint64_t q = 512;
using device_memory = manager<bottom_reserve<compacting<best_fit>>, evict_lru, donate_same_size>;
using host_memory = manager<first_fit, never_evict, donate_same_size>;
using memories = memory_set<never_spill, of_kind<"device", device_memory>, of_kind<"pinned_host", host_memory>>;
constexpr auto copies = [](const auto&) { return true; };

constexpr memory_spec of(std::uint64_t quanta, std::uint32_t runs_in_flight = 0) {
    return {.name = "small", .capacity = quanta * q, .runs_in_flight = runs_in_flight};
}
memories of_two(std::uint64_t device, std::uint64_t host, std::uint32_t runs_in_flight = 0) {
    return memories({of(device, runs_in_flight), of(host)});
}
template <class Memory>
std::string name_in(const Memory& memory, set_buffer held) {
    return memory.name_of(static_cast<tag>(memory.view().map().owner(held.held.index)));
}
void check_failure(const set_failure& failed, error reason, const char* kind, std::uint32_t argument = no_index,
                   std::uint32_t first_use = no_index) {
    CHECK(error_name(failed.why.reason) == doctest::String(error_name(reason)));
    CHECK(failed.kind == doctest::String(kind));
    CHECK(failed.names_kind() == (*kind != '\0'));
    CHECK(failed.why.argument == argument);
    CHECK(failed.why.first_use == first_use);
}

TEST_CASE("memory_set: kinds are names of literals or of text, in the order of the set") {
    using kind = memories::kind;
    static_assert(kind::count == 2);
    static_assert(kind("device").number() == 0 && kind("pinned_host").number() == 1);
    static_assert(kind() == kind("device") && kind() != kind("pinned_host"));
    static_assert(kind("pinned_host").name() == std::string_view("pinned_host"));
    static_assert(kind::at(1) == kind("pinned_host") && !kind::at(2) && !kind::at(256));
    std::string text = "pinned_";
    CHECK_FALSE(kind::named(text));
    CHECK_FALSE(kind::named(""));
    text += "host";
    REQUIRE(kind::named(text));
    memories set = of_two(4, 4);
    const auto held = set.allocate(*kind::named(text), q);
    CHECK(set.kind_of(*held) == kind("pinned_host"));
    CHECK(set.kind_of({{}, 7}) == kind("device"));
    static_assert(std::is_same_v<memories::forked::kind, kind>);
}

TEST_CASE("memory_set: sizes below zero are an error, and times to reload parts of a memory are added up") {
    memories set = of_two(8, 8);
    check_failure(set.allocate("pinned_host", -1).error(), error::negative_size, "pinned_host");
    const auto load = [&](std::uint64_t first, std::uint64_t second) {
        const auto loaded = set.load({.name = "p", .parts = {{"device", q, 0, first}, {"device", q, 0, second}}});
        return set.memory<"device">().about(set.part(*loaded, "device")).reload_nanoseconds;
    };
    CHECK(load(500, 300) == 800'000);
    CHECK(load(500, derived_cost) == set.memory<"device">().spec().reload_nanoseconds(2 * q));
}

TEST_CASE("memory_set: a request is placed in the memory that it names, aligned and named") {
    memories set = of_two(8, 8);
    const auto first = set.allocate("device", q, "first");
    const auto host = set.allocate("pinned_host", 3 * q, "batch");
    const auto aligned = set.allocate("pinned_host", q, "", {.bytes = 77 * q, .alignment = 4 * q});
    REQUIRE((first && host && aligned));
    CHECK(set.memory<"device">().live_bytes() == q);
    CHECK(set.memory<"pinned_host">().live_bytes() == 4 * q);
    CHECK(set.where(*host) == extent{0, 3 * q});
    CHECK(set.where(*aligned) == extent{4 * q, q});
    CHECK(set.granted(*host) == 3 * q);
    CHECK(*host);
    CHECK_FALSE(set_buffer{});
    CHECK(name_in(set.memory<"device">(), *first) == "first");
    CHECK(name_in(set.memory<"pinned_host">(), *host) == "batch");
    const auto failed = set.allocate("pinned_host", 5 * q, "cache");
    check_failure(failed.error(), error::buffer_does_not_fit, "pinned_host");
    CHECK(failed.error().why.requested == 5 * q);
    CHECK(set.name_of(failed.error()) == doctest::String("cache"));
    CHECK(set.memory<"device">().free_bytes() == 7 * q);
}

TEST_CASE("memory_set: bad handles are errors that name no kind") {
    memories set = of_two(8, 8);
    memories other({of(8), of(8)}, {.salt = 5});
    const auto held = set.allocate("pinned_host", q);
    CHECK(other.check(*held) == error::foreign_handle);
    set_buffer forged = *held;
    forged.memory = 0;
    CHECK(set.check(forged) == error::foreign_handle);
    forged.memory = 2;
    CHECK(set.check(forged) == error::foreign_handle);
    forged.adopted = true;
    CHECK(set.check(forged) == error::foreign_handle);
    CHECK(set.where(forged) == extent{});
    CHECK(set.granted(forged) == 0);
    CHECK(set.check(set_buffer{}) == error::stale_handle);
    CHECK(set.free(*held));
    check_failure(set.free(*held).error(), error::stale_handle, "");
    check_failure(set.pin(*held).error(), error::stale_handle, "");
    check_failure(set.unpin(*held).error(), error::stale_handle, "");
    check_failure(set.move_to(*held, "device", copies).error(), error::stale_handle, "");
    check_failure(set.free(*set.allocate("device", q), {1}).error(), error::unknown_fence, "");
    check_failure(set.retire({1}).error(), error::unknown_fence, "");
    CHECK(set.name_of(set.retire({1}).error()) == doctest::String(""));
    CHECK(set.check(set_program{}) == error::stale_handle);
    check_failure(set.load(set_program{}).error(), error::stale_handle, "");
    check_failure(set.evict({}).error(), error::stale_handle, "");
    check_failure(set.unload({}).error(), error::stale_handle, "");
    check_failure(set.run({}, {}).error(), error::stale_handle, "");
    CHECK_FALSE(set.part({}, "device"));
}

TEST_CASE("memory_set: pins count in the memory of the buffer") {
    memories set = of_two(8, 8);
    const auto held = set.allocate("pinned_host", q);
    CHECK(set.pin(*held));
    CHECK(set.memory<"pinned_host">().pins(held->held) == 1);
    CHECK(set.unpin(*held));
    check_failure(set.unpin(*held).error(), error::not_pinned, "pinned_host");
}

TEST_CASE("memory_set: move_to copies while both places are held, and gives a new handle") {
    memories set = of_two(8, 8);
    const auto below = set.allocate("device", 2 * q);
    const auto moved = set.allocate("device", 3 * q, "cache");
    std::vector<memories::move> copied;
    const auto there = set.move_to(*moved, "pinned_host", [&](const memories::move& copy) {
        copied.push_back(copy);
        return true;
    });
    REQUIRE(there);
    REQUIRE(copied.size() == 1);
    CHECK(copied[0].from == memories::kind("device"));
    CHECK(copied[0].source.size == 3 * q);
    CHECK(copied[0].to == memories::kind("pinned_host"));
    CHECK(copied[0].target == extent{0, 3 * q});
    CHECK(copied[0].bytes == 3 * q);
    CHECK(set.check(*moved) == error::stale_handle);
    CHECK(set.kind_of(*there) == memories::kind("pinned_host"));
    CHECK(set.memory<"device">().free_bytes() == 6 * q);
    CHECK(name_in(set.memory<"pinned_host">(), *there) == "cache");
    // No effect: it is there already.
    const memories before = set;
    CHECK(*set.move_to(*there, "pinned_host", [](const auto&) { return false; }) == *there);
    CHECK(set == before);
    // A copy that fails, a pin, and a target without room change nothing.
    check_failure(set.move_to(*there, "device", [](const auto&) { return false; }).error(), error::device_failed,
                  "device");
    CHECK(set.check(*there) == error::none);
    CHECK(set.memory<"device">().free_bytes() == 6 * q);
    const auto big = set.allocate("pinned_host", 5 * q);
    const auto fill = set.allocate("device", 4 * q);
    check_failure(set.move_to(*big, "device", copies).error(), error::buffer_does_not_fit, "device");
    CHECK(set.pin(*there));
    const set_failure pinned = set.move_to(*there, "device", copies).error();
    check_failure(pinned, error::donor_is_referenced, "pinned_host");
    CHECK(explain(set, pinned) == "INVALID_ARGUMENT: the buffer is pinned: it has a reference from outside\n"
                                  "Reason: a holder from outside has its place. Unpin it.\n");
    CHECK(set.unpin(*there));
    CHECK(set.free(*fill));
    CHECK(set.where(*set.move_to(*there, "device", copies, {.alignment = 4 * q})).offset == 0);  // not 3 * q
    CHECK(set.check(*below) == error::none);
}

TEST_CASE("memory_set: move_to whose copy fails keeps the buffer, but not the programs evicted for it") {
    memories set = of_two(8, 8);
    const auto evicted = set.load({.name = "evicted", .parts = {{"device", 5 * q}}});
    const auto held = set.allocate("pinned_host", 4 * q);
    const extent place = set.where(*held);
    check_failure(set.move_to(*held, "device", [](const auto&) { return false; }).error(), error::device_failed,
                  "device");
    CHECK(set.where(*held) == place);
    const auto& device = set.memory<"device">();
    CHECK(device.free_bytes() == 8 * q);
    CHECK_FALSE(device.about(set.part(*evicted, "device")).resident);
    CHECK(set.load(*evicted));
}

TEST_CASE("memory_set: a program unloaded in one memory no longer loads or runs, until the set unloads it") {
    memories set = of_two(8, 8);
    const auto step = set.load({.name = "step", .parts = {{"device", q}, {"pinned_host", q}}});
    REQUIRE(set.memory<"device">().unload(set.part(*step, "device")));
    check_failure(set.run(*step, {}).error(), error::stale_handle, "device");
    check_failure(set.load(*step).error(), error::stale_handle, "device");
    CHECK(set.unload(*step));
    CHECK(set.memory<"pinned_host">().live_bytes() == 0);
    check_failure(set.run(*step, {}).error(), error::stale_handle, "");
}

TEST_CASE("memory_set: a program is loaded in the memories of its parts, all or none") {
    memories set = of_two(8, 4);
    const auto step =
        set.load({.name = "step", .parts = {{"device", q, 2 * q}, {"pinned_host", 2 * q}, {"pinned_host", q}}});
    REQUIRE(step);
    CHECK(set.memory<"device">().reserved_bytes() == 2 * q);
    CHECK(set.memory<"pinned_host">().about(set.part(*step, "pinned_host")).code == 3 * q);
    const memories before = set;
    const auto failed = set.load({.name = "large", .parts = {{"device", q}, {"pinned_host", 2 * q}}});
    check_failure(failed.error(), error::code_does_not_fit, "pinned_host");
    CHECK(set.name_of(failed.error()) == doctest::String("large"));
    CHECK(set == before);
    CHECK(set.evict(*step));
    CHECK(set.memory<"pinned_host">().live_bytes() == 0);
    CHECK(set.check(*step) == error::none);
    // Reloaded where it is missing: all or none.
    const auto fill = set.allocate("pinned_host", 2 * q);
    const memories evicted = set;
    check_failure(set.load(*step).error(), error::code_does_not_fit, "pinned_host");
    CHECK(set == evicted);
    CHECK(set.free(*fill));
    CHECK(set.load(*step));
    CHECK(set.memory<"pinned_host">().live_bytes() == 3 * q);
    CHECK(set.memory<"device">().done_so_far().reloads == 1);
    CHECK(set.unload(*step));
    CHECK(set.check(*step) == error::stale_handle);
    CHECK(set.memory<"device">().live_bytes() + set.memory<"pinned_host">().live_bytes() == 0);
    // Without parts it has one in the first memory; one in a single memory leaves the others alone.
    const auto plain = set.load({.name = "plain"});
    CHECK(set.part(*plain, "device"));
    CHECK_FALSE(set.part(*plain, "pinned_host"));
    CHECK(set.memory<"pinned_host">().live_bytes() == 0);
    check_failure(set.load({.parts = {{"device", ~std::uint64_t{0}}, {"device", 1}}}).error(), error::size_too_large,
                  "device");
}

TEST_CASE("memory_set: a run has arguments and outputs in several memories, and donates within each") {
    memories set = of_two(16, 16);
    const auto step = set.load({.name = "step", .parts = {{"device", q}, {"pinned_host", q}}});
    const auto weights = set.allocate("device", 2 * q, "weights");
    const auto state = set.allocate("pinned_host", 2 * q, "state");
    const auto batch = set.allocate("pinned_host", q, "batch");
    const auto kept = set.allocate("device", 3 * q);
    const auto ran = set.run(*step, {.inputs = {*batch},
                                     .donated = {*state, *kept, *weights},
                                     .outputs = {{"device", 2 * q},
                                                 {"pinned_host", q, "loss"},
                                                 {"pinned_host", 2 * q, "new state", aliasing::must, 0},
                                                 {"device", 3 * q}},
                                     .kept = {1}});
    REQUIRE(ran);
    CHECK(ran->donated == 2);
    CHECK(ran->reloaded == 0);
    CHECK(ran->over == fence{1});
    const std::vector<std::uint32_t> donors(ran->donors.begin(), ran->donors.end());
    CHECK(donors == std::vector<std::uint32_t>{2, no_index, 0, no_index});
    REQUIRE(ran->outputs.size() == 4);
    for (const std::size_t at : {0u, 3u}) CHECK(ran->outputs[at].memory == 0);
    for (const std::size_t at : {1u, 2u}) CHECK(ran->outputs[at].memory == 1);
    CHECK(set.granted(ran->outputs[2]) == 2 * q);
    CHECK(set.check(*state) == error::stale_handle);
    CHECK(set.check(*weights) == error::stale_handle);
    CHECK(set.check(*kept) == error::none);
    CHECK(set.memory<"pinned_host">().live_bytes() == 5 * q);
    // Evicted in one memory: it reloads there.
    CHECK(set.memory<"device">().evict(set.part(*step, "device")));
    CHECK(set.run(*step, {})->reloaded == 1);
}

TEST_CASE("memory_set: a run that fails in one memory changes none, and counts arguments as in the call") {
    memories set = of_two(16, 6);
    const auto step = set.load({.name = "step", .parts = {{"device", q}, {"pinned_host", q}}});
    const auto on_device = set.allocate("device", q, "on device");
    const auto on_host = set.allocate("pinned_host", 2 * q, "on host");
    const auto other = set.allocate("device", 2 * q);
    const memories before = set;
    const auto fails = [&](const memories::run_spec& spec, error reason, const char* kind,
                           std::uint32_t argument = no_index, std::uint32_t first_use = no_index) {
        const auto failed = set.run(*step, spec);
        REQUIRE_FALSE(failed);
        check_failure(failed.error(), reason, kind, argument, first_use);
        CHECK(set == before);
        return failed.error();
    };
    const auto full =
        fails({.donated = {*on_device}, .outputs = {{"device", q}, {"device", q}, {"pinned_host", 4 * q, "big"}}},
              error::buffer_does_not_fit, "pinned_host", 2);
    CHECK(set.name_of(full) == doctest::String("big"));
    fails({.inputs = {*on_device, *on_host}, .donated = {*other, *on_host}}, error::donated_and_used, "pinned_host", 3,
          1);
    fails({.inputs = {*on_device}, .donated = {*on_host, *other, *on_host}}, error::donated_twice, "pinned_host", 3, 1);
    fails({.donated = {*on_device, *on_host}, .kept = {1, 1}}, error::kept_twice, "pinned_host", 1);
    fails({.donated = {*on_host}, .kept = {1}}, error::bad_argument, "", no_index, 1);
    fails({.outputs = {{"device", q}, {"device", q, "", aliasing::may, 0}}}, error::bad_argument, "", 1, 0);
    fails({.inputs = {*other},
           .donated = {*on_host},
           .outputs = {{"device", q}, {"device", 2 * q, "", aliasing::may, 0}}},
          error::alias_of_other_size, "", 1, 1);
    fails({.inputs = {*on_device},
           .donated = {*other, *on_host},
           .outputs = {{"device", q}, {"pinned_host", q, "", aliasing::must, 1}}},
          error::alias_of_other_size, "pinned_host", 1, 2);
    fails({.inputs = {*on_device, {}}}, error::stale_handle, "", 1);
    CHECK(set.pin(*on_host));
    const auto pinned = set.run(*step, {.inputs = {*on_device}, .donated = {*other, *on_host}});
    check_failure(pinned.error(), error::donor_is_referenced, "pinned_host", 2);
}

TEST_CASE("memory_set: thousands of new names of one run are those of its outputs, also after a failure") {
    std::vector<std::string> names;
    for (int number = 0; number < 3000; ++number) names.push_back("output " + std::to_string(number));
    std::vector<memories::output> outputs{{"device", q, "low"}};
    for (const std::string& name : names) outputs.push_back({"pinned_host", q, name.c_str()});
    for (const std::uint64_t quanta : {3001u, 3000u}) {
        memories set = of_two(2, quanta);
        const auto step = set.load({.name = "step", .parts = {{"device", q}, {"pinned_host", q}}});
        const auto ran = set.run(*step, {.outputs = outputs});
        CHECK(ran.has_value() == (quanta == 3001));
        const host_memory& memory = set.memory<"pinned_host">();
        int wrong = 0;
        for (std::size_t at = 0; at < names.size(); ++at)
            wrong += (ran ? name_in(memory, ran->outputs[at + 1])
                          : memory.name_of(memory.refused().outputs[at].label)) != names[at];
        CHECK(wrong == 0);
    }
}

TEST_CASE("memory_set: a run gives its program a part of one quantum where it lacks one") {
    memories set = of_two(8, 3);
    const auto step = set.load({.name = "step", .parts = {{"device", q}}});
    const auto batch = set.allocate("pinned_host", 2 * q);
    const memories before = set;
    check_failure(set.run(*step, {.inputs = {*batch}, .outputs = {{"pinned_host", q}}}).error(),
                  error::buffer_does_not_fit, "pinned_host", 0);
    CHECK(set == before);
    memories full = of_two(8, 2);
    const auto other = full.load({.name = "other", .parts = {{"device", q}}});
    const auto all = full.allocate("pinned_host", 2 * q, "all");
    const auto refused = full.run(*other, {.inputs = {*all}});
    check_failure(refused.error(), error::code_does_not_fit, "pinned_host");
    CHECK(full.name_of(refused.error()) == doctest::String("other"));
    REQUIRE(set.run(*step, {.inputs = {*batch}}));
    CHECK(set.memory<"pinned_host">().free_bytes() == 0);
    const auto& record = set.memory<"pinned_host">().about(set.part(*step, "pinned_host"));
    CHECK(record.code == q);
    CHECK(set.memory<"pinned_host">().name_of(record.label) == doctest::String("step"));
    CHECK(set.unload(*step));
    CHECK(set.memory<"pinned_host">().free_bytes() == q);
}

TEST_CASE("memory_set: a run that is over in one memory is over in all") {
    memories set = of_two(8, 8, 2);
    CHECK(set.memory<"pinned_host">().spec().runs_in_flight == 2);
    const auto both = set.load({.name = "both", .parts = {{"device", q}, {"pinned_host", q}}});
    const auto alone = set.load({.name = "alone", .parts = {{"pinned_host", q}}});
    const auto input = set.allocate("pinned_host", 2 * q);
    const auto first = set.run(*alone, {.inputs = {*input}});
    const auto second = set.run(*both, {.outputs = {{"device", 7 * q}}});
    REQUIRE((first && second));
    CHECK(set.issued() == fence{2});
    CHECK(set.reached() == fence{});
    CHECK(set.free(second->outputs[0]));
    CHECK(set.free(*input));
    CHECK(set.memory<"pinned_host">().free_bytes() == 4 * q);
    const auto call = [](auto& memory) { return memory.allocate("device", 6 * q); };
    CHECK(awaited_fence(set, call) == fence{2});
    CHECK(call(set));  // declares the second run over, and so the first
    CHECK(set.reached() == fence{2});
    CHECK(set.memory<"pinned_host">().reached() == set.memory<"pinned_host">().issued());
    CHECK(set.memory<"pinned_host">().free_bytes() == 6 * q);
    CHECK(awaited_fence(set, call) == fence{});
}

TEST_CASE("memory_set: retire and sync end runs and frees") {
    memories set = of_two(8, 8, 3);
    const auto both = set.load({.name = "both", .parts = {{"device", q}, {"pinned_host", q}}});
    const auto host = set.allocate("pinned_host", 2 * q);
    const auto first = set.run(*both, {.inputs = {*host}});
    const auto second = set.run(*both, {});
    CHECK(set.free(*host));
    CHECK(set.memory<"pinned_host">().free_bytes() == 5 * q);
    CHECK(set.retire(first->over));
    CHECK(set.reached() == first->over);
    CHECK(set.memory<"pinned_host">().free_bytes() == 7 * q);
    CHECK(set.retire(first->over));  // again
    CHECK(set.memory<"device">().reached() == fence{1});
    set.sync();
    CHECK(set.reached() == second->over);
    CHECK(set.memory<"device">().flights().empty());
}

TEST_CASE("memory_set: a buffer is freed by the fence of a run that has no part in its memory") {
    memories set = of_two(8, 8, 3);
    const auto step = set.load({.name = "step", .parts = {{"device", q}}});
    const auto host = set.allocate("pinned_host", 2 * q);
    const auto device = set.allocate("device", q);
    const auto ran = set.run(*step, {});
    CHECK(set.free(*host, ran->over));
    CHECK(set.free(*device, ran->over));
    CHECK(set.check(*host) == error::stale_handle);
    check_failure(set.free(*host).error(), error::stale_handle, "");
    CHECK(set.memory<"pinned_host">().free_bytes() == 6 * q);
    CHECK(set.memory<"device">().free_bytes() == 6 * q);
    CHECK_FALSE(set.allocate("pinned_host", 7 * q));  // no request waits for it
    memories copy = set;
    CHECK(set.retire(ran->over));
    CHECK(set.memory<"pinned_host">().free_bytes() == 8 * q);
    CHECK(set.memory<"device">().free_bytes() == 7 * q);
    copy.sync();
    CHECK(copy == set);
    const auto late = set.allocate("pinned_host", q);
    CHECK(set.free(*late, ran->over));  // reached: at once
    CHECK(set.memory<"pinned_host">().free_bytes() == 8 * q);
}

TEST_CASE("memory_set: a pinned buffer that is freed by the fence of another memory returns when that is reached") {
    memories by_sync = of_two(8, 8, 3);
    const auto step = by_sync.load({.name = "step", .parts = {{"device", q}}});
    const auto host = by_sync.allocate("pinned_host", 2 * q);
    const auto other = by_sync.allocate("pinned_host", q);
    const auto both = by_sync.load({.name = "both", .parts = {{"device", q}, {"pinned_host", q}}});
    const auto ran = by_sync.run(*both, {.inputs = {*other}});
    const auto later = by_sync.run(*step, {});  // without a part on the host
    CHECK(by_sync.pin(*host));
    CHECK(by_sync.pin(*other));
    CHECK(by_sync.free(*host, later->over));
    CHECK(by_sync.free(*other, later->over));
    memories by_retire = by_sync;
    CHECK(by_retire.retire(ran->over));
    CHECK(by_retire.memory<"pinned_host">().free_bytes() == 4 * q);
    CHECK(by_retire.retire(later->over));
    by_sync.sync();
    for (const memories* set : {&by_sync, &by_retire}) {
        CHECK(set->memory<"pinned_host">().free_bytes() == 7 * q);
        CHECK(set->memory<"pinned_host">().view().deferred().size() == 0);
    }
}

TEST_CASE("memory_set: handles freed by the fence of another memory are stale, those of their blocks later are not") {
    memories set = of_two(8, 8, 3);
    const auto step = set.load({.name = "step", .parts = {{"device", q}}});
    for (int round = 0; round < 3; ++round) {
        std::vector<set_buffer> held;
        for (int count = 0; count < 8; ++count) held.push_back(*set.allocate("pinned_host", q));
        const auto first = set.run(*step, {});
        const auto second = set.run(*step, {});
        for (std::size_t at : {5u, 0u, 7u, 2u}) CHECK(set.free(held[at], at % 2 == 1 ? first->over : second->over));
        const auto device = set.allocate("device", q);  // of an index that is late in the other memory
        CHECK(set.check(*device) == error::none);
        CHECK(set.free(*device));
        const memories::forked fork = set.fork();
        for (std::size_t at = 0; at < held.size(); ++at) {
            const bool is_late = at == 5 || at == 0 || at == 7 || at == 2;
            CHECK((set.check(held[at]) == error::stale_handle) == is_late);
            CHECK((fork.check(held[at]) == error::stale_handle) == is_late);
        }
        CHECK(set.retire(first->over));
        CHECK(set.memory<"pinned_host">().free_bytes() == 2 * q);
        const auto again = set.allocate("pinned_host", q);
        CHECK(set.check(*again) == error::none);
        CHECK(set.check(held[0]) == error::stale_handle);
        CHECK(set.check(held[5]) == error::stale_handle);
        CHECK(set.free(*again));
        for (std::size_t at : {1u, 3u, 4u, 6u}) CHECK(set.free(held[at]));
        CHECK(set.retire(second->over));
        CHECK(set.memory<"pinned_host">().free_bytes() == 8 * q);
        for (const set_buffer ended : held) CHECK(set.check(ended) == error::stale_handle);
    }
}

TEST_CASE("memory_set: copies and forks honour handles, and a fork is without devices and observers") {
    using observed = memory_set<
        never_spill,
        of_kind<"device", manager<best_fit, never_evict, never_donate, relieve_cheapest, host_device, event_log>>,
        of_kind<"pinned_host", host_memory>>;
    static_assert(std::is_same_v<observed::forked::kind, observed::kind>);
    static_assert(!std::copyable<observed> && std::regular<memories> && std::regular<observed::forked>);
    observed set({of(8), of(8)}, {.memories = {{.device = host_device(8 * q)}, {}}});
    const auto held = set.allocate("device", q);
    auto fork = set.fork();
    CHECK(fork.free(*held));
    CHECK(fork.allocate("device", 8 * q));
    CHECK(set.check(*held) == error::none);
    CHECK_FALSE(set.allocate("device", 8 * q));
    REQUIRE(set.memory<"device">().events().events.size() == 2);
    CHECK(set.memory<"device">().events().events[1].what == event_kind::failed);
    const observed moved = std::move(set);
    CHECK(moved.check(*held) == error::none);
}

TEST_CASE("memory_set: salts distinguish sets and their memories") {
    std::vector<memories> sets;
    for (const std::uint32_t salt : {1u, 2u}) sets.push_back(memories({of(8), of(8)}, {.salt = salt}));
    sets.push_back(memories({of(8), of(9)}, {}));
    std::vector<set_buffer> held;
    for (memories& set : sets) held.push_back(*set.allocate("device", q));
    for (std::size_t at = 0; at < sets.size(); ++at)
        for (std::size_t other = 0; other < sets.size(); ++other)
            CHECK((sets[at].check(held[other]) == error::none) == (at == other));
}

TEST_CASE("memory_set: a default set and a bad spec refuse every request") {
    memories empty;
    check_failure(empty.allocate("pinned_host", 1).error(), error::buffer_does_not_fit, "pinned_host");
    check_failure(empty.load({.name = "step"}).error(), error::code_does_not_fit, "device");
    memories bad({of(8), {.capacity = 8 * q, .quantum = 3}});
    check_failure(bad.allocate("pinned_host", 1).error(), error::bad_quantum, "pinned_host");
    CHECK(bad.allocate("device", 1));
}

TEST_CASE("memory_set: texts of failures name the kind") {
    memories set = of_two(8, 8);
    const auto step = set.load({.name = "step", .parts = {{"device", q}, {"pinned_host", q}}});
    const auto cache = set.allocate("pinned_host", 9 * q, "cache");
    const std::string text = explain(set, cache.error());
    CHECK(text.find("pinned_host") != std::string::npos);
    auto nowhere = set.retire({9}).error();
    nowhere.why.label = set.memory<"device">().about(set.part(*step, "device")).label;
    CHECK(set.name_of(nowhere) == std::string());
    const auto ran = set.run(*step, {.outputs = {{"device", q}, {"pinned_host", 9 * q, "big"}}});
    CHECK(explain(set, ran.error()).find("pinned_host") != std::string::npos);
    CHECK(dump(set, ran.error()).message.find("pinned_host") != std::string::npos);
    CHECK(explain(set, set.retire({9}).error()).find("fence") != std::string::npos);
    // A run whose program would get its part for this run alone: its output is explained as a request.
    const auto alone = set.load({.name = "alone", .parts = {{"device", q}}});
    const std::string reason = explain(set, set.run(*alone, {.outputs = {{"pinned_host", 9 * q, "big"}}}).error());
    CHECK(reason.find("pinned_host") != std::string::npos);
    CHECK(reason.find("invalid") == std::string::npos);
    CHECK(explain(set, ran.error()).find("invalid") == std::string::npos);
    CHECK(explain(set, set.adopt("pinned_host", {0, 5}).error()) ==
          "FAILED_PRECONDITION: the range to be adopted overlaps the memory 'pinned_host' of the set, or ends beyond "
          "2^64 - 1");
    const auto low = set.allocate("device", q);
    const memories::output there{.kind = "pinned_host", .bytes = q, .alias = aliasing::must, .partner = 0};
    CHECK(explain(set, set.run(*step, {.donated = {*low}, .outputs = {there}}).error()) ==
          "INVALID_ARGUMENT: output 0 must take over argument 0, which is of another memory kind");
    // A program that cannot be reloaded.
    CHECK(set.evict(*step));
    const auto fill = set.allocate("pinned_host", 8 * q);
    REQUIRE(fill);
    const std::string reload = explain(set, set.load(*step).error());
    CHECK(reload.find("program 'step'") != std::string::npos);
    CHECK(reload.find("invalid") == std::string::npos);
}

constexpr bool trains_in_constant_evaluation() {
    memories set({of(10), of(16)});
    const auto state = set.allocate("device", 4 * q, "state");
    const auto step = set.load({.name = "step", .parts = {{"device", q, q}, {"pinned_host", q}}});
    const auto ran = set.run(*step, {.donated = {*state}, .outputs = {{"device", 4 * q}, {"pinned_host", q}}});
    const auto there = set.move_to(ran->outputs[0], "pinned_host", copies);
    return ran->donated == 1 && there && !set.allocate("device", 11 * q) && set.fork() == set.fork();
}
static_assert(trains_in_constant_evaluation());

}  // namespace
}  // namespace hbm::test::memory_set_tests
