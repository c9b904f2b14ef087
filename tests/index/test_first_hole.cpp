#include <hbm/placement/first_fit.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace hbm::test::first_hole_tests {

namespace {

/// What the first hole is, looked for in all of them.
template <class Placement>
std::optional<basic_extent<typename Placement::quanta>> first(const Placement& memory,
                                                              const need<typename Placement::quanta>& asked) {
    const auto& map = memory.map();
    const bool from_low = asked.from == end::low;
    for (block_index at = from_low ? map.first() : map.last(); at != no_block;
         at = from_low ? map.next(at) : map.previous(at))
        if (map.is_hole(at) && asked.admits(map.range(at))) return map.range(at);
    return std::nullopt;
}
template <class Placement>
typename Placement::quanta largest(const Placement& memory) {
    typename Placement::quanta most = 0;
    const auto& map = memory.map();
    for (block_index at = map.first(); at != no_block; at = map.next(at))
        if (map.is_hole(at) && map.size(at) > most) most = map.size(at);
    return most;
}

using testing::random_numbers;

/// Lets the number of blocks rise and fall, so that nodes split, are shared and join, and asks for odd needs, cuts
/// blocks down, moves them and goes on with a copy on the way.
template <class Placement>
void expect_the_first(std::uint64_t capacity, const std::vector<std::uint32_t>& sizes, std::uint64_t seed,
                      std::uint32_t steps) {
    using quanta = typename Placement::quanta;
    Placement memory(static_cast<quanta>(capacity));
    std::vector<block_index> live;
    random_numbers draw(seed);
    for (std::uint32_t step = 0; step < steps; ++step) {
        const bool filling = step / (steps / 4) % 2 == 0;
        if (draw.below(16) == 0) REQUIRE(memory.largest_free() == largest(memory));
        if (draw.below(256) == 0) memory = Placement(memory);
        if (!live.empty() && draw.below(8) >= (filling ? 6 : 2)) {
            const std::size_t at = draw.below(live.size());
            const block_index block = live[at];
            const quanta size = memory.map().size(block);
            switch (draw.below(16)) {
            case 0: memory.shrink(block, static_cast<quanta>(1 + draw.below(size))); break;
            case 1: {
                const need<quanta> elsewhere{.length = size, .alignment = memory.map().alignment(block)};
                if (const auto to = first(memory, elsewhere)) REQUIRE(memory.relocate(block, elsewhere.offset_in(*to)));
                break;
            }
            default:
                memory.release(block);
                live[at] = live.back();
                live.pop_back();
            }
            continue;
        }
        need<quanta> asked{.length = static_cast<quanta>(sizes[draw.below(sizes.size())])};
        if (draw.below(8) == 0) asked.alignment = static_cast<quanta>(quanta{1} << draw.below(6));
        if (draw.below(4) == 0) asked.from = end::high;
        if (draw.below(4) == 0) asked.at = end::high;
        if (draw.below(8) == 0) asked.avoid_below = static_cast<quanta>(draw.below(capacity));
        const auto expected = first(memory, asked);
        const block_index block = memory.place(asked);
        REQUIRE((block != no_block) == expected.has_value());
        if (block == no_block) continue;
        live.push_back(block);
        REQUIRE(memory.map().offset(block) == asked.offset_in(*expected));
    }
    while (!live.empty()) {
        memory.release(live.back());
        live.pop_back();
    }
    CHECK(memory.largest_free() == capacity);
}

/// Every other one of so many blocks goes, in random order, and comes back: holes by the ten thousand.
template <class Placement>
void expect_every_other_one(std::uint32_t blocks, std::uint64_t seed) {
    using quanta = typename Placement::quanta;
    Placement memory(static_cast<quanta>(blocks));
    memory.reserve_metadata(blocks);
    std::vector<block_index> live;
    for (std::uint32_t block = 0; block < blocks; ++block) live.push_back(memory.place({.length = 1}));
    std::vector<block_index> leaving;
    for (std::size_t at = 0; at < live.size(); at += 2) leaving.push_back(live[at]);
    random_numbers draw(seed);
    for (std::size_t left = leaving.size(); left != 0; --left) {
        const std::size_t at = draw.below(left);
        memory.release(leaving[at]);
        leaving[at] = leaving[left - 1];
    }
    CHECK(memory.largest_free() == 1);
    CHECK(memory.place({.length = 2}) == no_block);
    std::uint64_t low = 0;
    std::uint64_t high = blocks - 1 - (blocks - 1) % 2;
    while (low <= high) {
        const bool from_low = draw.below(2) == 0;
        const block_index block = memory.place({.length = 1, .from = from_low ? end::low : end::high});
        REQUIRE(block != no_block);
        REQUIRE(memory.map().offset(block) == (from_low ? low : high));
        if (from_low)
            low += 2;
        else
            high -= 2;
    }
    CHECK(memory.largest_free() == 0);
    CHECK(memory.place({.length = 1}) == no_block);
}

/// More holes than a leaf holds, so that it splits, and then none.
template <class Placement>
constexpr bool splits_and_joins() {
    Placement memory(200);
    block_index blocks[100] = {};
    for (block_index& block : blocks) block = memory.place({.length = 2});
    for (int at = 0; at < 100; at += 2) memory.release(blocks[at]);
    if (memory.place({.length = 3}) != no_block || memory.largest_free() != 2) return false;
    const Placement copy = memory;
    if (memory.map().offset(memory.place({.length = 1, .from = end::high})) != 196) return false;
    memory = copy;
    for (int at = 0; at < 100; at += 2) {
        blocks[at] = memory.place({.length = 2});
        if (memory.map().offset(blocks[at]) != static_cast<typename Placement::quanta>(at * 2)) return false;
    }
    for (const block_index block : blocks) memory.release(block);
    return memory.largest_free() == 200;
}
static_assert(splits_and_joins<first_fit>());
static_assert(splits_and_joins<basic_first_fit<std::uint64_t>>());

}  // namespace

TEST_CASE("first_fit takes the first hole, from either end") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        expect_the_first<first_fit>(64, {1, 2, 3}, seed, 2000);
        expect_the_first<first_fit>(1024, {1}, seed, 4000);
        expect_the_first<first_fit>(100'000, {1, 2, 3, 5, 700}, seed, 4000);
        expect_the_first<first_fit>(1'000'003, {4096, 4097, 1, 700}, seed, 2000);
        expect_the_first<first_fit>(std::numeric_limits<std::uint32_t>::max(), {4096, 1'000'000'000, 3}, seed, 1000);
    }
}
TEST_CASE("first_fit takes the first of thousands of holes") {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        CAPTURE(seed);
        expect_the_first<first_fit>(6000, {1, 2}, seed, 16'000);
        expect_every_other_one<first_fit>(60'000, seed);
    }
}
TEST_CASE("wide first_fit takes the first hole, also beyond 32 bits") {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(seed);
        expect_the_first<basic_first_fit<std::uint64_t>>(std::uint64_t{1} << 45, {512, 0xffffffff, 7}, seed, 1000);
        expect_the_first<basic_first_fit<std::uint64_t>>(~std::uint64_t{0}, {4096, 3}, seed, 1000);
    }
    expect_every_other_one<basic_first_fit<std::uint64_t>>(20'000, 3);
}
TEST_CASE("without memory first_fit places nothing") {
    first_fit memory(0);
    CHECK(memory.place({.length = 1}) == no_block);
    CHECK(memory.place({.length = 1, .from = end::high}) == no_block);
    CHECK(memory.largest_free() == 0);
    CHECK(memory == first_fit());
}

}  // namespace hbm::test::first_hole_tests
