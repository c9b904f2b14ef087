#include <hbm/donation/donate_fitting.hpp>
#include <hbm/donation/donate_same_size.hpp>
#include <hbm/eviction/evict_lru.hpp>
#include <hbm/manager.hpp>
#include <hbm/pack/learning.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/bfc.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/testing/conformance.hpp>
#include <hbm/testing/outcome.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <testing/departing_program.hpp>
#include <testing/seeds.hpp>
#include <type_traits>
#include <vector>

namespace hbm::test::learning_tests {

namespace {

static_assert(placement<learning<best_fit>> && placement<learning<buddy>> && placement<learning<bfc>>);
static_assert(compacts<bottom_reserve<compacting<learning<best_fit>>>> && compacts<learning<compacting<best_fit>>>);
static_assert(imports<learning<best_fit>> && relocates<learning<best_fit>> && shrinks<learning<best_fit>> &&
              extends<learning<best_fit>> && !reserves_metadata<learning<best_fit>>);
static_assert(std::is_same_v<from_the_top_t<learning<best_fit>>, learning<from_the_top_t<best_fit>>>);

constexpr bool places_in_constant_evaluation() {
    learning<best_fit> memory(20);
    const block_index first = memory.place({.length = 2});
    const learning<best_fit> copy = memory;
    const block_index second = memory.place({.length = 4});
    memory.release(first);
    return memory.map().offset(second) == 2 && copy.map().live() == 2 && !(copy == memory);
}
static_assert(places_in_constant_evaluation());

template <placement P>
void expect_conformance() {
    for_each_seed(60, 60, [](std::uint64_t seed, std::uint32_t steps) { return testing::conformance<P>(seed, steps); });
}

/// A training step whose weights have momentum from the first step on: activations beside scratch, which go in reverse
/// order while gradients come; the gradients outlive the step.
template <class P>
class training {
public:
    explicit training(P& memory) : memory_(memory) {
        for (std::uint32_t layer = 0; layer < layers; ++layer) ask(weight(layer));
    }

    void step() {
        std::vector<block_index> kept;
        for (std::uint32_t layer = 0; layer < layers; ++layer) {
            const block_index scratch = ask(70 + 9 * layer);
            kept.push_back(ask(30 + 5 * (layer % 4)));
            memory_.release(scratch);
        }
        for (const block_index gradient : gradients_) memory_.release(gradient);
        gradients_.clear();
        for (std::uint32_t layer = layers; layer-- != 0;) {
            const block_index scratch = ask(55 + 4 * layer);
            gradients_.push_back(ask(weight(layer)));
            memory_.release(kept[layer]);
            memory_.release(scratch);
        }
        if (++steps_ == 1)
            for (std::uint32_t layer = 0; layer < layers; ++layer) ask(weight(layer));
    }

    [[nodiscard]] std::uint32_t footprint() const { return footprint_; }

private:
    static constexpr std::uint32_t layers = 24;
    [[nodiscard]] static std::uint32_t weight(std::uint32_t layer) { return 11 + 7 * (layer % 5); }

    block_index ask(std::uint32_t size) {
        const block_index made = memory_.place({.length = size});
        REQUIRE(made != no_block);
        if (memory_.map().end(made) > footprint_) footprint_ = memory_.map().end(made);
        return made;
    }

    P& memory_;
    std::vector<block_index> gradients_;
    std::uint32_t footprint_ = 0;
    int steps_ = 0;
};

/// `most_followed` is raised to how many blocks went where a plan said.
template <class P>
testing::outcome depart(std::uint64_t seed, std::uint32_t steps, std::uint64_t& most_followed) {
    testing::random_numbers random(seed);
    std::vector<line> step = random_step(random);
    const std::size_t length = step.size();
    for (const line& each : random_step(random)) step.push_back({each.size, each.size == 0 ? each.frees + length : 0});
    const auto capacity = static_cast<std::uint32_t>(random.once_in(3) ? P::unlimited : 40 + random.below(120));
    const std::uint64_t rarity = 2 + random.below(400);
    return run_steps(departing_program<P, learning<P>>(seed, learning<P>(capacity)), step, rarity, steps,
                     {.subject = "learning", .seed = seed}, most_followed);
}

}  // namespace

TEST_CASE("learning conforms over every kind of placement") {
    expect_conformance<learning<best_fit>>();
    expect_conformance<learning<first_fit>>();
    expect_conformance<learning<buddy>>();
    expect_conformance<learning<bfc>>();
    expect_conformance<learning<basic_best_fit<std::uint64_t>>>();
    expect_conformance<learning<compacting<best_fit>>>();
    expect_conformance<bottom_reserve<compacting<learning<best_fit>>>>();
    expect_conformance<learning<compacting<bottom_reserve<best_fit>>>>();
}

TEST_CASE("managers that learn conform: relief, eviction, donation, forks") {
    using bottom = bottom_reserve<compacting<learning<best_fit>>>;
    for_each_seed(20, 60, [](std::uint64_t seed, std::uint32_t steps) {
        return testing::conformance_manager<manager<bottom, evict_lru, donate_same_size>>(seed, steps);
    });
    for_each_seed(20, 60, [](std::uint64_t seed, std::uint32_t steps) {
        return testing::conformance_manager<manager<learning<compacting<best_fit>>, evict_lru, donate_fitting>>(seed,
                                                                                                                steps);
    });
}

TEST_CASE("the name is the type as a user would write it") {
    CHECK(std::string(learning<compacting<best_fit>>::name.c_str()) == "learning<compacting<best_fit>>");
}

TEST_CASE("steps that come again are planned, and need no more than the placement alone does") {
    learning<best_fit> memory(best_fit::unlimited);
    training<learning<best_fit>> learned(memory);
    best_fit plain(best_fit::unlimited);
    training<best_fit> alone(plain);
    for (int step = 0; step < 12; ++step) learned.step(), alone.step();
    CHECK(learned.footprint() <= alone.footprint());
    CHECK(memory.plans() != 0);
    CHECK(memory.followed() != 0);
}

TEST_CASE("a memory that is in use begins to learn, and plans no higher than it was used before") {
    best_fit used(best_fit::unlimited);
    const block_index low = used.place({.length = 20'000});
    const block_index high = used.place({.length = 1});
    used.release(low);
    learning<best_fit> memory(used);
    CHECK(memory.map().offset(high) == 20'000);
    training<learning<best_fit>> learned(memory);
    for (int step = 0; step < 12; ++step) learned.step();
    CHECK(memory.plans() == 0);
    const best_fit without(memory);
    CHECK(without.map().live() == memory.map().live());
}

TEST_CASE("a copy is equal, goes on alike, and changes nothing of the other") {
    learning<best_fit> memory(best_fit::unlimited);
    training<learning<best_fit>> program(memory);
    for (int step = 0; step < 6; ++step) program.step();
    learning<best_fit> copy = memory;
    const learning<best_fit> before = memory;
    CHECK(copy == memory);
    for (std::uint32_t size = 1; size < 40; ++size) copy.place({.length = size});
    CHECK(memory == before);
    CHECK_FALSE(copy == memory);
    for (std::uint32_t size = 1; size < 40; ++size) memory.place({.length = size});
    CHECK(copy == memory);
}

TEST_CASE("what fails teaches nothing") {
    learning<best_fit> memory(10);
    REQUIRE(memory.place({.length = 4}) != no_block);
    const learning<best_fit> before = memory;
    CHECK(memory.place({.length = 7}) == no_block);
    CHECK(memory == before);
}

TEST_CASE("the older half is forgotten, and the memory on the host is bounded") {
    learning<best_fit> memory(best_fit::unlimited);
    training<learning<best_fit>> program(memory);
    std::size_t most = 0;
    std::uint64_t followed = 0;
    for (int step = 0; step < 480; ++step) {  // 144 events each: more than the past holds
        program.step();
        if (memory.learned_bytes() > most) most = memory.learned_bytes();
        if (step == 470) followed = memory.followed();
    }
    CHECK(most < (std::size_t{23} << 20U) / 10);
    CHECK(memory.followed() >= followed);
}

TEST_CASE("whatever departs from what was learned, nothing overlaps and nothing fails that need not") {
    std::uint64_t followed = 0;
    for_each_seed(200, 25,
                  [&](std::uint64_t seed, std::uint32_t steps) { return depart<best_fit>(seed, steps, followed); });
    for_each_seed(50, 25,
                  [&](std::uint64_t seed, std::uint32_t steps) { return depart<first_fit>(seed, steps, followed); });
    if (tries_all_seeds()) CHECK(followed > 100);
}

}  // namespace hbm::test::learning_tests
