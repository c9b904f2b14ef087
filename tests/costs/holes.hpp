#pragma once

/// Memories full of holes, in patterns that are hard for a placement.

#include <hbm/manager.hpp>
#include <hbm/testing/random.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "steps.hpp"

namespace hbm::test {

/// Sizes of the blocks that are freed, and the order of the frees. A block of one quantum stays above each.
struct hole_pattern {
    enum order : std::uint8_t { shuffled, rising, falling, from_both_ends };

    const char* name;
    std::uint64_t smallest;
    std::uint64_t sizes;  // count of sizes
    std::uint64_t step;   // difference of neighbouring sizes
    order frees;
    bool has_giant = false;  // a hole of half of the memory lies between the far hole and the others

    [[nodiscard]] std::uint64_t longest() const { return smallest + (sizes - 1) * step; }
    /// Returns twice the quanta of the blocks, and room for the giant.
    [[nodiscard]] std::uint64_t capacity_for(std::uint64_t blocks) const {
        return blocks * (longest() + 1) * (has_giant ? 3 : 2);
    }
    /// Returns the size of a block; if sizes alternate, of block number `at`.
    [[nodiscard]] std::uint64_t size_of(std::uint64_t at, testing::random_numbers& draw) const {
        return smallest + step * (frees == from_both_ends ? at % sizes : draw.below(sizes));
    }
};

inline constexpr hole_pattern hole_patterns[]{
    {"one leading class", 2048, 64, 1, hole_pattern::shuffled},
    {"equal sizes", 64, 1, 1, hole_pattern::shuffled},
    {"two sizes", 64, 2, 1, hole_pattern::shuffled},
    {"many sizes", 64, 1000, 1, hole_pattern::shuffled},
    {"alternating", 64, 2, 960, hole_pattern::from_both_ends},
    {"one giant", 64, 1000, 1, hole_pattern::shuffled, true},
    {"sorted frees, rising", 64, 1, 1, hole_pattern::rising},
    {"sorted frees, falling", 4096, 1, 1, hole_pattern::falling},
};

/// Puts what is sorted into the order in which a pattern frees it.
template <class Item>
void order_frees(std::vector<Item>& items, const hole_pattern& pattern, testing::random_numbers& draw) {
    const std::size_t count = items.size();
    switch (pattern.frees) {
    case hole_pattern::rising: return;
    case hole_pattern::falling:
        for (std::size_t at = 0; at < count / 2; ++at) std::swap(items[at], items[count - 1 - at]);
        return;
    case hole_pattern::shuffled:
        for (std::size_t at = count; at > 1; --at) std::swap(items[at - 1], items[draw.below(at)]);
        return;
    case hole_pattern::from_both_ends: {
        const std::vector<Item> sorted = items;
        for (std::size_t at = 0; at < count; ++at) items[at] = sorted[at % 2 == 0 ? at / 2 : count - 1 - at / 2];
    }
    }
}

/// Returns counts of blocks for which a memory of this type is large enough.
template <class Manager>
[[nodiscard]] std::vector<std::uint64_t> counts_for(const hole_pattern& pattern) {
    std::vector<std::uint64_t> blocks = counts(1000, 100'000);
    while (pattern.capacity_for(blocks.back()) > Manager::unlimited(1).capacity) blocks.pop_back();
    return blocks;
}

/// A memory and the blocks in it that are about to be freed, in this order.
template <class Manager>
struct memory_to_free {
    Manager memory;
    std::vector<buffer> held;
    testing::random_numbers draw{7};

    memory_to_free(const hole_pattern& pattern, std::uint64_t blocks)
        : memory(memory_spec{.capacity = pattern.capacity_for(blocks), .quantum = 1}) {
        memory.reserve_metadata(2 * blocks);
        for (std::uint64_t at = 0; at < blocks; ++at) {
            held.push_back(memory.allocate(pattern.size_of(at, draw)).value());
            static_cast<void>(memory.allocate(std::uint64_t{1}).value());
        }
        if (pattern.has_giant) {
            const buffer giant = memory.allocate(blocks * pattern.longest()).value();
            static_cast<void>(memory.allocate(std::uint64_t{1}).value());
            memory.free(giant);
        }
        order_frees(held, pattern, draw);
    }
};

}  // namespace hbm::test
