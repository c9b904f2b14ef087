#pragma once

/// How much memory no packing can do without.

#include <hbm/pack/block.hpp>
#include <hbm/pack/sections.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace hbm::pack {

/// The most bytes that live at the same time, or the end of a block with a given offset if that is higher. The largest
/// number if a sum does not fit into 64 bits. O(n log n).
[[nodiscard]] constexpr std::uint64_t lower_bound(std::span<const block> blocks) {
    std::uint64_t bound = 0;
    for (const std::uint64_t live : live_bytes(blocks, sections_of(blocks)))
        if (live > bound) bound = live;
    for (const block& each : blocks) {
        if (!takes_room(each) || each.offset == anywhere) continue;
        if (each.bytes > ~std::uint64_t{0} - each.offset) return ~std::uint64_t{0};
        if (each.offset + each.bytes > bound) bound = each.offset + each.bytes;
    }
    return bound;
}

}  // namespace hbm::pack
