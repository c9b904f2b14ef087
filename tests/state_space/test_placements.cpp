// Every state of small memories that buffers alone can lead to, under each placement. HBM_SCOPE=1 and more: capacity 7
// and more, and all calls.
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/placement/lifetimes_apart.hpp>
#include <hbm/placement/scheduled.hpp>

#include <array>
#include <cstdint>
#include <string>

#include "state_space/calls.hpp"
#include "state_space/explorer.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::placements_tests {
namespace {

/// Explores at least this many transitions.
template <class Placement>
void explore(bool imports, std::size_t least) {
    const auto scope = static_cast<std::uint32_t>(number_from_environment("HBM_SCOPE", 0));
    const bounds limits{
        .capacity = 6 + scope, .buffers = scope == 0 ? 3u : 4u, .longest = 6 + scope, .imports = imports || scope != 0};
    explore_all(small_memory<manager<Placement>>(limits), Placement::name.c_str(), least);
}

/// Requests that fill six quanta; some of these blocks lie where earlier ones must have been freed.
constexpr std::array<scheduled_block, 5> planned_blocks{
    {{0, 2}, {4, 1, 0}, {2, 2, 0}, {0, 3, scheduled_block::none}, {5, 1, 1}}};

/// A placement that begins its plan whenever the memory is empty.
template <class P>
struct planned : scheduled<P> {
    using scheduled<P>::scheduled;

    block_index place(const need<std::uint32_t>& n) {
        const planned before = *this;
        if (this->map().live_blocks() == 0) this->follow({.blocks = planned_blocks, .height = 6});
        const block_index block = scheduled<P>::place(n);
        if (block == no_block) *this = before;
        return block;
    }
    friend constexpr bool operator==(const planned&, const planned&) = default;
};

/// Distinguishes states by the position in the plan.
template <class P>
struct planned_memory : small_memory<manager<P>> {
    using small_memory<manager<P>>::small_memory;

    [[nodiscard]] static std::string key(const manager<P>& here, const picture& now) {
        const P& blocks = here.state().blocks;
        std::string text = canonical_form(here, now) + static_cast<char>(blocks.followed() + 8 * blocks.is_following());
        for (const piece& block : now) text += static_cast<char>(block.index % 251);
        return text;
    }
};

template <class P>
void explore_plan(std::uint32_t capacity, std::size_t least) {
    const bounds limits{.capacity = capacity, .buffers = 3, .longest = 4, .most_alignment = 2, .imports = false};
    explore_all(planned_memory<P>(limits), P::name.c_str(), least);
}

TEST_CASE("state space: a placement that follows a plan keeps the contract in every small state") {
    explore_plan<planned<best_fit>>(6, 280000);
    explore_plan<planned<first_fit>>(5, 22000);
    explore_plan<compacting<planned<best_fit>>>(5, 66000);
}

TEST_CASE("state space: each placement keeps its contract in every small state") {
    explore<best_fit>(true, 84000);
    explore<best_fit_lifo>(true, 92000);
    explore<first_fit>(true, 84000);
    explore<good_fit>(true, 92000);
    explore<buddy>(true, 81000);
    explore<bfc>(true, 98000);
}

TEST_CASE("state space: each adaptor keeps the contract in every small state") {
    explore<bottom_reserve<good_fit>>(false, 3700);
    explore<free_together<first_fit>>(false, 3400);
    explore<lifetimes_apart<best_fit>>(false, 5800);
    explore<compacting<best_fit_lifo>>(false, 6900);
    explore<compacting<first_fit>>(false, 6700);
    explore<compacting<good_fit>>(false, 6900);
    explore<compacting<buddy>>(false, 1700);
    explore<compacting<bfc>>(false, 9700);
    explore<bottom_reserve<compacting<free_together<best_fit>>>>(false, 6700);
}

}  // namespace
}  // namespace hbm::test::placements_tests
