// Copies that fail and observers that throw on one device of a mesh at every place of every call, and calls back.
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/hbm.hpp>
#include <hbm/mesh.hpp>
#include <hbm/placement/first_fit.hpp>

#include <doctest/doctest.h>

#include <csignal>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "faults/faulty.hpp"
#include "support/child_process.hpp"

namespace hbm::test::mesh_faults_tests {

namespace {

constexpr std::uint64_t q = 16;

template <class Placement>
using faulty = manager<Placement, evict_lru, donate_fitting, relieve_cheapest, faulty_device, faulty_observer>;

/// Two devices with holes, so that calls need moves, a program that is evicted, and a run in flight.
template <class Manager>
struct stage {
    mesh<Manager> devices;
    mesh_program step, other;
    std::vector<mesh_buffer> held;

    stage() {
        std::vector<Manager> memories;
        for (const std::uint32_t salt : {1u, 2u})
            memories.emplace_back(memory_spec{.capacity = 22 * q, .quantum = q, .runs_in_flight = 1},
                                  typename Manager::options{.device = faulty_device(22 * q), .salt = salt});
        devices = mesh<Manager>(mesh_shape{1, 2}, std::move(memories));
        step = *devices.load({.name = "step", .code = q, .scratch = 2 * q, .reload_us = 1000000});
        other = *devices.load({.name = "other", .code = 3 * q, .scratch = q});
        for (const std::uint64_t size : {2u, 1u, 3u, 1u, 2u, 1u, 3u, 1u}) held.push_back(*devices.allocate(size * q));
        static_cast<void>(devices.evict(other));
        for (std::size_t at = 1; at < held.size(); at += 2) static_cast<void>(devices.free(held[at]));
        static_cast<void>(devices.run(step, {.inputs = {held[0]}}));
        for (std::size_t device = 0; device < 2; ++device)
            devices.memory(device).device().copies = devices.memory(device).events().events = 0;
    }
    stage(const stage&) = delete;
    stage& operator=(const stage&) = delete;

    [[nodiscard]] bool is_sound() {
        bool good = true;
        for (std::size_t device = 0; device < 2; ++device) {
            Manager& memory = devices.memory(device);
            good = good && memory.events().audit.check_blocks(memory) && memory.device().overlaps == 0;
        }
        return good;
    }
    /// Frees and unloads everything by handles of the mesh. Returns true if that leaves one hole on each device.
    [[nodiscard]] bool empties(const std::vector<mesh_buffer>& outputs) {
        bool good = true;
        for (std::size_t device = 0; device < 2; ++device) {
            Manager& memory = devices.memory(device);
            memory.device().copies_until_failure = failing_device::never;
            good = memory.finish_moves().has_value() && good;
        }
        for (const mesh_buffer handle : held) static_cast<void>(devices.free(handle));
        for (const mesh_buffer handle : outputs) good = devices.free(handle).has_value() && good;
        for (const mesh_program loaded : {step, other}) static_cast<void>(devices.unload(loaded));
        devices.sync();
        for (std::size_t device = 0; device < 2; ++device) {
            const Manager& memory = devices.memory(device);
            good = good && memory.live_bytes() == 0 && memory.largest_free_bytes() == memory.capacity_bytes();
        }
        return good && is_sound();
    }
    /// Frees and unloads everything on each device alone. Returns true if that leaves one hole on each.
    [[nodiscard]] bool empties_alone() {
        bool good = true;
        for (std::size_t device = 0; device < 2; ++device) good = frees_all(devices.memory(device)) && good;
        return empties({}) && good;
    }
};

/// A call that returns the buffers it allocated.
template <class Manager>
struct operation {
    const char* name;
    std::function<std::vector<mesh_buffer>(stage<Manager>&)> call;
};

template <class Manager>
std::vector<operation<Manager>> operations() {
    using on = stage<Manager>&;
    using buffers = std::vector<mesh_buffer>;
    const auto none = [](const auto&) { return buffers{}; };
    const auto run = [](on s, mesh_program started, const mesh_run_spec& spec) {
        const auto ran = s.devices.run(started, spec);
        return ran ? buffers(ran->outputs.begin(), ran->outputs.end()) : buffers{};
    };
    const auto allocate = [](on s, const shares& bytes) {
        const auto result = s.devices.allocate(bytes);
        return result ? buffers{*result} : buffers{};
    };
    return {{"allocate", [=](on s) { return allocate(s, q); }},
            {"allocate with relief", [=](on s) { return allocate(s, 8 * q); }},
            {"allocate with relief on one",
             [=](on s) {
                 return allocate(s, {q, 8 * q});
             }},
            {"allocate too much on one",
             [=](on s) {
                 return allocate(s, {8 * q, 30 * q});
             }},
            {"free", [=](on s) { return none(s.devices.free(s.held[0])); }},
            {"pin", [=](on s) { return none(s.devices.pin(s.held[2])); }},
            {"load",
             [=](on s) {
                 const auto result = s.devices.load({.name = "new", .code = 7 * q, .scratch = 2 * q});
                 if (result) static_cast<void>(s.devices.unload(*result));
                 return buffers{};
             }},
            {"load again", [=](on s) { return none(s.devices.load(s.other)); }},
            {"evict", [=](on s) { return none(s.devices.evict(s.step)); }},
            {"unload", [=](on s) { return none(s.devices.unload(s.step)); }},
            {"run",
             [=](on s) {
                 return run(s, s.step, {.inputs = {s.held[2]}, .outputs = {{q}, {6 * q}}});
             }},
            {"run with donation",
             [=](on s) {
                 return run(s, s.step, {.donated = {s.held[2]}, .outputs = {{2 * q}, {7 * q}}});
             }},
            {"run what was evicted", [=](on s) { return run(s, s.other, {.donated = {s.held[6]}, .outputs = {{q}}}); }},
            {"sync", [=](on s) { return s.devices.sync(), buffers{}; }}};
}

struct counts {
    int copies = 0;
    int exceptions = 0;
    int callbacks = 0;
};

template <class Manager>
void fail_copies(const operation<Manager>& tried, std::size_t device, counts& sums) {
    stage<Manager> calm;
    const std::vector<mesh_buffer> outputs = tried.call(calm);
    const std::uint64_t copies = calm.devices.memory(device).device().copies;
    CHECK(calm.is_sound());
    CHECK(calm.empties(outputs));
    for (std::uint64_t k = 0; k < copies; ++k) {
        CAPTURE(k);
        stage<Manager> now;
        now.devices.memory(device).device().copies_until_failure = k;
        const std::vector<mesh_buffer> left = tried.call(now);
        ++sums.copies;
        CHECK(now.is_sound());
        CHECK(now.empties(left));
    }
}

void throw_now(void* /*argument*/) {
    throw thrown{};
}
template <class Manager>
void throw_at_events(const operation<Manager>& tried, std::size_t device, counts& sums) {
    stage<Manager> calm;
    tried.call(calm);
    const std::uint64_t events = calm.devices.memory(device).events().events;
    for (std::uint64_t k = 1; k <= events; ++k) {
        CAPTURE(k);
        stage<Manager> now;
        faulty_observer& observer = now.devices.memory(device).events();
        observer.act = throw_now;
        observer.chosen = k;
        CHECK_THROWS_AS(tried.call(now), thrown);
        ++sums.exceptions;
        CHECK(now.is_sound());
        CHECK(now.empties_alone());
    }
}

template <class Manager>
void call_back(void* devices) {
    static_cast<void>(static_cast<mesh<Manager>*>(devices)->allocate(q));
}
template <class Manager>
void call_back_at_events(const operation<Manager>& tried, std::size_t device, counts& sums) {
    stage<Manager> calm;
    tried.call(calm);
    const std::uint64_t events = calm.devices.memory(device).events().events;
    for (std::uint64_t k = 1; k <= events; ++k) {
        CAPTURE(k);
        const process_end end = run_in_child([&] {
            stage<Manager> now;
            faulty_observer& observer = now.devices.memory(device).events();
            observer.act = call_back<Manager>;
            observer.argument = &now.devices;
            observer.chosen = k;
            tried.call(now);
        });
        ++sums.callbacks;
        CHECK(end.signal == SIGILL);
        CHECK(end.messages == "hbm: an observer or device called the manager that called it\n");
    }
}

template <class Manager>
void try_all(counts& sums) {
    for (const operation<Manager>& tried : operations<Manager>()) {
        for (const std::size_t device : {0u, 1u}) {
            CAPTURE(std::string(tried.name));
            CAPTURE(device);
            fail_copies(tried, device, sums);
            throw_at_events(tried, device, sums);
            call_back_at_events(tried, device, sums);
        }
    }
}

}  // namespace

TEST_CASE("mesh faults: failed copies lose no part, exceptions leave each device whole, calls back end the program") {
    counts sums;
    try_all<faulty<compacting<first_fit>>>(sums);
    try_all<faulty<bottom_reserve<compacting<best_fit>>>>(sums);
    MESSAGE(sums.copies << " copies failed, " << sums.exceptions << " exceptions, " << sums.callbacks << " calls back");
    CHECK(sums.copies > 15);
    CHECK(sums.exceptions > 60);
    CHECK(sums.callbacks > 60);
}

}  // namespace hbm::test::mesh_faults_tests
