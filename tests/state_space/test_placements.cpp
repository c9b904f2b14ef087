// Every state of small memories that buffers alone can lead to, under each placement. HBM_SCOPE=1 and more: capacity 7
// and more, and all calls.
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/placement/lifetimes_apart.hpp>
#include <hbm/placement/lifetimes_learned.hpp>
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

/// A placement with a model of what it learns about one tag: with at most four blocks, a life is brief if the block is
/// the latest of four.
template <class P>
struct learned : lifetimes_learned<P> {
    using lifetimes_learned<P>::lifetimes_learned;

    block_index latest = no_block;
    std::uint32_t brief_lives = 0;

    block_index place(const need<std::uint32_t>& n) {
        const block_index block = lifetimes_learned<P>::place(n);
        if (block != no_block) latest = block;
        return block;
    }
    void release(block_index block) {
        if (this->map().owner(block) != 0) {
            const bool is_brief = block == latest && this->map().live_blocks() == 4;
            brief_lives = is_brief ? std::min(brief_lives + 1, 3u) : std::max(brief_lives, 1u) - 1;
        }
        if (block == latest) latest = no_block;
        lifetimes_learned<P>::release(block);
    }
    friend constexpr bool operator==(const learned&, const learned&) = default;
};

/// Also allocates buffers with a name, whose lifetimes are learned.
template <class P>
struct learning_memory : small_memory<manager<P>> {
    using base = small_memory<manager<P>>;
    using base::base;
    using typename base::call;

    [[nodiscard]] static std::string key(const manager<P>& here, const picture& now) {
        const P& blocks = here.state().blocks;
        std::string text = canonical_form(here, now) + static_cast<char>(blocks.brief_lives);
        for (const piece& block : now) {
            text += static_cast<char>(blocks.map().owner(block.index));
            text += static_cast<char>(block.index == blocks.latest);
        }
        return text;
    }
    [[nodiscard]] std::vector<call> calls(const manager<P>& here, const picture& now) const {
        std::vector<call> all = base::calls(here, now);
        for (std::uint32_t size = 1; now.count < 4 && size <= 6; ++size) {
            call next;
            next.text = "allocate with a name " + std::to_string(size);
            next.needs_room = true;
            next.needs = {base::needed(size, 1)};
            next.granted = size;
            next.act = [size](manager<P>& m) { return base::outcome_of(m.allocate(size, "name")); };
            all.push_back(next);
        }
        return all;
    }
    /// Brief blocks lie at the low end of their holes, lasting ones at the high end.
    [[nodiscard]] const char* step(const manager<P>& before, const picture& was, const call& due, manager<P>& later,
                                   picture& now) const {
        const bool is_brief = before.state().blocks.brief_lives >= 2;
        const char* broken = base::step(before, was, due, later, now);
        const P& blocks = later.state().blocks;
        if (broken == nullptr && (blocks.expected(tag{1}) == lifetime::brief) != (blocks.brief_lives >= 2))
            broken = "another lifetime is learned";
        if (broken != nullptr || due.text.substr(0, 20) != "allocate with a name" || now.count == was.count)
            return broken;
        for (const piece& block : now) {
            if (was.find(block.index, block.generation) != nullptr) continue;
            const bool is_low = block.offset == 0 || (was.taken() >> (block.offset - 1) & 1) != 0;
            const bool is_high =
                block.offset + block.size == now.capacity || (was.taken() >> (block.offset + block.size) & 1) != 0;
            if (is_brief ? !is_low : !is_high) return "a block is not at the end of its lifetime";
        }
        return nullptr;
    }
};

template <class P>
void explore_learning(std::size_t least) {
    const auto scope = static_cast<std::uint32_t>(number_from_environment("HBM_SCOPE", 0));
    const bounds limits{.capacity = 6 + scope, .buffers = 4, .longest = 2, .most_alignment = 1};
    explore_all(learning_memory<P>(limits), P::name.c_str(), least);
}

TEST_CASE("state space: a placement that learns lifetimes keeps the contract in every small state") {
    explore_learning<learned<lifetimes_apart<best_fit>>>(160000);
    explore_learning<learned<lifetimes_apart<first_fit>>>(170000);
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
