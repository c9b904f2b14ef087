#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <concepts>
#include <cstdint>
#include <optional>
#include <testing/seeds.hpp>
#include <vector>

namespace hbm::test::best_hole_tests {

namespace {

using testing::random_numbers;

/// The smallest hole that admits a need, ties to the end where searches begin. Over a reservation the hole next to it
/// comes last.
template <class Placement>
std::optional<basic_extent<typename Placement::quanta>> smallest(const Placement& memory,
                                                                 const need<typename Placement::quanta>& wanted) {
    std::optional<basic_extent<typename Placement::quanta>> best;
    std::optional<basic_extent<typename Placement::quanta>> last_resort;
    const auto& map = memory.map();
    for (block_index at = map.first(); at != no_block; at = map.next(at)) {
        if (!map.is_hole(at) || !wanted.admits(map.range(at))) continue;
        if (reserves<Placement> && map.offset(at) == map.size(map.reservation()))
            last_resort = map.range(at);
        else if (!best || map.size(at) < best->size || (map.size(at) == best->size && wanted.from == end::high))
            best = map.range(at);
    }
    return best ? best : last_resort;
}

/// Frees any of the live blocks.
template <class Placement>
void release_any(Placement& memory, std::vector<block_index>& live, random_numbers& random) {
    const std::size_t at = random.below(live.size());
    memory.release(live[at]);
    live[at] = live.back();
    live.pop_back();
}

/// Frees and places at random among `sizes`, so that many holes are of one size, with odd needs on the way. A
/// reservation comes, goes, grows and shrinks where the placement reserves.
template <class Placement>
void expect_the_smallest(std::uint64_t capacity, const std::vector<std::uint32_t>& sizes, std::uint64_t seed,
                         std::uint32_t steps) {
    using quanta = typename Placement::quanta;
    constexpr bool ties_by_offset = reserves<Placement> || std::same_as<Placement, basic_best_fit<quanta>>;
    Placement memory(static_cast<quanta>(capacity));
    std::vector<block_index> live;
    random_numbers random(seed);
    for (std::uint32_t step = 0; step < steps; ++step) {
        if constexpr (reserves<Placement>) {
            if (random.once_in(16)) {
                const auto size = static_cast<quanta>(random.once_in(3) ? 0 : sizes[0] * random.below(20));
                const bool fits = size <= memory.reserved() + memory.reservable();
                REQUIRE(memory.reserve(size) == fits);
                if (fits) REQUIRE(memory.reserved() == size);
                continue;
            }
        }
        if (!live.empty() && random.once_in(step < steps / 2 ? 3 : 2)) {
            release_any(memory, live, random);
            continue;
        }
        need<quanta> wanted{.length = static_cast<quanta>(sizes[random.below(sizes.size())])};
        if (random.once_in(8)) wanted.alignment = static_cast<quanta>(quanta{1} << random.below(6));
        if (!reserves<Placement> && random.once_in(4)) wanted.from = wanted.at = end::high;
        if (!reserves<Placement> && random.once_in(8)) wanted.avoid_below = static_cast<quanta>(random.below(capacity));
        need<quanta> from_its_end = wanted;
        if (reserves<Placement>) from_its_end.from = from_its_end.at = end::high;
        const auto expected = smallest(memory, from_its_end);
        const auto largest = memory.largest_free();
        const Placement before = memory;
        const block_index block = memory.place(wanted);
        REQUIRE((block != no_block) == expected.has_value());
        REQUIRE((largest >= wanted.length || block == no_block));
        if (block == no_block) {
            REQUIRE(memory == before);
            continue;
        }
        live.push_back(block);
        if (ties_by_offset) {
            REQUIRE(memory.map().offset(block) == from_its_end.offset_in(*expected));
        } else {
            const auto& map = before.map();
            for (block_index at = map.first(); at != no_block; at = map.next(at))
                if (map.range(at).contains(memory.map().range(block))) REQUIRE(map.size(at) == expected->size);
        }
    }
    for (const block_index block : live) memory.release(block);
    if constexpr (reserves<Placement>) REQUIRE(memory.reserve(0));
    CHECK(memory.largest_free() == capacity);
}

template <class Placement>
void expect_the_smallest_everywhere() {
    for (std::uint64_t seed = 1; seed <= seeds_to_try(10); ++seed) {
        CAPTURE(seed);
        expect_the_smallest<Placement>(4096, {1}, seed, 1500);
        expect_the_smallest<Placement>(100'000, {1, 2, 3, 5}, seed, 1500);
        expect_the_smallest<Placement>(1'000'003, {4096, 4097, 1, 700}, seed, 1500);
        expect_the_smallest<Placement>(std::uint64_t{4096} * 2000, {4096}, seed, 3000);
        expect_the_smallest<Placement>(std::uint64_t{0xffffffff}, {4096, 1'000'000, 3}, seed, 1000);
    }
}

/// Frees and places where hundreds of holes have one of two sizes, some are a little longer, and nothing merges.
template <class Placement>
void expect_the_smallest_of_hundreds(std::uint32_t size, std::uint64_t seed) {
    using quanta = typename Placement::quanta;
    constexpr std::uint32_t count = 900;
    random_numbers random(seed);
    Placement memory(static_cast<quanta>(count * (size + 16)));
    if (random.once_in(2)) memory.reserve_metadata(2 * count + 100);
    std::vector<block_index> live;
    for (std::uint32_t made = 0; made < count; ++made) {
        const std::uint64_t longer = random.once_in(40) ? 1 + random.below(3) : made % 3 == 0 ? 5 : 0;
        live.push_back(memory.place({.length = static_cast<quanta>(size + longer)}));
        REQUIRE(memory.place({.length = 1}) != no_block);  // stays
    }
    for (std::uint32_t step = 0; step < 6000; ++step) {
        const bool fills = step / 1000 % 2 == 1;
        if (!live.empty() && random.below(10) < (fills ? 3 : 8)) {
            release_any(memory, live, random);
            continue;
        }
        const std::uint32_t usual = step / 500 % 4 == 3 ? size + 5 : size;
        const need<quanta> asked{.length =
                                     static_cast<quanta>(random.once_in(10) ? size - 1 + random.below(8) : usual)};
        const auto expected = smallest(memory, asked);
        const block_index block = memory.place(asked);
        REQUIRE((block != no_block) == expected.has_value());
        if (block == no_block) continue;
        live.push_back(block);
        const auto hole_of = [&](block_index placed) {  // what it was placed in: the rest, if any, lies above it
            const block_index above = memory.map().next(placed);
            const bool has_rest = above != no_block && memory.map().is_hole(above);
            return memory.map().size(placed) + (has_rest ? memory.map().size(above) : 0);
        };
        REQUIRE(hole_of(block) == expected->size);
        if (std::same_as<Placement, basic_best_fit<quanta>>) REQUIRE(memory.map().offset(block) == expected->offset);
    }
}

}  // namespace

TEST_CASE("the smallest of hundreds of holes is taken that nearly all have one of two sizes") {
    for (const std::uint32_t size : {1000u, 4096u, 70'000u}) {
        CAPTURE(size);
        for (std::uint64_t seed = 1; seed <= seeds_to_try(3); ++seed) {
            CAPTURE(seed);
            expect_the_smallest_of_hundreds<best_fit>(size, seed);
            expect_the_smallest_of_hundreds<best_fit_lifo>(size, seed);
            expect_the_smallest_of_hundreds<basic_best_fit<std::uint64_t>>(size, seed);
            expect_the_smallest_of_hundreds<basic_best_fit_lifo<std::uint64_t>>(size, seed);
        }
    }
}

TEST_CASE("best_fit takes the smallest hole, also among very many of one size") {
    expect_the_smallest_everywhere<best_fit>();
}
TEST_CASE("best_fit_lifo takes a smallest hole, also among very many of one size") {
    expect_the_smallest_everywhere<best_fit_lifo>();
}
TEST_CASE("best_fit_lifo: searched from the other end, the hole at the top is the last of its ties") {
    basic_best_fit_lifo<std::uint32_t, end::high> memory(16);
    const need<std::uint32_t> usual{.length = 4, .from = end::high, .at = end::high};
    const block_index top = memory.place(usual);
    memory.place(usual);
    const block_index middle = memory.place(usual);
    memory.place(usual);
    memory.release(middle);
    memory.release(top);
    REQUIRE(memory.map().offset(top) == 12);
    const block_index placed = memory.place({.length = 4, .alignment = 4, .from = end::low, .at = end::low});
    REQUIRE(placed != no_block);
    CHECK(memory.map().offset(placed) == 4);
}
TEST_CASE("over a reservation best_fit takes the smallest hole from the top, also among very many of one size") {
    for (std::uint64_t seed = 1; seed <= seeds_to_try(10); ++seed) {
        CAPTURE(seed);
        expect_the_smallest<bottom_reserve<best_fit>>(4096, {1}, seed, 3000);
        expect_the_smallest<bottom_reserve<best_fit>>(60, {1, 2, 3, 5}, seed, 3000);
        expect_the_smallest<bottom_reserve<best_fit>>(1'000'003, {4096, 4097, 1, 700}, seed, 3000);
        expect_the_smallest<bottom_reserve<best_fit>>(0xffffffff, {4096, 1'000'000, 3}, seed, 2000);
        using wide = bottom_reserve<basic_best_fit<std::uint64_t>>;
        expect_the_smallest<wide>(std::uint64_t{1} << 45, {512, 0xffffffff, 7}, seed, 1000);
        expect_the_smallest<wide>(~std::uint64_t{0}, {4096, 3}, seed, 1000);
    }
}
TEST_CASE("wide best fits take the smallest hole, also beyond 32 bits") {
    for (std::uint64_t seed = 1; seed <= seeds_to_try(5); ++seed) {
        CAPTURE(seed);
        expect_the_smallest<basic_best_fit<std::uint64_t>>(std::uint64_t{1} << 45, {512, 0xffffffff, 7}, seed, 1000);
        expect_the_smallest<basic_best_fit<std::uint64_t>>(~std::uint64_t{0}, {4096, 3}, seed, 1000);
        expect_the_smallest<basic_best_fit_lifo<std::uint64_t>>(std::uint64_t{1} << 45, {512, 0xffffffff}, seed, 1000);
    }
}

namespace {

/// The same requests go to the same places, whether the table of lists was large from the beginning or grew.
template <class Placement>
void expect_no_difference_as_the_table_grows(std::uint64_t seed) {
    random_numbers random(seed);
    Placement growing(8'000'000);
    Placement large(8'000'000);
    large.reserve_metadata(200'000);
    std::vector<block_index> in_growing;
    std::vector<block_index> in_large;
    for (std::uint32_t step = 0; step < 150'000; ++step) {
        if (!in_large.empty() && random.once_in(step % 30'000 < 20'000 ? 4 : 2)) {
            const std::size_t at = random.below(in_large.size());
            growing.release(in_growing[at]);
            large.release(in_large[at]);
            in_growing[at] = in_growing.back();
            in_large[at] = in_large.back();
            in_growing.pop_back();
            in_large.pop_back();
            continue;
        }
        const std::uint32_t length = static_cast<std::uint32_t>(1 + random.below(random.once_in(2) ? 9 : 90));
        in_growing.push_back(growing.place({.length = length}));
        in_large.push_back(large.place({.length = length}));
        REQUIRE(in_large.back() != no_block);
        REQUIRE(growing.map().offset(in_growing.back()) == large.map().offset(in_large.back()));
    }
    CHECK(growing.map().nodes() > 32'000);  // the table grew, twice at least
}

}  // namespace

TEST_CASE("holes keep their order when the table of lists grows") {
    expect_no_difference_as_the_table_grows<best_fit>(1);
    expect_no_difference_as_the_table_grows<best_fit_lifo>(1);
    expect_no_difference_as_the_table_grows<best_fit_lifo>(2);
}

}  // namespace hbm::test::best_hole_tests
