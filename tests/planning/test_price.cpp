#include <hbm/planning/price.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>

#include "testing/price_model.hpp"
#include "testing/seeds.hpp"

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
