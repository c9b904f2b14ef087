#pragma once

/// All blocks of `[0, capacity)` in address order: what every placement stands on.

#include <hbm/core/extent.hpp>
#include <hbm/core/handle.hpp>

#include <bit>
#include <cstdint>
#include <vector>

namespace hbm {

/// Names a block. It stays the same while the block lives, also when the block moves.
using block_index = std::uint32_t;
inline constexpr block_index no_block = no_index;

/// What a block is for.
enum class block_kind : std::uint8_t {
    hole,         ///< free
    data,         ///< a buffer; never evicted
    code,         ///< a program's code and constants
    scratch,      ///< a program's scratch, under a placement that cannot reserve
    reservation,  ///< scratch reserved at the bottom of memory
    deferred,     ///< a buffer that was freed while it was pinned, until the free takes effect
};

/// One block. While it is live, `left` is its owner (a tag, or a program's slot), `right` packs kind, alignment and
/// pins and `extra` is the size that was granted; while it is free, the three belong to the placement's index.
template <class Quanta>
struct block_node {
    Quanta offset = 0;
    Quanta size = 0;
    Quanta extra = 0;
    block_index previous = no_block;
    block_index next = no_block;
    block_index left = no_block;
    block_index right = no_block;
    std::uint32_t generation = 0;  // odd while the block is live, so that no handle ever matches a hole
};

/// The blocks of `[0, capacity)`: a list in address order in which blocks split and merge, with the sums that are asked
/// for most. It decides nothing; placements do. All sizes and offsets are quanta of type `Quanta`. A regular value: two
/// maps are equal when every block, generation and sum is the same.
template <class Quanta>
class block_map {
public:
    using quanta = Quanta;

    /// How many pins a block can count.
    static constexpr std::uint32_t most_pins = (std::uint32_t{1} << 22) - 1;

    constexpr block_map() : block_map(0) {}
    /// One hole over all of `[0, capacity)`; with capacity 0 an empty map.
    constexpr explicit block_map(Quanta capacity) : capacity_(capacity) {
        if (capacity == 0) return;
        first_ = last_ = new_node();
        nodes_[first_].size = capacity;
    }

    // -- looking; all O(1) ------------------------------------------------------------------------------------------

    [[nodiscard]] constexpr Quanta capacity() const noexcept { return capacity_; }
    /// The sum of the holes.
    [[nodiscard]] constexpr Quanta free() const noexcept { return static_cast<Quanta>(capacity_ - occupied_); }
    /// The sum of what was granted to live blocks, and the most it ever was. Rounding inside a placement is not in it.
    [[nodiscard]] constexpr Quanta live() const noexcept { return live_; }
    [[nodiscard]] constexpr Quanta peak_live() const noexcept { return peak_live_; }
    [[nodiscard]] constexpr std::uint32_t live_blocks() const noexcept { return live_blocks_; }

    [[nodiscard]] constexpr block_index first() const noexcept { return first_; }
    [[nodiscard]] constexpr block_index last() const noexcept { return last_; }
    [[nodiscard]] constexpr block_index next(block_index block) const noexcept { return nodes_[block].next; }
    [[nodiscard]] constexpr block_index previous(block_index block) const noexcept { return nodes_[block].previous; }
    [[nodiscard]] constexpr Quanta offset(block_index block) const noexcept { return nodes_[block].offset; }
    [[nodiscard]] constexpr Quanta size(block_index block) const noexcept { return nodes_[block].size; }
    [[nodiscard]] constexpr basic_extent<Quanta> range(block_index block) const noexcept {
        return {nodes_[block].offset, nodes_[block].size};
    }
    [[nodiscard]] constexpr bool is_hole(block_index block) const noexcept { return nodes_[block].generation % 2 == 0; }
    [[nodiscard]] constexpr std::uint32_t generation(block_index block) const noexcept {
        return nodes_[block].generation;
    }
    /// True when `block` is live and of that generation; safe for any two numbers.
    [[nodiscard]] constexpr bool is_live(block_index block, std::uint32_t generation) const noexcept {
        return block < nodes_.size() && nodes_[block].generation == generation && generation % 2 == 1;
    }
    /// The end of the highest live block; 0 when all is free. O(free blocks at the top).
    [[nodiscard]] constexpr Quanta highest_end() const noexcept {
        block_index block = last_;
        while (block != no_block && is_hole(block)) block = previous(block);
        return block == no_block ? 0 : range(block).end();
    }

    // -- what a live block carries; all O(1) ------------------------------------------------------------------------

    [[nodiscard]] constexpr block_kind kind(block_index block) const noexcept {
        return is_hole(block) ? block_kind::hole : static_cast<block_kind>(nodes_[block].right & kind_mask);
    }
    [[nodiscard]] constexpr Quanta granted(block_index block) const noexcept { return nodes_[block].extra; }
    /// The tag of a buffer, or the slot of a program.
    [[nodiscard]] constexpr std::uint32_t owner(block_index block) const noexcept { return nodes_[block].left; }
    [[nodiscard]] constexpr std::uint32_t pins(block_index block) const noexcept {
        return nodes_[block].right >> pin_shift;
    }
    /// What the block's offset must stay a multiple of.
    [[nodiscard]] constexpr Quanta alignment(block_index block) const noexcept {
        return static_cast<Quanta>(Quanta{1} << (nodes_[block].right >> alignment_shift & alignment_mask));
    }
    constexpr void set_owner(block_index block, block_kind kind, std::uint32_t owner) noexcept {
        nodes_[block].left = owner;
        nodes_[block].right = (nodes_[block].right & ~kind_mask) | static_cast<std::uint32_t>(kind);
    }
    /// Adds a pin; there are fewer than `most_pins`.
    constexpr void pin(block_index block) noexcept { nodes_[block].right += std::uint32_t{1} << pin_shift; }
    /// Takes a pin away; the block has one.
    constexpr void unpin(block_index block) noexcept { nodes_[block].right -= std::uint32_t{1} << pin_shift; }
    constexpr void drop_pins(block_index block) noexcept { nodes_[block].right &= (std::uint32_t{1} << pin_shift) - 1; }
    /// A mark that lasts while one call looks through its arguments.
    [[nodiscard]] constexpr bool marked(block_index block) const noexcept {
        return (nodes_[block].right & mark_bit) != 0;
    }
    constexpr void mark(block_index block) noexcept { nodes_[block].right |= mark_bit; }
    constexpr void unmark(block_index block) noexcept { nodes_[block].right &= ~mark_bit; }
    /// Makes the block's handles stale and leaves all else as it is.
    constexpr void disown(block_index block) noexcept { nodes_[block].generation += 2; }
    /// Ends the block's present life and begins another in the same place, with `granted` quanta: the old handles go
    /// stale. Kind, owner, alignment and pins are as after `mark_live`.
    constexpr void renew(block_index block, Quanta granted, Quanta alignment) noexcept {
        mark_hole(block);
        mark_live(block, granted, alignment);
    }

    // -- what an index keeps in a hole; all O(1) --------------------------------------------------------------------

    [[nodiscard]] constexpr block_index& left(block_index hole) noexcept { return nodes_[hole].left; }
    [[nodiscard]] constexpr block_index& right(block_index hole) noexcept { return nodes_[hole].right; }
    [[nodiscard]] constexpr Quanta& extra(block_index hole) noexcept { return nodes_[hole].extra; }
    [[nodiscard]] constexpr block_index left(block_index hole) const noexcept { return nodes_[hole].left; }
    [[nodiscard]] constexpr block_index right(block_index hole) const noexcept { return nodes_[hole].right; }
    [[nodiscard]] constexpr Quanta extra(block_index hole) const noexcept { return nodes_[hole].extra; }

    // -- changing; all O(1), amortised where a node is made -----------------------------------------------------------

    /// Cuts `hole` in two: it keeps its first `size` quanta, the rest becomes a new hole behind it, which is returned.
    constexpr block_index split(block_index hole, Quanta size) {
        const block_index rest = new_node();
        block_node<Quanta>& low = nodes_[hole];
        block_node<Quanta>& high = nodes_[rest];
        high.offset = static_cast<Quanta>(low.offset + size);
        high.size = static_cast<Quanta>(low.size - size);
        high.previous = hole;
        high.next = low.next;
        (low.next == no_block ? last_ : nodes_[low.next].previous) = rest;
        low.next = rest;
        low.size = size;
        return rest;
    }

    /// Joins `hole` and the hole behind it; the latter's index ends.
    constexpr void absorb_next(block_index hole) noexcept {
        const block_index gone = nodes_[hole].next;
        nodes_[hole].size = static_cast<Quanta>(nodes_[hole].size + nodes_[gone].size);
        nodes_[hole].next = nodes_[gone].next;
        (nodes_[gone].next == no_block ? last_ : nodes_[nodes_[gone].next].previous) = hole;
        recycle(gone);
    }

    /// Makes a hole live, with `granted` of its quanta asked for and its offset bound to `alignment`, a power of two.
    constexpr void mark_live(block_index hole, Quanta granted, Quanta alignment) noexcept {
        block_node<Quanta>& node = nodes_[hole];
        ++node.generation;
        node.extra = granted;
        node.left = 0;
        node.right = static_cast<std::uint32_t>(block_kind::data) |
                     static_cast<std::uint32_t>(std::countr_zero(alignment)) << alignment_shift;
        occupied_ = static_cast<Quanta>(occupied_ + node.size);
        live_ = static_cast<Quanta>(live_ + granted);
        if (live_ > peak_live_) peak_live_ = live_;
        ++live_blocks_;
    }

    /// Makes a live block a hole, unmerged.
    constexpr void mark_hole(block_index block) noexcept {
        block_node<Quanta>& node = nodes_[block];
        ++node.generation;
        occupied_ = static_cast<Quanta>(occupied_ - node.size);
        live_ = static_cast<Quanta>(live_ - node.extra);
        --live_blocks_;
    }

    /// Cuts a live block down to its first `size` quanta, of which `granted` were asked for. Returns the rest, an
    /// unmerged hole.
    constexpr block_index trim(block_index block, Quanta size, Quanta granted) {
        const Quanta before = nodes_[block].size;
        const block_index rest = split(block, size);
        occupied_ = static_cast<Quanta>(occupied_ - (before - size));
        live_ = static_cast<Quanta>(live_ - nodes_[block].extra + granted);
        nodes_[block].extra = granted;
        return rest;
    }

    /// Puts a new hole, unmerged, in the place of the live block `block`, which keeps index and generation but stands
    /// nowhere until `settle`. Returns the hole. The sums count the block as live throughout.
    constexpr block_index lift(block_index block) {
        const block_index hole = new_node();
        nodes_[hole].offset = nodes_[block].offset;
        nodes_[hole].size = nodes_[block].size;
        take_links(hole, block);
        return hole;
    }

    /// Puts the lifted `block` in the place of `hole`, which has its size and whose index ends.
    constexpr void settle(block_index block, block_index hole) noexcept {
        nodes_[block].offset = nodes_[hole].offset;
        take_links(block, hole);
        recycle(hole);
    }

    /// Room for `blocks` nodes without asking the host again; a map of n live blocks has at most 2n + 1 nodes.
    constexpr void reserve(std::size_t blocks) { nodes_.reserve(blocks); }
    /// Nodes in use or waiting to be used again.
    [[nodiscard]] constexpr std::size_t nodes() const noexcept { return nodes_.size(); }

    friend constexpr bool operator==(const block_map& left, const block_map& right) noexcept {
        if (left.capacity_ != right.capacity_ || left.occupied_ != right.occupied_ || left.live_ != right.live_ ||
            left.peak_live_ != right.peak_live_ || left.live_blocks_ != right.live_blocks_)
            return false;
        block_index a = left.first_;
        block_index b = right.first_;
        for (; a != no_block && b != no_block; a = left.next(a), b = right.next(b)) {
            if (!(left.range(a) == right.range(b)) || left.is_hole(a) != right.is_hole(b)) return false;
            if (left.is_hole(a)) continue;
            const block_node<Quanta>& one = left.nodes_[a];
            const block_node<Quanta>& other = right.nodes_[b];
            if (a != b || one.generation != other.generation || one.extra != other.extra || one.left != other.left ||
                one.right != other.right)
                return false;
        }
        return a == b;
    }

private:
    static constexpr std::uint32_t kind_mask = 0x7;
    static constexpr std::uint32_t alignment_shift = 3;
    static constexpr std::uint32_t alignment_mask = 0x3f;
    static constexpr std::uint32_t mark_bit = std::uint32_t{1} << 9;
    static constexpr std::uint32_t pin_shift = 10;

    constexpr block_index new_node() {
        if (spare_ == no_block) {
            nodes_.emplace_back();
            return static_cast<block_index>(nodes_.size() - 1);
        }
        const block_index node = spare_;
        spare_ = nodes_[node].next;
        nodes_[node].next = no_block;
        return node;
    }
    constexpr void recycle(block_index node) noexcept {
        nodes_[node].next = spare_;
        spare_ = node;
    }
    constexpr void take_links(block_index to, block_index from) noexcept {
        nodes_[to].previous = nodes_[from].previous;
        nodes_[to].next = nodes_[from].next;
        (nodes_[to].previous == no_block ? first_ : nodes_[nodes_[to].previous].next) = to;
        (nodes_[to].next == no_block ? last_ : nodes_[nodes_[to].next].previous) = to;
    }

    std::vector<block_node<Quanta>> nodes_;
    block_index first_ = no_block;
    block_index last_ = no_block;
    block_index spare_ = no_block;  // nodes waiting to be used again, the latest first
    Quanta capacity_ = 0;
    Quanta occupied_ = 0;
    Quanta live_ = 0;
    Quanta peak_live_ = 0;
    std::uint32_t live_blocks_ = 0;
};

}  // namespace hbm
