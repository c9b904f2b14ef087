#pragma once

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/request.hpp>

namespace hbm::inline v0 {

/// Base of placements over a block map, with the operations on given ranges. `Derived` implements two functions.
/// `give(hole)` frees a hole that is not in the index, merges it with free neighbours and returns the result.
/// `enter(block, range, near)` links an unlinked block into a free range, searching from the block or hole `near` on;
/// it returns false, without effect, unless all of the range is free.
template <class Derived, class Quanta>
class block_placement {
public:
    using quanta = Quanta;

    [[nodiscard]] constexpr const block_map<Quanta>& map() const noexcept { return map_; }
    /// Mutable access, for attributes such as pins and owners. Only the placement itself splits and merges blocks.
    [[nodiscard]] constexpr block_map<Quanta>& map() noexcept { return map_; }

    /// Frees a live block.
    /// Cost: `give`.
    constexpr void release(block_index block) {
        map_.end_life(block);
        self().give(block);
    }

    /// Places a live block at a given range, of which `granted` quanta were requested (by default all); every later
    /// offset is a multiple of `alignment`. Returns `no_block` unless all of the range is free.
    /// Cost: O(blocks from the nearer end of memory).
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

    /// Moves a live block to the offset `to`; its handle stays valid. Returns false, without effect, if the target is
    /// misaligned or occupied by another block.
    /// Cost: O(blocks between the two places).
    constexpr bool relocate(block_index block, Quanta to) {
        return to == align_down(to, map_.alignment(block)) && stretch(block, {to, map_.size(block)});
    }

    /// Changes the range of a live block; its handle stays valid. Returns false, without effect, if `range` is shorter
    /// than the granted quanta, outside the memory or occupied by another block.
    /// Cost: O(blocks between the two ranges).
    [[gnu::cold]] constexpr bool stretch(block_index block, basic_extent<Quanta> range) {
        if (range.size < map_.granted(block) || range.size > map_.capacity() ||
            range.offset > map_.capacity() - range.size)
            return false;
        for (block_index other = block_at(range.offset, block); other != no_block && map_.offset(other) < range.end();
             other = map_.next(other))
            if (other != block && !map_.is_hole(other)) return false;
        // All of the target is free or the block's own: now nothing can fail. The block gives up its old range, which
        // merges with its neighbours, and enters the new one from there.
        const Quanta before = map_.size(block);
        const block_index left = give_cold(map_.lift(block));
        map_.resized(before, range.size);
        return self().enter(block, range, left);
    }

protected:
    constexpr block_placement() = default;
    constexpr explicit block_placement(Quanta capacity) : map_(capacity) {}

    /// Returns the block or hole that contains `offset`, or `no_block` beyond the capacity, searching from `near` on.
    /// Cost: O(blocks between the two).
    [[nodiscard]] constexpr block_index block_at(Quanta offset, block_index near) const noexcept {
        if (offset >= map_.capacity()) return no_block;
        while (map_.offset(near) > offset) near = map_.previous(near);
        while (map_.range(near).end() <= offset) near = map_.next(near);
        return near;
    }

    block_map<Quanta> map_;

private:
    /// Calls `give_in_steps`, which is smaller, if the placement has it, else `give`.
    constexpr block_index give_cold(block_index hole) {
        if constexpr (requires { self().give_in_steps(hole); })
            return self().give_in_steps(hole);
        else
            return self().give(hole);
    }
    [[nodiscard]] constexpr Derived& self() noexcept { return static_cast<Derived&>(*this); }
};

}  // namespace hbm::inline v0
