// Copies that fail on one device of a mesh, when its call has succeeded on all forks.
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/hbm.hpp>
#include <hbm/mesh.hpp>

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "faults/faulty.hpp"

namespace hbm::test::mesh_faults_tests {
namespace {

constexpr std::uint64_t q = 16;
using faulty =
    manager<compacting<best_fit>, evict_lru, donate_fitting, relieve_cheapest, faulty_device, faulty_observer>;

/// Two devices with holes, so that a call of 4 quanta needs a move on each; the copies of the second fail.
struct stage {
    mesh<faulty> devices;
    mesh_program step;
    std::vector<mesh_buffer> held;

    stage() {
        std::vector<faulty> memories;
        for (const std::uint32_t salt : {1u, 2u})
            memories.emplace_back(memory_spec{.capacity = 16 * q, .quantum = q},
                                  faulty::options{.device = faulty_device(16 * q), .salt = salt});
        devices = mesh<faulty>(mesh_shape{1, 2}, std::move(memories));
        step = *devices.load({.name = "step", .code = q});
        for (int count = 0; count < 5; ++count) held.push_back(*devices.allocate(3 * q));
        for (const std::size_t at : {0u, 2u, 4u}) static_cast<void>(devices.free(held[at]));
        devices.memory(1).device().copies_until_failure = 0;
    }

    /// Returns true if the call failed on the second device, and both memories are sound and hold what was there
    /// before.
    template <class T>
    [[nodiscard]] bool is_undone(const mesh_result<T>& outcome, std::uint64_t live) {
        if (outcome || outcome.error().why.reason != error::device_failed || outcome.error().partition != 1)
            return false;
        bool good = true;
        for (std::size_t device = 0; device < 2; ++device) {
            faulty& memory = devices.memory(device);
            memory.device().copies_until_failure = failing_device::never;
            good = memory.finish_moves().has_value() && good;
            memory.sync();
            good = good && memory.events().audit.check_blocks(memory) && memory.live_bytes() == live;
        }
        return good;
    }
};

}  // namespace

TEST_CASE("mesh faults: a copy that fails on a later device undoes an allocation, a load and a run on the earlier") {
    constexpr std::uint64_t live = (1 + 2 * 3) * q;
    stage allocating, loading, running;
    CHECK(allocating.is_undone(allocating.devices.allocate(8 * q), live));
    CHECK(loading.is_undone(loading.devices.load({.name = "other", .code = 8 * q}), live));
    CHECK(running.is_undone(running.devices.run(running.step, {.outputs = {8 * q}}), live));
}

TEST_CASE("mesh faults: after a failed copy the same call succeeds once the device copies again") {
    stage now;
    REQUIRE_FALSE(now.devices.allocate(8 * q));
    now.devices.memory(1).device().copies_until_failure = failing_device::never;
    CHECK(now.devices.allocate(8 * q));
}

TEST_CASE("mesh faults: donated buffers end where an undone run was done, and stay elsewhere") {
    stage now;
    const mesh_buffer donor = now.held[1];
    REQUIRE_FALSE(now.devices.run(now.step, {.donated = {donor}, .outputs = {8 * q}}));
    CHECK(now.devices.memory(0).check(donor.parts[0]) == error::stale_handle);
    CHECK(now.devices.memory(1).check(donor.parts[1]) == error::none);
}

}  // namespace hbm::test::mesh_faults_tests
