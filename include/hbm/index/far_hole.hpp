#pragma once

/// The hole that indexes keep in no list.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/request.hpp>

namespace hbm {

/// The hole at the far end of memory, as seen from the end where searches begin: the one that every block of a stack
/// changes. The map knows it, so an index need not. From the low end that is the hole at the top of memory, an ordinary
/// hole; from the high end the one next to the reservation (or to the bottom), which is taken only when no other fits.
/// All O(1).
template <end From>
struct far_hole {
    /// True when it is the one after a block.
    template <class Quanta>
    [[nodiscard, gnu::always_inline]] static constexpr bool is_after(const block_map<Quanta>& map,
                                                                     block_index owner) noexcept {
        return From == end::low ? map.node(owner).next == map.bottom : owner == map.reservation();
    }
    /// The block that it lies after.
    template <class Quanta>
    [[nodiscard, gnu::always_inline]] static constexpr block_index owner(const block_map<Quanta>& map) noexcept {
        return From == end::low ? map.node(map.bottom).previous : map.reservation();
    }
    /// 0 when there is none.
    template <class Quanta>
    [[nodiscard, gnu::always_inline]] static constexpr Quanta size(const block_map<Quanta>& map) noexcept {
        return From == end::low ? map.node(map.bottom).free_before : map.node(map.reservation()).free_after;
    }
    /// The hole, or `no_block` if it is shorter than `length`, which is not 0.
    template <class Quanta>
    [[nodiscard]] static constexpr block_index at_least(const block_map<Quanta>& map, Quanta length) noexcept {
        return size(map) < length ? no_block : hole_after(owner(map));
    }
    /// The hole, or `no_block` if a need does not admit it.
    template <class Quanta>
    [[nodiscard]] static constexpr block_index admitted(const block_map<Quanta>& map, const need<Quanta>& n) noexcept {
        const block_index hole = hole_after(owner(map));
        return size(map) != 0 && n.admits(map.range(hole)) ? hole : no_block;
    }
};

}  // namespace hbm
