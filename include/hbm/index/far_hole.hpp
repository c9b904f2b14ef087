#pragma once

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/request.hpp>

namespace hbm::inline v0 {

/// Queries of the far hole (see `block_map::far_hole`), which the map tracks, so that indexes need not list it. Under a
/// placement that works from the low end it is the hole at the top of memory, the last of its ties. From the high end
/// it is the hole next to the reservation or the bottom, the last choice. All queries are O(1).
///
/// Memory is mostly used as a stack: the last block that came is the first to go. Such blocks come from the far hole
/// and return to it, which changes its size and no list. It is also the hole that changes most often; listed, it would
/// move from list to list with each block.
struct far_hole {
    /// Returns the size of the far hole, 0 if there is none.
    template <class Quanta>
    [[nodiscard, gnu::always_inline]] static constexpr Quanta size(const block_map<Quanta>& map) noexcept {
        return map.size(map.far_hole);
    }
    /// Returns the far hole, or `no_block` if it is shorter than `length`, which is not 0.
    template <class Quanta>
    [[nodiscard]] static constexpr block_index at_least(const block_map<Quanta>& map, Quanta length) noexcept {
        return size(map) < length ? no_block : map.far_hole;
    }
    /// Returns the far hole, or `no_block` if `n` does not admit it.
    template <class Quanta>
    [[nodiscard]] static constexpr block_index admitted(const block_map<Quanta>& map, const need<Quanta>& n) noexcept {
        return size(map) != 0 && n.admits(map.range(map.far_hole)) ? map.far_hole : no_block;
    }
};

}  // namespace hbm::inline v0
