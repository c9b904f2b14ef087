#pragma once

/// What all placements do alike once they can give a range back and take one.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/request.hpp>

namespace hbm {

/// Base of placements over a block map. `Derived` says how a block leaves its place, `vacate(block)`, after which the
/// space is free and in the index; and how one enters a free range, `enter(block, range, near)`, which looks for the
/// range from the block `near` on and returns false, and has done nothing, if not all of it is free. Everything else
/// about known ranges follows from the two.
template <class Derived, class Quanta>
class block_placement {
public:
    using quanta = Quanta;

    [[nodiscard]] constexpr const block_map<Quanta>& map() const noexcept { return map_; }
    /// For labels: pins and owners. Splitting and merging are the placement's.
    [[nodiscard]] constexpr block_map<Quanta>& map() noexcept { return map_; }

    /// Frees a live block. Cost of one `vacate`.
    constexpr void release(block_index block) {
        map_.end_life(block);
        self().vacate(block);
        map_.recycle(block);
    }

    /// Makes a given free range live, with `granted` quanta of it asked for, all of it unless told otherwise, and its
    /// offset bound to `alignment`; `no_block` if not all of it is free. O(blocks from the nearer end of memory).
    [[gnu::cold]] constexpr block_index occupy(basic_extent<Quanta> range, Quanta granted, Quanta alignment) {
        const block_index block = map_.new_block();
        if (self().enter(block, range, range.offset < map_.capacity() / 2 ? map_.first() : map_.last())) {
            map_.begin_life(block, range.size, granted, alignment);
            return block;
        }
        map_.recycle(block);
        return no_block;
    }
    constexpr block_index occupy(basic_extent<Quanta> range) { return occupy(range, range.size, 1); }

    /// Moves a live block to `to`, where everything but the block itself must be free; its handle stays good. False,
    /// and the state as it was, otherwise. O(blocks on the way to the target).
    constexpr bool relocate(block_index block, Quanta to) {
        return to == align_down(to, map_.alignment(block)) && stretch(block, {to, map_.size(block)});
    }

    /// Lets a live block occupy `range`, longer or shorter than now but no shorter than what was granted to it, where
    /// everything but the block itself must be free. Its handle stays good, and its alignment says what it did. False,
    /// and the state as it was, otherwise. O(blocks on the way to the range).
    [[gnu::cold]] constexpr bool stretch(block_index block, basic_extent<Quanta> range) {
        if (range.size < map_.granted(block) || range.size > map_.capacity() ||
            range.offset > map_.capacity() - range.size)
            return false;
        for (block_index other = block_at(range.offset, block); other != no_block && map_.offset(other) < range.end();
             other = map_.next(other))
            if (other != block && !map_.is_hole(other)) return false;
        const Quanta before = map_.size(block);
        const block_index left = vacate_seldom(block);
        map_.resized(before, range.size);
        return self().enter(block, range, left);
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
    /// As `vacate`, but short rather than quick, if the placement knows how.
    constexpr block_index vacate_seldom(block_index block) {
        if constexpr (requires { self().vacate_in_steps(block); })
            return self().vacate_in_steps(block);
        else
            return self().vacate(block);
    }
    [[nodiscard]] constexpr Derived& self() noexcept { return static_cast<Derived&>(*this); }
};

}  // namespace hbm
