#pragma once

/// Placements that merge neighbouring holes: a hole index, and a way to split.

#include <hbm/blocks/block_placement.hpp>
#include <hbm/index/branch_free.hpp>
#include <hbm/index/hole_index.hpp>
#include <hbm/index/split.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace hbm::inline v0 {

/// A placement made of a hole index. The index chooses the hole, the need chooses the end of it, and `Split` chooses
/// how much of it is taken (see split.hpp). Free neighbours are always merged. A custom policy is an index with `find`
/// (see hole_index.hpp) and `struct my_fit : hbm::fit<my_index> { using hbm::fit<my_index>::fit; static constexpr
/// hbm::fixed_string name{"my_fit"}; };`
template <class Index, class Split = split_exactly>
class fit : public block_placement<fit<Index, Split>, typename detail::width_of<Index>::type> {
    static_assert(check_hole_index<Index>());
    static_assert(splits_holes<Split, typename detail::width_of<Index>::type>,
                  "a way to split has quanta taken(quanta length, quanta available) and is_exact: see split.hpp");
    using base = block_placement<fit<Index, Split>, typename detail::width_of<Index>::type>;
    friend base;

public:
    using typename base::quanta;

    static constexpr bool merges_neighbours = true;
    /// True when blocks may be longer than requested.
    static constexpr bool may_give_more = !Split::is_exact;
    static constexpr bool takes_either_end = true;
    /// The end of memory from which searches are fast; from the other end they are exact, too.
    static constexpr end search_end = [] {
        if constexpr (requires { Index::search_end; })
            return Index::search_end;
        else
            return end::low;
    }();
    /// The capacity of an unlimited memory: the space above the last block never runs out.
    static constexpr quanta unlimited = std::numeric_limits<quanta>::max();

    constexpr fit() = default;
    [[gnu::cold]] constexpr explicit fit(quanta capacity) : base(capacity), index_(index_for(capacity)) {
        insert_far_hole();
    }

    /// Copies the blocks and continues with another index.
    /// Cost: O(blocks) inserts into the index.
    template <class Other>
    constexpr explicit fit(const fit<Other, Split>& other) {
        // The two indexes may be quick from different ends of memory, so the far hole moves to where the new one
        // expects it: to the top, or above the reservation.
        map_ = other.map();
        block_index lower = map_.reservation();
        if (search_end == end::low)
            for (lower = map_.node(map_.bottom).previous; map_.is_hole(lower);) lower = map_.node(lower).previous;
        map_.move_far_hole(lower);
        rebuild_index();
    }
    /// Copies the blocks of another type that is derived from this one, such as a placement with adaptors around it.
    template <std::derived_from<fit> Other>
    constexpr explicit fit(const Other& other) : fit(static_cast<const fit&>(other)) {
        if constexpr (requires { other.is_following(); })
            if (other.is_following()) rebuild_index();
    }

    [[nodiscard]] constexpr need<quanta> requirement(const need<quanta>& n) const noexcept { return n; }

    /// Places a block. Returns `no_block`, without effect, if no hole admits it.
    /// Cost: a search, an erase and an insert of the index.
    [[gnu::always_inline]] constexpr block_index place(const need<quanta>& n) {
        const bool any_hole_will_do = n.alignment == 1 && n.avoid_below == 0;
        if (any_hole_will_do && n.from == search_end && n.at == search_end) return place_fast<search_end>(n.length);
        return place_constrained(n);
    }

    /// Out-of-line `place()` for slow paths.
    [[gnu::noinline]] constexpr block_index place_cold(const need<quanta>& n) {
        const bool any_hole_will_do = n.alignment == 1 && n.avoid_below == 0;
        if (any_hole_will_do && n.from == search_end && n.at == search_end) return place_in_steps<search_end>(n.length);
        return place_constrained(n);
    }

    /// Sets the block that is reserved at the bottom of memory, or the bottom: the hole after it is the last choice.
    /// Cost: an erase and an insert.
    [[gnu::cold]] constexpr void set_reservation(block_index block) requires(search_end == end::high) {
        map_.set_reservation(block);
        erase_far_hole();
        const block_index above = map_.node(block).next;
        if (is_listed(above)) erase_cold(above);
        const block_index left = map_.move_far_hole(block);
        if (left != no_block) insert_cold(left);
        insert_far_hole();
    }

    /// Frees the tail of a live block beyond `granted` quanta, except what `Split` leaves in the block.
    /// Cost: an erase and an insert.
    [[gnu::noinline]] constexpr void shrink(block_index block, quanta granted) {
        const quanta kept = Split::taken(granted, map_.size(block));
        if (kept == map_.size(block)) return;
        const auto freed = static_cast<quanta>(map_.size(block) - kept);
        map_.cut(block, kept, granted);
        give_in_steps(new_hole(block, {map_.end(block), freed}));
    }

    /// Grows the memory at its top to `capacity`; blocks stay. Rebuilds the index, which forgets the age of holes.
    /// Fails: returns false, without effect, unless `capacity` exceeds the present one and is representable.
    /// Cost: O(blocks) inserts into the index.
    constexpr bool extend(std::uint64_t capacity) {
        if (capacity <= map_.capacity() || capacity > std::numeric_limits<quanta>::max()) return false;
        map_.extend(static_cast<quanta>(capacity));
        rebuild_index();
        return true;
    }

    /// Makes the index anew, after changes of the map that bypassed it. It forgets the age of holes.
    /// Cost: O(blocks) inserts into the index.
    [[gnu::cold]] constexpr void rebuild_index() {
        index_ = index_for(map_.capacity());
        if constexpr (requires { index_.reserve(map_, reserved_blocks_); })
            if (reserved_blocks_ != 0) index_.reserve(map_, reserved_blocks_);
        insert_far_hole();
        for (block_index block = map_.last(); block != no_block; block = map_.previous(block))
            if (is_listed(block)) insert_cold(block);
    }

    constexpr void reserve_metadata(std::size_t blocks) {
        map_.reserve(nodes_for(blocks));
        if constexpr (requires { index_.reserve(map_, blocks); }) index_.reserve(map_, blocks);
        if (blocks > reserved_blocks_) reserved_blocks_ = blocks;
    }

    [[nodiscard, gnu::noinline]] constexpr bool has_hole_for(quanta length) const {
        return index_.find(map_, {.length = length, .from = search_end}) != no_block;
    }
    /// Returns the most quanta that a block takes of a long hole, or the largest number if it is aligned.
    [[nodiscard]] static constexpr std::uint64_t most_taken(const need<quanta>& required) noexcept requires requires {
        Split::most_taken(std::uint64_t{1});
    }
    { return required.alignment == 1 ? Split::most_taken(std::uint64_t{required.length}) : ~std::uint64_t{0}; }

    /// Returns the size of the longest free range.
    /// Cost: `largest` of the index, or O(blocks) without it.
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

    /// Compares the blocks only. The order in which tied holes were freed does not take part in comparison.
    friend constexpr bool operator==(const fit& a, const fit& b) noexcept { return a.map() == b.map(); }

protected:
    using base::map_;

private:
    [[nodiscard]] static constexpr Index index_for(quanta capacity) {
        if constexpr (std::constructible_from<Index, quanta>)
            return Index(capacity);
        else
            return Index{};
    }
    [[gnu::always_inline]] constexpr void insert(block_index hole, quanta size, quanta offset) {
        if constexpr (requires { index_.insert(map_, hole, size, offset); })
            index_.insert(map_, hole, size, offset);
        else if constexpr (tracks_holes<Index>)
            index_.insert(map_, hole);
    }
    [[gnu::always_inline]] constexpr void erase(block_index hole) {
        if constexpr (tracks_holes<Index>) index_.erase(map_, hole);
    }
    [[gnu::noinline]] constexpr void insert_cold(block_index hole) {
        if constexpr (tracks_holes<Index>) index_.insert(map_, hole);
    }
    [[gnu::noinline]] constexpr void erase_cold(block_index hole) { erase(hole); }
    // The far hole may change only between these two calls, because some indexes list it.
    constexpr void erase_far_hole() {
        if constexpr (!leaves_out_far_hole<Index>)
            if (map_.size(map_.far_hole) != 0) erase_cold(map_.far_hole);
    }
    constexpr void insert_far_hole() {
        if constexpr (!leaves_out_far_hole<Index>)
            if (map_.size(map_.far_hole) != 0) insert_cold(map_.far_hole);
    }
    [[nodiscard]] constexpr bool is_listed(block_index block) const noexcept {
        return map_.is_hole(block) && block != map_.far_hole;
    }
    /// Finds a hole and erases it from the index.
    [[gnu::always_inline]] constexpr block_index take(quanta length) {
        if constexpr (takes_holes<Index>) {
            return index_.take(map_, length);
        } else {
            const block_index hole = index_.find(map_, {.length = length, .from = search_end});
            if (hole != no_block && (hole != map_.far_hole || !leaves_out_far_hole<Index>)) [[likely]]
                erase(hole);
            return hole;
        }
    }

    /// Adds a node to the map and resizes the index accordingly.
    [[gnu::cold, gnu::noinline]] constexpr void get_nodes() {
        map_.recycle(map_.new_node());
        if constexpr (requires { index_.resize(map_, map_.nodes()); }) index_.resize(map_, map_.nodes());
    }
    [[gnu::always_inline]] constexpr void ensure_node() {
        if (!map_.has_spare_node()) [[unlikely]]
            get_nodes();
    }
    [[gnu::cold]] constexpr block_index new_hole(block_index lower, basic_extent<quanta> range) {
        ensure_node();
        return map_.new_hole(lower, range);
    }

    template <end At>
    [[gnu::noinline]] constexpr block_index place_fast(quanta length) {  // out of line: gets its length in a register
        if constexpr (takes_holes_at_once<Index>) {
            if (map_.has_spare_node()) [[likely]] {
                const block_index hole = index_.take_at_once(map_, length);
                if (hole == map_.far_hole) [[unlikely]]
                    return place_in_far_hole<At>(length);
                if (hole != no_block) [[likely]]
                    return place_in<At>(hole, length);
            }
        }
        return place_in_steps<At>(length);
    }
    template <end At>
    [[gnu::noinline]] constexpr block_index place_in_steps(quanta length) {
        ensure_node();
        const block_index hole = take(length);
        if (hole == no_block) return no_block;
        return hole == map_.far_hole ? place_in_far_hole<At>(length) : place_in<At>(hole, length);
    }
    /// Places a block in a hole that is not in the index.
    template <end At>
    [[gnu::always_inline]] constexpr block_index place_in(block_index hole, quanta length) {
        // The block takes over the node of the hole, so that a hole that is filled changes no neighbour. The rest is
        // inserted with a size and an offset that are still in registers.
        const basic_extent<quanta> whole = map_.range(hole);
        const quanta taken = Split::taken(length, whole.size);
        map_.begin_life(hole, taken, length, 1);
        if (taken == whole.size) return hole;
        if (At == end::either ? end_of(hole, search_end) == end::high : At == end::high)
            keep_part<end::high>(hole, whole, taken);
        else
            keep_part<end::low>(hole, whole, taken);
        return hole;
    }
    /// Cuts a hole that is not in the index to `size` quanta at the end `At`; the remainder becomes a hole.
    template <end At>
    [[gnu::always_inline]] constexpr void keep_part(block_index hole, basic_extent<quanta> whole, quanta size) {
        const block_index rest = map_.template split<At>(hole, whole, size);
        insert(rest, static_cast<quanta>(whole.size - size),
               At == end::low ? static_cast<quanta>(whole.offset + size) : whole.offset);
    }
    /// Places a block in the far hole, which is not in the index.
    template <end At>
    [[gnu::noinline]] constexpr block_index place_in_far_hole(quanta length) {
        const quanta taken = Split::taken(length, map_.size(map_.far_hole));
        const bool as_usual = At == search_end || end_of(map_.far_hole, search_end) == search_end;
        const block_index block =
            as_usual ? map_.template take_from_far_hole<search_end>(taken) : take_from_other_end(taken);
        if (as_usual) insert_far_hole();
        map_.begin_life(block, taken, length, 1);
        return block;
    }

    /// Takes `size` quanta from the end of the far hole at which searches do not begin; the rest is an ordinary hole.
    [[gnu::cold]] constexpr block_index take_from_other_end(quanta size) {
        // `carve` takes the far hole out of the index, but the caller has done so already: it is put back for that.
        const basic_extent<quanta> whole = map_.range(map_.far_hole);
        const block_index block = map_.spare_node();
        insert_far_hole();
        carve(block, map_.far_hole,
              {search_end == end::low ? static_cast<quanta>(whole.end() - size) : whole.offset, size});
        return block;
    }

    [[gnu::cold, gnu::noinline]] constexpr block_index place_constrained(need<quanta> n) {
        const block_index hole = index_.find(map_, n);
        if (hole == no_block) return no_block;
        if (n.at == end::either) n.at = end_of(hole, n.from);
        ensure_node();
        const block_index block = map_.new_node();
        carve(block, hole, part_of(map_.range(hole), n));
        map_.begin_life(block, map_.size(block), n.length, n.alignment);
        return block;
    }
    /// Chooses the end of a hole at which a block leaves the remainder where most is free. At an end of memory, that is
    /// the end of memory; otherwise the end whose neighbour has less free space on its other side. Ties go to the end
    /// nearer to an end of memory. The reservation and the top of an unlimited memory do not count as ends.
    [[nodiscard, gnu::cold]] constexpr end end_of(block_index hole, end from) const noexcept {
        const block_index lower = below(hole);
        const block_index upper = above(hole);
        if (lower == map_.reservation()) return from;
        if (upper == map_.bottom) return is_unlimited(map_.capacity()) ? end::low : end::high;
        const quanta free_below = free_in(map_.node(lower).previous);
        const quanta free_above = free_in(map_.node(upper).next);
        if (free_below != free_above) return free_below < free_above ? end::low : end::high;
        return map_.end(lower) < map_.capacity() - map_.offset(upper) ? end::low : end::high;
    }
    /// Returns true for the capacity of an unlimited memory: 2^64 bytes in quanta of up to 4 GiB, less one.
    [[nodiscard]] static constexpr bool is_unlimited(quanta capacity) noexcept {
        return capacity >= std::numeric_limits<std::uint32_t>::max() && (capacity & (capacity + 1)) == 0;
    }
    /// Returns the part of `hole`, which admits the need, that the block takes.
    [[nodiscard]] static constexpr basic_extent<quanta> part_of(basic_extent<quanta> hole, const need<quanta>& n) {
        if constexpr (Split::is_exact) {
            return {n.offset_in(hole), n.length};
        } else {
            need<quanta> required = n;
            required.length =
                Split::taken(n.length, static_cast<quanta>(hole.end() - align_up(hole.offset, n.alignment)));
            return {required.offset_in(hole), required.length};
        }
    }

    /// Merges a hole that is not in the index with its free neighbours and inserts the result, which it returns.
    [[gnu::always_inline]] constexpr block_index give(block_index hole) {
        // The usual cases are no free neighbour and one. Which of the two it is, chance decides: so the neighbour to
        // erase and the node to keep, the lower one, are selected without a branch.
        const block_node<quanta>& node = map_.node(hole);
        const block_index lower = node.previous;
        const block_index upper = node.next;
        const bool free_below = map_.is_hole(lower);
        const bool free_above = map_.is_hole(upper);
        if (!free_below && !free_above) {
            insert(hole, node.size, node.offset);
            return hole;
        }
        if ((free_below && free_above) || lower == map_.far_hole || upper == map_.far_hole) [[unlikely]]
            return give_slow(hole);
        erase(detail::select(static_cast<unsigned>(free_above), upper, lower));
        const block_index kept = detail::select(static_cast<unsigned>(free_above), hole, lower);
        const quanta size = map_.absorb_next(kept);
        insert(kept, size, map_.offset(kept));
        return kept;
    }
    /// Slow path of `give`: both neighbours are holes, or one is the far hole.
    [[gnu::noinline]] constexpr block_index give_slow(block_index hole) {
        const block_node<quanta>& node = map_.node(hole);
        const block_index far = search_end == end::low ? node.next : node.previous;
        const block_index other = search_end == end::low ? node.previous : node.next;
        if (far != map_.far_hole || map_.is_hole(other)) return give_in_steps(hole);
        erase_far_hole();
        map_.template return_to_far_hole<search_end>(hole);
        insert_far_hole();
        return map_.far_hole;
    }
    /// Out-of-line `give` for any neighbours.
    [[gnu::noinline]] constexpr block_index give_in_steps(block_index hole) {
        const block_index lower = map_.node(hole).previous;
        const block_index upper = map_.node(hole).next;
        if (is_listed(lower)) erase_cold(lower);
        if (is_listed(upper)) erase_cold(upper);
        if (lower == map_.far_hole || upper == map_.far_hole) {
            erase_far_hole();
            map_.widen_far_hole();
            insert_far_hole();
            return map_.far_hole;
        }
        if (map_.is_hole(upper)) map_.absorb_next(hole);
        if (map_.is_hole(lower)) map_.absorb_next(hole = lower);
        insert_cold(hole);
        return hole;
    }

    [[gnu::cold]] constexpr bool enter(block_index block, basic_extent<quanta> range, block_index near) {
        const block_index hole = this->block_at(range.offset, near);
        if (hole == no_block || !map_.is_hole(hole) || map_.range(hole).end() - range.offset < range.size) return false;
        carve(block, hole, range);
        return true;
    }

    /// Places an unlinked block in a part of a hole.
    [[gnu::cold]] constexpr void carve(block_index block, block_index hole, basic_extent<quanta> range) {
        const basic_extent<quanta> whole = map_.range(hole);
        // Three parts: the gap below, the block, the rest above. An ordinary hole keeps its node for the gap, or gives
        // it back if there is none. The node of the far hole must stay the one at its end of memory: from the low end
        // it keeps the rest, and from the high end the gap.
        const basic_extent<quanta> gap{whole.offset, static_cast<quanta>(range.offset - whole.offset)};
        const basic_extent<quanta> rest{range.end(), static_cast<quanta>(whole.end() - range.end())};
        const block_index before = map_.node(hole).previous;
        const bool is_far = hole == map_.far_hole;
        if (is_far)
            erase_far_hole();
        else
            erase_cold(hole);
        map_.set_range(block, range);
        if (is_far && search_end == end::low) {
            map_.link(block, before);
            map_.set_range(hole, rest);
            insert_far_hole();
            if (gap.size != 0) insert_cold(new_hole(before, gap));
        } else {
            map_.link(block, hole);
            map_.set_range(hole, gap);
            if (is_far) {
                insert_far_hole();
            } else if (gap.size != 0) {
                insert_cold(hole);
            } else {
                map_.unlink(hole);
                map_.recycle(hole);
            }
            if (rest.size != 0) insert_cold(new_hole(block, rest));
        }
    }

    [[nodiscard]] constexpr quanta free_in(block_index block) const noexcept {
        return map_.is_hole(block) ? map_.size(block) : 0;
    }
    /// Returns the neighbour of `block`, skipping an empty far hole.
    [[nodiscard]] constexpr block_index below(block_index block) const noexcept {
        const block_index neighbour = map_.node(block).previous;
        return neighbour == map_.far_hole && map_.size(neighbour) == 0 ? map_.node(neighbour).previous : neighbour;
    }
    [[nodiscard]] constexpr block_index above(block_index block) const noexcept {
        const block_index neighbour = map_.node(block).next;
        return neighbour == map_.far_hole && map_.size(neighbour) == 0 ? map_.node(neighbour).next : neighbour;
    }

    Index index_;
    std::size_t reserved_blocks_ = 0;  // live blocks that host memory is reserved for
};

}  // namespace hbm::inline v0
