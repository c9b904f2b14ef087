// Placements made of an index and a way to split; placement/test_reference.cpp checks where they put blocks.
#include <hbm/index/fit.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

namespace hbm::test::fit_tests {

namespace {

using quanta = std::uint32_t;

/// Keeps nothing: the first hole from either end.
struct looking_index {
    using quanta = std::uint32_t;

    [[nodiscard]] block_index find(const block_map<quanta>& map, const need<quanta>& asked) const {
        const bool up = asked.from == end::low;
        for (block_index at = up ? map.first() : map.last(); at != no_block; at = up ? map.next(at) : map.previous(at))
            if (map.is_hole(at) && asked.admits(map.range(at))) return at;
        return no_block;
    }
};

static_assert(hole_index<looking_index> && !tracks_holes<looking_index>);

/// All but what would be less than three quanta, which it takes as well.
struct split_off_three {
    static constexpr bool is_exact = false;
    template <class Quanta>
    [[nodiscard]] static constexpr Quanta taken(Quanta length, Quanta available) noexcept {
        return available - length < 3 ? available : length;
    }
};

}  // namespace

static_assert(!fit<looking_index>::may_give_more && fit<looking_index, split_off_three>::may_give_more);

TEST_CASE("memory becomes no longer than it is, nor longer than its width can count") {
    fit<looking_index> memory(10);
    const auto before = memory;
    CHECK_FALSE(memory.extend(10));
    CHECK_FALSE(memory.extend(9));
    CHECK_FALSE(memory.extend(std::uint64_t{std::numeric_limits<quanta>::max()} + 11));
    CHECK(memory == before);
    CHECK(memory.extend(std::numeric_limits<quanta>::max()));
    CHECK(memory.largest_free() == std::numeric_limits<quanta>::max());
}

TEST_CASE("a block takes the rest of its hole where as much again would not be left") {
    constexpr std::uint32_t most = 1u << 19;
    const auto taken = [](std::uint32_t length, std::uint32_t available) {
        return split_when_worthwhile::taken(length, available);
    };
    CHECK(taken(5, 5) == 5);
    CHECK(taken(5, 9) == 9);
    CHECK(taken(5, 10) == 5);
    CHECK(taken(most, 2 * most) == most);
    CHECK(taken(most + 1, 2 * most) == 2 * most);
    CHECK(taken(most + 1, 2 * most + 1) == most + 1);  // nobody wastes so much
    CHECK(taken(most - 1, 2 * most - 3) == 2 * most - 3);
    const std::uint64_t wide = std::uint64_t{1} << 40;
    CHECK(split_when_worthwhile::taken(wide, wide + most) == wide);
    CHECK(split_when_worthwhile::taken(wide, wide + most - 1) == wide + most - 1);
    CHECK(split_exactly::taken(5u, 9u) == 5);
    CHECK(split_exactly::taken(wide, 2 * wide) == wide);
}

}  // namespace hbm::test::fit_tests
