#pragma once

/// Packings by a simple rule: take the blocks in some order and lay each into the lowest gap between those that live
/// with it. (Greedy by size: Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference", 2020.)

#include <hbm/core/trivial_vector.hpp>
#include <hbm/pack/block.hpp>
#include <hbm/pack/placed_blocks.hpp>
#include <hbm/pack/sections.hpp>
#include <hbm/search/heap_sort.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace hbm::pack {

/// Which blocks are taken first.
enum class greedy_order : std::uint8_t {
    size,      ///< the largest
    duration,  ///< those that live longest
    area,      ///< the largest product of both
};

namespace greedy_detail {

/// The upper and lower half of a product.
struct wide_product {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    friend constexpr bool operator==(const wide_product&, const wide_product&) = default;
};
[[nodiscard]] constexpr wide_product multiply(std::uint64_t a, std::uint64_t b) noexcept {
    constexpr std::uint64_t mask = 0xffffffff;
    const std::uint64_t low = (a & mask) * (b & mask);
    const std::uint64_t middle = (a >> 32U) * (b & mask) + (low >> 32U);
    const std::uint64_t other = (a & mask) * (b >> 32U) + (middle & mask);
    return {(a >> 32U) * (b >> 32U) + (middle >> 32U) + (other >> 32U), (other << 32U) | (low & mask)};
}

[[nodiscard]] constexpr wide_product weight(const block& each, greedy_order order) noexcept {
    const std::uint64_t duration = each.end - each.begin;
    if (order == greedy_order::size) return multiply(each.bytes, 1);
    return multiply(duration, order == greedy_order::area ? each.bytes : 1);
}

}  // namespace greedy_detail

/// Lays every block, or no block where one cannot lie at its given offset or ends beyond 64 bits. `cut` are the
/// sections of `blocks`. O(n x m log m), where m blocks live with a block.
[[nodiscard]] constexpr packing pack_greedily(std::span<const block> blocks, const sections& cut, greedy_order order) {
    trivial_vector<std::uint32_t> taken;
    packing made;
    made.offsets.resize(blocks.size(), 0);
    for (std::uint32_t which = 0; which < blocks.size(); ++which)
        if (takes_room(blocks[which])) taken.push_back(which);
    heap_sort(taken, [&](std::uint32_t a, std::uint32_t b) {
        // Blocks with a given offset have no choice, so they come first.
        const bool a_is_given = blocks[a].offset != anywhere;
        if (a_is_given != (blocks[b].offset != anywhere)) return a_is_given;
        const greedy_detail::wide_product left = greedy_detail::weight(blocks[a], order);
        const greedy_detail::wide_product right = greedy_detail::weight(blocks[b], order);
        if (left.high != right.high) return left.high > right.high;
        if (left.low != right.low) return left.low > right.low;
        if (blocks[a].alignment != blocks[b].alignment) return blocks[a].alignment > blocks[b].alignment;
        return a < b;
    });
    placed_blocks placed(cut.count, blocks.size());
    for (const std::uint32_t which : taken) {
        const std::uint64_t where = placed.lowest_gap(blocks[which], cut.of[which]);
        if (where == anywhere) return {};
        placed.add(which, cut.of[which], {where, where + blocks[which].bytes});
        made.offsets[which] = where;
        if (where + blocks[which].bytes > made.bytes) made.bytes = where + blocks[which].bytes;
    }
    return made;
}

}  // namespace hbm::pack
