#pragma once

/// Placements that keep holes whole: a hole index, and a way to split.

#include <hbm/blocks/block_placement.hpp>
#include <hbm/index/branch_free.hpp>
#include <hbm/index/hole_index.hpp>
#include <hbm/index/split.hpp>

#include <concepts>
#include <limits>

namespace hbm {

/// A placement from a hole index. The index says which hole; the need says which end of it; `Split` says how much of it
/// (see split.hpp), exactly what was asked for by default; and free neighbours always merge. A policy of your own is an
/// index with `find` (see hole_index.hpp) and `struct my_fit : hbm::fit<my_index> { using hbm::fit<my_index>::fit;
/// static constexpr hbm::fixed_string name{"my_fit"}; };`
template <hole_index Index, class Split = split_exactly>
requires splits_holes<Split, typename Index::quanta>
class fit : public block_placement<fit<Index, Split>, typename Index::quanta> {
    using base = block_placement<fit<Index, Split>, typename Index::quanta>;
    friend base;

public:
    using typename base::quanta;

    /// Free neighbours are always one hole.
    static constexpr bool merges_neighbours = true;
    /// Whether blocks may be longer than what was asked for.
    static constexpr bool may_give_more = !Split::is_exact;
    /// Which end of a hole is taken may depend on what lies around it.
    static constexpr bool takes_either_end = true;
    /// The end of memory where searches are quick; from the other they are exact as well.
    static constexpr end search_end = [] {
        if constexpr (requires { Index::search_end; })
            return Index::search_end;
        else
            return end::low;
    }();
    /// The capacity that stands for "unlimited": the space above the last block is one hole that never runs out.
    static constexpr quanta unlimited = std::numeric_limits<quanta>::max();

    constexpr fit() = default;
    [[gnu::cold]] constexpr explicit fit(quanta capacity) : base(capacity) {
        index_ = index_for(capacity);
        if (capacity != 0) insert_seldom(map_.bottom | hole_bit);
    }

    /// The same blocks in the same places, to go on with another index. O(blocks), times an insert of the index.
    template <class Other>
    constexpr explicit fit(const fit<Other, Split>& other) {
        map_ = other.map();
        make_index();
    }
    /// The same under other adaptors. O(blocks).
    template <std::derived_from<fit> Other>
    constexpr explicit fit(const Other& other) : fit(static_cast<const fit&>(other)) {}

    /// What would satisfy `n`: any run that admits it. O(1).
    [[nodiscard]] constexpr need<quanta> requirement(const need<quanta>& n) const noexcept { return n; }

    /// Places a block; `no_block`, and the state as it was, when no hole admits it. Cost of the index's search, erase
    /// and insert.
    [[gnu::always_inline]] constexpr block_index place(const need<quanta>& n) {
        const bool any_hole_will_do = n.alignment == 1 && n.avoid_below == 0;
        if (any_hole_will_do && n.from == search_end && n.at == search_end) return place_plainly<search_end>(n.length);
        return place_specially(n);
    }

    /// Says which block is reserved at the bottom of memory, or the bottom: the hole after it is taken only when no
    /// other fits. Cost of an erase and an insert.
    constexpr void set_reservation(block_index block) requires(search_end == end::high) {
        const block_index before = map_.reservation();
        if (map_.free_after(block) != 0) erase_seldom(block | hole_bit);
        map_.set_reservation(block);
        if (map_.free_after(before) != 0) insert_seldom(before | hole_bit);
    }

    /// Returns the tail of a live block beyond `granted` quanta to the free space, as far as it would be split off.
    /// Cost of an erase and an insert.
    [[gnu::noinline]] constexpr void shrink(block_index block, quanta granted) {
        const quanta kept = Split::taken(granted, map_.size(block));
        if (kept == map_.size(block)) return;
        if (map_.free_after(block) != 0) erase_seldom(block | hole_bit);
        map_.cut(block, kept, granted);
        insert_seldom(block | hole_bit);
    }

    /// Makes the memory longer at its top; blocks stay. False, and nothing done, unless `capacity` is more than now and
    /// can be counted. The index is made anew: of equal holes it takes the lowest for the latest. O(blocks), times an
    /// insert of the index.
    constexpr bool extend(std::uint64_t capacity) {
        if (capacity <= map_.capacity() || capacity > std::numeric_limits<quanta>::max()) return false;
        map_.extend(static_cast<quanta>(capacity));
        make_index();
        return true;
    }

    /// Room for `blocks` live blocks without asking the host again.
    constexpr void reserve_metadata(std::size_t blocks) {
        map_.reserve(blocks);
        if constexpr (requires { index_.reserve(blocks); }) index_.reserve(blocks);
        if (blocks > reserved_blocks_) reserved_blocks_ = blocks;
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
    [[gnu::cold]] constexpr void make_index() {
        index_ = index_for(map_.capacity());
        if constexpr (requires { index_.reserve(reserved_blocks_); }) index_.reserve(reserved_blocks_);
        for (block_index block = map_.last(); block != no_block; block = map_.previous(block))
            if (map_.is_hole(block)) insert_seldom(block);
    }
    [[nodiscard]] static constexpr Index index_for(quanta capacity) {
        if constexpr (std::constructible_from<Index, quanta>)
            return Index(capacity);
        else
            return Index{};
    }
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
            const block_index hole = index_.find(map_, {.length = length, .from = search_end});
            if (hole != no_block) [[likely]]
                erase(hole);
            return hole;
        }
    }
    // The same where it is seldom done.
    [[gnu::noinline]] constexpr void insert_seldom(block_index hole) { insert(hole, map_.offset(hole)); }
    [[gnu::noinline]] constexpr void erase_seldom(block_index hole) { erase(hole); }

    template <end At>
    constexpr block_index place_plainly(quanta length) {
        const block_index hole = take(length);
        if (hole == no_block) [[unlikely]]
            return no_block;
        const block_index lower = hole & ~hole_bit;
        const block_index block = map_.new_block();
        const quanta free = map_.free_after(lower);
        const quanta taken = Split::taken(length, free);
        const auto rest = static_cast<quanta>(free - taken);
        const bool at_high_end = (At == end::either ? end_of(lower, search_end) : At) == end::high;
        map_.attach(block, lower, at_high_end ? rest : 0, taken);
        if (rest != 0) insert(hole_after(at_high_end ? lower : block), map_.end(at_high_end ? lower : block));
        map_.begin_life(block, taken, length, 1);
        return block;
    }

    [[gnu::noinline]] constexpr block_index place_specially(need<quanta> n) {
        const block_index hole = index_.find(map_, n);
        if (hole == no_block) return no_block;
        if (n.at == end::either) n.at = end_of(hole & ~hole_bit, n.from);
        const block_index block = map_.new_block();
        carve(block, hole, part_of(map_.range(hole), n));
        map_.begin_life(block, Split::is_exact ? n.length : map_.size(block), n.length, n.alignment);
        return block;
    }
    /// Which end of the hole after `lower` a block takes so that what is left of it lies where most is free: an end of
    /// memory, `from` first (not where the reservation is, and not the top of a memory without limit); else the end
    /// beside the neighbour that has less free on its other side; of equals the end that is nearer to an end of
    /// memory. O(1).
    [[nodiscard]] constexpr end end_of(block_index lower, end from) const noexcept {
        const block_node<quanta>& low = map_.node(lower);
        const block_node<quanta>& high = map_.node(low.next);
        if (lower == map_.reservation()) return from;
        if (low.next == map_.bottom) return map_.capacity() == unlimited ? end::low : end::high;
        if (low.free_before != high.free_after) return low.free_before < high.free_after ? end::low : end::high;
        return low.end() < map_.capacity() - high.offset ? end::low : end::high;
    }
    /// Where a need goes in `hole`, which it admits, and how much it takes of what begins where it could lie lowest.
    [[nodiscard]] static constexpr basic_extent<quanta> part_of(basic_extent<quanta> hole, const need<quanta>& n) {
        if constexpr (Split::is_exact) {
            return {n.offset_in(hole), n.length};
        } else {
            need<quanta> given = n;
            given.length = Split::taken(n.length, static_cast<quanta>(hole.end() - align_up(hole.offset, n.alignment)));
            return {given.offset_in(hole), given.length};
        }
    }

    /// Returns the hole that comes of it.
    [[gnu::always_inline]] constexpr block_index vacate(block_index block) {
        const block_index lower = map_.lower(block);
        const quanta below = map_.node(block).free_before;
        const auto offset = static_cast<quanta>(map_.offset(block) - below);
        if (const quanta above = map_.free_after(block); (below | above) != 0) {
            const auto has_below = mask_if<quanta>(below != 0);
            erase(hole_after(block ^ ((block ^ lower) & static_cast<block_index>(has_below))));
            if ((has_below & above) != 0) [[unlikely]]
                erase_seldom(hole_after(block));
        }
        map_.detach(block);
        insert(hole_after(lower), offset);
        return lower | hole_bit;
    }

    /// The same where it is seldom done.
    [[gnu::cold]] constexpr block_index vacate_in_steps(block_index block) {
        const block_index hole = map_.lower(block) | hole_bit;
        if (map_.free_after(hole) != 0) erase_seldom(hole);
        if (map_.free_after(block) != 0) erase_seldom(block | hole_bit);
        map_.detach(block);
        insert_seldom(hole);
        return hole;
    }

    [[gnu::cold]] constexpr bool enter(block_index block, basic_extent<quanta> range, block_index near) {
        const block_index hole = this->block_at(range.offset, near);
        if (hole == no_block || !map_.is_hole(hole) || map_.range(hole).end() - range.offset < range.size) return false;
        carve(block, hole, range);
        return true;
    }

    /// Stands a block into a hole.
    [[gnu::cold]] constexpr void carve(block_index block, block_index hole, basic_extent<quanta> range) {
        const block_index lower = hole & ~hole_bit;
        const auto gap = static_cast<quanta>(range.offset - map_.end(lower));
        erase_seldom(hole);
        map_.attach(block, lower, gap, range.size);
        if (gap != 0) insert_seldom(hole);
        if (map_.free_after(block) != 0) insert_seldom(block | hole_bit);
    }

    Index index_;
    std::size_t reserved_blocks_ = 0;  // how many live blocks there is room for
};

}  // namespace hbm
