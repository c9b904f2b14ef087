// Every state of small memories that buffers alone can lead to, under each placement.
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/lifetimes_apart.hpp>

#include "state_space/calls.hpp"
#include "state_space/explorer.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::placements_tests {
namespace {

/// HBM_SCOPE=1 and more are for hand: capacity 7 and 8, and pins.
template <class Placement>
void explore(std::uint32_t capacity, std::uint32_t buffers, bool imports) {
    const auto scope = static_cast<std::uint32_t>(number_from_environment("HBM_SCOPE", 0));
    const bounds limits{
        .capacity = capacity + scope, .buffers = std::min(buffers + scope, 4u), .imports = imports || scope != 0};
    explorer<small_memory<manager<Placement>>> all{small_memory<manager<Placement>>(limits)};
    CHECK(all.run(Placement::name.c_str()) > 100);
}

TEST_CASE("state space: each placement keeps its contract in every small state") {
    explore<best_fit>(6, 3, true);
    explore<best_fit_lifo>(6, 3, true);
    explore<first_fit>(6, 3, true);
    explore<good_fit>(6, 3, true);
    explore<buddy>(6, 3, true);
    explore<bfc>(6, 3, true);
}

TEST_CASE("state space: each adaptor keeps the contract in every small state") {
    explore<bottom_reserve<best_fit>>(6, 3, false);
    explore<free_together<best_fit>>(6, 3, false);
    explore<lifetimes_apart<best_fit>>(6, 3, false);
    explore<compacting<best_fit>>(6, 3, false);
    explore<compacting<buddy>>(6, 3, false);
    explore<bottom_reserve<compacting<free_together<good_fit>>>>(6, 3, false);
}

}  // namespace
}  // namespace hbm::test::placements_tests
