#include <hbm/device/host_device.hpp>
#include <hbm/hbm.hpp>
#include <hbm/manager/arguments.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <support/managers.hpp>
#include <utility>
#include <vector>

#include "planning/failing_device.hpp"
#include "testing/stand.hpp"

namespace hbm::test::arguments_tests {

namespace {

using map32 = block_map<std::uint32_t>;
constexpr std::uint32_t salt = 7;

/// Six buffers, the code of a program, and a buffer that is gone.
struct some_memory {
    map32 map{16};
    std::vector<buffer> good;
    buffer code;
    std::vector<buffer> stale;
    buffer foreign;

    some_memory() {
        for (int count = 0; count < 6; ++count) good.push_back(stand());
        code = stand();
        map.set_owner(code.index, block_kind::code, 0);
        const buffer freed = stand();
        leave(map, freed.index);
        stale = {freed, {}, {good[5].index, good[5].generation + 4, salt}, {1000, 1, salt}, {map32::bottom, 0, salt}};
        foreign = good[0];
        foreign.salt = salt + 1;
    }
    buffer stand() {
        const block_index block = hbm::test::stand(map, map.last(), 0u, 1u);
        return {block, map.generation(block), salt};
    }
};

/// What a check says, with the memory as it was.
failure refusal(some_memory& memory, const run_spec& spec) {
    const map32 before = memory.map;
    failure why;
    trivial_vector<std::uint64_t> offered;
    const bool good = check_arguments(memory.map, salt, spec, true, offered, why);
    CHECK(good == (why.reason == error::none));
    if (good) {
        REQUIRE(offered.size() == spec.donated.size());
        for (std::uint32_t at = 0; at < offered.size(); ++at) {
            const bool kept = std::find(spec.kept.begin(), spec.kept.end(), at) != spec.kept.end();
            CHECK(offered[at] == (kept ? 0 : memory.map.granted(spec.donated[at].index)));
        }
    }
    CHECK(memory.map == before);  // marks included
    return why;
}
}  // namespace

TEST_CASE("arguments: inputs named twice, a pinned one that is kept and one in flight are good") {
    some_memory memory;
    const std::vector<buffer>& good = memory.good;
    memory.map.pin(good[3].index);
    memory.map.hold(good[4].index);  // a run in flight
    CHECK(refusal(memory, {}) == failure{});
    CHECK(refusal(memory, {.inputs = {good[0], good[3], good[0]},
                           .donated = {good[1], good[2], good[4]},
                           .outputs = {1, {1, tag::none, aliasing::must, 2}, {1, tag::none, aliasing::may, 2}},
                           .kept = {2, 0}}) == failure{});
    CHECK(refusal(memory, {.donated = {good[1], good[3]}, .kept = {1}}) == failure{});
    CHECK(refusal(memory, {.outputs = {{1, tag::none, aliasing::any, 9}}}) == failure{});  // 9 is nobody's partner
}

namespace {

/// All that is wrong with a run, by looking at each pair of arguments.
std::vector<failure> all_faults(const some_memory& memory, const run_spec& spec) {
    std::vector<failure> found;
    const auto inputs = static_cast<std::uint32_t>(spec.inputs.size());
    const auto donated = static_cast<std::uint32_t>(spec.donated.size());
    const auto add = [&](error reason, std::uint32_t argument, std::uint32_t first_use = no_index) {
        found.push_back({.reason = reason, .argument = argument, .first_use = first_use});
    };
    const auto check = [&](buffer held, std::uint32_t argument) {
        if (held == memory.foreign) add(error::foreign_handle, argument);
        if (held == memory.code) add(error::wrong_kind, argument);
        if (std::find(memory.stale.begin(), memory.stale.end(), held) != memory.stale.end())
            add(error::stale_handle, argument);
    };
    for (std::uint32_t at = 0; at < inputs; ++at) check(spec.inputs[at], at);
    for (std::uint32_t at = 0; at < donated; ++at) {
        const buffer donor = spec.donated[at];
        check(donor, inputs + at);
        const auto first = static_cast<std::uint32_t>(std::find(spec.donated.begin(), spec.donated.end(), donor) -
                                                      spec.donated.begin());
        if (first != at) {
            add(error::donated_twice, inputs + at, inputs + first);
            continue;
        }
        for (std::uint32_t use = 0; use < inputs; ++use)
            if (spec.inputs[use] == donor) add(error::donated_and_used, inputs + at, use);
        const bool kept = std::find(spec.kept.begin(), spec.kept.end(), at) != spec.kept.end();
        const bool good = std::find(memory.good.begin(), memory.good.end(), donor) != memory.good.end();
        if (good && !kept && memory.map.pins(donor.index) != 0) add(error::donor_is_referenced, inputs + at);
    }
    for (std::size_t at = 0; at < spec.kept.size(); ++at) {
        const std::uint32_t kept = spec.kept[at];
        if (kept >= donated) add(error::bad_argument, no_index, kept);
        if (std::find(spec.kept.begin(), spec.kept.begin() + at, kept) != spec.kept.begin() + at)
            add(error::kept_twice, inputs + kept);
    }
    for (std::uint32_t at = 0; at < spec.outputs.size(); ++at)
        if (spec.outputs[at].alias != aliasing::any && spec.outputs[at].partner >= donated)
            add(error::bad_argument, at, spec.outputs[at].partner);
    return found;
}

}  // namespace

TEST_CASE("arguments: random ones are refused exactly if something is wrong, for one of the reasons there are") {
    testing::random_numbers random(1);
    some_memory memory;
    memory.map.pin(memory.good[4].index);
    std::vector<buffer> any = memory.good;
    any.insert(any.end(), memory.stale.begin(), memory.stale.end());
    any.insert(any.end(), {memory.code, memory.foreign});
    int refused = 0;
    for (int round = 0; round < 4000; ++round) {
        CAPTURE(round);
        const std::uint64_t kinds = random.once_in(4) ? any.size() : memory.good.size();
        std::vector<buffer> inputs(random.below(4));
        std::vector<buffer> donated(random.below(4));
        std::vector<output> outputs(random.below(3));
        std::vector<std::uint32_t> kept(random.below(3));
        for (buffer& each : inputs) each = any[random.below(kinds)];
        for (buffer& each : donated) each = any[random.below(kinds)];
        for (std::uint32_t& each : kept) each = static_cast<std::uint32_t>(random.below(donated.size() + 1));
        for (output& each : outputs) {
            each.alias = static_cast<aliasing>(random.below(3));
            each.partner = static_cast<std::uint32_t>(random.below(donated.size() + 1));
        }
        const run_spec spec{.inputs = inputs, .donated = donated, .outputs = outputs, .kept = kept};
        const std::vector<failure> wrong = all_faults(memory, spec);
        const failure said = refusal(memory, spec);
        if (wrong.empty()) {
            REQUIRE(said == failure{});
            continue;
        }
        ++refused;
        REQUIRE(std::find(wrong.begin(), wrong.end(), said) != wrong.end());
    }
    CHECK(refused > 1000);
    CHECK(refused < 3500);
}

}  // namespace hbm::test::arguments_tests

// Runs whose arguments may be moved to make room for their outputs.

namespace hbm::test::moving_arguments_tests {

namespace {

constexpr std::uint64_t kib = 1024;
constexpr memory_spec megabyte{.name = "small", .capacity = 1024 * kib, .quantum = kib};

template <class Device>
using moving = manager<compacting<best_fit>, never_evict, donate_same_size, relieve_cheapest, Device>;

/// A memory of 1,024 KiB whose only data, 31 KiB, lie in the middle; the program takes 1 KiB.
template <class Memory>
struct input_in_the_middle {
    Memory memory;
    program step;
    buffer input;
    run_result ran = {};

    explicit input_in_the_middle(Memory empty) : memory(std::move(empty)) {
        step = *memory.load({.name = "step", .code = kib});
        const buffer below = *memory.allocate(500 * kib);
        input = *memory.allocate(31 * kib);
        REQUIRE(memory.free(below));
        REQUIRE(memory.free_bytes() == 992 * kib);
        REQUIRE(memory.largest_free_bytes() < 992 * kib);
    }
    /// Runs the program with an output of 992 KiB.
    auto run(bool arguments_may_move, bool donates = false) {
        const std::vector<buffer> inputs(donates ? 0 : 1, input);
        const std::vector<buffer> donated(donates ? 1 : 0, input);
        const std::vector<output> outputs{992 * kib};
        return memory.run(
            step, {.inputs = inputs, .donated = donated, .outputs = outputs, .arguments_may_move = arguments_may_move},
            ran);
    }
};

}  // namespace

TEST_CASE("a run moves its input out of the way of its output if arguments may move") {
    for (const bool donates : {false, true}) {
        CAPTURE(donates);
        input_in_the_middle full(moving<host_device>{megabyte, {.device = host_device(megabyte.capacity)}});
        const std::uint64_t before = full.memory.where(full.input).offset;
        for (std::byte& byte : full.memory.device().bytes(before, 31 * kib)) byte = std::byte{7};

        const auto refused = full.run(false, donates);
        REQUIRE(!refused);
        CHECK(refused.error().reason == error::buffer_does_not_fit);
        CHECK(full.memory.where(full.input).offset == before);
        CHECK(full.memory.done_so_far().moves == 0);

        const extent from = full.memory.where(full.input);
        REQUIRE(full.run(true, donates));
        REQUIRE(full.ran.moved.size() == 1);
        const moved_argument& moved = full.ran.moved[0];
        CHECK(moved == moved_argument{0, from.offset, moved.to, from.size});
        for (const std::byte byte : full.memory.device().bytes(moved.to, 31 * kib)) REQUIRE(byte == std::byte{7});
        CHECK(full.memory.done_so_far().moves == 1);
        CHECK(full.memory.where(full.ran.outputs[0]).size == 992 * kib);
        CHECK(full.memory.free_bytes() == (donates ? 31 * kib : 0));
        if (donates) continue;
        const extent now = full.memory.where(full.input);
        CHECK(now.offset != from.offset);
        for (const std::byte byte : full.memory.device().bytes(now.offset, now.size)) REQUIRE(byte == std::byte{7});
    }
}

TEST_CASE("a run never moves an argument that is pinned or in use by a run in flight") {
    SUBCASE("pinned") {
        input_in_the_middle full(moving<no_device>{megabyte});
        REQUIRE(full.memory.pin(full.input));
        CHECK(full.run(true).error().reason == error::buffer_does_not_fit);
        CHECK(full.memory.done_so_far().moves == 0);
    }
    SUBCASE("in use: relief waits for the run first") {
        memory_spec overlapping = megabyte;
        overlapping.runs_in_flight = 2;
        input_in_the_middle full(moving<no_device>{overlapping});
        const std::vector<buffer> inputs{full.input};
        const auto before = full.memory.run(full.step, {.inputs = inputs});
        REQUIRE(before);
        REQUIRE(full.run(true));
        CHECK(full.memory.reached() == before->over);
        CHECK(full.memory.done_so_far().moves == 1);
    }
}

TEST_CASE("a run whose argument could not be copied leaves it in place and can be repeated") {
    input_in_the_middle full(moving<failing_device>{megabyte, {.device = failing_device(megabyte.capacity)}});
    full.memory.device().copies_until_failure = 0;
    const extent from = full.memory.where(full.input);
    CHECK(full.run(true).error().reason == error::device_failed);
    CHECK(full.memory.where(full.input).size == from.size);
    full.memory.device().copies_until_failure = failing_device::never;
    CHECK(full.run(true));
}

}  // namespace hbm::test::moving_arguments_tests
