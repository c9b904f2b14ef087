// Steps of the calls of a mesh and of a memory_set, as blocks, runs in flight and late frees become many.
#include <hbm/hbm.hpp>
#include <hbm/memory_set.hpp>
#include <hbm/mesh.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "steps.hpp"

namespace hbm::test::several_memories_tests {

namespace {

constexpr std::uint64_t unit = 64;
using simple = manager<best_fit>;
using mesh_of_two = mesh<simple>;

/// Returns a mesh of two devices with `blocks` pairs of a buffer and a hole, and a hole of `rest` bytes at the top.
mesh_of_two comb_mesh(std::uint64_t blocks, std::vector<mesh_buffer>& held, std::uint64_t rest) {
    mesh_of_two memory({.partitions = 2}, {.capacity = 2 * blocks * unit + rest, .quantum = 1});
    std::vector<mesh_buffer> gaps;
    for (std::uint64_t at = 0; at < blocks; ++at) {
        held.push_back(memory.allocate(unit).value());
        gaps.push_back(memory.allocate(unit).value());
    }
    for (const mesh_buffer gap : gaps) memory.free(gap);
    return memory;
}

using memories = memory_set<spill_in_order, of_kind<"device", simple>, of_kind<"host", simple>>;
constexpr memories::kind device = "device";
constexpr memories::kind host = "host";

/// Returns a set with `blocks` pairs of a buffer and a hole in each memory, and a hole of `rest` bytes at both tops.
memories comb_set(std::uint64_t blocks, std::vector<set_buffer>& held, std::uint64_t rest, std::uint32_t runs = 0) {
    const memory_spec spec{.capacity = 2 * blocks * unit + rest, .quantum = 1, .runs_in_flight = runs};
    memories set({spec, spec});
    std::vector<set_buffer> gaps;
    for (std::uint64_t at = 0; at < blocks; ++at)
        for (const memories::kind kind : {device, host}) {
            held.push_back(set.allocate(kind, unit).value());
            gaps.push_back(set.allocate(kind, unit).value());
        }
    for (const set_buffer gap : gaps) set.free(gap);
    return set;
}

}  // namespace

TEST_CASE("mesh: steps of calls on buffers are constant, those of calls that fork linear in the blocks") {
    step_table steps("mesh, blocks");
    step_series& checks = steps.add("check, part", growth::constant);
    step_series& surely = steps.add("allocate that surely fits, and free", {growth::constant, 200});
    step_series& tried = steps.add("allocate that has to be tried", growth::n);
    step_series& frees = steps.add("free", growth::constant);
    step_series& pins = steps.add("pin, and unpin", growth::constant);
    step_series& loads = steps.add("load", growth::n);
    step_series& reloads = steps.add("load a program in memory", growth::constant);
    step_series& evictions = steps.add("evict, and unload", growth::constant);
    step_series& runs = steps.add("run", growth::n);
    step_series& forks = steps.add("fork", growth::n);
    step_series& comparisons = steps.add("compare", growth::n);
    for (const std::uint64_t blocks : counts(1000, 100'000)) {
        steps.begin(blocks);
        std::vector<mesh_buffer> held;
        mesh_of_two memory = comb_mesh(blocks, held, 16 * unit);
        const mesh_program step = memory.load({.name = "step", .code = unit}).value();
        const std::vector<mesh_output> one{unit};
        for (std::size_t call = 0; call < 5; ++call) {
            const mesh_buffer subject = held[call * 37];
            checks.count([&] { return memory.check(subject) == error::none && memory.part(subject, 1); });
            surely.count([&] { return memory.free(memory.allocate(unit).value()); });
            mesh_buffer fresh;
            tried.count([&] { return fresh = memory.allocate(2 * unit, "", {.alignment = 2}).value(); });
            frees.count([&] { return memory.free(fresh); });
            pins.count([&] { return memory.pin(subject) && memory.unpin(subject); });
            mesh_program other;
            loads.count([&] { return other = memory.load({.name = "other", .code = unit}).value(); });
            reloads.count([&] { return memory.load(other); });
            evictions.count([&] { return memory.evict(other) && memory.unload(other); });
            mesh_run_result ran;
            runs.count([&] { return ran = memory.run(step, {.outputs = one}).value(); });
            REQUIRE(memory.free(ran.outputs[0]));
            forks.count([&] { return memory.fork(); });
            const mesh_of_two copy = memory;
            comparisons.count([&] { return memory == copy; });
        }
        CHECK(memory.memory(1).live_bytes() == (blocks + 1) * unit);
    }
    steps.expect();
}

TEST_CASE("mesh: steps of fences are at most linear in the runs in flight") {
    step_table steps("mesh, runs in flight");
    step_series& reads = steps.add("issued, reached", growth::n);
    step_series& runs = steps.add("run that ends the oldest", growth::n);
    step_series& retires = steps.add("retire of the oldest", growth::n);
    step_series& syncs = steps.add("sync", growth::n);
    for (const std::uint32_t flights : {10u, 100u, 1000u}) {
        steps.begin(flights);
        mesh_of_two memory({.partitions = 2}, {.capacity = 64 * unit, .quantum = 1, .runs_in_flight = flights});
        const mesh_program step = memory.load({.name = "step", .code = unit}).value();
        const mesh_buffer input = memory.allocate(unit).value();
        const std::vector<mesh_buffer> inputs{input};
        const auto run = [&] { return memory.run(step, {.inputs = inputs}); };
        for (std::uint32_t at = 0; at < flights; ++at) REQUIRE(run());
        for (int call = 0; call < 5; ++call) {
            reads.count([&] { return memory.issued().number + memory.reached().number; });
            runs.count(run);
        }
        retires.count([&] { return memory.retire({memory.reached().number + 1}); });
        CHECK(memory.memory(0).flights().size() == flights - 1);
        syncs.count([&] { memory.sync(); });
        CHECK(memory.reached() == memory.issued());
    }
    steps.expect();
}

TEST_CASE("memory_set: steps of calls in one memory are constant, those of calls that fork linear in the blocks") {
    step_table steps("set, blocks");
    step_series& checks = steps.add("check, where, granted", growth::constant);
    step_series& surely = steps.add("allocate that surely fits, and free", {growth::constant, 200});
    step_series& planned = steps.add("allocate that has to be planned", growth::n);
    step_series& moves = steps.add("move_to", {growth::constant, 200});
    step_series& pins = steps.add("pin, and unpin", growth::constant);
    step_series& adoptions = steps.add("adopt, and free", growth::constant);
    step_series& loads = steps.add("load in one memory, evict, unload", {growth::constant, 1300});
    step_series& joint_loads = steps.add("load in both memories", growth::n);
    step_series& runs = steps.add("run in one memory", {growth::constant, 200});
    step_series& joint_runs = steps.add("run in both memories", growth::n);
    step_series& forks = steps.add("fork", growth::n);
    step_series& comparisons = steps.add("compare", growth::n);
    for (const std::uint64_t blocks : counts(1000, 100'000)) {
        steps.begin(blocks);
        std::vector<set_buffer> held;
        memories set = comb_set(blocks, held, 16 * unit);
        const memories::program_spec single{.name = "single", .parts = {}};
        const std::vector<set_part<memories::kind>> parts{{.kind = device, .code = unit}, {.kind = host, .code = unit}};
        const set_program step = set.load(single).value();
        const set_program joint_step = set.load(single).value();
        const std::vector<memories::output> one{{.kind = device, .bytes = unit}};
        const std::vector<memories::output> both{{.kind = device, .bytes = unit}, {.kind = host, .bytes = unit}};
        const auto free_all = [&](const set_run_result& ran) {
            for (const set_buffer freed : ran.outputs) REQUIRE(set.free(freed));
        };
        for (std::size_t call = 0; call < 5; ++call) {
            const set_buffer subject = held[call * 37];
            checks.count([&] {
                return set.check(subject) == error::none ? set.where(subject).offset + set.granted(subject) : 0;
            });
            surely.count([&] { return set.free(set.allocate(device, unit).value()); });
            set_buffer fresh;
            planned.count([&] { return fresh = set.allocate(device, 2 * unit, "", {.alignment = 2}).value(); });
            REQUIRE(set.free(fresh));
            fresh = set.allocate(device, unit).value();
            moves.count([&] { return fresh = set.move_to(fresh, host, [](const auto&) { return true; }).value(); });
            REQUIRE(set.free(fresh));
            pins.count([&] { return set.pin(subject) && set.unpin(subject); });
            adoptions.count([&] { return set.free(set.adopt(host, {std::uint64_t{1} << 40u, unit}).value()); });
            loads.count([&] {
                const set_program loaded = set.load(single).value();
                return set.evict(loaded) && set.unload(loaded);
            });
            set_program joint;
            joint_loads.count([&] { return joint = set.load({.name = "joint", .parts = parts}).value(); });
            REQUIRE(set.unload(joint));
            set_run_result ran;
            runs.count([&] { return ran = set.run(step, {.outputs = one}).value(); });
            free_all(ran);
            joint_runs.count([&] { return ran = set.run(joint_step, {.outputs = both}).value(); });
            free_all(ran);
            forks.count([&] { return set.fork(); });
            const memories copy = set;
            comparisons.count([&] { return set == copy; });
        }
        CHECK(set.memory<"host">().live_bytes() == blocks * unit + 1);
    }
    steps.expect();
}

TEST_CASE("memory_set: steps of calls do not grow with late frees and ended adopted memory that wait") {
    step_table steps("set, late frees");
    step_series& checks = steps.add("check", growth::constant);
    step_series& allocations = steps.add("allocate, and free", {growth::constant, 200});
    step_series& runs = steps.add("run", growth::constant);
    step_series& late = steps.add("free until a fence of the other memory", growth::constant, {growth::n, 100});
    step_series& adopted = steps.add("free of adopted memory in use", growth::constant, {growth::n, 100});
    step_series& retires = steps.add("retire, all frees take effect", growth::n);
    for (const std::uint64_t frees : counts(1000, 100'000)) {
        steps.begin(frees);
        std::vector<set_buffer> held;
        memories set = comb_set(frees, held, 64 * unit, 64);
        const std::vector<set_part<memories::kind>> parts{{.kind = host, .code = unit}};
        const set_program step = set.load({.name = "step", .parts = parts}).value();
        const set_buffer kept = set.allocate(device, unit).value();
        const fence over = set.run(step, {}).value().over;
        for (const set_buffer freed : held)
            if (freed.memory == device.number()) late.count([&] { return set.free(freed, over); });
        std::vector<set_buffer> ranges;
        for (std::uint64_t at = 0; at < frees; ++at)
            ranges.push_back(set.adopt(host, {(std::uint64_t{1} << 40u) + at * unit, unit}).value());
        for (const set_buffer freed : ranges) adopted.count([&] { return set.free(freed, over); });
        for (int call = 0; call < 10; ++call) {
            checks.count([&] { return set.check(kept); });
            allocations.count([&] { return set.free(set.allocate(device, unit).value()); });
            runs.count([&] { return set.run(step, {}); });
        }
        CHECK(set.memory<"device">().live_bytes() == (frees + 1) * unit);
        retires.count([&] { return set.retire(over); });
        CHECK(set.memory<"device">().live_bytes() == unit);
    }
    steps.expect();
}

}  // namespace hbm::test::several_memories_tests
