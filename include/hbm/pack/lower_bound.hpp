#pragma once

#include <hbm/pack/block.hpp>
#include <hbm/pack/sections.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace hbm::inline v0::pack {

/// Returns a lower bound of the memory of any packing: the peak of live bytes, or the end of a block with a given
/// offset if that is higher. Saturates at 64 bits.
/// Cost: O(n log n).
[[nodiscard]] constexpr std::uint64_t lower_bound(std::span<const block> blocks) {
    std::uint64_t bound = 0;
    for (const std::uint64_t live : detail::live_bytes(blocks, detail::sections_of(blocks)))
        if (live > bound) bound = live;
    for (const block& item : blocks) {
        if (!detail::takes_room(item) || item.offset == anywhere) continue;
        if (item.bytes > ~std::uint64_t{0} - item.offset) return ~std::uint64_t{0};
        if (item.offset + item.bytes > bound) bound = item.offset + item.bytes;
    }
    return bound;
}

}  // namespace hbm::inline v0::pack
