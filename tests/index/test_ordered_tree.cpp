#include <hbm/index/ordered_tree.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

namespace hbm::test {

namespace {

/// As much of a block map as a tree asks for, with a size and a summary for each hole.
struct plain_map {
    std::vector<std::uint64_t> offsets;
    std::vector<std::uint64_t> sizes;
    std::vector<block_index> lefts;
    std::vector<block_index> rights;
    std::vector<std::uint64_t> sums;  // of the sizes in the subtree

    explicit plain_map(std::size_t holes)
        : offsets(holes), sizes(holes), lefts(holes, 77), rights(holes, 77), sums(holes) {}

    [[nodiscard]] std::uint64_t offset(block_index hole) const { return offsets[hole]; }
    [[nodiscard]] block_index& left(block_index hole) { return lefts[hole]; }
    [[nodiscard]] block_index& right(block_index hole) { return rights[hole]; }
    [[nodiscard]] block_index left(block_index hole) const { return lefts[hole]; }
    [[nodiscard]] block_index right(block_index hole) const { return rights[hole]; }
};

struct by_size {
    static bool before(const plain_map& map, block_index a, block_index b) {
        return std::pair(map.sizes[a], map.offsets[a]) < std::pair(map.sizes[b], map.offsets[b]);
    }
};

/// Keeps the sum of the sizes below each hole.
struct sum_up {
    void operator()(plain_map& map, block_index hole) const {
        const auto sum = [&](block_index child) { return child == no_block ? 0 : map.sums[child]; };
        map.sums[hole] = map.sizes[hole] + sum(map.left(hole)) + sum(map.right(hole));
    }
};

/// Appends the holes of a subtree from left to right. False where a sum is wrong, or there are too many holes.
bool walk(const plain_map& map, block_index root, std::vector<block_index>& seen) {
    if (root == no_block) return true;
    const std::size_t before = seen.size();
    if (before == map.offsets.size() || !walk(map, map.left(root), seen)) return false;
    seen.push_back(root);
    if (!walk(map, map.right(root), seen)) return false;
    std::uint64_t sum = 0;
    for (std::size_t at = before; at < seen.size(); ++at) sum += map.sizes[seen[at]];
    return map.sums[root] == sum;
}
std::size_t depth(const plain_map& map, block_index root) {
    return root == no_block ? 0 : 1 + std::max(depth(map, map.left(root)), depth(map, map.right(root)));
}

/// Holes at different offsets, of few sizes; the offsets may lie beyond 32 bits.
plain_map random_holes(std::size_t holes, unsigned shift, testing::random_numbers& random) {
    plain_map map(holes);
    std::uint64_t at = 0;
    for (std::size_t hole = 0; hole < holes; ++hole) {
        map.sizes[hole] = 1 + random.below(9);
        map.offsets[hole] = at << shift;
        at += 1 + random.below(3);
    }
    for (std::size_t left = holes; left > 1; --left)
        std::swap(map.offsets[left - 1], map.offsets[static_cast<std::size_t>(random.below(left))]);
    return map;
}

template <class Order>
void expect_as_a_plain_set(unsigned shift, std::uint64_t seed) {
    constexpr std::size_t holes = 60;
    using tree = ordered_tree<Order>;
    testing::random_numbers random(seed);
    plain_map map = random_holes(holes, shift, random);
    const auto before = [&](block_index a, block_index b) { return Order::before(map, a, b); };
    std::set<block_index, decltype(before)> plain(before);
    block_index root = no_block;
    for (int step = 0; step < 300; ++step) {
        const auto hole = static_cast<block_index>(random.below(holes));
        if (plain.erase(hole) != 0) {
            tree::erase(map, root, hole, sum_up{});
        } else {
            plain.insert(hole);
            tree::insert(map, root, hole, sum_up{});
        }
        std::vector<block_index> seen;
        REQUIRE(walk(map, root, seen));
        REQUIRE(seen == std::vector<block_index>(plain.begin(), plain.end()));

        const auto value = [&](auto at) { return at == plain.end() ? no_block : *at; };
        const auto value_before = [&](auto at) { return at == plain.begin() ? no_block : *std::prev(at); };
        REQUIRE(tree::first(map, root) == value(plain.begin()));
        REQUIRE(tree::last(map, root) == value_before(plain.end()));
        const auto other = static_cast<block_index>(random.below(holes));  // in the tree or not
        REQUIRE(tree::next(map, root, other) == value(plain.upper_bound(other)));
        REQUIRE(tree::previous(map, root, other) == value_before(plain.lower_bound(other)));
        REQUIRE(tree::lower_bound(map, root, [&](block_index at) { return !before(at, other); }) ==
                value(plain.lower_bound(other)));
        REQUIRE(tree::upper_bound(map, root, [&](block_index at) { return !before(other, at); }) ==
                value_before(plain.upper_bound(other)));
        REQUIRE(tree::lower_bound(map, root, [](block_index) { return false; }) == no_block);
        REQUIRE(tree::upper_bound(map, root, [](block_index) { return false; }) == no_block);
    }
}

}  // namespace

TEST_CASE("a tree of holes finds its neighbours as a plain set does, and keeps summaries") {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        CAPTURE(seed);
        for (const unsigned shift : {0u, 9u, 31u, 40u}) {
            CAPTURE(shift);
            expect_as_a_plain_set<by_offset>(shift, seed);
            expect_as_a_plain_set<by_size>(shift, seed);
        }
    }
}

TEST_CASE("the links depend on which holes are in the tree, and not on how they came there") {
    constexpr block_index holes = 40;
    using tree = ordered_tree<by_offset>;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        testing::random_numbers random(seed);
        plain_map first = random_holes(holes, 0, random);
        plain_map other = first;
        block_index first_root = no_block;
        block_index other_root = no_block;
        std::vector<block_index> staying;
        std::vector<block_index> leaving;
        for (block_index hole = 0; hole < holes; ++hole) (random.once_in(2) ? staying : leaving).push_back(hole);
        for (const block_index hole : staying) tree::insert(first, first_root, hole);
        for (block_index hole = holes; hole-- > 0;) tree::insert(other, other_root, hole);
        for (const block_index hole : leaving) tree::erase(other, other_root, hole);
        CHECK(first_root == other_root);
        for (const block_index hole : staying) {
            CHECK(first.left(hole) == other.left(hole));
            CHECK(first.right(hole) == other.right(hole));
        }
    }
}

TEST_CASE("a tree of holes that come in address order is not deep") {
    constexpr block_index holes = 4096;  // log2: 12
    using tree = ordered_tree<by_offset>;
    for (const std::uint64_t apart : {std::uint64_t{1}, std::uint64_t{4096}, std::uint64_t{1} << 40}) {
        CAPTURE(apart);
        plain_map map(holes);
        block_index root = no_block;
        for (block_index hole = 0; hole < holes; ++hole) {
            map.offsets[hole] = hole * apart;
            tree::insert(map, root, hole);
        }
        CHECK(depth(map, root) <= 48);
        for (block_index hole = 0; hole < holes; ++hole) tree::erase(map, root, hole);
        CHECK(root == no_block);
    }
}

TEST_CASE("an empty tree has no holes") {
    const plain_map map(1);
    CHECK(ordered_tree<by_offset>::first(map, no_block) == no_block);
    CHECK(ordered_tree<by_offset>::last(map, no_block) == no_block);
    CHECK(ordered_tree<by_offset>::next(map, no_block, 0) == no_block);
    CHECK(ordered_tree<by_offset>::previous(map, no_block, 0) == no_block);
}

}  // namespace hbm::test
