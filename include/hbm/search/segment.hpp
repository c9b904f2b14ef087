#pragma once

#include <hbm/blocks/block_map.hpp>
#include <hbm/search/price.hpp>

#include <cstdint>

namespace hbm::inline v0 {

enum class segment_kind : std::uint8_t { hole, block, wall };

/// A part of memory: a hole, a block or a wall. Offsets are in quanta.
struct segment {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::uint64_t price = unlimited_price;  ///< price of moving the block to a disjoint place
    std::uint64_t least = unlimited_price;  ///< like `price`, or less if its program may be evicted
    block_index block = no_block;
    segment_kind kind = segment_kind::hole;
    bool own = false;  ///< a hole that is free only once the requesting block has left
    std::uint8_t alignment_shift = 0;

    [[nodiscard]] constexpr std::uint64_t size() const noexcept { return high - low; }
    [[nodiscard]] constexpr std::uint64_t alignment() const noexcept { return std::uint64_t{1} << alignment_shift; }
    [[nodiscard]] constexpr bool is_hole() const noexcept { return kind == segment_kind::hole; }
    /// Returns true for a movable block, even if its program could be evicted instead.
    [[nodiscard]] constexpr bool can_slide() const noexcept {
        return kind == segment_kind::block && price != unlimited_price;
    }
};

}  // namespace hbm::inline v0
