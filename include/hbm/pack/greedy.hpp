#pragma once

/// Greedy packings: lay the blocks in some order, each into the lowest gap. (By size: Pisarchyk and Lee, "Efficient
/// Memory Management for Deep Neural Net Inference", 2020.)

#include <hbm/core/heap_sort.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/pack/block.hpp>
#include <hbm/pack/placed_blocks.hpp>
#include <hbm/pack/sections.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hbm::inline v0::pack::detail {

/// Priority of a block as a small floating-point number: 12 bits of exponent, then the 52 bits after the leading 1.
/// Doubling is an addition, and all compilers round alike.
enum class priority : std::uint64_t { none = 0 };

/// Returns the priority of a product; 0 counts as 1.
[[nodiscard]] constexpr priority priority_of(std::uint64_t a, std::uint64_t b = 1) noexcept {
    // The product of the leading 32 bits suffices.
    // A logarithm with a linear mantissa, in integers: only comparisons and doublings are needed, and those must not
    // depend on the machine.
    const auto scaled = [](std::uint64_t& value) {
        if (value == 0) value = 1;
        const int zeros = std::countl_zero(value);
        value <<= zeros;
        return static_cast<std::uint64_t>(63 - zeros);
    };
    if (b == 1) {
        const std::uint64_t exponent = scaled(a);
        return priority{exponent << 52U | (a << 1U) >> 12U};
    }
    std::uint64_t exponent = scaled(a) + scaled(b);
    std::uint64_t product = (a >> 32U) * (b >> 32U);
    if (product >> 63U != 0) ++exponent;
    while (product >> 63U == 0) product <<= 1U;
    return priority{exponent << 52U | (product << 1U) >> 12U};
}

[[nodiscard]] constexpr priority doubled(priority value) noexcept {
    return priority{static_cast<std::uint64_t>(value) + (std::uint64_t{1} << 52U)};
}

/// The blocks that are laid first.
enum class greedy_order : std::uint8_t {
    size,      ///< the largest
    duration,  ///< the longest lives
    area,      ///< the largest product of size and duration
    stay,      ///< those that live for more than a quarter of all time, the longest first; then the largest
};

/// Returns the priority of each block in an order.
[[nodiscard]] constexpr trivial_vector<priority> priorities_of(std::span<const block> blocks, greedy_order order) {
    std::uint64_t begin = ~std::uint64_t{0};
    std::uint64_t end = 0;
    for (const block& item : blocks) {
        if (!takes_room(item)) continue;
        begin = item.begin < begin ? item.begin : begin;
        end = item.end > end ? item.end : end;
    }
    trivial_vector<priority> priorities;
    for (const block& item : blocks) {
        const std::uint64_t duration = item.end - item.begin;
        if (!takes_room(item))
            priorities.push_back(priority::none);
        else if (order == greedy_order::size)
            priorities.push_back(priority_of(item.bytes));
        else if (order == greedy_order::stay)
            priorities.push_back(duration > (end - begin) / 4 ? priority_of(duration, ~std::uint64_t{0})
                                                              : priority_of(item.bytes));
        else
            priorities.push_back(priority_of(duration, order == greedy_order::area ? item.bytes : 1));
    }
    return priorities;
}

/// Returns the blocks with a given offset, which have no choice, then the others by descending priority.
[[nodiscard]] constexpr trivial_vector<std::uint32_t> in_order(std::span<const block> blocks,
                                                               const trivial_vector<priority>& priorities) {
    struct entry {
        priority key;
        std::uint32_t which;
        bool is_given;
    };
    trivial_vector<entry> entries;
    for (std::uint32_t which = 0; which < blocks.size(); ++which)
        if (takes_room(blocks[which])) entries.push_back({priorities[which], which, blocks[which].offset != anywhere});
    heap_sort(entries, [&](const entry& a, const entry& b) {
        if (a.is_given != b.is_given) return a.is_given;
        if (a.key != b.key) return a.key > b.key;
        if (blocks[a.which].alignment != blocks[b.which].alignment)
            return blocks[a.which].alignment > blocks[b.which].alignment;
        return a.which < b.which;
    });
    trivial_vector<std::uint32_t> order;
    for (const entry& item : entries) order.push_back(item.which);
    return order;
}

template <class Placed>
[[nodiscard]] constexpr packing lay(std::span<const block> blocks, const sections& cut,
                                    const trivial_vector<std::uint32_t>& order, Placed& placed) {
    packing result;
    result.offsets.resize(blocks.size(), 0);
    // A block is laid once and stays. All of the choice is in the order: each takes the lowest gap that holds it.
    for (const std::uint32_t which : order) {
        const std::uint64_t offset = placed.lowest_gap(blocks[which], cut.lives[which]);
        if (offset == anywhere) return {};
        placed.add(cut.lives[which], {offset, offset + blocks[which].bytes});
        result.offsets[which] = offset;
        if (offset + blocks[which].bytes > result.bytes) result.bytes = offset + blocks[which].bytes;
    }
    return result;
}

/// Up to this many blocks a linear list is faster than a tree.
inline constexpr std::size_t max_listed = 1500;

/// Lays every block, the highest priority first. Returns an empty packing if a block overlaps at its given offset or
/// ends beyond 64 bits. `cut` has the sections of `blocks`. Adds the blocks and ranges visited to `looks`.
/// Cost: O(n x ranges), the number of ranges that simultaneous blocks form.
[[nodiscard]] constexpr packing pack_by_priority(std::span<const block> blocks, const sections& cut,
                                                 const trivial_vector<priority>& priorities, std::uint64_t& looks) {
    const trivial_vector<std::uint32_t> order = in_order(blocks, priorities);
    const auto lay_into = [&](auto placed) {
        packing result = lay(blocks, cut, order, placed);
        looks += placed.looks() + blocks.size();
        return result;
    };
    if (order.size() <= max_listed) return lay_into(placed_list{});
    return lay_into(placed_tree(cut.count));
}

}  // namespace hbm::inline v0::pack::detail
