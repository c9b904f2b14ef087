// Every state of small memories that buffers alone can lead to, under each placement. HBM_SCOPE=1 and more: capacity 7
// and more, and all calls.
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/placement/lifetimes_apart.hpp>

#include "state_space/calls.hpp"
#include "state_space/explorer.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::placements_tests {
namespace {

template <class Placement>
void explore(bool imports) {
    const auto scope = static_cast<std::uint32_t>(number_from_environment("HBM_SCOPE", 0));
    const bounds limits{
        .capacity = 6 + scope, .buffers = scope == 0 ? 3u : 4u, .longest = 6 + scope, .imports = imports || scope != 0};
    explore_all(small_memory<manager<Placement>>(limits), Placement::name.c_str());
}

TEST_CASE("state space: each placement keeps its contract in every small state") {
    explore<best_fit>(true);
    explore<best_fit_lifo>(true);
    explore<first_fit>(true);
    explore<good_fit>(true);
    explore<buddy>(true);
    explore<bfc>(true);
}

TEST_CASE("state space: each adaptor keeps the contract in every small state") {
    explore<bottom_reserve<good_fit>>(false);
    explore<free_together<first_fit>>(false);
    explore<lifetimes_apart<best_fit>>(false);
    explore<compacting<best_fit_lifo>>(false);
    explore<compacting<buddy>>(false);
    explore<compacting<bfc>>(false);
    explore<bottom_reserve<compacting<free_together<best_fit>>>>(false);
}

}  // namespace
}  // namespace hbm::test::placements_tests
