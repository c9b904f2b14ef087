// A move that stops in the middle: what it is made of, and what every call makes of the block that owns both places.
#include <hbm/hbm.hpp>
#include <hbm/placement/first_fit.hpp>

#include <doctest/doctest.h>

#include <support/managers.hpp>
#include <vector>

#include "planning/failing_device.hpp"

namespace hbm::test::pending_move_tests {
namespace {

constexpr std::uint64_t q = 512;

TEST_CASE("a move is priced by the copies that it takes") {
    const memory_spec plain{
        .capacity = 64 * q, .bandwidth = 1'000'000'000, .copy_nanoseconds = 100, .top_reserved = 8 * q};
    CHECK(plain.copies_of(10, 10) == 1);
    CHECK(plain.copies_of(10, 11) == 1);
    CHECK(plain.copies_of(10, 9) == 2);
    CHECK(plain.copies_of(10, 1) == 10);
    CHECK(plain.copies_of(10, 0) == 0);
    CHECK(plain.move_nanoseconds(10, 0) == 0);
    CHECK(plain.move_nanoseconds(10, 20) == plain.move_nanoseconds(10));
    CHECK(plain.move_nanoseconds(10, 3) == 4 * 100 + 2 * 10);
    memory_spec bouncing = plain;
    bouncing.bounce = 4;
    CHECK(bouncing.copies_of(10, 1) == 6);
    CHECK(bouncing.move_nanoseconds(10, 1) == 6 * 100 + 4 * 10);
    CHECK(bouncing.copies_of(10, 2) == 5);  // six would be more
    CHECK(bouncing.copies_of(10, 10) == 1);
    CHECK_FALSE(bouncing == plain);
    for (const std::uint64_t bytes : {std::uint64_t{1} << 54, (std::uint64_t{1} << 55) - 1})
        CHECK(plain.move_nanoseconds(bytes) == 100 + 2 * bytes);  // with no product beyond 64 bits
    // Hostile sizes stop at the largest number.
    const std::uint64_t most = ~std::uint64_t{0};
    CHECK(plain.copies_of(most, 1) == most);
    CHECK(plain.move_nanoseconds(most, 1) == most);
    CHECK(bouncing.move_nanoseconds(most, 1) == most);
}

TEST_CASE("a bounce region lies in what is reserved at the top") {
    using memory_type = manager<compacting<best_fit>>;
    const auto reason = [](std::uint64_t top, std::uint64_t bounce) {
        memory_type memory{{.capacity = 16 * q, .top_reserved = top, .bounce = bounce}};
        const auto made = memory.allocate(q);
        return made ? error::none : made.error().reason;
    };
    CHECK(reason(4 * q, 4 * q) == error::none);
    CHECK(reason(4 * q, 0) == error::none);
    CHECK(reason(4 * q, 4 * q + 1) == error::bounce_too_large);
    CHECK(reason(0, 1) == error::bounce_too_large);
    CHECK(reason(17 * q, 1) == error::top_too_large);
}

/// Moves a block down by hand, whatever relief would do; says what came of it.
template <class Memory>
error move_down(Memory& memory, block_index block, std::uint32_t to = 0) {
    plan down;
    down.add(memory.state().move_of(block, to));
    const auto done = memory.relieve(down);
    return done ? error::none : done.error().reason;
}

/// `[ 2 free | moving, 8 long | 4 free ]`, and, if asked for, a bounce region of 6. The copy of number `copies` fails
/// when the block is moved down by 2.
template <class Memory>
struct stopped {
    static constexpr std::uint64_t bounce = 6 * q;

    Memory memory;
    buffer moving;
    error reason = error::none;

    explicit stopped(std::uint64_t copies, bool bounces = false)
        : memory({.name = "stopped",
                  .capacity = 14 * q + (bounces ? bounce : 0),
                  .top_reserved = bounces ? bounce : 0,
                  .bounce = bounces ? bounce : 0},
                 {.device = failing_device(14 * q + (bounces ? bounce : 0))}) {
        const auto below = memory.allocate(2 * q, "below");
        moving = *memory.allocate(8 * q, "moving");
        write(memory, moving, 1);
        REQUIRE(memory.free(*below));
        memory.device().copies_until_failure = copies;
        reason = move_down(memory, moving.index);
        memory.device().copies_until_failure = failing_device::never;
    }
};
using plain_memory = manager<compacting<best_fit>, evict_lru, donate_same_size, relieve_cheapest, failing_device>;
using half_moved = stopped<plain_memory>;

TEST_CASE("a copy that fails in the middle leaves a block in two places, which it owns") {
    half_moved here(3);
    REQUIRE(here.reason == error::device_failed);
    CHECK(here.memory.moving());
    CHECK(here.memory.where(here.moving) == extent{0, 10 * q});
    CHECK(here.memory.granted(here.moving) == 8 * q);
    CHECK(here.memory.live_bytes() == 8 * q);
    CHECK(here.memory.peak_live_bytes() == 10 * q);
    CHECK(here.memory.free_bytes() == 4 * q);
    CHECK(here.memory.largest_free_bytes() == 4 * q);
    CHECK_FALSE(here.memory.state().can_move(here.moving.index));
    const buffer_pieces pieces = here.memory.pieces(here.moving);
    REQUIRE(pieces.size() == 2);
    CHECK(pieces[0] == extent{0, 6 * q});
    CHECK(pieces[1] == extent{8 * q, 2 * q});
    CHECK(reads_back(here.memory, here.moving, 1));
    CHECK(here.memory.done_so_far().moves == 0);
    CHECK(here.memory.done_so_far().copies == 3);
    CHECK(here.memory.done_so_far().moved_bytes == 6 * q);

    REQUIRE(here.memory.finish_moves());
    CHECK_FALSE(here.memory.moving());
    CHECK(here.memory.where(here.moving) == extent{0, 8 * q});
    CHECK(here.memory.pieces(here.moving).size() == 1);
    CHECK(reads_back(here.memory, here.moving, 1));
    CHECK(here.memory.done_so_far().moves == 1);
    CHECK(here.memory.done_so_far().copies == 4);
    CHECK(here.memory.done_so_far().moved_bytes == 8 * q);
    CHECK(here.memory.finish_moves());  // nothing to do
    CHECK(here.memory.pieces(buffer{}).size() == 0);
}

TEST_CASE("a plan that is refused leaves what is pending as it is") {
    half_moved here(3);
    REQUIRE(here.memory.moving());
    const auto before = here.memory.fork();
    plan steps;
    steps.add({.what = step_kind::evict, .subject = 7});
    CHECK(here.memory.relieve(steps).error().reason == error::stale_handle);
    CHECK(here.memory.fork() == before);
    CHECK(here.memory.relieve({}));
    CHECK_FALSE(here.memory.moving());
}

TEST_CASE("a piece that is in the bounce region only is found there") {
    // 8 by 2 is two pieces of 6 and 2 through the bounce region: four copies, where four chunks are the same and cost
    // less. A fixed cost that is high enough for a difference of one copy needs a shorter way: 1 quantum.
    plain_memory memory{{.name = "bouncing", .capacity = 20 * q, .top_reserved = 6 * q, .bounce = 6 * q},
                        {.device = failing_device(20 * q)}};
    const auto below = memory.allocate(q);
    const auto moving = memory.allocate(8 * q);
    write(memory, *moving, 5);
    REQUIRE(memory.free(*below));
    REQUIRE(memory.spec().copies_of(8 * q, q) == 4);
    for (std::uint64_t copies = 1; copies < 4; ++copies) {
        plain_memory trial = memory.copy();
        trial.device().copies_until_failure = copies;
        REQUIRE(move_down(trial, moving->index) == error::device_failed);
        const auto pieces = trial.pieces(*moving);
        REQUIRE(reads_back(trial, *moving, 5));
        REQUIRE(trial.moving().bounced == (copies == 1 ? 6 * q : copies == 3 ? 2 * q : 0));
        if (copies == 1) {
            CHECK(pieces[0] == extent{14 * q, 6 * q});
            CHECK(pieces[1] == extent{7 * q, 2 * q});
            CHECK_FALSE(trial.extend(30 * q));  // the bounce region would go up with the top
        }
        trial.device().copies_until_failure = failing_device::never;
        REQUIRE(trial.allocate(6 * q));
        CHECK(trial.where(*moving) == extent{0, 8 * q});
        CHECK(reads_back(trial, *moving, 5));
        CHECK(trial.device().overlaps == 0);
    }
}

TEST_CASE("relief finishes what is pending before it does anything else") {
    half_moved here(2);
    SUBCASE("and needs no more than that, perhaps") {
        REQUIRE(here.memory.allocate(6 * q));
        CHECK(here.memory.done_so_far().moves == 1);
        CHECK(here.memory.where(here.moving) == extent{0, 8 * q});
    }
    SUBCASE("not when there is room anyway") {
        REQUIRE(here.memory.allocate(4 * q));
        CHECK(here.memory.moving());
    }
    SUBCASE("not for a hopeless request, which leaves all as it was") {
        const plain_memory before = here.memory.copy();
        CHECK_FALSE(here.memory.allocate(7 * q));
        CHECK(here.memory == before);
    }
    SUBCASE("and fails when the device fails again") {
        here.memory.device().copies_until_failure = 1;
        const auto made = here.memory.allocate(6 * q);
        REQUIRE_FALSE(made);
        CHECK(made.error().reason == error::device_failed);
        CHECK(here.memory.moving().moved == 6 * q);
        CHECK(here.memory.device().copied == 3);
    }
    SUBCASE("by hand as well") {
        REQUIRE(here.memory.relieve(plan{}));
        CHECK_FALSE(here.memory.moving());
    }
    CHECK(reads_back(here.memory, here.moving, 1));
}

TEST_CASE("a pin finishes the move first: what is pinned is in one place and stays there") {
    half_moved here(2);
    SUBCASE("") {
        REQUIRE(here.memory.pin(here.moving));
        CHECK(here.memory.where(here.moving) == extent{0, 8 * q});
        CHECK_FALSE(here.memory.moving());
    }
    SUBCASE("and is refused when that fails") {
        here.memory.device().copies_until_failure = 1;
        CHECK(here.memory.pin(here.moving).error().reason == error::device_failed);
        CHECK(here.memory.pins(here.moving) == 0);
        CHECK(here.memory.moving());
    }
    CHECK(reads_back(here.memory, here.moving, 1));
}

TEST_CASE("a run finishes the move of what it uses, and no other") {
    half_moved here(2);
    const auto p = here.memory.load({.name = "p", .code = q});
    REQUIRE(p);
    const std::vector<buffer> inputs{here.moving};
    const std::vector<output> same{{8 * q}};
    SUBCASE("as an input") {
        REQUIRE(here.memory.run(*p, {.inputs = inputs}));
        CHECK_FALSE(here.memory.moving());
        CHECK(reads_back(here.memory, here.moving, 1));
    }
    SUBCASE("as a donated one, which an output takes over") {
        const auto ran = here.memory.run(*p, {.donated = inputs, .outputs = same});
        REQUIRE(ran);
        CHECK(ran->donated == 1);
        CHECK(here.memory.where(ran->outputs[0]) == extent{0, 8 * q});
        CHECK(reads_back(here.memory, ran->outputs[0], 1));
    }
    SUBCASE("not when it uses something else") {
        REQUIRE(here.memory.run(*p, {}));
        CHECK(here.memory.moving());
    }
    SUBCASE("not when it is refused") {
        const plain_memory before = here.memory.copy();
        const std::vector<output> too_long{{8 * q}};
        REQUIRE_FALSE(here.memory.run(*p, {.inputs = inputs, .outputs = too_long}));
        CHECK(here.memory == before);
    }
    SUBCASE("and is refused when the device fails again") {
        here.memory.device().copies_until_failure = 1;
        CHECK(here.memory.run(*p, {.inputs = inputs}).error().reason == error::device_failed);
        CHECK(here.memory.moving());
        CHECK(here.memory.issued() == fence{});
        CHECK(reads_back(here.memory, here.moving, 1));
    }
}

TEST_CASE("a program whose code is in two places can leave, and comes together before it runs") {
    plain_memory memory{{.capacity = 14 * q}, {.device = failing_device(14 * q)}};
    const auto below = memory.allocate(2 * q);
    const auto p = memory.load({.name = "p", .code = 8 * q, .reload_us = 1'000'000});
    REQUIRE(p);
    REQUIRE(memory.free(*below));
    memory.device().copies_until_failure = 2;
    REQUIRE(move_down(memory, memory.state().programs[p->index].code_block) == error::device_failed);
    memory.device().copies_until_failure = failing_device::never;
    REQUIRE(memory.moving());
    SUBCASE("unloaded") {
        REQUIRE(memory.unload(*p));
        CHECK_FALSE(memory.moving());
        CHECK(memory.free_bytes() == 14 * q);
    }
    SUBCASE("evicted") {
        REQUIRE(memory.evict(*p));
        CHECK_FALSE(memory.moving());
        CHECK(memory.free_bytes() == 14 * q);
        REQUIRE(memory.load(*p));
    }
    SUBCASE("run") {
        REQUIRE(memory.run(*p, {}));
        CHECK_FALSE(memory.moving());
        CHECK(memory.free_bytes() == 6 * q);
    }
}

TEST_CASE("what is pending is part of the value: of copies, of forks, and of what is compared") {
    half_moved here(2);
    plain_memory copy = here.memory.copy();
    CHECK(copy == here.memory);
    auto fork = here.memory.fork();
    CHECK(fork.moving() == here.memory.moving());
    CHECK(fork.pieces(here.moving) == here.memory.pieces(here.moving));
    REQUIRE(copy.finish_moves());
    CHECK_FALSE(copy == here.memory);
    REQUIRE(fork.finish_moves());  // on paper
    CHECK(fork.where(here.moving) == extent{0, 8 * q});
    CHECK(fork.done_so_far() == copy.done_so_far());
    REQUIRE(here.memory.finish_moves());
    CHECK(copy == here.memory);
    CHECK(reads_back(copy, here.moving, 1));
    const auto other = half_moved(2).memory.under<manager<compacting<first_fit>>>();
    CHECK(other.moving().moved == 4 * q);
}

}  // namespace
}  // namespace hbm::test::pending_move_tests
