// Several threads call one mesh: no part is lost, and every part belongs to one buffer.
#include <hbm/adapt/synchronized_mesh.hpp>
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

namespace hbm::test::synchronized_mesh_tests {
namespace {

constexpr std::uint64_t q = 512;
constexpr memory_spec of(std::uint64_t quanta, std::uint32_t runs_in_flight = 0) {
    return {.name = "small", .capacity = quanta * q, .runs_in_flight = runs_in_flight};
}
using memory_type = manager<bottom_reserve<compacting<best_fit>>, evict_lru, donate_same_size>;

/// A buffer and the size of its parts, which all devices share.
struct held_buffer {
    mesh_buffer handle;
    std::uint64_t bytes = 0;
};

/// Counts broken rules, because doctest's assertions are slow in threads.
struct worker {
    std::vector<held_buffer> held;
    std::uint64_t runs = 0;
    std::uint64_t broken = 0;
};

template <class Mesh>
void train(Mesh& devices, mesh_program step, worker& self, std::uint64_t seed, std::uint64_t amount) {
    testing::random_numbers random(seed);
    for (std::uint64_t count = 0; count < amount; ++count) {
        if (self.held.size() < 2 || (self.held.size() < 6 && random.once_in(3))) {
            const std::uint64_t bytes = (1 + random.below(8)) * q;
            if (const auto block = devices.allocate(bytes)) self.held.push_back({*block, bytes});
            continue;
        }
        held_buffer& chosen = self.held[random.below(self.held.size())];
        if (random.once_in(3)) {
            self.broken += !devices.free(chosen.handle);
            chosen = self.held.back();
            self.held.pop_back();
        } else if (const auto ran = devices.run(step, {.donated = {chosen.handle}, .outputs = {chosen.bytes}})) {
            self.broken += ran->donated != devices.devices();
            self.broken += devices.check(chosen.handle) != error::stale_handle;
            chosen.handle = ran->outputs[0];
            ++self.runs;
        }
    }
}

TEST_CASE("synchronized mesh: four threads lose no part") {
    synchronized<mesh<memory_type>, std::mutex> devices{mesh<memory_type>({2, 2}, of(256))};
    const auto step = devices.load({.name = "step", .code = 4 * q, .scratch = 8 * q});
    REQUIRE(step);
    std::vector<worker> workers(4);
    std::vector<std::thread> threads;
    for (std::uint64_t seed = 0; seed < workers.size(); ++seed)
        threads.emplace_back(
            [&, seed] { train(devices, *step, workers[seed], seed, seeds_to_try(8'000) / workers.size()); });
    for (std::thread& thread : threads) thread.join();
    std::uint64_t held_bytes = 0;
    for (const worker& self : workers) {
        CHECK(self.broken == 0);
        CHECK(self.runs != 0);
        for (const held_buffer& held : self.held) {
            held_bytes += held.bytes;
            devices.with([&](const auto& mesh) {
                for (std::size_t device = 0; device < 4; ++device)
                    CHECK(mesh.memory(device).granted(mesh.part(held.handle, device)) == held.bytes);
            });
        }
    }
    for (std::size_t device = 0; device < 4; ++device)
        CHECK(devices.with([&](const auto& mesh) { return mesh.memory(device).live_bytes(); }) == held_bytes + 12 * q);
}

TEST_CASE("synchronized mesh: a failure is explained from a fork, and its fence is found without the lock") {
    synchronized<mesh<memory_type>, std::mutex> devices{mesh<memory_type>({1, 2}, {of(64, 4), of(32, 4)})};
    const auto step = devices.load({.name = "step", .code = q});
    const auto batch = devices.allocate(16 * q, "batch");
    REQUIRE(step);
    REQUIRE(batch);
    const auto ran = devices.run(*step, {.inputs = {*batch}});
    REQUIRE(ran);
    const auto [cache, refused] = devices.call_or_fork([](auto& mesh) { return mesh.allocate(24 * q, "cache"); });
    REQUIRE(!cache);
    REQUIRE(refused);
    CHECK(devices.device_of(cache.error()) == 1);
    CHECK(explain(refused->memory(1), cache.error().why).find("batch") != std::string::npos);

    CHECK(devices.free(*batch));
    const auto call = [](auto& mesh) { return mesh.allocate(24 * q, "cache"); };
    CHECK(awaited_fence(devices, call) == ran->over);
    CHECK(devices.retire(ran->over));
    CHECK(awaited_fence(devices, call) == fence{});
    CHECK(devices.with(call));
}

TEST_CASE("mesh: a run that a device refuses is explained by its arguments") {
    mesh<memory_type> devices({1, 2}, {of(64), of(32)});
    const auto step = devices.load({.name = "step", .code = q});
    const auto weights = devices.allocate(20 * q, "weights");
    REQUIRE(weights);
    const auto ran = devices.run(*step, {.inputs = {*weights}, .outputs = {{8 * q, "logits"}, {8 * q, "cache"}}});
    REQUIRE(!ran);
    const std::size_t device = devices.device_of(ran.error());
    REQUIRE(device == 1);
    const std::string why = explain(devices.memory(device), ran.error().why);
    CHECK(why.find("weights") != std::string::npos);
    CHECK(why.find("explain the run itself") == std::string::npos);
}

}  // namespace
}  // namespace hbm::test::synchronized_mesh_tests
