#pragma once

/// Placements that keep holes whole: a hole index, and cutting exactly what was asked for.

#include <hbm/core/block_placement.hpp>
#include <hbm/core/hole_index.hpp>

#include <limits>

namespace hbm {

/// A placement from a hole index. The index says which hole; the need says which end of it; the split is exact, and
/// free neighbours always merge. A policy of your own is an index with `find` (see hole_index.hpp) and `struct my_fit :
/// hbm::fit<my_index> { using hbm::fit<my_index>::fit; static constexpr hbm::fixed_string name{"my_fit"}; };`
template <hole_index Index>
class fit : public block_placement<fit<Index>, typename Index::quanta> {
    using base = block_placement<fit<Index>, typename Index::quanta>;
    friend base;

public:
    using typename base::quanta;

    /// Free neighbours are always one hole.
    static constexpr bool merges_neighbours = true;
    /// The capacity that stands for "unlimited": the space above the last block is one hole that never runs out.
    static constexpr quanta unlimited = std::numeric_limits<quanta>::max();

    constexpr fit() = default;
    constexpr explicit fit(quanta capacity) : base(capacity) {
        if (capacity != 0) insert(map_.first());
    }

    /// What would satisfy `n`: any run that admits it. O(1).
    [[nodiscard]] constexpr need<quanta> requirement(const need<quanta>& n) const noexcept { return n; }

    /// Places a block; `no_block`, and the state as it was, when no hole admits it. Cost of the index's search, erase
    /// and insert.
    constexpr block_index place(const need<quanta>& n) {
        const block_index hole = index_.find(map_, n);
        if (hole == no_block) return no_block;
        const block_index block = carve(hole, {n.offset_in(map_.range(hole)), n.length});
        map_.mark_live(block, n.length, n.alignment);
        return block;
    }

    /// The longest free run. Cost of the index's `largest`; O(blocks) if it has none.
    [[nodiscard]] constexpr quanta largest_free() const {
        if constexpr (knows_largest_hole<Index>) {
            return index_.largest(map_);
        } else {
            quanta largest = 0;
            for (block_index block = map_.first(); block != no_block; block = map_.next(block))
                if (map_.is_hole(block) && map_.size(block) > largest) largest = map_.size(block);
            return largest;
        }
    }

    /// The index follows from the holes, so the blocks are all there is to compare.
    friend constexpr bool operator==(const fit& a, const fit& b) noexcept { return a.map() == b.map(); }

protected:
    using base::map_;

private:
    constexpr void insert(block_index hole) {
        if constexpr (tracks_holes<Index>) index_.insert(map_, hole);
    }
    constexpr void erase(block_index hole) {
        if constexpr (tracks_holes<Index>) index_.erase(map_, hole);
    }

    [[nodiscard]] constexpr quanta rounded(quanta granted) const noexcept { return granted; }

    constexpr block_index give(block_index hole) {
        if (const block_index next = map_.next(hole); next != no_block && map_.is_hole(next)) {
            erase(next);
            map_.absorb_next(hole);
        }
        if (const block_index previous = map_.previous(hole); previous != no_block && map_.is_hole(previous)) {
            erase(previous);
            map_.absorb_next(previous);
            hole = previous;
        }
        insert(hole);
        return hole;
    }

    constexpr block_index take(basic_extent<quanta> range, block_index near) {
        const block_index hole = this->block_at(range.offset, near);
        if (hole == no_block || !map_.is_hole(hole) || map_.range(hole).end() - range.offset < range.size)
            return no_block;
        return carve(hole, range);
    }

    constexpr block_index carve(block_index hole, basic_extent<quanta> range) {
        erase(hole);
        if (const quanta below = static_cast<quanta>(range.offset - map_.offset(hole)); below != 0) {
            const block_index upper = map_.split(hole, below);
            insert(hole);
            hole = upper;
        }
        if (map_.size(hole) != range.size) insert(map_.split(hole, range.size));
        return hole;
    }

    Index index_;
};

}  // namespace hbm
