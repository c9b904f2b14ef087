#pragma once

/// The operations on given ranges that all placements share.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/request.hpp>

namespace hbm {

/// Base of placements over a block map. `Derived` has two functions, from which the operations on given ranges follow:
/// `give(hole)` adds a hole that no index knows to the free space, merges it with what is free beside it and returns
/// the hole that comes of it; `enter(block, range, near)` gives a block without a place a free range, which it looks
/// for from the block or hole `near` on. If not all of the range is free, it returns false and changes nothing.
template <class Derived, class Quanta>
class block_placement {
public:
    using quanta = Quanta;

    [[nodiscard]] constexpr const block_map<Quanta>& map() const noexcept { return map_; }
    /// To change attributes of blocks, as pins and owners. Only the placement itself splits and merges blocks.
    [[nodiscard]] constexpr block_map<Quanta>& map() noexcept { return map_; }

    /// Frees a live block. Cost of `give`.
    constexpr void release(block_index block) {
        map_.end_life(block);
        self().give(block);
    }

    /// Places a live block in a given range, of which `granted` quanta were requested (by default all of it); its
    /// offset stays a multiple of `alignment`. `no_block` if not all of the range is free. O(blocks from the nearer end
    /// of memory).
    [[gnu::cold]] constexpr block_index occupy(basic_extent<Quanta> range, Quanta granted, Quanta alignment) {
        const block_index block = map_.new_node();
        if (self().enter(block, range, range.offset < map_.capacity() / 2 ? map_.first() : map_.last())) {
            map_.begin_life(block, range.size, granted, alignment);
            return block;
        }
        map_.recycle(block);
        return no_block;
    }
    constexpr block_index occupy(basic_extent<Quanta> range) { return occupy(range, range.size, 1); }

    /// Moves a live block to the offset `to`; its handle stays valid. False, with nothing changed, if the target is
    /// misaligned or occupied by another block. O(blocks between the two places).
    constexpr bool relocate(block_index block, Quanta to) {
        return to == align_down(to, map_.alignment(block)) && stretch(block, {to, map_.size(block)});
    }

    /// Lets a live block occupy `range`, which may be longer or shorter than its present range, but not shorter than
    /// what was granted to it. Its handle stays valid and its alignment the same. False, with nothing changed, if the
    /// range is too short, outside the memory or occupied by another block. O(blocks between the two ranges).
    [[gnu::cold]] constexpr bool stretch(block_index block, basic_extent<Quanta> range) {
        if (range.size < map_.granted(block) || range.size > map_.capacity() ||
            range.offset > map_.capacity() - range.size)
            return false;
        for (block_index other = block_at(range.offset, block); other != no_block && map_.offset(other) < range.end();
             other = map_.next(other))
            if (other != block && !map_.is_hole(other)) return false;
        const Quanta before = map_.size(block);
        const block_index left = give_cold(map_.lift(block));
        map_.resized(before, range.size);
        return self().enter(block, range, left);
    }

protected:
    constexpr block_placement() = default;
    constexpr explicit block_placement(Quanta capacity) : map_(capacity) {}

    /// The block or hole that contains `offset`; `no_block` beyond the capacity. The search starts at `near`. O(blocks
    /// between the two).
    [[nodiscard]] constexpr block_index block_at(Quanta offset, block_index near) const noexcept {
        if (offset >= map_.capacity()) return no_block;
        while (map_.offset(near) > offset) near = map_.previous(near);
        while (map_.range(near).end() <= offset) near = map_.next(near);
        return near;
    }

    block_map<Quanta> map_;

private:
    /// As `give`, but short rather than quick, if the placement knows how.
    constexpr block_index give_cold(block_index hole) {
        if constexpr (requires { self().give_in_steps(hole); })
            return self().give_in_steps(hole);
        else
            return self().give(hole);
    }
    [[nodiscard]] constexpr Derived& self() noexcept { return static_cast<Derived&>(*this); }
};

}  // namespace hbm
