// Runs whose arguments may be moved to make room for their outputs.
#include <hbm/device/host_device.hpp>
#include <hbm/hbm.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <support/managers.hpp>
#include <utility>
#include <vector>

#include "planning/failing_device.hpp"

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
