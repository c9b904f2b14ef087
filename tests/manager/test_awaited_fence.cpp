// The fence that a call would wait for: asked first, reached by the caller, and then the call waits for nothing.
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/events/statistics.hpp>
#include <hbm/hbm.hpp>
#include <hbm/manager/awaited_fence.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <support/managers.hpp>
#include <vector>

#include "testing/seeds.hpp"

namespace hbm::test::awaited_fence_tests {
namespace {

constexpr std::uint64_t q = 512;
constexpr memory_spec in_flight(std::uint64_t quanta, std::uint32_t runs) {
    return {.name = "in flight", .capacity = quanta * q, .runs_in_flight = runs};
}
using moving = manager<bottom_reserve<compacting<best_fit>>, evict_lru, donate_fitting>;

TEST_CASE_TEMPLATE("awaited_fence: is that of the run whose memory a request needs", memory_type, manager<best_fit>,
                   moving) {
    memory_type memory{in_flight(16, 4)};
    const auto step = memory.load({.name = "step", .code = q});
    const auto second = memory.allocate(4 * q);
    const auto first = memory.allocate(4 * q);
    const auto reads_first = memory.run(*step, {.inputs = {*first}});
    const auto reads_second = memory.run(*step, {.inputs = {*second}});
    REQUIRE(reads_second);
    memory.free(*first);
    memory.free(*second);
    const auto untouched = memory;
    CHECK(awaited_fence(memory, [](auto& trial) { return trial.allocate(7 * q); }) == fence{});
    CHECK(awaited_fence(memory, [](auto& trial) { return trial.allocate(11 * q); }) == reads_first->over);
    CHECK(awaited_fence(memory, [](auto& trial) { return trial.allocate(15 * q); }) == reads_second->over);
    CHECK(awaited_fence(memory, [&](auto& trial) { return trial.unload(*step); }) == reads_second->over);
    CHECK(memory == untouched);
}

TEST_CASE("awaited_fence: is that of the oldest run if too many are in flight") {
    manager<best_fit> memory{in_flight(16, 2)};
    const auto step = memory.load({.name = "step", .code = q});
    const auto run = [&](auto& trial) { return trial.run(*step, {.outputs = {q}}); };
    std::vector<fence> issued;
    for (int count = 0; count < 2; ++count) {
        CHECK(awaited_fence(memory, run) == fence{});
        issued.push_back(run(memory)->over);
    }
    CHECK(memory.reached() == fence{});
    CHECK(awaited_fence(memory, run) == issued[0]);
    memory.sync();
    CHECK(awaited_fence(memory, run) == fence{});
}

TEST_CASE_TEMPLATE("awaited_fence: a caller who retires it first makes calls that never wait", memory_type,
                   manager<best_fit>, moving, manager<compacting<best_fit>, never_evict, donate_same_size>) {
    std::uint64_t awaited = 0;
    for (std::uint64_t seed = 0; seed < seeds_to_try(20); ++seed) {
        manager<typename memory_type::placement_type, evict_lru, donate_fitting, relieve_cheapest, no_device, event_log>
            memory{in_flight(64, 3)};
        testing::random_numbers random(seed);
        const auto step = memory.load({.name = "step", .code = q, .scratch = q});
        REQUIRE(step);
        std::vector<buffer> held;
        for (int operation = 0; operation < (tries_all_seeds() ? 300 : 150); ++operation) {
            const std::uint64_t bytes = (1 + random.below(12)) * q;
            if (random.once_in(3) && !held.empty()) {
                memory.free(held.back());
                held.pop_back();
                continue;
            }
            const auto call = [&](auto& trial) -> std::optional<buffer> {
                if (operation % 2 == 0) {
                    const auto ran = trial.run(*step, {.outputs = {bytes}});
                    return ran ? std::optional(ran->outputs[0]) : std::nullopt;
                }
                const auto block = trial.allocate(bytes);
                return block ? std::optional(*block) : std::nullopt;
            };
            const fence wait = awaited_fence(memory, call);
            if (wait != fence{}) {
                ++awaited;
                REQUIRE(memory.retire(wait));
            }
            const fence reached = memory.reached();
            if (const auto block = call(memory)) held.push_back(*block);
            REQUIRE(memory.reached() == reached);
        }
        CHECK(memory.done_so_far().waits == 0);
    }
    CHECK((awaited > 100 || !tries_all_seeds()));
}

}  // namespace
}  // namespace hbm::test::awaited_fence_tests
