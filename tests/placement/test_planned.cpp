#include <hbm/donation/donate_fitting.hpp>
#include <hbm/donation/donate_same_size.hpp>
#include <hbm/eviction/evict_lru.hpp>
#include <hbm/manager.hpp>
#include <hbm/pack/fixed_plan.hpp>
#include <hbm/pack/plan_sequence.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/bfc.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/planned.hpp>
#include <hbm/testing/conformance.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <testing/seeds.hpp>
#include <type_traits>
#include <vector>

namespace hbm::test::planned_tests {

namespace {

static_assert(placement<planned<best_fit>> && placement<planned<buddy>> && placement<planned<bfc>>);
static_assert(compacts<bottom_reserve<compacting<planned<best_fit>>>>);
static_assert(imports<planned<best_fit>> && relocates<planned<best_fit>> && shrinks<planned<best_fit>> &&
              extends<planned<best_fit>>);
static_assert(std::is_same_v<from_the_top_t<planned<best_fit>>, planned<from_the_top_t<best_fit>>>);

template <class Memory, class Plan>
concept follows = requires(Memory& memory, Plan plan) {
    memory.follow(static_cast<Plan>(plan));
};
static_assert(follows<manager<planned<best_fit>>, sequence_plan&> && follows<manager<planned<best_fit>>, plan_view>);
static_assert(!follows<manager<planned<best_fit>>, sequence_plan&&>);  // it would be gone when the call is over
static_assert(!follows<manager<planned<best_fit>>, const sequence_plan&&>);
static_assert(!std::is_constructible_v<planned<best_fit>, std::uint32_t, const sequence_plan>);
static_assert(!follows<manager<best_fit>, sequence_plan&>);

/// A block of 2 that is gone when one of 3 comes, beside a block of 4 that stays: best fit lays 2, 4 and then 3 above.
constexpr known_sequence three_blocks() {
    known_sequence made;
    const std::uint32_t first = made.ask(2);
    const std::uint32_t lasting = made.ask(4);
    made.free(first);
    const std::uint32_t last = made.ask(3);
    made.free(last);
    made.free(lasting);
    return made;
}
constexpr auto three_planned = fixed([] { return plan_for(three_blocks()); });
static_assert(three_planned.view().height == 7);

constexpr bool follows_in_constant_evaluation() {
    planned<best_fit> memory(20, three_planned);
    const block_index first = memory.place({.length = 2});
    const block_index lasting = memory.place({.length = 4});
    const bool apart = memory.map().offset(lasting) >= 2 || memory.map().offset(first) >= 4;
    memory.release(first);
    const block_index last = memory.place({.length = 3});
    return apart && memory.map().end(lasting) <= 7 && memory.map().end(last) <= 7 && memory.followed() == 3;
}
static_assert(follows_in_constant_evaluation());

/// The same plan for each capacity, so that the conformance suite can make it.
template <class P>
struct with_a_plan : planned<P> {
    using typename planned<P>::quanta;
    constexpr with_a_plan() = default;
    constexpr explicit with_a_plan(quanta capacity) : planned<P>(capacity, three_planned) {}
    friend constexpr bool operator==(const with_a_plan&, const with_a_plan&) = default;
};

template <placement P>
void expect_conformance() {
    for_each_seed(150, 60,
                  [](std::uint64_t seed, std::uint32_t steps) { return testing::conformance<P>(seed, steps); });
}

/// A training step: activations that go in reverse order, each asked for beside scratch that leaves a hole, and an
/// input that stays until the next step has its own.
struct program {
    std::vector<std::uint32_t> weights{5, 9, 3};
    std::uint32_t layers = 10;
    std::uint32_t size = 16;

    /// `ask(size)` returns something that `free` takes.
    template <class Ask, class Free, class Block>
    void step(Ask ask, Free free, Block& carried) const {
        std::vector<Block> kept;
        const Block input = ask(size);
        free(carried);
        for (std::uint32_t layer = 0; layer < layers; ++layer) {
            const Block scratch = ask(2 * size + 3 * layer);
            kept.push_back(ask(size + layer % 3));
            free(scratch);
        }
        for (; !kept.empty(); kept.pop_back()) {
            const Block gradient = ask(2 * size);
            free(kept.back());
            free(gradient);
        }
        carried = input;
    }
};

known_sequence recorded(const program& all, int steps) {
    known_sequence made;
    for (const std::uint32_t weight : all.weights) made.ask(weight);
    std::uint32_t carried = made.ask(all.size);
    for (int step = 0; step < steps; ++step)
        all.step([&](std::uint32_t size) { return made.ask(size); }, [&](std::uint32_t block) { made.free(block); },
                 carried);
    return made;
}

template <class P>
std::uint32_t footprint(P& memory, const program& all, int steps) {
    std::uint32_t top = 0;
    const auto ask = [&](std::uint32_t size) {
        const block_index made = memory.place({.length = size});
        REQUIRE(made != no_block);
        if (memory.map().end(made) > top) top = memory.map().end(made);
        return made;
    };
    for (const std::uint32_t weight : all.weights) ask(weight);
    block_index carried = ask(all.size);
    for (int step = 0; step < steps; ++step)
        all.step(
            ask, [&](block_index block) { memory.release(block); }, carried);
    return top;
}

}  // namespace

TEST_CASE("planned conforms, without a plan and with a plan that reality does not follow") {
    expect_conformance<planned<best_fit>>();
    expect_conformance<with_a_plan<best_fit>>();
    expect_conformance<with_a_plan<first_fit>>();
    expect_conformance<with_a_plan<buddy>>();
    expect_conformance<with_a_plan<bfc>>();
    expect_conformance<with_a_plan<basic_best_fit<std::uint64_t>>>();
    expect_conformance<with_a_plan<compacting<bottom_reserve<best_fit>>>>();
    expect_conformance<bottom_reserve<compacting<planned<best_fit>>>>();
}

TEST_CASE("managers that plan conform: relief, eviction, donation, forks") {
    using following = bottom_reserve<compacting<with_a_plan<best_fit>>>;
    for_each_seed(60, 60, [](std::uint64_t seed, std::uint32_t steps) {
        return testing::conformance_manager<manager<following, evict_lru, donate_same_size>>(seed, steps);
    });
    for_each_seed(60, 60, [](std::uint64_t seed, std::uint32_t steps) {
        return testing::conformance_manager<manager<compacting<with_a_plan<best_fit>>, evict_lru, donate_fitting>>(
            seed, steps);
    });
}

TEST_CASE("a manager follows a plan, and so does its fork") {
    const sequence_plan plan = plan_for(three_blocks());
    manager<planned<best_fit>> memory({.name = "small", .capacity = 20 * 512});
    memory.follow(plan);
    const auto first = memory.allocate(2 * 512);
    REQUIRE(first);
    auto fork = memory.fork();
    const auto lasting = memory.allocate(4 * 512);
    REQUIRE(lasting);
    CHECK(memory.where(*lasting) == fork.where(fork.allocate(4 * 512).value_or({})));
    CHECK(memory.state().blocks.followed() == 2);
    CHECK(memory.state().blocks == fork.state().blocks);
}

TEST_CASE("a memory that is in use goes on with a plan, and without") {
    const auto expect_taken_over = []<class With, class Without>(With, Without) {
        typename Without::type memory({.name = "small", .capacity = 40 * 512});
        const auto below = memory.allocate(3 * 512);
        const auto held = memory.allocate(2 * 512);
        REQUIRE((below && held));
        REQUIRE(memory.free(*below));
        auto with = memory.template under<typename With::type>();
        CHECK(with.where(*held) == memory.where(*held));
        const sequence_plan plan = plan_for(three_blocks());
        with.follow(plan);
        for (std::uint64_t size = 2; size <= 4; size += 2) {
            CHECK(with.allocate(size * 512));
            CHECK(memory.allocate(size * 512));
        }
        CHECK(with.free(*held));
        CHECK(memory.free(*held));
        const auto without = with.template under<typename Without::type>();
        CHECK(without.live_bytes() == memory.live_bytes());
        CHECK((*without.blocks().begin()).where == (*with.blocks().begin()).where);
    };
    const auto managed = []<class P>(P) { return std::type_identity<manager<P>>{}; };
    expect_taken_over(managed(planned<best_fit>{}), managed(best_fit{}));
    expect_taken_over(managed(planned<compacting<best_fit>>{}), managed(compacting<first_fit>{}));
    expect_taken_over(managed(bottom_reserve<planned<best_fit>>{}), managed(bottom_reserve<best_fit>{}));
    expect_taken_over(managed(planned<buddy>{}), managed(buddy{}));
}

TEST_CASE("the name is the type as a user would write it") {
    CHECK(std::string(bottom_reserve<compacting<planned<best_fit>>>::name.c_str()) ==
          "bottom_reserve<compacting<planned<best_fit>>>");
}

TEST_CASE("a program that goes on as it began is followed to the end") {
    const program all;
    const sequence_plan plan = plan_for(recorded(all, 6));
    CHECK(plan.steps.size() < plan.order.size());
    planned<best_fit> memory(planned<best_fit>::unlimited, plan);
    CHECK(footprint(memory, all, 40) == plan.height);
    // 3 weights, the first input, and 21 requests a step.
    CHECK(memory.followed() == 4 + 40 * 31);
    best_fit plain(best_fit::unlimited);
    CHECK(plan.height <= footprint(plain, all, 40));
}

TEST_CASE("under bottom_reserve the plan counts from the top") {
    const sequence_plan plan = plan_for(three_blocks());
    bottom_reserve<planned<best_fit>> memory(50);
    memory.follow(plan);
    REQUIRE(memory.reserve(5));
    const block_index first = memory.place({.length = 2});
    const block_index lasting = memory.place({.length = 4});
    CHECK(memory.map().offset(first) >= 43);
    CHECK(memory.map().offset(lasting) >= 43);
    CHECK(memory.followed() == 2);
}

TEST_CASE("what is not where the plan wants it goes to the placement, and a copy goes on alike") {
    const sequence_plan plan = plan_for(three_blocks());
    planned<best_fit> memory(20, plan);
    REQUIRE(memory.occupy({0, 8}) != no_block);
    const planned<best_fit> before = memory;
    CHECK(memory.place({.length = 13}) == no_block);
    CHECK(memory == before);
    const block_index first = memory.place({.length = 2});
    CHECK(memory.map().offset(first) == 8);
    CHECK(memory.followed() == 0);
    planned<best_fit> copy = memory;
    CHECK(copy == memory);
    CHECK(copy.map().offset(copy.place({.length = 4})) == memory.map().offset(memory.place({.length = 4})));
    CHECK(copy == memory);
}

}  // namespace hbm::test::planned_tests
