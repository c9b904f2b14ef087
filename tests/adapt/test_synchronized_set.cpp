// Several threads call one memory_set: no buffer is lost, and each owner is called once.
#include <hbm/adapt/synchronized_set.hpp>
#include <hbm/explain/explain.hpp>
#include <hbm/hbm.hpp>
#include <hbm/manager/awaited_fence.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <testing/seeds.hpp>
#include <thread>
#include <vector>

namespace hbm::test::synchronized_set_tests {
namespace {

constexpr std::uint64_t q = 512;
using host_memory = manager<best_fit, never_evict, donate_same_size>;
using memories = memory_set<spill_in_order, of_kind<"device", host_memory>, of_kind<"pinned_host", host_memory>>;

/// Counts broken rules, because doctest's assertions are slow in threads.
struct worker {
    std::vector<set_buffer> held;
    std::uint64_t adopted = 0;
    std::uint64_t released = 0;
    std::uint64_t broken = 0;
};

template <class Set>
void work(Set& set, set_program step, worker& self, std::uint64_t seed, std::uint64_t amount) {
    testing::random_numbers random(seed);
    const memory_owner owner{[](void* context, extent) noexcept { ++static_cast<worker*>(context)->released; }, &self};
    for (std::uint64_t count = 0; count < amount; ++count) {
        if (random.once_in(8)) {
            const auto outside = set.adopt("pinned_host", {1'000'000, 1}, owner);
            self.adopted += outside.has_value();
            self.broken += !set.free(*outside);
        }
        if (self.held.size() < 4) {
            if (const auto fresh = set.allocate("device", 4 * q)) self.held.push_back(*fresh);
            continue;
        }
        set_buffer& chosen = self.held[random.below(self.held.size())];
        const bool on_device = set.kind_of(chosen) == "device";
        if (random.once_in(3)) {
            self.broken += !set.free(chosen);
            chosen = self.held.back();
            self.held.pop_back();
        } else if (random.once_in(2)) {
            const auto moved =
                set.move_to(chosen, memories::kind::at(on_device ? 1 : 0).value(), [](const auto&) { return true; });
            if (moved) chosen = *moved;
        } else if (const auto ran = set.run(step, {.donated = {chosen}, .outputs = {{set.kind_of(chosen), 4 * q}}})) {
            self.broken += ran->donated != 1;
            chosen = ran->outputs[0];
        }
    }
}

TEST_CASE("synchronized set: four threads lose no buffer, and each owner is called once") {
    synchronized<memories, std::mutex> set{memories({{.capacity = 64 * q}, {.capacity = 64 * q}})};
    const auto step = set.load({.name = "step", .parts = {{"device", q}, {"pinned_host", q}}});
    REQUIRE(step);
    std::vector<worker> workers(4);
    std::vector<std::thread> threads;
    for (std::uint64_t seed = 0; seed < workers.size(); ++seed)
        threads.emplace_back(
            [&, seed] { work(set, *step, workers[seed], seed, seeds_to_try(8'000) / workers.size()); });
    for (std::thread& thread : threads) thread.join();
    std::uint64_t held = 0;
    for (const worker& self : workers) {
        CHECK(self.broken == 0);
        CHECK(self.released == self.adopted);
        held += self.held.size();
        for (const set_buffer buffer : self.held) CHECK(set.granted(buffer) == 4 * q);
    }
    CHECK(set.with([](const auto& plain) {
        return plain.template memory<"device">().live_bytes() + plain.template memory<"pinned_host">().live_bytes();
    }) == held * 4 * q + 2 * q);
}

template <class Set, class Size>
concept allocates = requires(Set set, Size bytes) {
    set.allocate("device", bytes);
};

TEST_CASE("synchronized set: sizes below zero are an error, and sizes are whole numbers, like those of the set") {
    using shared = synchronized<memories, std::mutex>;
    shared set{memories({{.capacity = 8 * q}, {.capacity = 8 * q}})};
    for (const auto& refused : {set.allocate("pinned_host", -1), set.allocate("pinned_host", -1L, "label")}) {
        REQUIRE_FALSE(refused);
        CHECK(error_name(refused.error().why.reason) == doctest::String("negative_size"));
        CHECK(refused.error().kind == doctest::String("pinned_host"));
    }
    CHECK(set.granted(*set.allocate("device", 1)) == q);
    static_assert(allocates<shared&, std::uint64_t> && allocates<shared&, int>);
    static_assert(!allocates<shared&, double> && !allocates<memories&, double>);
}

TEST_CASE("synchronized set: a failure is explained from a fork, and its fence is found without the lock") {
    synchronized<memories, std::mutex> set{memories({{.capacity = 8 * q, .runs_in_flight = 2}, {.capacity = 8 * q}})};
    const auto step = set.load({.name = "step", .parts = {{"device", q}}});
    const auto ran = set.run(*step, {.outputs = {{"device", 7 * q}}, .run_us = 5});
    REQUIRE(ran);
    CHECK(set.free(ran->outputs[0]));
    const auto call = [](auto& any) { return any.allocate("device", 6 * q); };
    CHECK(awaited_fence(set, call) == ran->over);
    CHECK(set.retire(ran->over));
    CHECK(awaited_fence(set, call) == fence{});
    auto [cache, snapshot] =
        set.call_or_fork([](auto& plain) { return plain.allocate("pinned_host", 9 * q, "cache"); });
    REQUIRE((!cache && snapshot));
    CHECK(explain(*snapshot, cache.error()).find("pinned_host") != std::string::npos);
}

}  // namespace
}  // namespace hbm::test::synchronized_set_tests
