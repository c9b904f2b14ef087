#pragma once

/// The hole that indexes keep in no list.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/request.hpp>

namespace hbm {

/// What indexes ask about the far hole, see `block_map::far_hole`: the one that every block of a stack changes. The map
/// knows it, so an index need not. Under a placement that works from the low end it is the hole at the top of memory,
/// the last among its equals; from the high end it is the one next to the reservation (or to the bottom), which is
/// taken only when no other fits. All O(1).
struct far_hole {
    /// 0 when there is none.
    template <class Quanta>
    [[nodiscard, gnu::always_inline]] static constexpr Quanta size(const block_map<Quanta>& map) noexcept {
        return map.size(map.far_hole);
    }
    /// The hole, or `no_block` if it is shorter than `length`, which is not 0.
    template <class Quanta>
    [[nodiscard]] static constexpr block_index at_least(const block_map<Quanta>& map, Quanta length) noexcept {
        return size(map) < length ? no_block : map.far_hole;
    }
    /// The hole, or `no_block` if a need does not admit it.
    template <class Quanta>
    [[nodiscard]] static constexpr block_index admitted(const block_map<Quanta>& map, const need<Quanta>& n) noexcept {
        return size(map) != 0 && n.admits(map.range(map.far_hole)) ? map.far_hole : no_block;
    }
};

}  // namespace hbm
