// A host without memory at every place of the calls of what wraps or joins managers: the program ends with a message,
// and no exception comes out. For managers themselves see test_faults.cpp.
#include <hbm/hbm.hpp>
#include <hbm/memory_set.hpp>
#include <hbm/mesh.hpp>

#include <doctest/doctest.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "manager/host_allocations.hpp"
#include "support/child_process.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::host_exhaustion_tests {
namespace {

constexpr std::uint64_t q = 64;
constexpr memory_spec small{.capacity = 32 * q, .quantum = q, .runs_in_flight = 2};
constexpr int ended = 7, an_exception_came_out = 8;

template <class Stage>
struct operation {
    const char* name;
    void (*call)(Stage&);
};

/// Calls each operation on a new stage, in a child for each number of allocations that the host still grants, until it
/// grants all. Returns how many children ended for want of memory.
template <class Stage>
int exhaust_host_in(const std::vector<operation<Stage>>& operations) {
    int exhaustions = 0;
    for (const operation<Stage>& tried : operations) {
        CAPTURE(std::string(tried.name));
        for (std::size_t k = 0;; k += tries_all_seeds() ? 1U : 7U) {
            CAPTURE(k);
            const process_end end = run_in_child([&] {
                Stage now;
                exhaust_host_after(k);
                try {
                    tried.call(now);
                } catch (...) {
                    std::_Exit(an_exception_came_out);
                }
                std::_Exit(ended);
            });
            if (end.signal == 0 && end.status == ended) break;
            ++exhaustions;
            REQUIRE(end.signal == SIGABRT);
            CHECK(end.messages.find("bad_alloc") != std::string::npos);
        }
    }
    return exhaustions;
}

/// Two memories with holes.
struct set_of_two {
    using member = manager<compacting<best_fit>, evict_lru, donate_same_size>;
    using memories = memory_set<spill_in_order, of_kind<"device", member>, of_kind<"pinned_host", member>>;

    memories set{{small, small}};
    set_program step = *set.load({.name = "step", .parts = {{"device", q}}});
    std::vector<set_buffer> held;

    set_of_two() {
        for (int count = 0; count < 8; ++count) held.push_back(*set.allocate("device", 3 * q));
        for (std::size_t at = 1; at < held.size(); at += 2) static_cast<void>(set.free(held[at]));
    }
};

struct mesh_of_two {
    using member = manager<compacting<best_fit>, evict_lru, donate_same_size>;

    mesh<member> devices{mesh_shape{1, 2}, small};
    mesh_program step = *devices.load({.name = "step", .code = q, .scratch = q});
    std::vector<mesh_buffer> held;

    mesh_of_two() {
        for (int count = 0; count < 8; ++count) held.push_back(*devices.allocate(3 * q));
        for (std::size_t at = 1; at < held.size(); at += 2) static_cast<void>(devices.free(held[at]));
    }
};

}  // namespace

TEST_CASE("host exhaustion: ends the program in any call of a set of memories") {
    using on = set_of_two&;
    const int exhaustions = exhaust_host_in<set_of_two>(
        {{"allocate", [](on now) { static_cast<void>(now.set.allocate("device", q, "a new name")); }},
         {"allocate with relief", [](on now) { static_cast<void>(now.set.allocate("device", 10 * q)); }},
         {"allocate elsewhere", [](on now) { static_cast<void>(now.set.allocate("device", 30 * q)); }},
         {"adopt", [](on now) { static_cast<void>(now.set.adopt("device", {.offset = 64 * q, .size = q})); }},
         {"free", [](on now) { static_cast<void>(now.set.free(now.held[0])); }},
         {"free later",
          [](on now) {
              const auto ran = now.set.run(now.step, {.inputs = {now.held[0]}});
              static_cast<void>(now.set.free(now.held[0], ran->over));
              now.set.sync();
          }},
         {"move",
          [](on now) {
              static_cast<void>(now.set.move_to(now.held[0], "pinned_host", [](const auto&) { return true; }));
          }},
         {"load",
          [](on now) {
              const auto loaded = now.set.load({.name = "new", .parts = {{"device", 4 * q}, {"pinned_host", 4 * q}}});
              if (loaded) static_cast<void>(now.set.unload(*loaded));
          }},
         {"evict and load again",
          [](on now) {
              static_cast<void>(now.set.evict(now.step));
              static_cast<void>(now.set.load(now.step));
          }},
         {"run", [](on now) {
              static_cast<void>(now.set.run(
                  now.step, {.inputs = {now.held[0]}, .outputs = {{"pinned_host", 8 * q}, {"device", 8 * q}}}));
          }}});
    MESSAGE(exhaustions << " allocations of the host failed");
    CHECK((exhaustions > 100 || !tries_all_seeds()));
}

TEST_CASE("host exhaustion: ends the program in any call of a mesh") {
    using on = mesh_of_two&;
    const int exhaustions = exhaust_host_in<mesh_of_two>(
        {{"allocate", [](on now) { static_cast<void>(now.devices.allocate(q, "a new name")); }},
         {"allocate with relief",
          [](on now) {
              static_cast<void>(now.devices.allocate({q, 10 * q}));
          }},
         {"free", [](on now) { static_cast<void>(now.devices.free(now.held[0])); }},
         {"load",
          [](on now) {
              const auto loaded = now.devices.load({.name = "new", .code = 4 * q, .scratch = 2 * q});
              if (loaded) static_cast<void>(now.devices.unload(*loaded));
          }},
         {"evict and load again",
          [](on now) {
              static_cast<void>(now.devices.evict(now.step));
              static_cast<void>(now.devices.load(now.step));
          }},
         {"run",
          [](on now) {
              static_cast<void>(now.devices.run(now.step, {.donated = {now.held[0]}, .outputs = {{3 * q}, {8 * q}}}));
          }},
         {"free later and sync",
          [](on now) {
              const auto ran = now.devices.run(now.step, {.inputs = {now.held[0]}});
              static_cast<void>(now.devices.free(now.held[0], ran->over));
              now.devices.sync();
          }},
         {"fork", [](on now) { static_cast<void>(now.devices.fork()); }}});
    MESSAGE(exhaustions << " allocations of the host failed");
    CHECK((exhaustions > 100 || !tries_all_seeds()));
}

}  // namespace hbm::test::host_exhaustion_tests
