// A manager behind a mutex, from several threads.
#include <hbm/adapt/locked.hpp>
#include <hbm/explain/explain.hpp>
#include <hbm/hbm.hpp>
#include <hbm/mesh.hpp>

#include <doctest/doctest.h>

#include <string>
#include <support/managers.hpp>
#include <thread>
#include <vector>

namespace hbm::test::locked_tests {
namespace {

constexpr std::uint64_t q = 512;
using tpu_memory = manager<bottom_reserve<compacting<best_fit>>, evict_lru, donate_same_size>;

/// Allocates and frees on several threads at once; each keeps one buffer. Returns those.
template <class Memory, class Handle>
std::vector<Handle> use_from_threads(Memory& memory, std::size_t threads) {
    std::vector<Handle> kept(threads);
    std::vector<std::thread> workers;
    for (std::size_t number = 0; number < threads; ++number)
        workers.emplace_back([&memory, &own = kept[number]] {
            own = memory.with([](auto& held) { return held.allocate(q, "kept").value(); });
            for (int count = 0; count < 200; ++count) {
                const auto got = memory.with([](auto& held) { return held.allocate(3 * q); });
                if (got) memory.with([&](auto& held) { return held.free(*got); });
            }
        });
    for (std::thread& worker : workers) worker.join();
    return kept;
}

}  // namespace

TEST_CASE("locked: calls of several threads leave a sound memory") {
    locked memory{tpu_memory({.capacity = 64 * q})};
    const auto kept = use_from_threads<decltype(memory), buffer>(memory, 4);
    CHECK(memory.with([](auto& held) { return held.live_bytes(); }) == 4 * q);
    for (const buffer each : kept) CHECK(memory.with([&](auto& held) { return held.check(each); }) == error::none);
}

TEST_CASE("locked: a mesh goes behind a mutex as well") {
    locked devices{mesh<tpu_memory>({1, 2}, memory_spec{.capacity = 64 * q})};
    const auto kept = use_from_threads<decltype(devices), mesh_buffer>(devices, 2);
    CHECK(devices.with([](auto& held) { return held.memory(1).live_bytes(); }) == 2 * q);
    CHECK(devices.with([&](auto& held) { return held.free(kept[0]); }));
}

TEST_CASE("locked: several calls are one, and the result is a copy") {
    locked memory{tpu_memory({.capacity = 64 * q})};
    const std::uint64_t before = memory.with([](tpu_memory& held) {
        const std::uint64_t free = held.free_bytes();
        static_cast<void>(held.allocate(q));
        return free;
    });
    CHECK(before == 64 * q);
}

TEST_CASE("locked: call_or_fork keeps the memory that refused the call, to explain it without the lock") {
    locked memory{tpu_memory({.capacity = 64 * q})};
    const auto good = memory.call_or_fork([](auto& held) { return held.allocate(40 * q, "weights"); });
    CHECK(good.outcome);
    CHECK_FALSE(good.fork);
    const auto [cache, refused] = memory.call_or_fork([](auto& held) { return held.allocate(32 * q, "cache"); });
    REQUIRE(refused);
    memory.with([&](auto& held) { return held.free(*good.outcome); });
    CHECK(refused->live_bytes() == 40 * q);
    CHECK(explain(*refused, cache.error()).find("'weights'") != std::string::npos);
}

}  // namespace hbm::test::locked_tests
