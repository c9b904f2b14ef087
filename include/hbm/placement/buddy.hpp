#pragma once

#include <hbm/blocks/block_placement.hpp>
#include <hbm/index/ordered_tree.hpp>
#include <hbm/placement/placement.hpp>

#include <bit>
#include <limits>

namespace hbm {

/// The binary buddy system (Knowlton, 1965): blocks are powers of two at multiples of their size; the smallest
/// sufficient free block is halved until it fits, and halves merge as soon as both are free. Here the lowest free block
/// of the smallest sufficient order is taken and the low half kept (from and at the high end, the mirror image). The
/// capacity need not be a power of two: the free blocks of an arena are the largest aligned ones that cover it.
/// Rounding to a power of two is waste inside the block; it counts in the footprint, never in live bytes.
template <class Quanta>
class basic_buddy : public block_placement<basic_buddy<Quanta>, Quanta> {
    using base = block_placement<basic_buddy<Quanta>, Quanta>;
    friend base;

public:
    using quanta = Quanta;

    static constexpr fixed_string name{"buddy"};
    /// Two neighbours that are no buddies stay two.
    static constexpr bool merges_neighbours = false;
    /// The largest power of two: an arena of that size behaves as one that grows by doubling.
    static constexpr Quanta unlimited = std::numeric_limits<Quanta>::max() / 2 + 1;

    constexpr basic_buddy() = default;
    constexpr explicit basic_buddy(Quanta capacity) : base(capacity) {
        if (capacity != 0) give(map_.cover());
    }

    /// An aligned power of two; nothing satisfies a need beyond the largest one. O(1).
    [[nodiscard]] constexpr need<Quanta> requirement(need<Quanta> n) const noexcept {
        n.length = rounded(n.length);
        if (n.length > n.alignment && n.length <= unlimited) n.alignment = n.length;
        return n;
    }

    /// O(log capacity x log n) on average; O(n) for an alignment beyond the size.
    constexpr block_index place(const need<Quanta>& n) {
        if (n.length > unlimited) return no_block;
        const need<Quanta> whole = requirement(n);
        block_index hole = find(whole);
        if (hole == no_block) return no_block;
        const Quanta target = whole.offset_in(map_.range(hole));
        erase(hole);
        while (map_.size(hole) > whole.length) {
            const block_index upper = map_.split(hole, map_.size(hole) / 2);
            const bool go_up = target >= map_.offset(upper);
            insert(go_up ? hole : upper);
            if (go_up) hole = upper;
        }
        map_.begin_life(hole, whole.length, n.length, whole.alignment);
        return hole;
    }

    /// Returns the tail of a live block beyond `granted` quanta to the free space, as far as halves go. Cost of a
    /// merge.
    constexpr void shrink(block_index block, Quanta granted) {
        if (const Quanta size = rounded(granted); size < map_.size(block)) give(map_.split(block, size, granted));
    }

    /// Makes the memory longer at its top; blocks stay. What is new comes as aligned powers of two, which merge with
    /// their buddies. False, and nothing done, unless `capacity` is more than now and can be counted. Cost of a
    /// release, if no more metadata is needed.
    constexpr bool extend(std::uint64_t capacity) {
        if (capacity <= map_.capacity() || capacity > std::numeric_limits<Quanta>::max()) return false;
        map_.extend(static_cast<Quanta>(capacity));
        reserve_metadata(reserved_blocks_);
        give(map_.cover());
        return true;
    }

    /// Room for `blocks` live blocks without asking the host again. A free block has a buddy that is not free: of each
    /// order there are no more than live blocks, and no more than fit.
    constexpr void reserve_metadata(std::size_t blocks) {
        if (blocks > reserved_blocks_) reserved_blocks_ = blocks;
        std::size_t nodes = blocks;
        for (Quanta left = map_.capacity(); left != 0; left /= 2)
            nodes += (left < blocks ? static_cast<std::size_t>(left) : blocks) + 1;
        map_.reserve(nodes);
    }

    /// The longest contiguous free run, which can be longer than any free block. O(blocks).
    [[nodiscard]] constexpr Quanta largest_free() const noexcept {
        Quanta largest = 0;
        Quanta run = 0;
        for (block_index block = map_.first(); block != no_block; block = map_.next(block)) {
            run = map_.is_hole(block) ? static_cast<Quanta>(run + map_.size(block)) : 0;
            if (run > largest) largest = run;
        }
        return largest;
    }

    /// The index follows from the holes, so the blocks are all there is to compare.
    friend constexpr bool operator==(const basic_buddy& a, const basic_buddy& b) noexcept { return a.map() == b.map(); }

private:
    using base::map_;
    using tree = ordered_tree<by_offset>;
    static constexpr unsigned orders = std::numeric_limits<Quanta>::digits;

    [[nodiscard]] constexpr Quanta rounded(Quanta granted) const noexcept {
        return granted > unlimited ? std::numeric_limits<Quanta>::max() : std::bit_ceil(granted);
    }
    [[nodiscard]] constexpr unsigned order_of(block_index hole) const noexcept {
        return static_cast<unsigned>(std::countr_zero(map_.size(hole))) % orders;  // as if it could be empty
    }
    constexpr void insert(block_index hole) {
        tree::insert(map_, roots_.at[order_of(hole)], hole);
        occupied_ |= std::uint64_t{1} << order_of(hole);
    }
    constexpr void erase(block_index hole) {
        block_index& root = roots_.at[order_of(hole)];
        tree::erase(map_, root, hole);
        if (root == no_block) occupied_ &= ~(std::uint64_t{1} << order_of(hole));
    }

    [[nodiscard]] constexpr block_index find(const need<Quanta>& n) const {
        const auto smallest = static_cast<unsigned>(std::countr_zero(n.length));
        for (std::uint64_t left = occupied_ >> smallest << smallest; left != 0; left &= left - 1) {
            const block_index root = roots_.at[std::countr_zero(left)];
            block_index hole =
                n.from == end::high ? tree::last(map_, root) : tree::lower_bound(map_, root, [&](block_index other) {
                    return map_.offset(other) >= n.avoid_below;
                });
            while (hole != no_block && !n.admits(map_.range(hole)))
                hole = n.from == end::high ? tree::previous(map_, root, hole) : tree::next(map_, root, hole);
            if (hole != no_block) return hole;
        }
        return no_block;
    }

    /// Cuts any hole into its largest aligned powers of two, each of which merges with its buddy as far as it goes.
    /// Returns the last of them. Never merges with `fence`, a hole that is not in the index.
    constexpr block_index give(block_index hole, block_index fence = no_block) {
        for (;;) {
            const Quanta offset = map_.offset(hole);
            const Quanta fits = std::bit_floor(map_.size(hole));
            const Quanta aligned = offset == 0 ? fits : static_cast<Quanta>(offset & (Quanta{0} - offset));
            const Quanta piece = aligned < fits ? aligned : fits;
            const block_index rest = piece == map_.size(hole) ? no_block : map_.split(hole, piece);
            const block_index merged = merge(hole, rest, fence);
            if (rest == no_block) return merged;
            hole = rest;
        }
    }

    constexpr block_index merge(block_index hole, block_index rest, block_index fence) {
        for (;;) {
            const Quanta size = map_.size(hole);
            const auto sibling_offset = static_cast<Quanta>(map_.offset(hole) ^ size);
            const bool above = sibling_offset > map_.offset(hole);
            const block_index sibling = above ? map_.next(hole) : map_.previous(hole);
            if (sibling == no_block || sibling == rest || sibling == fence || !map_.is_hole(sibling) ||
                map_.size(sibling) != size || map_.offset(sibling) != sibling_offset)
                break;
            erase(sibling);
            const block_index low = above ? hole : sibling;
            map_.absorb_next(low);
            hole = low;
        }
        insert(hole);
        return hole;
    }

    constexpr block_index vacate(block_index block) { return give(map_.lift(block)); }

    constexpr bool enter(block_index block, basic_extent<Quanta> range, block_index near) {
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
            taken = map_.split(first, below);
            give(first, taken);
        }
        if (map_.size(taken) != range.size) give(map_.split(taken, range.size), taken);
        map_.put_down(block, taken);
        return true;
    }

    struct root_table {
        block_index at[orders] = {};
        constexpr root_table() {
            for (block_index& root : at) root = no_block;
        }
    };
    root_table roots_;
    std::uint64_t occupied_ = 0;       // a bit for each order that has a free block
    std::size_t reserved_blocks_ = 0;  // how many live blocks there is room for
};

/// `basic_buddy` at the usual width.
using buddy = basic_buddy<std::uint32_t>;

static_assert(placement<buddy>);

}  // namespace hbm
