#pragma once

/// Placements that keep holes whole: a hole index, and cutting exactly what was asked for.

#include <hbm/core/block_placement.hpp>
#include <hbm/core/branch_free.hpp>
#include <hbm/core/hole_index.hpp>

#include <concepts>
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
        if constexpr (std::constructible_from<Index, quanta>) index_ = Index(capacity);
        if (capacity != 0) insert_seldom(map_.bottom | hole_bit);
    }

    /// What would satisfy `n`: any run that admits it. O(1).
    [[nodiscard]] constexpr need<quanta> requirement(const need<quanta>& n) const noexcept { return n; }

    /// Places a block; `no_block`, and the state as it was, when no hole admits it. Cost of the index's search, erase
    /// and insert.
    [[gnu::always_inline]] constexpr block_index place(const need<quanta>& n) {
        return n.is_plain() ? place_plainly(n.length) : place_specially(n);
    }

    /// Returns the tail of a live block beyond `granted` quanta to the free space. Cost of an erase and an insert.
    constexpr void shrink(block_index block, quanta granted) {
        if (granted == map_.size(block)) return;
        if (map_.behind(block) != 0) erase_seldom(block | hole_bit);
        map_.cut(block, granted);
        insert_seldom(block | hole_bit);
    }

    /// Room for `blocks` live blocks without asking the host again.
    constexpr void reserve_metadata(std::size_t blocks) {
        map_.reserve(blocks);
        if constexpr (requires { index_.reserve(blocks); }) index_.reserve(blocks);
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

    /// The blocks are all that is compared. Where a policy takes the latest hole, which one that is is no part of it.
    friend constexpr bool operator==(const fit& a, const fit& b) noexcept { return a.map() == b.map(); }

protected:
    using base::map_;

private:
    [[gnu::always_inline]] constexpr void insert(block_index hole, quanta offset) {
        if constexpr (requires { index_.insert(map_, hole, offset); })
            index_.insert(map_, hole, offset);
        else if constexpr (tracks_holes<Index>)
            index_.insert(map_, hole);
    }
    [[gnu::always_inline]] constexpr void erase(block_index hole) {
        if constexpr (tracks_holes<Index>) index_.erase(map_, hole);
    }
    /// Finds a hole and takes it out of the index.
    [[gnu::always_inline]] constexpr block_index take(quanta length) {
        if constexpr (takes_holes<Index>) {
            return index_.take(map_, length);
        } else {
            const block_index hole = index_.find(map_, {.length = length});
            if (hole != no_block) [[likely]]
                erase(hole);
            return hole;
        }
    }
    // The same where it is seldom done.
    [[gnu::noinline]] constexpr void insert_seldom(block_index hole) { insert(hole, map_.offset(hole)); }
    [[gnu::noinline]] constexpr void erase_seldom(block_index hole) { erase(hole); }

    constexpr block_index place_plainly(quanta length) {
        const block_index hole = take(length);
        if (hole == no_block) [[unlikely]]
            return no_block;
        const block_index block = map_.new_block();
        map_.attach(block, hole & ~hole_bit, 0, length);
        if (map_.behind(block) != 0) insert(hole_behind(block), map_.end(block));
        map_.begin_life(block, length, length, 1);
        return block;
    }

    [[gnu::noinline]] constexpr block_index place_specially(const need<quanta>& n) {
        const block_index hole = index_.find(map_, n);
        if (hole == no_block) return no_block;
        const block_index block = map_.new_block();
        carve(block, hole, {n.offset_in(map_.range(hole)), n.length});
        map_.begin_life(block, n.length, n.length, n.alignment);
        return block;
    }

    /// Returns the hole that comes of it.
    [[gnu::always_inline]] constexpr block_index vacate(block_index block) {
        const block_index lower = map_.lower(block);
        const quanta below = map_.node(block).before;
        const auto offset = static_cast<quanta>(map_.offset(block) - below);
        if (const quanta above = map_.behind(block); (below | above) != 0) {
            const auto has_below = mask_if<quanta>(below != 0);
            erase(hole_behind(block ^ ((block ^ lower) & static_cast<block_index>(has_below))));
            if ((has_below & above) != 0) [[unlikely]]
                erase_seldom(hole_behind(block));
        }
        map_.detach(block);
        insert(hole_behind(lower), offset);
        return lower | hole_bit;
    }

    constexpr bool enter(block_index block, basic_extent<quanta> range, block_index near) {
        const block_index hole = this->block_at(range.offset, near);
        if (hole == no_block || !map_.is_hole(hole) || map_.range(hole).end() - range.offset < range.size) return false;
        carve(block, hole, range);
        return true;
    }

    /// Stands a block into a hole.
    constexpr void carve(block_index block, block_index hole, basic_extent<quanta> range) {
        const block_index lower = hole & ~hole_bit;
        const auto gap = static_cast<quanta>(range.offset - map_.end(lower));
        erase_seldom(hole);
        map_.attach(block, lower, gap, range.size);
        if (gap != 0) insert_seldom(hole);
        if (map_.behind(block) != 0) insert_seldom(block | hole_bit);
    }

    Index index_;
};

}  // namespace hbm
