#pragma once

#include <hbm/blocks/block_placement.hpp>
#include <hbm/fwd.hpp>
#include <hbm/index/best_hole.hpp>
#include <hbm/placement/placement.hpp>

#include <bit>
#include <cstdint>
#include <limits>

namespace hbm::inline v0 {

/// The binary buddy system (Knowlton, 1965): blocks are powers of two at multiples of their size. The smallest
/// sufficient free block is halved until it fits, and free halves merge at once. Takes the lowest free block of the
/// smallest order and its low half; at the high end, the mirror image. The capacity may be any number: the largest
/// aligned powers of two cover it. Rounding is internal waste: it counts in the footprint, never in live bytes.
template <class Quanta>
class basic_buddy : public block_placement<basic_buddy<Quanta>, Quanta> {
    using base = block_placement<basic_buddy<Quanta>, Quanta>;
    friend base;

public:
    using quanta = Quanta;

    static constexpr fixed_string name{"buddy"};
    /// Neighbours that are not buddies are not merged.
    static constexpr bool merges_neighbours = false;
    /// The largest power of two: an unlimited memory behaves like one that grows by doubling.
    static constexpr Quanta unlimited = std::numeric_limits<Quanta>::max() / 2 + 1;

    constexpr basic_buddy() = default;
    constexpr explicit basic_buddy(Quanta capacity) : base(capacity), index_(capacity) {
        if (capacity != 0) give(cover());
    }

    /// Returns the aligned power of two that satisfies `n`, which may exceed `unlimited`.
    [[nodiscard]] constexpr need<Quanta> requirement(need<Quanta> n) const noexcept {
        n.length = rounded(n.length);
        if (n.length > n.alignment && n.length <= unlimited) n.alignment = n.length;
        return n;
    }

    /// Places a block, or returns `no_block` without effect.
    /// Cost: a search of `best_hole`, and an insert for each halving; O(n) if the alignment exceeds the size.
    constexpr block_index place(const need<Quanta>& n) {
        // The free block is halved until it has the length. Each time the half without the target goes to the index, so
        // the node that was taken becomes the block, at whichever end of the hole the target lies.
        if (n.length > unlimited) return no_block;
        const need<Quanta> whole = requirement(n);
        const block_index hole = take(whole);
        if (hole == no_block) [[unlikely]]
            return no_block;
        const Quanta target = whole.offset_in(map_.range(hole));
        map_.begin_life(hole, whole.length, n.length, whole.alignment);
        for (Quanta size = map_.size(hole); size != whole.length;) {
            ensure_node();
            size /= 2;
            const basic_extent<Quanta> range = map_.range(hole);
            insert(target >= range.offset + size ? map_.template split<end::high>(hole, range, size)
                                                 : map_.template split<end::low>(hole, range, size));
        }
        return hole;
    }

    /// Frees the tail of a live block beyond `granted` quanta, as far as halves allow.
    /// Cost: a merge.
    constexpr void shrink(block_index block, Quanta granted) {
        // The block keeps its first half, or quarter, and so on; the tail that goes is cut into powers of two by
        // `give`.
        const Quanta before = map_.end(block);
        if (const Quanta size = rounded(granted); size < map_.size(block)) {
            map_.cut(block, size, granted);
            give(map_.new_hole(block, {map_.end(block), static_cast<Quanta>(before - map_.end(block))}));
        }
    }

    /// Grows the memory at its top to `capacity`; blocks stay. The new space merges as aligned powers of two.
    /// Fails: returns false, without effect, unless `capacity` exceeds the present one and is representable.
    /// Cost: O(blocks).
    constexpr bool extend(std::uint64_t capacity) {
        if (capacity <= map_.capacity() || capacity > std::numeric_limits<Quanta>::max()) return false;
        map_.extend(static_cast<Quanta>(capacity));
        index_ = best_hole<Quanta, nearest_first>(map_.capacity());
        reserve_metadata(reserved_blocks_);
        for (block_index block = map_.last(); block != no_block; block = map_.previous(block))
            if (map_.is_hole(block) && block != map_.far_hole) insert(block);
        give(cover());
        return true;
    }

    /// Reserves host memory for `blocks` live blocks and for free blocks of each order, limited to about 1.25 times as
    /// many in total. Very many blocks of very different sizes may leave more free blocks than that.
    constexpr void reserve_metadata(std::size_t blocks) {
        if (blocks > reserved_blocks_) reserved_blocks_ = blocks;
        // Of each order there can be one free block more than live blocks, for two free buddies would have merged, and
        // no more than fit into the memory.
        std::size_t holes = 0;
        for (Quanta left = map_.capacity(); left != 0; left /= 2)
            holes += (left < blocks ? static_cast<std::size_t>(left) : blocks) + 1;
        const std::size_t most = blocks < 192 ? 16 * blocks + 64 : blocks / 4 * 5 + 4096;
        map_.reserve(blocks + (holes < most ? holes : most) + 4);
        // The index assumes two thirds as many holes as blocks; here there may be more.
        index_.reserve(map_, map_.reserved_nodes() / 5 * 3 + 3);
    }

    [[nodiscard]] constexpr bool has_hole_for(Quanta length) const {
        return index_.find(map_, {.length = length}) != no_block;
    }
    /// Returns the quanta that a block takes of a longer free block, or the largest number if it is aligned beyond its
    /// size. The rest is powers of two, which hold blocks of that total in any order.
    [[nodiscard]] static constexpr std::uint64_t most_taken(const need<Quanta>& required) noexcept {
        return required.alignment <= required.length ? std::uint64_t{required.length} : ~std::uint64_t{0};
    }

    /// Returns the longest contiguous free range, which may span several free blocks.
    /// Cost: O(log capacity + holes).
    [[nodiscard]] constexpr Quanta largest_free() const {
        // In a run of free blocks the longest ones are neighbours, and at most two, for buddies would have merged. On
        // both sides sizes fall, and each side is shorter than the longest. So a run is shorter than four times its
        // longest free block, and the longest run has one of at least half of the longest of all.
        const Quanta longest = index_.largest(map_);
        Quanta largest = longest;
        if (longest == 0) return 0;
        block_index hole = index_.find(map_, {.length = static_cast<Quanta>(longest - longest / 2)});
        for (; hole != no_block; hole = index_.after(map_, hole)) {
            block_index first = hole;
            for (block_index at = hole; at != no_block && map_.is_hole(at); at = map_.previous(at)) first = at;
            Quanta run = 0;
            for (block_index at = first; at != no_block && map_.is_hole(at); at = map_.next(at))
                run = static_cast<Quanta>(run + map_.size(at));
            if (run > largest) largest = run;
        }
        return largest;
    }

    /// The index is a function of the holes: only blocks are compared.
    friend constexpr bool operator==(const basic_buddy& a, const basic_buddy& b) noexcept { return a.map() == b.map(); }

private:
    using base::map_;

    [[nodiscard]] constexpr Quanta rounded(Quanta granted) const noexcept {
        return granted > unlimited ? std::numeric_limits<Quanta>::max() : std::bit_ceil(granted);
    }
    [[gnu::always_inline]] constexpr void insert(block_index hole) { index_.insert(map_, hole); }
    [[gnu::always_inline]] constexpr void erase(block_index hole) { index_.erase(map_, hole); }

    /// Removes the smallest free block that admits `n` from the index: the lowest or, from the high end, the highest.
    [[gnu::always_inline]] constexpr block_index take(const need<Quanta>& n) {
        if (n.from == end::low && n.alignment <= n.length && n.avoid_below == 0) [[likely]] {
            const block_index hole = index_.take_at_once(map_, n.length);
            return hole != no_block ? hole : index_.take(map_, n.length);
        }
        const block_index hole = index_.find(map_, n);
        if (hole != no_block) erase(hole);
        return hole;
    }
    [[gnu::always_inline]] constexpr void ensure_node() {
        if (!map_.has_spare_node()) [[unlikely]]
            get_nodes();
    }
    [[gnu::cold, gnu::noinline]] constexpr void get_nodes() {
        map_.recycle(map_.new_node());
        index_.resize(map_, map_.nodes());
    }

    /// Cuts a hole into its largest aligned powers of two and merges each with its buddies, except `fence`, which is
    /// not in the index. Returns the last result.
    constexpr block_index give(block_index hole, block_index fence = no_block) {
        // A freed block is already an aligned power of two.
        // From its low end, a hole is cut into the largest powers of two that divide their offset and fit into what is
        // left. Each merges on its own; what is not yet cut (`rest`) is no buddy yet, though it is a hole of the map.
        if (fence == no_block && is_aligned_power(hole)) [[likely]]
            return merge(hole, no_block, no_block);
        for (;;) {
            const Quanta offset = map_.offset(hole);
            const Quanta fits = std::bit_floor(map_.size(hole));
            const Quanta aligned = offset == 0 ? fits : static_cast<Quanta>(offset & (Quanta{0} - offset));
            const Quanta piece = aligned < fits ? aligned : fits;
            const block_index rest = piece == map_.size(hole) ? no_block : split(hole, piece);
            const block_index merged = merge(hole, rest, fence);
            if (rest == no_block) return merged;
            hole = rest;
        }
    }

    [[nodiscard]] constexpr bool is_aligned_power(block_index hole) const noexcept {
        const Quanta size = map_.size(hole);
        return ((size | map_.offset(hole)) & (size - 1)) == 0;
    }
    /// Merges a hole with its buddies as far as they are free. Skips `rest` and `fence`, which are not in the index.
    [[gnu::always_inline]] constexpr block_index merge(block_index hole, block_index rest, block_index fence) {
        Quanta size = map_.size(hole);
        Quanta offset = map_.offset(hole);
        for (;;) {
            // The buddy begins at the offset with the bit of the size turned. It is the neighbour on that side, if it
            // is whole: a neighbour of another size is a part of the buddy, and its other part is in use.
            const bool above = (offset & size) == 0;
            const block_index sibling = above ? map_.node(hole).next : map_.node(hole).previous;
            if (!map_.is_hole(sibling) || map_.size(sibling) != size || map_.offset(sibling) != (offset ^ size) ||
                sibling == rest || sibling == fence)
                break;
            erase(sibling);
            hole = above ? hole : sibling;
            offset = static_cast<Quanta>(offset & ~size);
            size = map_.absorb_next(hole);
        }
        index_.insert(map_, hole, size, offset);
        return hole;
    }

    constexpr bool enter(block_index block, basic_extent<Quanta> range, block_index near) {
        // A given range need not be a power of two: it may lie across several free blocks, and begin inside of one.
        // These are joined to one hole, the range is cut out of it, and what is left on both sides is given back as
        // powers of two. The part that becomes the block is kept from merging by name (`fence`).
        const block_index first = this->block_at(range.offset, near);
        if (first == no_block || !map_.is_hole(first)) return false;
        block_index last = first;
        while (map_.range(last).end() - range.offset < range.size) {
            last = map_.next(last);
            if (last == no_block || !map_.is_hole(last)) return false;
        }
        erase(first);
        while (map_.range(first).end() - range.offset < range.size) {
            erase(map_.next(first));
            map_.absorb_next(first);
        }
        block_index taken = first;
        if (const auto below = static_cast<Quanta>(range.offset - map_.offset(first)); below != 0) {
            taken = split(first, below);
            give(first, taken);
        }
        if (map_.size(taken) != range.size) give(split(taken, range.size), taken);
        map_.set_range(block, range);
        map_.link(block, taken);
        map_.unlink(taken);
        map_.recycle(taken);
        return true;
    }

    /// Cuts a hole to its first `size` quanta and returns the remainder, a new hole after it.
    constexpr block_index split(block_index hole, Quanta size) {
        const basic_extent<Quanta> whole = map_.range(hole);
        map_.set_range(hole, {whole.offset, size});
        return map_.new_hole(hole, {map_.end(hole), static_cast<Quanta>(whole.size - size)});
    }
    /// Turns the far hole of the map, which is not empty, into an ordinary hole.
    constexpr block_index cover() {
        // Blocks may lie at multiples of their size only, so none comes from the far hole as from a stack: it stays
        // empty.
        const basic_extent<Quanta> whole = map_.range(map_.far_hole);
        map_.set_range(map_.far_hole, {whole.end(), 0});
        return map_.new_hole(map_.node(map_.far_hole).previous, whole);
    }

    best_hole<Quanta, nearest_first> index_;
    std::size_t reserved_blocks_ = 0;  // live blocks that host memory is reserved for
};

using buddy = basic_buddy<std::uint32_t>;

static_assert(placement<buddy>);

}  // namespace hbm::inline v0
