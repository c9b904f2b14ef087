#include <hbm/hbm.hpp>
#include <hbm/planning/plan.hpp>
#include <hbm/planning/price.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <support/managers.hpp>
#include <vector>

#include "planning/planning.hpp"
#include "testing/price_model.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::plan_tests {

namespace {

constexpr std::uint64_t most = ~std::uint64_t{0};

/// A byte takes a nanosecond each way, a copy 100 more.
constexpr memory_spec plain{.capacity = 1 << 20, .bandwidth = 1'000'000'000, .copy_nanoseconds = 100};

constexpr step costing(step_kind what, std::uint64_t nanoseconds) {
    return {.what = what, .nanoseconds = nanoseconds};
}

}  // namespace

TEST_CASE("a move says what goes where, how far, and at what price") {
    CHECK(move_step(plain, 7, 4096, 1024, 1000) == step{.what = step_kind::move,
                                                        .subject = 7,
                                                        .from = 4096,
                                                        .to = 1024,
                                                        .bytes = 1000,
                                                        .nanoseconds = 100 + 2 * 1000,
                                                        .copies = 1,
                                                        .purpose = step_purpose::room});
    const step up = move_step(plain, 7, 1024, 4096, 1000, step_purpose::aside);
    CHECK(up.from == 1024);
    CHECK(up.to == 4096);
    CHECK(up.nanoseconds == 2100);
    CHECK(up.purpose == step_purpose::aside);
}

TEST_CASE("a move onto itself takes a copy for each piece, whichever way it goes") {
    for (const std::uint64_t to : {700u, 1300u}) {
        CAPTURE(to);
        const step slide = move_step(plain, 0, 1000, to, 1000);
        CHECK(slide.copies == 4);  // 300, 300, 300 and 100
        CHECK(slide.nanoseconds == 4 * 100 + 2 * 1000);
    }
    const step beside = move_step(plain, 0, 1000, 2000, 1000);
    CHECK(beside.copies == 1);
    const step nowhere = move_step(plain, 0, 1000, 1000, 1000);
    CHECK(nowhere.copies == 0);
    CHECK(nowhere.nanoseconds == 0);
}

TEST_CASE("an eviction names the program and its generation, and costs a reload") {
    const program_record record{
        .code = 3000, .scratch = 5000, .reload_nanoseconds = 77, .code_block = 12, .generation = 9, .resident = true};
    CHECK(eviction_step(4, record) == step{.what = step_kind::evict,
                                           .subject = 4,
                                           .from = 9,
                                           .to = 0,
                                           .bytes = 3000,
                                           .nanoseconds = 77,
                                           .copies = 0,
                                           .purpose = step_purpose::room});
}

TEST_CASE("a plan costs what its steps cost together, the largest number at most") {
    plan made;
    CHECK(made.nanoseconds == 0);
    made.add(costing(step_kind::move, 5));
    made.add(costing(step_kind::evict, 7));
    made.add(costing(step_kind::move, 11));
    CHECK(made.steps == trivial_vector<step>{costing(step_kind::move, 5), costing(step_kind::evict, 7),
                                             costing(step_kind::move, 11)});
    CHECK(made.nanoseconds == 23);
    made.add(costing(step_kind::wait, most - 23));
    CHECK(made.nanoseconds == most);  // exactly
    made.add(costing(step_kind::wait, 2));
    CHECK(made.nanoseconds == most);
    CHECK(made.steps.size() == 5);
}

TEST_CASE("a plan tells its kinds of steps apart, and what each of them costs") {
    plan made;
    for (const step_kind each : {step_kind::wait, step_kind::evict, step_kind::move}) {
        CHECK_FALSE(made.has(each));
        CHECK(made.nanoseconds_of(each) == 0);
    }
    made.add(costing(step_kind::move, 5));
    made.add(costing(step_kind::evict, 7));
    made.add(costing(step_kind::move, 11));
    CHECK(made.has(step_kind::move));
    CHECK(made.has(step_kind::evict));
    CHECK_FALSE(made.has(step_kind::wait));
    CHECK(made.nanoseconds_of(step_kind::move) == 16);
    CHECK(made.nanoseconds_of(step_kind::evict) == 7);
    CHECK(made.nanoseconds_of(step_kind::wait) == 0);
    made.add(costing(step_kind::move, most - 10));
    CHECK(made.nanoseconds_of(step_kind::move) == most);
    CHECK(made.nanoseconds_of(step_kind::evict) == 7);
    made.add(costing(step_kind::wait, 0));
    CHECK(made.has(step_kind::wait));  // also where it costs nothing
}

}  // namespace hbm::test::plan_tests

// Bounds and capped prices of plans; test_several_needs.cpp compares plans with brute force.

namespace hbm::test::planner_tests {
namespace {

constexpr std::uint64_t q = 512;

TEST_CASE("cheapest_over_waits: passes on the lower bound that a way returns") {
    manager<compacting<best_fit>> memory{{.capacity = 12 * q, .copy_nanoseconds = 1000}};
    const auto below = memory.allocate(4 * q);
    REQUIRE(memory.allocate(4 * q));
    REQUIRE(memory.free(*below));
    const planning_problem problem = problem_for(memory.state(), {{.length = 8}}, victims::window);
    const planner ways(problem);
    const std::optional<plan> proven = ways.cheapest_over_waits(&planner::cheapest);
    REQUIRE(proven);
    CHECK(proven->lower_bound == proven->nanoseconds);
    const std::optional<plan> doubted = ways.cheapest_over_waits([](const planner& later) {
        planning_result result = later.cheapest();
        result.lower_bound = 7;
        return result;
    });
    REQUIRE(doubted);
    CHECK(doubted->nanoseconds == proven->nanoseconds);
    CHECK(doubted->lower_bound == 7);
}

TEST_CASE("plans: thousands of moves of hours each are found, and not called the cheapest, as prices are capped") {
    constexpr std::uint64_t quantum = std::uint64_t{1} << 34, blocks = 2048;  // 16 GiB, moved at 1 MB/s in 9.5 hours
    manager<compacting<best_fit>> memory{
        {.capacity = 3 * blocks * quantum, .quantum = quantum, .bandwidth = 1'000'000}};
    REQUIRE(memory.pin(*memory.allocate(blocks * quantum)));
    std::vector<buffer> holes;
    for (std::uint64_t at = 0; at < blocks; ++at) {
        REQUIRE(memory.allocate(quantum));
        holes.push_back(*memory.allocate(quantum));
    }
    for (const buffer hole : holes) REQUIRE(memory.free(hole));
    const planning_result planned = memory.plan_for({.bytes = blocks * quantum});
    REQUIRE(planned.found);
    CHECK(planned.found->steps.size() == blocks / 2);
    CHECK(planned.found->lower_bound < planned.found->nanoseconds);
    CHECK(memory.allocate(blocks * quantum));
}

}  // namespace
}  // namespace hbm::test::planner_tests

namespace hbm::test::price_tests {

using testing::random_numbers;

namespace {

constexpr std::uint64_t largest = ~std::uint64_t{0};

/// A copy costs a microsecond, and a quantum two more.
constexpr memory_spec round_figures{.quantum = 512, .bandwidth = 512'000'000, .copy_nanoseconds = 1000};

memory_spec random_device(random_numbers& random) {
    memory_spec device;
    device.quantum = std::uint64_t{256} << random.below(3);
    device.bandwidth = (1 + random.below(5)) * 300'000'000;
    device.copy_nanoseconds = random.below(4) * 900;
    device.bounce = random.below(6) * device.quantum;
    return device;
}

std::uint64_t modelled(const memory_spec& device, std::uint64_t size, std::uint64_t distance) {
    return testing::price_of_moving({device.bandwidth, device.copy_nanoseconds, device.bounce}, size * device.quantum,
                                    distance * device.quantum)
        .nanoseconds;
}

}  // namespace

TEST_CASE("a nanosecond is 1024 of a price, up to some 18 minutes") {
    CHECK(as_price(0) == 0);
    CHECK(as_price(1) == 1024);
    CHECK(as_price(1'000'000) == 1'024'000'000);
    constexpr std::uint64_t most = std::uint64_t{1} << 40;
    CHECK(as_price(most - 1) == (std::uint64_t{1} << 50) - 1024);
    CHECK(as_price(most) == std::uint64_t{1} << 50);
    CHECK(as_price(most + 1) == std::uint64_t{1} << 50);
    CHECK(as_price(largest) == std::uint64_t{1} << 50);
    CHECK(as_price(largest) < unlimited_price / 16'000);
}

TEST_CASE("only a move that takes no time costs less than a nanosecond, and it is not free") {
    CHECK(as_move_price(0) == 1);
    CHECK(as_move_price(1) == 1024);
    CHECK(as_move_price(1500) == 1'536'000);
    CHECK(as_move_price(largest) == std::uint64_t{1} << 50);
}

TEST_CASE("what takes longer costs more, whatever the ranks below a nanosecond say") {
    constexpr std::uint64_t highest_rank = (std::uint64_t{1} << tie_bits) - 1;
    for (const std::uint64_t time : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{77'777},
                                     (std::uint64_t{1} << 36) + 3, (std::uint64_t{1} << 40) - 1}) {
        CAPTURE(time);
        CHECK(as_price(time) + highest_rank < as_price(time + 1));
        CHECK(as_move_price(time) < as_move_price(time + 1));
    }
}

TEST_CASE("a move that overlaps itself costs its copies") {
    const std::uint64_t far = as_move_price(7000);  // one copy of three quanta
    CHECK(price_of_move(round_figures, far, 3, 1) == 9'216'000);
    CHECK(price_of_move(round_figures, far, 3, 2) == 8'192'000);
    CHECK(price_of_move(round_figures, far, 3, 3) == 7'168'000);
    CHECK(price_of_move(round_figures, far, 3, 100) == 7'168'000);
    CHECK(price_of_move(round_figures, far, 3, largest) == 7'168'000);
}

TEST_CASE("a block that goes as far as it is long costs what it is said to cost") {
    CHECK(price_of_move(round_figures, 123, 3, 3) == 123);
    CHECK(price_of_move(round_figures, 123, 3, 2) == 8'192'000);
    CHECK(price_of_move(round_figures, 0, 3, 2) == 0);
    memory_spec without_fixed_cost = round_figures;
    without_fixed_cost.copy_nanoseconds = 0;
    CHECK(price_of_move(without_fixed_cost, 123, 3, 1) == 123);
}

TEST_CASE("a bounce region makes short moves cheaper where it takes fewer copies") {
    memory_spec device = round_figures;
    device.bounce = 4 * device.quantum;
    // Eight quanta by one: eight copies and 16 us, or two pieces, each copied twice, and 32 us.
    CHECK(price_of_move(device, as_move_price(17'000), 8, 1) == 24'000 * 1024);
    device.bandwidth *= 8;  // now 2 us, or 4 us
    CHECK(price_of_move(device, as_move_price(3000), 8, 1) == 8000 * 1024);
    CHECK(price_of_move(device, as_move_price(3000), 8, 2) == 6000 * 1024);
}

TEST_CASE("prices of moves follow the published model, and do not rise with the distance") {
    for_each_seed(4000, [](testing::outcome& found, random_numbers& random) {
        const memory_spec device = random_device(random);
        const std::uint64_t size = 1 + random.below(12);
        const std::uint64_t far = modelled(device, size, size) * 1024;
        std::uint64_t before = largest;
        for (std::uint64_t distance = 1; distance < 15; ++distance) {
            const std::uint64_t price = price_of_move(device, far, size, distance);
            if (price != modelled(device, size, distance) * 1024) found.broken = "not the price of the model";
            if (price != as_price(device.move_nanoseconds(size * device.quantum, distance * device.quantum)))
                found.broken = "not what the spec says";
            if (price > before) found.broken = "farther is dearer";
            before = price;
        }
    });
}

}  // namespace hbm::test::price_tests
