// A manager whose placement follows a plan: the named call, relief, copies, and what ends the plan.
#include <hbm/hbm.hpp>
#include <hbm/pack/schedule.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/scheduled.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <support/managers.hpp>

namespace hbm::test::manager_scheduled_tests {
namespace {

using planned_memory = manager<scheduled<compacting<best_fit>>, evict_lru>;

/// Blocks of 2, 1 and 3 quanta, of which the first and the third end; then one of 6.
constexpr std::array<pack::block, 4> lives{{{0, 4, 1024}, {1, 7, 1}, {2, 5, 1536}, {6, 8, 3072}}};

struct plan_storage {
    std::array<scheduled_block, 4> blocks{};
    schedule plan = pack::plan_into(lives, blocks, default_quantum).value();
};

/// Allocates as planned; returns the highest end in quanta, 0 if a request fails.
template <class Memory>
std::uint64_t run_program(Memory& memory) {
    std::array<result<buffer>, 3> early{memory.allocate(1024), memory.allocate(1), memory.allocate(1536)};
    for (const auto& result : early)
        if (!result) return 0;
    memory.free(*early[0]);
    memory.free(*early[2]);
    const auto last = memory.allocate(3072);
    if (!last) return 0;
    const std::uint64_t highest = memory.highest_end_bytes() / default_quantum;
    memory.free(*last);
    memory.free(*early[1]);
    return highest;
}

TEST_CASE("manager: a program that begins again needs the height of its plan") {
    const plan_storage stored;
    planned_memory memory({.capacity = 7 * default_quantum});
    for (int step = 0; step < 3; ++step) {
        REQUIRE(memory.follow(stored.plan));
        CHECK(run_program(memory) == 7);
        CHECK(memory.state().blocks.is_following());
    }
    manager<best_fit> online({.capacity = 7 * default_quantum});
    CHECK(run_program(online) == 0);
}

TEST_CASE("manager: a fork and a copy follow the plan from the same request") {
    const plan_storage stored;
    planned_memory memory({.capacity = 7 * default_quantum});
    REQUIRE(memory.follow(stored.plan));
    const buffer first = *memory.allocate(1024);
    auto fork = memory.fork();
    const planned_memory copy = memory.copy();
    CHECK(copy == memory);
    CHECK(*fork.allocate(1) == *memory.allocate(1));
    CHECK(fork.state().blocks.followed() == 2);
    CHECK(copy.state().blocks.followed() == 1);
    CHECK(fork.where(first) == memory.where(first));
}

TEST_CASE("manager: programs are evicted for a planned memory as for any other") {
    const plan_storage stored;
    planned_memory memory({.capacity = 10 * default_quantum});
    REQUIRE(memory.load({.name = "step", .code = 8 * default_quantum}));
    CHECK_FALSE(memory.follow(stored.plan));  // no room next to the code
    CHECK(memory.allocate(4 * default_quantum));
    CHECK(memory.done_so_far().evictions == 1);
    CHECK(memory.follow(schedule{}));
}

TEST_CASE("manager: a plan for another placement keeps the blocks where they are") {
    const plan_storage stored;
    planned_memory memory({.capacity = 16 * default_quantum});
    REQUIRE(memory.follow(stored.plan));
    const buffer first = *memory.allocate(1024);
    const buffer second = *memory.allocate(1);
    memory.free(first);
    auto other = memory.under<manager<best_fit, evict_lru>>();
    CHECK(other.where(second) == memory.where(second));
    CHECK(other.largest_free_bytes() == memory.largest_free_bytes());
    CHECK(other.allocate(memory.largest_free_bytes()));
    CHECK(memory.extend(32 * default_quantum));
    CHECK(memory.allocate(1536));
    CHECK(memory.state().blocks.is_following());
}

TEST_CASE("manager: a reservation that changes under a plan finds an index that is up to date") {
    constexpr std::uint64_t q = default_quantum;
    manager<bottom_reserve<scheduled<best_fit>>> memory{{.capacity = 4096 * q}};
    const auto step = memory.load({.code = q, .scratch = 900 * q});
    REQUIRE(memory.allocate(171 * q));
    const auto hole = memory.allocate(1030 * q);
    REQUIRE(memory.allocate(970 * q));
    REQUIRE(memory.free(*hole));
    const scheduled_block blocks[] = {{.offset = 0, .length = 1030}};
    REQUIRE(memory.follow(schedule{.blocks = blocks, .height = 1030}));
    const auto planned = memory.allocate(1030 * q);
    REQUIRE(planned);
    REQUIRE(memory.unload(*step));
    CHECK(memory.granted(*planned) == 1030 * q);
    REQUIRE(memory.free(*planned));
    CHECK(memory.live_bytes() == 1141 * q);
}

}  // namespace
}  // namespace hbm::test::manager_scheduled_tests
