// Copies that fail in one memory at every place of every call: the other memory undoes the call, and no byte is lost.
#include <hbm/hbm.hpp>
#include <hbm/memory_set.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "planning/failing_device.hpp"

namespace hbm::test::failing_set_tests {
namespace {

constexpr std::uint64_t q = 16;
using moving = manager<compacting<best_fit>, evict_lru, donate_same_size, relieve_cheapest, failing_device>;
using memories = memory_set<never_spill, of_kind<"device", moving>, of_kind<"pinned_host", moving>>;

/// Two memories with holes of two quanta, so that a block of eight needs copies in each.
struct stage {
    memories set{{memory_spec{.capacity = 18 * q, .quantum = q}, memory_spec{.capacity = 18 * q, .quantum = q}},
                 {.memories = {{.device = failing_device(18 * q)}, {.device = failing_device(18 * q)}}}};
    set_program step, host_step;  // with a part in one memory
    std::vector<set_buffer> held;

    stage() {
        step = *set.load({.name = "step", .parts = {{"device", q}}});
        host_step = *set.load({.name = "host step", .parts = {{"pinned_host", q}}});
        for (const memories::kind kind : {memories::kind("device"), memories::kind("pinned_host")}) {
            std::vector<set_buffer> all;
            for (int count = 0; count < 7; ++count) all.push_back(*set.allocate(kind, 2 * q));
            for (std::size_t at = 0; at < all.size(); ++at) {
                if (at % 2 == 1)
                    static_cast<void>(set.free(all[at]));
                else
                    held.push_back(all[at]);
            }
        }
        set.visit("device", [](auto& memory) { memory.device().copied = 0; });
        set.visit("pinned_host", [](auto& memory) { memory.device().copied = 0; });
        for (std::size_t at = 0; at < held.size(); ++at)
            set.visit(set.kind_of(held[at]), [&](auto& memory) { write(memory, held[at].held, at); });
    }
    [[nodiscard]] std::uint64_t live(memories::kind kind) const {
        return set.visit(kind, [](const auto& memory) { return memory.live_bytes(); });
    }
    [[nodiscard]] std::uint64_t copied(memories::kind kind) const {
        return set.visit(kind, [](const auto& memory) { return memory.device().copied; });
    }
    [[nodiscard]] bool reads_back_all() const {
        bool good = true;
        for (std::size_t at = 0; at < held.size(); ++at)
            if (set.check(held[at]) == error::none)
                good = set.visit(set.kind_of(held[at]), [&](const auto& memory) {
                    return reads_back(memory, held[at].held, at);
                }) && good;
        return good;
    }
};

/// Makes a call; returns its failure, or none.
using call = set_failure (*)(stage&);

set_failure allocate(stage& on) {
    const auto outcome = on.set.allocate("pinned_host", 8 * q);
    return outcome ? set_failure{} : outcome.error();
}
set_failure load(stage& on) {
    const auto outcome = on.set.load({.name = "new", .parts = {{"device", 8 * q}, {"pinned_host", 8 * q}}});
    return outcome ? set_failure{} : outcome.error();
}
set_failure run(stage& on) {
    const auto outcome = on.set.run(on.step, {.outputs = {{"pinned_host", 8 * q}, {"device", 8 * q}}});
    return outcome ? set_failure{} : outcome.error();
}
set_failure run_host_step(stage& on) {
    const auto outcome = on.set.run(on.host_step, {.outputs = {{"pinned_host", 8 * q}, {"device", 8 * q}}});
    return outcome ? set_failure{} : outcome.error();
}
set_failure run_with_donors(stage& on) {
    const auto outcome =
        on.set.run(on.step, {.donated = {on.held[0], on.held[5]},
                             .outputs = {{"pinned_host", 8 * q}, {"device", 2 * q}, {"device", 8 * q}}});
    return outcome ? set_failure{} : outcome.error();
}

TEST_CASE("memory_set: a run that reloaded its program before another memory failed evicts it again") {
    const memory_spec spec{.capacity = 10 * q, .quantum = q, .runs_in_flight = 2};
    memories set({spec, spec}, {.memories = {{.device = failing_device(10 * q)}, {.device = failing_device(10 * q)}}});
    const auto step = set.load({.name = "step", .parts = {{"device", 4 * q}, {"pinned_host", 4 * q}}});
    REQUIRE(set.evict(*step));
    for (const char* name : {"device", "pinned_host"}) {
        std::vector<set_buffer> all;
        for (int count = 0; count < 5; ++count) all.push_back(*set.allocate(*memories::kind::named(name), 2 * q));
        REQUIRE((set.free(all[1]) && set.free(all[3])));
    }
    set.memory<"pinned_host">().device().copies_until_failure = 0;
    CHECK(set.run(*step, {}).error().kind == std::string("pinned_host"));
    CHECK_FALSE(set.memory<"device">().about(set.part(*step, "device")).resident);
    CHECK(set.memory<"device">().free_bytes() == 4 * q);
}

TEST_CASE("memory_set: a copy that fails in one memory undoes the call in the other") {
    int failed_calls = 0, undone = 0;
    for (const call tried : {allocate, load, run, run_host_step, run_with_donors}) {
        for (const char* name : {"device", "pinned_host"}) {
            const memories::kind kind = *memories::kind::named(name);
            const memories::kind other = *memories::kind::at(1 - kind.number());
            stage calm;
            REQUIRE_FALSE(tried(calm).names_kind());
            for (std::uint64_t good_copies = 0; good_copies < calm.copied(kind); ++good_copies) {
                CAPTURE(name);
                CAPTURE(good_copies);
                stage faulty;
                const std::uint64_t live = faulty.live(kind), live_there = faulty.live(other);
                faulty.set.visit(kind, [&](auto& memory) { memory.device().copies_until_failure = good_copies; });
                const set_failure why = tried(faulty);
                CHECK(why.why.reason == error::device_failed);
                CHECK(why.kind == std::string(name));
                CHECK(faulty.live(kind) == live);
                std::uint64_t lost = 0;
                for (const set_buffer& buffer : faulty.held)
                    if (faulty.set.check(buffer) != error::none) {
                        CHECK(faulty.set.kind_of(buffer) == other);
                        lost += 2 * q;
                    }
                CHECK(faulty.live(other) == live_there - lost);
                CHECK_FALSE(faulty.set.part(faulty.step, "pinned_host"));
                CHECK_FALSE(faulty.set.part(faulty.host_step, "device"));
                CHECK(faulty.set.issued() == fence{});
                CHECK(faulty.reads_back_all());
                ++failed_calls;
                undone += faulty.copied(other) != 0;
                // It goes on once the device copies again.
                faulty.set.visit(kind, [&](auto& memory) {
                    memory.device().copies_until_failure = failing_device::never;
                    CHECK(memory.finish_moves());
                });
                for (const set_buffer& buffer : faulty.held) static_cast<void>(faulty.set.free(buffer));
                CHECK(faulty.set.unload(faulty.step));
                CHECK(faulty.set.unload(faulty.host_step));
                CHECK(faulty.live("device") + faulty.live("pinned_host") == 0);
            }
        }
    }
    CHECK(failed_calls > 10);
    CHECK(undone > 3);
}

TEST_CASE("memory_set: move_to finishes an interrupted move first, so that the bytes are in one place") {
    for (const bool works : {true, false}) {
        memories set({memory_spec{.capacity = 8 * q, .quantum = q}, memory_spec{.capacity = 8 * q, .quantum = q}},
                     {.memories = {{.device = failing_device(8 * q)}, {.device = failing_device(8 * q)}}});
        auto& memory = set.memory<"device">();
        const auto first = set.allocate("device", 2 * q);
        const auto held = set.allocate("device", 5 * q);
        write(memory, held->held, 99);
        CHECK(set.free(*first));
        memory.device().copies_until_failure = 1;  // it slides over itself, in pieces
        CHECK(memory.compact(8 * q).reason == error::device_failed);
        REQUIRE(memory.moving());
        memory.device().copies_until_failure = works ? failing_device::never : 0;
        bool good = false;
        const auto moved = set.move_to(*held, "pinned_host", [&](const memories::move& copy) {
            good = copy.source.size == 5 * q && reads_back(memory, held->held, 99);
            return true;
        });
        CHECK(moved.has_value() == works);
        CHECK(good == works);
        if (works) continue;
        CHECK(moved.error().why.reason == error::device_failed);
        CHECK(moved.error().kind == std::string("device"));
        CHECK(set.memory<"pinned_host">().live_bytes() == 0);
        CHECK(set.check(*held) == error::none);
    }
}

}  // namespace
}  // namespace hbm::test::failing_set_tests
