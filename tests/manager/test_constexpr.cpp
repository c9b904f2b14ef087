// A small story told by the compiler.
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/eviction/more_scores.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>

#include <doctest/doctest.h>

namespace hbm::test::constexpr_tests {

using namespace hbm::literals;

template <class Manager>
constexpr bool tells_a_story(std::uint64_t capacity = 16 * 512) {
    Manager memory{{.name = "some", .capacity = capacity}};
    const auto weights = memory.allocate(4 * 512, "weights");
    const auto step = memory.load({.name = "step", .code = 512, .scratch = 2 * 512});
    if (!weights || !step) return false;
    const auto ran = memory.run(*step, {.donated = {*weights}, .outputs = {4 * 512, 512}});
    if (!ran || ran->outputs.size() != 2) return false;
    if (memory.check(*weights) != error::stale_handle) return false;
    const buffer small = ran->outputs[1];
    const Manager copy = memory;
    if (memory.allocate(capacity + 512) || !(memory == copy)) return false;
    auto trial = memory.fork();
    if (!trial.free(small) || trial.free(small)) return false;
    return memory.check(small) == error::none && memory == copy && memory.unload(*step).has_value();
}

static_assert(tells_a_story<manager<best_fit>>());
static_assert(tells_a_story<manager<best_fit_lifo>>());
static_assert(tells_a_story<manager<first_fit, never_evict, donate_fitting>>());
static_assert(tells_a_story<manager<good_fit>>());
static_assert(tells_a_story<manager<buddy, evict_lru>>());
static_assert(tells_a_story<manager<bfc, evict_lru>>());
static_assert(tells_a_story<tpu::runtime_memory>());
static_assert(tells_a_story<xla_bfc>());
static_assert(tells_a_story<manager<bottom_reserve<compacting<best_fit>>, evict_cheapest_window, donate_same_size>>());
static_assert(tells_a_story<manager<compacting<buddy>, evict_greedy_dual, donate_fitting>>());

// Tables grow with the capacity; the compilers' default limits leave room for those of a whole device.
static_assert(tells_a_story<manager<best_fit>>(16_GiB));
static_assert(tells_a_story<manager<best_fit_lifo>>(16_GiB));
static_assert(tells_a_story<manager<good_fit>>(96_GiB));
static_assert(
    tells_a_story<manager<bottom_reserve<compacting<best_fit>>, evict_cheapest_window, donate_same_size>>(16_GiB));

constexpr bool compacts_in_constant_evaluation() {
    manager<compacting<best_fit>> memory{{.name = "tiny", .capacity = 8 * 512}};
    const auto a = memory.allocate(2 * 512);
    const auto b = memory.allocate(2 * 512);
    memory.free(*a);
    return memory.allocate(6 * 512).has_value() && memory.where(*b).offset == 0 && memory.done_so_far().moves == 1;
}
static_assert(compacts_in_constant_evaluation());

TEST_CASE("what the compiler was told is true at run time") {
    CHECK(tells_a_story<manager<best_fit>>());
    CHECK(compacts_in_constant_evaluation());
}

}  // namespace hbm::test::constexpr_tests
