// Steps of the manager's calls, as blocks, programs, runs in flight, deferred frees and names become many.
#include <hbm/compact.hpp>
#include <hbm/hbm.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "holes.hpp"
#include "steps.hpp"

namespace hbm::test::calls_tests {

namespace {

using simple = manager<best_fit>;
using full = manager<bottom_reserve<compacting<best_fit>>, evict_lru, donate_same_size>;

constexpr std::uint64_t unit = 64;
/// Steps of a search that visits up to 1,024 words of the table.
constexpr double table = 1300;

/// Returns a memory of `blocks` pairs of a buffer and a hole, without more room at its top than `rest`.
template <class Manager>
Manager comb(std::uint64_t blocks, std::vector<buffer>& held, std::uint64_t rest) {
    Manager memory(memory_spec{.capacity = 2 * blocks * unit + rest, .quantum = 1});
    memory.reserve_metadata(2 * blocks);
    std::vector<buffer> gaps;
    for (std::uint64_t at = 0; at < blocks; ++at) {
        held.push_back(memory.allocate(unit).value());
        gaps.push_back(memory.allocate(unit).value());
    }
    for (const buffer gap : gaps) memory.free(gap);
    return memory;
}

/// Loads as many programs without scratch.
template <class Manager>
std::vector<program> loaded(Manager& memory, std::uint64_t count) {
    std::vector<program> programs;
    for (std::uint64_t at = 0; at < count; ++at)
        programs.push_back(memory.load({.name = "step", .code = unit}).value());
    return programs;
}

}  // namespace

TEST_CASE_TEMPLATE("blocks: steps of the calls on a buffer are constant, those of copies linear", Manager, simple,
                   full) {
    step_table steps(std::string(Manager::name.c_str()) + ", blocks");
    step_series& checks = steps.add("check, where, granted, pins, pieces", growth::constant);
    step_series& pins = steps.add("pin, and unpin", growth::constant);
    step_series& renames = steps.add("rename", growth::constant);
    step_series& totals = steps.add("free_bytes, live_bytes, capacity_bytes", growth::constant);
    step_series& forks = steps.add("fork", growth::n);
    step_series& copies = steps.add("copy", growth::n);
    step_series& comparisons = steps.add("compare", growth::n);
    step_series& imports = steps.add("import", growth::n);
    step_series& extends = steps.add("extend", growth::n);
    step_series& surely = steps.add("run of 1 output", {growth::constant, 100});
    step_series& spread = steps.add("run of 2 outputs, no hole surely holds both", growth::n);
    step_series& loads = steps.add("load without scratch", {growth::constant, table});
    step_series& scratch_loads = steps.add("load with scratch, no hole surely holds both", growth::n);
    step_series& unloads = steps.add("unload", growth::constant);
    for (const std::uint64_t blocks : counts(1000, 100'000)) {
        steps.begin(blocks);
        std::vector<buffer> held;
        Manager memory = comb<Manager>(blocks, held, 2 * unit);
        const program step = memory.load({.name = "step", .code = 2 * unit}).value();
        run_result ran;
        const std::vector<output> one{unit};
        const std::vector<output> two{unit, unit};
        for (std::size_t call = 0; call < 20; ++call) {
            const buffer subject = held[call * 37];
            checks.count([&] {
                return memory.check(subject) == error::none ? memory.where(subject).offset + memory.granted(subject) +
                                                                  memory.pins(subject) + memory.pieces(subject).size()
                                                            : 0;
            });
            pins.count([&] { return memory.pin(subject) && memory.unpin(subject); });
            renames.count([&] { return memory.rename(subject, "renamed"); });
            totals.count([&] { return memory.free_bytes() + memory.live_bytes() + memory.capacity_bytes(); });
            surely.count([&] { return memory.run(step, {.outputs = one}, ran); });
            memory.free(ran.outputs[0]);
        }
        for (int call = 0; call < 3; ++call) {
            spread.count([&] { return memory.run(step, {.outputs = two}, ran); });
            for (const buffer freed : ran.outputs) memory.free(freed);
            program fresh;
            loads.count([&] { return fresh = memory.load({.name = "step", .code = unit}).value(); });
            unloads.count([&] { return memory.unload(fresh); });
            scratch_loads.count(
                [&] { return fresh = memory.load({.name = "step", .code = unit, .scratch = unit / 2}).value(); });
            unloads.count([&] { return memory.unload(fresh); });
            forks.count([&] { return memory.fork(); });
            copies.count([&] { return memory.copy(); });
            const Manager other = memory.copy();
            comparisons.count([&] { return memory == other; });
            imports.count([&] { return memory.import({memory.where(held[blocks / 2]).end(), 1}); });
        }
        extends.count([&] { return memory.extend(memory.capacity_bytes() + unit); });
        CHECK(memory.capacity_bytes() == (2 * blocks + 3) * unit);
        CHECK(memory.live_bytes() == (blocks + 2) * unit + 1);
    }
    steps.expect();
}

TEST_CASE(
    "blocks: steps of relief grow like sorting at most, and those of compaction with the blocks that moves pass") {
    step_table steps("full, blocks");
    step_series& plans = steps.add("plan_for, a move makes room", growth::n_log_n);
    step_series& relief = steps.add("allocate, a move makes room", growth::n_log_n);
    step_series& refusals = steps.add("allocate, more than all that is free", growth::n);
    step_series& counted = steps.add("compact of no bytes", growth::n_log_n);
    step_series& compactions = steps.add("compact of 8 blocks", growth::n_log_n);
    step_series& whole = steps.add("compact of all blocks", growth::n_squared);
    for (const std::uint64_t blocks : counts(100, 10'000)) {
        steps.begin(blocks);
        std::vector<buffer> held;
        full memory = comb<full>(blocks, held, 0);
        refusals.count([&] { return memory.allocate(memory.free_bytes() + 1); });
        for (int call = 0; call < 3; ++call) {
            plans.count([&] { return memory.plan_for({.bytes = 2 * unit}); });
            relief.count([&] { return memory.allocate(2 * unit).value(); });
        }
        counted.count([&] { return memory.compact(0); });
        compactions.count([&] { return memory.compact(8 * unit); });
        whole.count([&] { return memory.compact(~std::uint64_t{0}); });
        CHECK(memory.largest_free_bytes() == memory.free_bytes());
    }
    steps.expect();
}

TEST_CASE_TEMPLATE("programs: steps of load and unload are at most linear, those of runs and buffers constant", Manager,
                   simple, full) {
    step_table steps(std::string(Manager::name.c_str()) + ", programs");
    step_series& checks = steps.add("check, where, about", growth::constant);
    step_series& allocations = steps.add("allocate, and free", growth::constant);
    step_series& runs = steps.add("run", growth::constant);
    step_series& loads = steps.add("load without scratch", growth::n);
    step_series& scratch_loads = steps.add("load with scratch", growth::n);
    step_series& unloads = steps.add("unload", growth::n);
    step_series& evictions = steps.add("evict", growth::n);
    step_series& reloads = steps.add("load an evicted program", growth::n);
    step_series& returns = steps.add("run of an evicted program", growth::n);
    step_series& forks = steps.add("fork", growth::n);
    for (const std::uint64_t count : counts(100, 10'000)) {
        steps.begin(count);
        Manager memory(memory_spec{.capacity = count * 4 * unit + 1024 * unit, .quantum = 1});
        memory.reserve_metadata(4 * count);
        const std::vector<program> programs = loaded(memory, count);
        run_result ran;
        const std::vector<output> one{unit};
        for (std::size_t call = 0; call < 10; ++call) {
            const program subject = programs[call * 7];
            checks.count([&] {
                return memory.check(subject) == error::none ? memory.where(subject).offset + memory.about(subject).code
                                                            : 0;
            });
            allocations.count([&] { return memory.free(memory.allocate(unit).value()); });
            runs.count([&] { return memory.run(subject, {.outputs = one}, ran); });
            memory.free(ran.outputs[0]);
            program fresh;
            loads.count([&] { return fresh = memory.load({.name = "step", .code = unit}).value(); });
            unloads.count([&] { return memory.unload(fresh); });
            scratch_loads.count(
                [&] { return fresh = memory.load({.name = "step", .code = unit, .scratch = unit}).value(); });
            unloads.count([&] { return memory.unload(fresh); });
            evictions.count([&] { return memory.evict(subject); });
            reloads.count([&] { return memory.load(subject); });
            evictions.count([&] { return memory.evict(subject); });
            returns.count([&] { return memory.run(subject, {.outputs = one}, ran); });
            memory.free(ran.outputs[0]);
            forks.count([&] { return memory.fork(); });
        }
        CHECK(std::all_of(programs.begin(), programs.end(), [&](program kept) { return memory.about(kept).resident; }));
    }
    steps.expect();
}

TEST_CASE("flights: steps of a run that ends the oldest are at most linear, those of buffers constant") {
    step_table steps("flights");
    step_series& allocations = steps.add("allocate, and free", growth::constant);
    step_series& first_runs = steps.add("run, no run ends", growth::constant);
    step_series& runs = steps.add("run that ends the oldest", growth::n);
    step_series& defers = steps.add("free of an argument", growth::constant);
    step_series& retires = steps.add("retire of the oldest", growth::n);
    step_series& unloads = steps.add("unload of a program without runs", growth::n);
    step_series& syncs = steps.add("sync", growth::n);
    for (const std::uint64_t flights : {10u, 100u, 1000u}) {
        steps.begin(flights);
        simple memory({.capacity = flights * 16 * unit + 64 * unit,
                       .quantum = 1,
                       .runs_in_flight = static_cast<std::uint32_t>(flights)});
        memory.reserve_metadata(8 * flights, 8 * flights);
        const std::vector<program> programs = loaded(memory, 2);
        std::vector<buffer> arguments;
        for (std::uint64_t at = 0; at < 3 * flights; ++at) arguments.push_back(memory.allocate(unit).value());
        run_result ran;
        const auto run_with = [&](const std::vector<buffer>& inputs) {
            return memory.run(programs[0], {.inputs = inputs}, ran);
        };
        for (std::uint64_t at = 0; at < flights; ++at)
            first_runs.count([&] { return run_with({arguments[at], arguments[flights + at]}); });
        CHECK(memory.flights().size() == flights);
        for (std::uint64_t at = 0; at < 10; ++at) {
            allocations.count([&] { return memory.free(memory.allocate(unit).value()); });
            runs.count([&] { return run_with({arguments[at], arguments[2 * flights + at]}); });
        }
        defers.count([&] { return memory.free(arguments[flights - 1]); });
        unloads.count([&] { return memory.unload(programs[1]); });
        retires.count([&] { return memory.retire(memory.flights().front().over); });
        syncs.count([&] { memory.sync(); });
        CHECK(memory.flights().empty());
    }
    steps.expect();
}

TEST_CASE("deferred frees: steps are linear where frees take effect, and constant elsewhere") {
    step_table steps("deferred frees");
    step_series& defers = steps.add("free until a fence", growth::constant, {growth::n, 100});
    step_series& allocations = steps.add("allocate, and free", growth::constant);
    step_series& first_runs = steps.add("run, no run ends", growth::constant);
    step_series& forks = steps.add("fork", growth::n);
    step_series& refusals = steps.add("allocate, more than all that could be free", growth::n);
    step_series& early = steps.add("retire, no free takes effect", growth::n);
    step_series& syncs = steps.add("sync, all frees take effect", growth::n);
    for (const std::uint64_t frees : counts(1000, 100'000)) {
        steps.begin(frees);
        simple memory({.capacity = (frees + 64) * 2 * unit, .quantum = 1, .runs_in_flight = 64});
        memory.reserve_metadata(2 * frees, frees);
        const program step = loaded(memory, 1)[0];
        std::vector<buffer> held;
        for (std::uint64_t at = 0; at < frees; ++at) held.push_back(memory.allocate(unit).value());
        run_result ran;
        const auto run = [&] { return memory.run(step, {}, ran); };
        REQUIRE(run());
        const fence first = ran.over;
        REQUIRE(run());
        for (const buffer freed : held) defers.count([&] { return memory.free(freed, ran.over); });
        for (int call = 0; call < 10; ++call) {
            allocations.count([&] { return memory.free(memory.allocate(unit).value()); });
            first_runs.count(run);
        }
        forks.count([&] { return memory.fork(); });
        refusals.count([&] { return memory.allocate(memory.capacity_bytes()); });
        early.count([&] { return memory.retire(first); });
        syncs.count([&] { memory.sync(); });
        CHECK(memory.live_bytes() == unit);
    }
    steps.expect();
}

TEST_CASE("names: steps of a call are amortised constant, and forks share the names") {
    step_table steps("names");
    step_series& fresh = steps.add("allocate with a new name", growth::constant, {growth::n, 1000});
    step_series& known = steps.add("allocate with a known name", growth::constant, {growth::n, 1000});
    step_series& lookups = steps.add("name_of", growth::constant);
    step_series& forks = steps.add("fork", growth::n);  // of the blocks
    step_series& shared = steps.add("first new name after a fork", growth::n);
    for (const std::uint64_t names : counts(1000, 100'000)) {
        steps.begin(names);
        simple memory({.capacity = names * 4 * unit, .quantum = 1});
        memory.reserve_metadata(4 * names);
        std::vector<std::string> texts;
        for (std::uint64_t at = 0; at < names; ++at) texts.push_back("buffer " + std::to_string(1'000'000 + at));
        for (const std::string& text : texts) fresh.count([&] { return memory.allocate(unit, text.c_str()).value(); });
        for (const std::string& text : texts) known.count([&] { return memory.allocate(unit, text.c_str()).value(); });
        const tag last = memory.tag_of(texts.back());
        lookups.count([&] { return memory.name_of(last); });
        forks.count([&] { return memory.fork(); });
        auto copy = memory.fork();
        shared.count([&] { return copy.allocate(unit, "new").value(); });
        CHECK(copy.name_of(last) == texts.back());
    }
    steps.expect();
}

TEST_CASE("names: steps of a fork do not grow with names that no block has") {
    step_table steps("names without blocks");
    step_series& forks = steps.add("fork", growth::constant);
    for (const std::uint64_t names : counts(1000, 100'000)) {
        steps.begin(names);
        simple memory({.capacity = 64 * unit, .quantum = 1});
        for (std::uint64_t at = 0; at < names; ++at) memory.tag_of("name " + std::to_string(at));
        forks.count([&] { return memory.fork(); });
    }
    steps.expect();
}

}  // namespace hbm::test::calls_tests
