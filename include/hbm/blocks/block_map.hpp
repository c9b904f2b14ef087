#pragma once

/// All blocks of `[0, capacity)` in address order: what every placement stands on.

#include <hbm/core/extent.hpp>
#include <hbm/core/handle.hpp>
#include <hbm/core/trivial_vector.hpp>

#include <bit>
#include <cstdint>

namespace hbm {

/// A hole after a block is named by that block's index with this bit set; the bottom of memory counts as a block.
inline constexpr block_index hole_bit = std::uint32_t{1} << 31;

/// The hole after a block. (Saying that blocks have no hole bit lets compilers drop the masks that take it off again.)
[[nodiscard]] constexpr block_index hole_after(block_index block) noexcept {
    if (block >= hole_bit) __builtin_unreachable();
    return block | hole_bit;
}

/// What a block is for.
enum class block_kind : std::uint8_t {
    hole,         ///< free
    data,         ///< a buffer; never evicted
    code,         ///< a program's code and constants
    scratch,      ///< a program's scratch, under a placement that cannot reserve
    reservation,  ///< scratch reserved at the bottom of memory
    deferred,     ///< a buffer that was freed while it was pinned, until the free takes effect
};

/// What is touched whenever a block comes or goes: 32 bytes at the usual width, two to a cache line.
template <class Quanta>
struct block_node {
    Quanta offset = 0;
    Quanta size = 0;
    Quanta free_before =
        0;  // the hole between the block before this one and this one: the other one's `after`, kept twice
    Quanta free_after = 0;     // so that a block which is freed knows the hole that comes of it without looking further
    block_index previous = 0;  // all blocks and the bottom are a ring in address order
    block_index next = 0;
    block_index left = 0;  // the two belong to the index that holds the hole after this block
    block_index right = 0;

    [[nodiscard]] constexpr Quanta end() const noexcept { return static_cast<Quanta>(offset + size); }
};

/// What is said about a live block.
template <class Quanta>
struct block_label {
    Quanta granted = 0;
    std::uint32_t generation = 0;  // two low bits: live, so that no handle ever matches a hole; and not plain
    std::uint32_t owner = 0;       // a tag, or a program's slot
    std::uint32_t bits = 0;        // kind, alignment, mark, holds and pins
};

/// The blocks of `[0, capacity)`: a ring of the live ones in address order, each with the size of the hole after it,
/// and the sums that are asked for most. A hole has no node of its own: freeing a block joins the holes beside it by
/// adding three numbers, and a block that goes into a hole of its size touches nothing but its neighbours. (A placement
/// whose holes do not merge, buddy, keeps them as blocks that are not live.) It decides nothing; placements do. All
/// sizes and offsets are quanta of type `Quanta`. A regular value: two maps are equal when every block, generation and
/// sum is the same.
template <class Quanta>
class block_map {
public:
    using quanta = Quanta;

    /// How many pins a block can count, and how many holds.
    static constexpr std::uint32_t max_pins = (std::uint32_t{1} << 12) - 1;
    static constexpr std::uint32_t max_holds = (std::uint32_t{1} << 10) - 1;
    /// The bottom of memory: a block of no size before all others, after which the lowest hole lies.
    static constexpr block_index bottom = 0;
    /// A node that is no block and sorts after every hole. An index may end its lists with it and let links that lead
    /// nowhere lead there: then nothing need be asked before one is written to.
    static constexpr block_index list_end = 1;

    constexpr block_map() : block_map(0) {}
    /// One hole over all of `[0, capacity)`; with capacity 0 an empty map.
    constexpr explicit block_map(Quanta capacity) : nodes_(2), labels_(2), capacity_(capacity) {
        nodes_[bottom].free_before = nodes_[bottom].free_after = capacity;
        nodes_[list_end].free_after = nodes_[list_end].offset = static_cast<Quanta>(~Quanta{0});
        nodes_[list_end].next = list_end;
    }

    // -- looking; all O(1) ------------------------------------------------------------------------------------------

    [[nodiscard]] constexpr Quanta capacity() const noexcept { return capacity_; }
    /// The sum of the holes.
    [[nodiscard]] constexpr Quanta free() const noexcept { return static_cast<Quanta>(capacity_ - occupied_); }
    /// The sum of what was granted to live blocks, and the most it ever was. Rounding inside a placement is not in it.
    [[nodiscard]] constexpr Quanta live() const noexcept { return static_cast<Quanta>(occupied_ - rounding_); }
    [[nodiscard]] constexpr Quanta peak_live() const noexcept { return peak_live_; }
    [[nodiscard]] constexpr std::uint32_t live_blocks() const noexcept { return live_blocks_; }

    /// Blocks and holes in address order, or `no_block`: the lowest, and the neighbours of one.
    [[nodiscard]] constexpr block_index first() const noexcept { return next(bottom); }
    [[nodiscard]] constexpr block_index last() const noexcept {
        if (capacity_ == 0) return no_block;
        const block_index top = nodes_[bottom].previous;
        return nodes_[top].free_after == 0 ? top : top | hole_bit;
    }
    [[nodiscard]] constexpr block_index next(block_index block) const noexcept {
        const block_node<Quanta>& node = at(block);
        if (block < hole_bit && node.free_after != 0) return block | hole_bit;
        return node.next == bottom ? no_block : node.next;
    }
    [[nodiscard]] constexpr block_index previous(block_index block) const noexcept {
        const block_index before = block < hole_bit ? nodes_[block].previous : block & ~hole_bit;
        if (block < hole_bit && nodes_[before].free_after != 0) return before | hole_bit;
        return before == bottom ? no_block : before;
    }
    [[nodiscard]] constexpr Quanta offset(block_index block) const noexcept {
        return block < hole_bit ? nodes_[block].offset : end(block & ~hole_bit);
    }
    [[nodiscard]] constexpr Quanta size(block_index block) const noexcept {
        return block < hole_bit ? nodes_[block].size : at(block).free_after;
    }
    [[nodiscard]] constexpr basic_extent<Quanta> range(block_index block) const noexcept {
        return {offset(block), size(block)};
    }
    [[nodiscard]] constexpr bool is_hole(block_index block) const noexcept {
        return block >= hole_bit || (labels_[block].generation & live_bit) == 0;
    }
    [[nodiscard]] constexpr std::uint32_t generation(block_index block) const noexcept {
        return labels_[block].generation & ~special_bit;
    }
    /// True when `block` is live and of that generation; safe for any two numbers.
    [[nodiscard]] constexpr bool is_live(block_index block, std::uint32_t generation) const noexcept {
        return block < nodes_.size() && this->generation(block) == generation && (generation & live_bit) != 0;
    }
    /// The same, and the block is data without pins: one look where most frees end.
    [[nodiscard]] constexpr bool is_plain(block_index block, std::uint32_t generation) const noexcept {
        return block < nodes_.size() && labels_[block].generation == generation &&
               (generation & (live_bit | special_bit)) == live_bit;
    }
    /// The block that is reserved at the bottom of memory, or the bottom itself while nothing is.
    [[nodiscard]] constexpr block_index reservation() const noexcept { return reservation_; }
    /// The end of the highest live block; 0 when all is free. O(free blocks at the top).
    [[nodiscard]] constexpr Quanta highest_end() const noexcept {
        block_index block = nodes_[bottom].previous;
        while (block != bottom && is_hole(block)) block = nodes_[block].previous;
        return end(block);
    }

    // -- the holes after blocks; all O(1) --------------------------------------------------------------------------

    /// The block, or the bottom, before a block; and where a block ends.
    [[nodiscard]] constexpr block_index lower(block_index block) const noexcept { return nodes_[block].previous; }
    [[nodiscard]] constexpr Quanta end(block_index block) const noexcept {
        return static_cast<Quanta>(nodes_[block].offset + nodes_[block].size);
    }
    /// The size of the hole after a block, or after the block that names a hole.
    [[nodiscard]] constexpr Quanta free_after(block_index block) const noexcept { return at(block).free_after; }

    /// Says which block is reserved at the bottom of memory, or the bottom.
    constexpr void set_reservation(block_index block) noexcept { reservation_ = block; }

    // -- what a live block carries; all O(1) ------------------------------------------------------------------------

    [[nodiscard]] constexpr block_kind kind(block_index block) const noexcept {
        return is_hole(block) ? block_kind::hole : static_cast<block_kind>(labels_[block].bits & kind_mask);
    }
    [[nodiscard]] constexpr Quanta granted(block_index block) const noexcept { return labels_[block].granted; }
    /// The tag of a buffer, or the slot of a program.
    [[nodiscard]] constexpr std::uint32_t owner(block_index block) const noexcept { return labels_[block].owner; }
    /// How often it is pinned from outside, and how many runs use it.
    [[nodiscard]] constexpr std::uint32_t pins(block_index block) const noexcept {
        return labels_[block].bits >> pin_shift;
    }
    [[nodiscard]] constexpr std::uint32_t holds(block_index block) const noexcept {
        return labels_[block].bits >> hold_shift & max_holds;
    }
    /// True when either is not nothing: the block may neither move nor go.
    [[nodiscard]] constexpr bool is_held(block_index block) const noexcept {
        return labels_[block].bits >> hold_shift != 0;
    }
    /// What the block's offset must stay a multiple of.
    [[nodiscard]] constexpr Quanta alignment(block_index block) const noexcept {
        return static_cast<Quanta>(Quanta{1} << (labels_[block].bits >> alignment_shift & alignment_mask));
    }
    constexpr void set_owner(block_index block, block_kind kind, std::uint32_t owner) noexcept {
        labels_[block].owner = owner;
        labels_[block].bits = (labels_[block].bits & ~kind_mask) | static_cast<std::uint32_t>(kind);
        note_what_is_special(block);
    }
    /// Says whose a block is that has just begun to live: data, as all blocks are at first.
    constexpr void set_tag(block_index block, std::uint32_t tag) noexcept { labels_[block].owner = tag; }
    /// Adds a pin; there are fewer than `max_pins`.
    constexpr void pin(block_index block) noexcept { count(block, std::uint32_t{1} << pin_shift); }
    /// Takes a pin away; the block has one.
    constexpr void unpin(block_index block) noexcept { count(block, 0 - (std::uint32_t{1} << pin_shift)); }
    /// The same for holds.
    constexpr void hold(block_index block) noexcept { count(block, std::uint32_t{1} << hold_shift); }
    constexpr void release_hold(block_index block) noexcept { count(block, 0 - (std::uint32_t{1} << hold_shift)); }
    constexpr void drop_pins(block_index block) noexcept {
        labels_[block].bits &= (std::uint32_t{1} << pin_shift) - 1;
        note_what_is_special(block);
    }
    /// A mark that lasts while one call looks through its arguments.
    [[nodiscard]] constexpr bool marked(block_index block) const noexcept {
        return (labels_[block].bits & mark_bit) != 0;
    }
    constexpr void mark(block_index block) noexcept { labels_[block].bits |= mark_bit; }
    constexpr void unmark(block_index block) noexcept { labels_[block].bits &= ~mark_bit; }
    /// Makes the block's handles stale and leaves all else as it is.
    constexpr void invalidate_handles(block_index block) noexcept { labels_[block].generation += next_life; }
    /// Ends the block's present life and begins another in the same place, with `granted` quanta: the old handles go
    /// stale. Kind, owner, alignment and pins are as of a new block; who holds the place goes on to hold it.
    constexpr void renew(block_index block, Quanta granted, Quanta alignment) noexcept {
        const std::uint32_t held = holds(block);
        end_life(block);
        begin_life(block, nodes_[block].size, granted, alignment);
        count(block, held << hold_shift);
    }

    // -- what an index keeps in a hole; O(1) ------------------------------------------------------------------------

    /// The block that names a hole, for indexes that count instructions: they use its `left` and `right`.
    [[nodiscard]] constexpr block_node<Quanta>& node(block_index block) noexcept { return nodes_[block]; }
    [[nodiscard]] constexpr const block_node<Quanta>& node(block_index block) const noexcept { return nodes_[block]; }

    [[nodiscard]] constexpr block_index& left(block_index hole) noexcept { return nodes_[hole & ~hole_bit].left; }
    [[nodiscard]] constexpr block_index& right(block_index hole) noexcept { return nodes_[hole & ~hole_bit].right; }
    [[nodiscard]] constexpr block_index left(block_index hole) const noexcept { return at(hole).left; }
    [[nodiscard]] constexpr block_index right(block_index hole) const noexcept { return at(hole).right; }

    // -- blocks and the holes between them; all O(1), amortised where a node is made ----------------------------------

    /// A node for a block that stands nowhere yet.
    [[gnu::always_inline]] constexpr block_index new_block() {
        if (spare_ == no_block) [[unlikely]]
            return one_more_block();
        const block_index block = spare_;
        spare_ = nodes_[block].next;
        return block;
    }
    /// Gives the node of a block that stands nowhere back.
    [[gnu::always_inline]] constexpr void recycle(block_index block) noexcept {
        nodes_[block].next = spare_;
        spare_ = block;
    }

    /// Stands `block` into the hole after `lower`, `gap` quanta above that hole's beginning; it has `size` quanta.
    [[gnu::always_inline]] constexpr void attach(block_index block, block_index lower, Quanta gap,
                                                 Quanta size) noexcept {
        block_node<Quanta>& low = nodes_[lower];
        block_node<Quanta>& node = nodes_[block];
        const block_index upper = low.next;
        node.offset = static_cast<Quanta>(low.offset + low.size + gap);
        node.size = size;
        const auto rest = static_cast<Quanta>(low.free_after - gap - size);
        node.free_before = gap;
        node.free_after = rest;
        node.previous = lower;
        node.next = upper;
        low.free_after = gap;
        low.next = block;
        nodes_[upper].free_before = rest;
        nodes_[upper].previous = block;
    }

    /// Takes a block out of its place: it and the holes beside it become the hole after the block before it, which is
    /// returned.
    [[gnu::always_inline]] constexpr block_index detach(block_index block) noexcept {
        const block_node<Quanta>& node = nodes_[block];
        const block_index lower = node.previous;
        const block_index upper = node.next;
        const auto hole = static_cast<Quanta>(node.free_before + node.size + node.free_after);
        nodes_[lower].free_after = hole;
        nodes_[lower].next = upper;
        nodes_[upper].free_before = hole;
        nodes_[upper].previous = lower;
        return lower;
    }

    /// Cuts a live block down to its first `size` quanta, `granted` of them asked for; the rest joins the hole after
    /// it.
    constexpr void cut(block_index block, Quanta size, Quanta granted) noexcept {
        block_node<Quanta>& node = nodes_[block];
        node.free_after = static_cast<Quanta>(node.free_after + (node.size - size));
        nodes_[node.next].free_before = node.free_after;
        occupied_ = static_cast<Quanta>(occupied_ - (node.size - size));
        rounding_ = static_cast<Quanta>(rounding_ - (node.size - labels_[block].granted) + (size - granted));
        node.size = size;
        labels_[block].granted = granted;
    }

    /// Makes the memory longer at its top: the hole after the last block grows. `capacity` is more than now.
    constexpr void extend(Quanta capacity) noexcept {
        block_node<Quanta>& top = nodes_[nodes_[bottom].previous];
        top.free_after = static_cast<Quanta>(top.free_after + (capacity - capacity_));
        nodes_[bottom].free_before = top.free_after;
        capacity_ = capacity;
    }

    /// Makes a block of `size` quanta live, with `granted` of them asked for and its offset bound to `alignment`, a
    /// power of two.
    [[gnu::always_inline]] constexpr void begin_life(block_index block, Quanta size, Quanta granted,
                                                     Quanta alignment) noexcept {
        block_label<Quanta>& label = labels_[block];
        label.granted = granted;
        label.generation |= live_bit;
        label.owner = 0;
        label.bits = static_cast<std::uint32_t>(block_kind::data) |
                     static_cast<std::uint32_t>(std::countr_zero(alignment)) << alignment_shift;
        occupied_ = static_cast<Quanta>(occupied_ + size);
        rounding_ = static_cast<Quanta>(rounding_ + (size - granted));
        if (live() > peak_live_) peak_live_ = live();
        ++live_blocks_;
    }

    /// Ends a block's life; it stands where it did.
    [[gnu::always_inline]] constexpr void end_life(block_index block) noexcept {
        const block_node<Quanta>& node = nodes_[block];
        labels_[block].generation = (labels_[block].generation | (next_life - 1)) + 1;
        occupied_ = static_cast<Quanta>(occupied_ - node.size);
        if (rounding_ != 0) rounding_ = static_cast<Quanta>(rounding_ - (node.size - labels_[block].granted));
        --live_blocks_;
    }

    /// A live block that had `before` quanta is going to stand somewhere with `after`; what was granted stays.
    constexpr void resized(Quanta before, Quanta after) noexcept {
        occupied_ = static_cast<Quanta>(occupied_ - before + after);
        rounding_ = static_cast<Quanta>(rounding_ - before + after);
    }

    // -- holes as blocks, for placements whose holes do not merge; all O(1), amortised where a node is made -----------

    /// Makes the hole after the last block, all of an empty map, one that is a block.
    constexpr block_index cover() {
        const block_index hole = new_block();
        const block_index top = nodes_[bottom].previous;
        attach(hole, top, 0, nodes_[top].free_after);
        return hole;
    }
    /// Cuts a block in two: it keeps its first `size` quanta, the rest becomes a hole after it, which is returned. If
    /// the block is live, `granted` of what it keeps were asked for.
    constexpr block_index split(block_index block, Quanta size, Quanta granted = 0) {
        const block_index rest = new_block();
        block_node<Quanta>& node = nodes_[block];
        if (!is_hole(block)) {
            occupied_ = static_cast<Quanta>(occupied_ - (node.size - size));
            rounding_ = static_cast<Quanta>(rounding_ - (node.size - labels_[block].granted) + (size - granted));
            labels_[block].granted = granted;
        }
        node.free_after = static_cast<Quanta>(node.size - size);
        node.size = size;
        attach(rest, block, 0, node.free_after);
        return rest;
    }
    /// Joins `hole` and the hole after it; the latter's index ends.
    constexpr void absorb_next(block_index hole) noexcept {
        const block_index gone = nodes_[hole].next;
        detach(gone);
        nodes_[hole].size = static_cast<Quanta>(nodes_[hole].size + nodes_[hole].free_after);
        nodes_[hole].free_after = nodes_[nodes_[hole].next].free_before = 0;
        recycle(gone);
    }
    /// Puts a new hole in the place of `block`, which keeps index and generation but stands nowhere until `settle`.
    /// Returns the hole. The sums count the block as live throughout.
    constexpr block_index lift(block_index block) {
        const block_index hole = new_block();
        const Quanta size = nodes_[block].size;
        attach(hole, detach(block), 0, size);
        return hole;
    }
    /// Puts the lifted `block` in the place of `hole`, which has its size and whose index ends.
    constexpr void put_down(block_index block, block_index hole) noexcept {
        const Quanta size = nodes_[hole].size;
        attach(block, detach(hole), 0, size);
        recycle(hole);
    }

    /// Room for `blocks` live blocks without asking the host again. Holes that are blocks need as much once more.
    constexpr void reserve(std::size_t blocks) {
        nodes_.reserve(blocks + 2);
        labels_.reserve(blocks + 2);
    }
    /// Nodes in use or waiting to be used again.
    [[nodiscard]] constexpr std::size_t nodes() const noexcept { return nodes_.size(); }
    /// As many nodes as need no more memory of the host.
    [[nodiscard]] constexpr std::size_t reserved_nodes() const noexcept { return nodes_.capacity(); }

    friend constexpr bool operator==(const block_map& one, const block_map& other) noexcept {
        if (one.capacity_ != other.capacity_ || one.occupied_ != other.occupied_ || one.rounding_ != other.rounding_ ||
            one.peak_live_ != other.peak_live_ || one.live_blocks_ != other.live_blocks_ ||
            one.reservation_ != other.reservation_)
            return false;
        block_index a = one.first();
        block_index b = other.first();
        for (; a != no_block && b != no_block; a = one.next(a), b = other.next(b)) {
            if (!(one.range(a) == other.range(b)) || one.is_hole(a) != other.is_hole(b)) return false;
            if (one.is_hole(a)) continue;
            const block_label<Quanta>& left = one.labels_[a];
            const block_label<Quanta>& right = other.labels_[b];
            if (a != b || one.generation(a) != other.generation(b) || left.granted != right.granted ||
                left.owner != right.owner || left.bits != right.bits)
                return false;
        }
        return a == b;
    }

private:
    static constexpr std::uint32_t live_bit = 1;
    static constexpr std::uint32_t special_bit = 2;  // no data, or pinned
    static constexpr std::uint32_t next_life = 4;
    static constexpr std::uint32_t kind_mask = 0x7;
    static constexpr std::uint32_t alignment_shift = 3;
    static constexpr std::uint32_t alignment_mask = 0x3f;
    static constexpr std::uint32_t mark_bit = std::uint32_t{1} << 9;
    static constexpr std::uint32_t hold_shift = 10;
    static constexpr std::uint32_t pin_shift = 20;

    [[gnu::cold, gnu::noinline]] constexpr block_index one_more_block() {
        labels_.emplace_back();
        nodes_.emplace_back();
        return static_cast<block_index>(nodes_.size() - 1);
    }

    constexpr void count(block_index block, std::uint32_t more) noexcept {
        labels_[block].bits += more;
        note_what_is_special(block);
    }
    constexpr void note_what_is_special(block_index block) noexcept {
        const bool plain = kind(block) == block_kind::data && !is_held(block);
        labels_[block].generation = (labels_[block].generation & ~special_bit) | (plain ? 0 : special_bit);
    }

    [[nodiscard]] constexpr const block_node<Quanta>& at(block_index block) const noexcept {
        return nodes_[block & ~hole_bit];
    }

    trivial_vector<block_node<Quanta>> nodes_;
    trivial_vector<block_label<Quanta>> labels_;
    block_index spare_ = no_block;
    block_index reservation_ = bottom;
    Quanta capacity_ = 0;
    Quanta occupied_ = 0;
    Quanta rounding_ = 0;  // of what is occupied, how much nobody asked for
    Quanta peak_live_ = 0;
    std::uint32_t live_blocks_ = 0;
};

}  // namespace hbm
