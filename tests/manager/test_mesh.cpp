// Several devices that do everything together or nothing.
#include <hbm/hbm.hpp>
#include <hbm/mesh.hpp>

#include <doctest/doctest.h>

#include <string>
#include <support/managers.hpp>
#include <vector>

namespace hbm::test::mesh_tests {

/// Remembers failures.
struct failure_counter {
    static constexpr fixed_string name{"failure_counter"};
    std::uint64_t failures = 0, others = 0;

    constexpr void on(const event& happened) { ++(happened.what == event_kind::failed ? failures : others); }
    friend constexpr bool operator==(const failure_counter&, const failure_counter&) = default;
};

namespace {

constexpr std::uint64_t q = 512;
constexpr memory_spec of(std::uint64_t quanta) {
    return {.name = "small", .capacity = quanta * q};
}
using tpu_memory = manager<bottom_reserve<compacting<best_fit>>, evict_lru, donate_same_size>;

}  // namespace

TEST_CASE("mesh: devices are numbered replica by replica") {
    const mesh_shape shape{2, 3};
    CHECK(shape.devices() == 6);
    CHECK(shape.device(1, 2) == 5);
    CHECK(mesh_shape{1, 0}.devices() == 0);
}

TEST_CASE("mesh: a buffer has a part on each device, of one size or of a size for each") {
    mesh<manager<best_fit>> devices({1, 3}, of(10));
    const auto even = devices.allocate(2 * q);
    const std::uint64_t sizes[] = {q, 0, 5 * q};
    const auto uneven = devices.allocate(sizes, "uneven");
    REQUIRE(even);
    REQUIRE(uneven);
    for (std::size_t device = 0; device < 3; ++device) {
        CHECK(devices.memory(device).granted(even->parts[device]) == 2 * q);
        CHECK(devices.memory(device).granted(uneven->parts[device]) == (device == 2 ? 5 * q : q));
    }
    CHECK(devices.memory(1).check(uneven->parts[0]) == error::foreign_handle);
    CHECK(devices.allocate({q, 2 * q}).error() == mesh_failure{{.reason = error::wrong_shares}});
    CHECK(devices.free(*even));
    CHECK(devices.free(*even).error() == mesh_failure{{.reason = error::stale_handle}, 0, 0});
}

TEST_CASE("mesh: a failure names the first device that is too small, and the buffer or program, and changes nothing") {
    mesh<tpu_memory> devices({2, 2}, {of(20), of(20), of(8), of(7)});
    const auto weights = devices.allocate(4 * q, "weights");
    const auto step = devices.load({.name = "step", .code = q, .scratch = q});
    REQUIRE(weights);
    REQUIRE(step);
    const mesh<tpu_memory> before = devices;
    const auto expect = [&](const mesh_failure& failed, std::uint32_t partition, const char* name) {
        CHECK(failed.replica == 1);
        CHECK(failed.partition == partition);
        CHECK(devices.device_of(failed) == 2 + partition);
        CHECK(std::string(devices.name_of(failed)) == name);
        CHECK(devices == before);
    };
    expect(devices.allocate({q, q, q, 4 * q}, "cache").error(), 1, "cache");
    expect(devices.load({.name = "other", .code = q, .scratch = 4 * q}).error(), 0, "other");
    const auto refused = devices.run(*step, {.inputs = {*weights}, .outputs = {q, {q, "extra"}}});
    expect(refused.error(), 1, "extra");
    CHECK(refused.error().why.argument == 1);
    const tpu_memory& small = devices.memory(3);
    CHECK(small.refused().why == refused.error().why);  // for explanations
}

TEST_CASE("mesh: handles of another mesh, and ended parts, are errors that change nothing") {
    mesh<tpu_memory> devices({1, 2}, of(20)), three({1, 3}, of(20)), others({1, 2}, of(20), 7);
    const auto held = devices.allocate(q);
    const auto step = devices.load({.name = "step", .code = q});
    CHECK(three.free(*held).error().why.reason == error::foreign_handle);
    CHECK(others.free(*held).error() == mesh_failure{{.reason = error::foreign_handle}, 0, 0});
    CHECK(others.run(*step, {}).error() == mesh_failure{{.reason = error::foreign_handle}, 0, 0});
    CHECK(devices.run(*step, {.inputs = {mesh_buffer{}}}).error().why.reason == error::foreign_handle);

    // A part that was freed alone.
    REQUIRE(devices.memory(1).free(held->parts[1]));
    const mesh<tpu_memory> before = devices;
    CHECK(devices.free(*held).error() == mesh_failure{{.reason = error::stale_handle}, 0, 1});
    const mesh_failure failed = devices.run(*step, {.inputs = {*held}}).error();
    CHECK(failed.why.reason == error::stale_handle);
    CHECK(failed.partition == 1);
    CHECK(devices == before);
    CHECK(devices.unload(*step));
    CHECK(devices.unload(*step).error().why.reason == error::stale_handle);
}

TEST_CASE("mesh: without devices, or with specs for other devices, every call fails") {
    mesh<tpu_memory> none, two({1, 2}, {of(9), of(9), of(9)}), given({1, 2}, std::vector<tpu_memory>(1));
    for (mesh<tpu_memory>* devices : {&none, &two, &given}) {
        CHECK(devices->devices() == 0);
        CHECK(devices->allocate(q).error() == mesh_failure{{.reason = error::no_devices}});
        CHECK(devices->load({.code = q}).error() == mesh_failure{{.reason = error::no_devices}});
        CHECK(devices->free({}).error() == mesh_failure{{.reason = error::no_devices}});
        CHECK(devices->run({}, {}).error() == mesh_failure{{.reason = error::no_devices}});
        CHECK(std::string(devices->name_of({})).empty());
    }
}

TEST_CASE("mesh: donation is decided device by device") {
    mesh<tpu_memory> devices({1, 2}, of(20));
    const auto weights = devices.allocate({4 * q, 3 * q});
    const auto step = devices.load({.name = "step", .code = q});
    const extent place = devices.memory(0).where(weights->parts[0]);
    const auto ran = devices.run(*step, {.donated = {*weights}, .outputs = {4 * q}});
    REQUIRE(ran);
    CHECK(ran->on_devices[0].donated == 1);
    CHECK(ran->on_devices[1].donated == 0);
    CHECK(devices.memory(0).where(ran->outputs[0].parts[0]) == place);
    CHECK(devices.free(*weights).error().why.reason == error::stale_handle);
}

TEST_CASE("mesh: the observer of a device hears of its failure, and of no call on a fork") {
    using watched = manager<best_fit, never_evict, never_donate, relieve_cheapest, no_device, failure_counter>;
    mesh<watched> devices({1, 3}, {of(10), of(4), of(10)});
    CHECK_FALSE(devices.allocate(5 * q));
    for (std::size_t device = 0; device < 3; ++device) {
        CHECK(devices.memory(device).events().failures == (device == 1 ? 1 : 0));
        CHECK(devices.memory(device).events().others == 0);
    }
}

TEST_CASE("mesh: a copy and a fork try calls that the mesh does not see") {
    mesh<tpu_memory> devices({1, 2}, of(10));
    const auto held = devices.allocate(q);
    mesh<tpu_memory> copy = devices;
    auto fork = devices.fork();
    CHECK(copy == devices);
    CHECK(fork.free(*held));
    CHECK(copy.allocate(9 * q));
    CHECK_FALSE(copy == devices);
    CHECK(devices.memory(1).live_bytes() == q);
}

}  // namespace hbm::test::mesh_tests
