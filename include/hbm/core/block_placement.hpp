#pragma once

/// What all placements do alike once they can give a range back and take one.

#include <hbm/core/block_map.hpp>
#include <hbm/core/request.hpp>

namespace hbm {

/// Base of placements over a block map. `Derived` says how a hole joins its neighbours and its index, `give(hole)`,
/// which returns the hole that came of it, and how a given free range leaves them, `take(range, near)`, which looks for
/// it from the block `near` on and returns an unindexed hole of just that range, or `no_block` and nothing done if not
/// all of it is free. Everything else about known ranges follows from the two.
template <class Derived, class Quanta>
class block_placement {
public:
    using quanta = Quanta;

    [[nodiscard]] constexpr const block_map<Quanta>& map() const noexcept { return map_; }
    /// For labels: pins and owners. Splitting and merging are the placement's.
    [[nodiscard]] constexpr block_map<Quanta>& map() noexcept { return map_; }

    /// Frees a live block. Cost of one `give`.
    constexpr void release(block_index block) {
        map_.mark_hole(block);
        self().give(block);
    }

    /// Makes a given free range live; `no_block` if not all of it is free. O(blocks from the nearer end of memory).
    constexpr block_index occupy(basic_extent<Quanta> range) {
        const block_index block = self().take(range, range.offset < map_.capacity() / 2 ? map_.first() : map_.last());
        if (block != no_block) map_.mark_live(block, range.size, 1);
        return block;
    }

    /// Moves a live block to `to`, where everything but the block itself must be free; its handle stays good. False,
    /// and the state as it was, otherwise. O(blocks on the way to the target).
    constexpr bool relocate(block_index block, Quanta to) {
        const Quanta size = map_.size(block);
        if (to > map_.capacity() - size || to != align_down(to, map_.alignment(block))) return false;
        for (block_index other = block_at(to, block); other != no_block && map_.offset(other) < to + size;
             other = map_.next(other))
            if (other != block && !map_.is_hole(other)) return false;
        const block_index left = self().give(map_.lift(block));
        map_.settle(block, self().take({to, size}, left));
        return true;
    }

    /// Returns the tail of a live block beyond `granted` quanta to the free space, as far as the placement can use it.
    /// Cost of one `give`.
    constexpr void shrink(block_index block, Quanta granted) {
        const Quanta size = self().rounded(granted);
        if (size < map_.size(block)) self().give(map_.trim(block, size, granted));
    }

protected:
    constexpr block_placement() = default;
    constexpr explicit block_placement(Quanta capacity) : map_(capacity) {}

    /// The block in which `offset` lies, looked for from the block `near` on; `no_block` beyond the capacity. O(blocks
    /// on the way).
    [[nodiscard]] constexpr block_index block_at(Quanta offset, block_index near) const noexcept {
        if (offset >= map_.capacity()) return no_block;
        while (map_.offset(near) > offset) near = map_.previous(near);
        while (map_.range(near).end() <= offset) near = map_.next(near);
        return near;
    }

    block_map<Quanta> map_;

private:
    [[nodiscard]] constexpr Derived& self() noexcept { return static_cast<Derived&>(*this); }
};

}  // namespace hbm
