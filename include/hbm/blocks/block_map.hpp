#pragma once

/// All blocks of `[0, capacity)` in address order: the data structure behind every placement.

#include <hbm/core/extent.hpp>
#include <hbm/core/handle.hpp>
#include <hbm/core/trivial_vector.hpp>

#include <bit>
#include <cstdint>

namespace hbm {

/// The index of a hole is that of the block before it with this bit set; the bottom of memory counts as a block.
inline constexpr block_index hole_bit = std::uint32_t{1} << 31;

/// The index of the hole after a block. O(1).
[[nodiscard]] constexpr block_index hole_after(block_index block) noexcept {
    if (block >= hole_bit) __builtin_unreachable();  // lets compilers omit the masks that clear the bit again
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

/// What is read and written whenever a block is placed or freed: 32 bytes at the usual width, two to a cache line.
template <class Quanta>
struct block_node {
    Quanta offset = 0;
    Quanta size = 0;
    // The sizes of the holes before and after the block. Each is kept in both of its neighbours, so that freeing a
    // block needs no other node to know the size of the joined hole.
    Quanta free_before = 0;
    Quanta free_after = 0;
    // All blocks and the bottom form a ring in address order.
    block_index previous = 0;
    block_index next = 0;
    // Links of the hole index, for the hole after this block.
    block_index left = 0;
    block_index right = 0;

    [[nodiscard]] constexpr Quanta end() const noexcept { return static_cast<Quanta>(offset + size); }
};

/// The attributes of a live block.
template <class Quanta>
struct block_label {
    Quanta granted = 0;
    std::uint32_t generation = 0;  // the two low bits: live (no handle matches a hole), and special
    std::uint32_t owner = 0;       // a tag, or a program's slot
    std::uint32_t bits = 0;        // kind, alignment, mark, holds and pins
};

/// The blocks of `[0, capacity)`: a ring of the live blocks in address order, each with the sizes of the holes beside
/// it, and a few sums. A hole has no node of its own: freeing a block joins the holes beside it by adding three
/// numbers, and placing a block changes only the nodes of its neighbours. (Buddy, whose holes do not merge, keeps its
/// holes as blocks that are not live.) The map makes no decisions; placements do. All sizes and offsets are quanta of
/// type `Quanta`. A regular value: two maps are equal when every block, generation and sum is the same.
template <class Quanta>
class block_map {
public:
    using quanta = Quanta;

    /// The largest number of pins of a block.
    static constexpr std::uint32_t max_pins = (std::uint32_t{1} << 12) - 1;
    /// The largest number of holds of a block.
    static constexpr std::uint32_t max_holds = (std::uint32_t{1} << 10) - 1;
    /// The bottom of memory: a block of size 0 before all others, so that the lowest hole has a block before it.
    static constexpr block_index bottom = 0;
    /// A node that is no block and sorts after every hole. An index may end its lists with it and use it in place of
    /// null links, so that a link can be followed and written to without a check.
    static constexpr block_index list_end = 1;

    constexpr block_map() : block_map(0) {}
    /// A single hole over all of `[0, capacity)`; an empty map if the capacity is 0.
    constexpr explicit block_map(Quanta capacity) : nodes_(2), labels_(2), capacity_(capacity) {
        nodes_[bottom].free_before = nodes_[bottom].free_after = capacity;
        nodes_[list_end].free_after = nodes_[list_end].offset = static_cast<Quanta>(~Quanta{0});
        nodes_[list_end].next = list_end;
    }

    // -- reading; all O(1) ------------------------------------------------------------------------------------------

    [[nodiscard]] constexpr Quanta capacity() const noexcept { return capacity_; }
    /// The sum of the holes.
    [[nodiscard]] constexpr Quanta free() const noexcept { return static_cast<Quanta>(capacity_ - occupied_); }
    /// The sum of what was granted to live blocks, and its highest value so far. What a placement adds by its own
    /// rounding does not count.
    [[nodiscard]] constexpr Quanta live() const noexcept { return static_cast<Quanta>(occupied_ - rounding_); }
    [[nodiscard]] constexpr Quanta peak_live() const noexcept { return peak_live_; }
    [[nodiscard]] constexpr std::uint32_t live_blocks() const noexcept { return live_blocks_; }

    /// Blocks and holes in address order: the lowest, the highest, and the neighbours of a block or hole; `no_block`
    /// where there is none.
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
    /// The same, and the block is a buffer without pins or holds. A single comparison, enough for most frees.
    [[nodiscard]] constexpr bool is_plain(block_index block, std::uint32_t generation) const noexcept {
        return block < nodes_.size() && labels_[block].generation == generation &&
               (generation & (live_bit | special_bit)) == live_bit;
    }
    /// The block that is reserved at the bottom of memory, or `bottom` while nothing is reserved.
    [[nodiscard]] constexpr block_index reservation() const noexcept { return reservation_; }
    /// The end of the highest live block; 0 when all is free. O(free blocks at the top).
    [[nodiscard]] constexpr Quanta highest_end() const noexcept {
        block_index block = nodes_[bottom].previous;
        while (block != bottom && is_hole(block)) block = nodes_[block].previous;
        return end(block);
    }

    // -- the holes after blocks; all O(1) --------------------------------------------------------------------------

    /// The block before a block, or `bottom`; and the offset at which a block ends.
    [[nodiscard]] constexpr block_index lower(block_index block) const noexcept { return nodes_[block].previous; }
    [[nodiscard]] constexpr Quanta end(block_index block) const noexcept {
        return static_cast<Quanta>(nodes_[block].offset + nodes_[block].size);
    }
    /// The size of the hole after a block, 0 if there is none; or the size of a hole.
    [[nodiscard]] constexpr Quanta free_after(block_index block) const noexcept { return at(block).free_after; }

    /// Sets the block that is reserved at the bottom of memory, or `bottom`.
    constexpr void set_reservation(block_index block) noexcept { reservation_ = block; }

    // -- attributes of live blocks; all O(1) ------------------------------------------------------------------------

    [[nodiscard]] constexpr block_kind kind(block_index block) const noexcept {
        return is_hole(block) ? block_kind::hole : static_cast<block_kind>(labels_[block].bits & kind_mask);
    }
    [[nodiscard]] constexpr Quanta granted(block_index block) const noexcept { return labels_[block].granted; }
    /// The tag of a buffer, or the slot of a program.
    [[nodiscard]] constexpr std::uint32_t owner(block_index block) const noexcept { return labels_[block].owner; }
    /// How often the block is pinned from outside, and how many runs in flight use it.
    [[nodiscard]] constexpr std::uint32_t pins(block_index block) const noexcept {
        return labels_[block].bits >> pin_shift;
    }
    [[nodiscard]] constexpr std::uint32_t holds(block_index block) const noexcept {
        return labels_[block].bits >> hold_shift & max_holds;
    }
    /// True when the block has pins or holds: it may neither move nor be evicted.
    [[nodiscard]] constexpr bool is_held(block_index block) const noexcept {
        return labels_[block].bits >> hold_shift != 0;
    }
    /// The block's offset stays a multiple of this.
    [[nodiscard]] constexpr Quanta alignment(block_index block) const noexcept {
        return static_cast<Quanta>(Quanta{1} << (labels_[block].bits >> alignment_shift & alignment_mask));
    }
    /// Sets kind and owner: the tag of a buffer, or the slot of a program.
    constexpr void set_owner(block_index block, block_kind kind, std::uint32_t owner) noexcept {
        labels_[block].owner = owner;
        labels_[block].bits = (labels_[block].bits & ~kind_mask) | static_cast<std::uint32_t>(kind);
        note_what_is_special(block);
    }
    /// Sets the tag of a new block, whose kind is data.
    constexpr void set_tag(block_index block, std::uint32_t tag) noexcept { labels_[block].owner = tag; }
    /// Adds a pin; requires `pins(block) < max_pins`.
    constexpr void pin(block_index block) noexcept { count(block, std::uint32_t{1} << pin_shift); }
    /// Removes a pin; requires that there is a pin.
    constexpr void unpin(block_index block) noexcept { count(block, 0 - (std::uint32_t{1} << pin_shift)); }
    /// Adds a hold, a run in flight that uses the block; and removes a hold. The same requirements.
    constexpr void hold(block_index block) noexcept { count(block, std::uint32_t{1} << hold_shift); }
    constexpr void release_hold(block_index block) noexcept { count(block, 0 - (std::uint32_t{1} << hold_shift)); }
    /// Removes all pins.
    constexpr void drop_pins(block_index block) noexcept {
        labels_[block].bits &= (std::uint32_t{1} << pin_shift) - 1;
        note_what_is_special(block);
    }
    /// A temporary mark, with which a call finds duplicates among its arguments.
    [[nodiscard]] constexpr bool marked(block_index block) const noexcept {
        return (labels_[block].bits & mark_bit) != 0;
    }
    constexpr void mark(block_index block) noexcept { labels_[block].bits |= mark_bit; }
    constexpr void unmark(block_index block) noexcept { labels_[block].bits &= ~mark_bit; }
    /// Makes the block's handles stale; changes nothing else.
    constexpr void invalidate_handles(block_index block) noexcept { labels_[block].generation += next_life; }
    /// Replaces the block by a new block in the same place, with `granted` quanta: the old handles become stale. Kind,
    /// owner, alignment and pins are those of a new block; holds stay.
    constexpr void renew(block_index block, Quanta granted, Quanta alignment) noexcept {
        const std::uint32_t held = holds(block);
        end_life(block);
        begin_life(block, nodes_[block].size, granted, alignment);
        count(block, held << hold_shift);
    }

    // -- links of the hole index; all O(1) --------------------------------------------------------------------------

    /// The node of a block. Indexes keep the `left` and `right` of a hole in the node of the block before it.
    [[nodiscard]] constexpr block_node<Quanta>& node(block_index block) noexcept { return nodes_[block]; }
    [[nodiscard]] constexpr const block_node<Quanta>& node(block_index block) const noexcept { return nodes_[block]; }

    /// The links of a hole.
    [[nodiscard]] constexpr block_index& left(block_index hole) noexcept { return nodes_[hole & ~hole_bit].left; }
    [[nodiscard]] constexpr block_index& right(block_index hole) noexcept { return nodes_[hole & ~hole_bit].right; }
    [[nodiscard]] constexpr block_index left(block_index hole) const noexcept { return at(hole).left; }
    [[nodiscard]] constexpr block_index right(block_index hole) const noexcept { return at(hole).right; }

    // -- blocks and the holes between them; all O(1), amortised where a node is made ----------------------------------

    /// A node for a block that has no place yet.
    [[gnu::always_inline]] constexpr block_index new_block() {
        if (spare_ == no_block) [[unlikely]]
            return append_block();
        const block_index block = spare_;
        spare_ = nodes_[block].next;
        return block;
    }
    /// Returns the node of a block without a place, to be used again.
    [[gnu::always_inline]] constexpr void recycle(block_index block) noexcept {
        nodes_[block].next = spare_;
        spare_ = block;
    }

    /// Places `block`, of `size` quanta, in the hole after `lower`, `gap` quanta above the hole's beginning.
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

    /// Removes a block from its place: it and the holes beside it become a single hole. Returns the block before that
    /// hole.
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

    /// Shortens a live block to its first `size` quanta, of which `granted` were requested; the rest joins the hole
    /// after it.
    constexpr void cut(block_index block, Quanta size, Quanta granted) noexcept {
        block_node<Quanta>& node = nodes_[block];
        node.free_after = static_cast<Quanta>(node.free_after + (node.size - size));
        nodes_[node.next].free_before = node.free_after;
        occupied_ = static_cast<Quanta>(occupied_ - (node.size - size));
        rounding_ = static_cast<Quanta>(rounding_ - (node.size - labels_[block].granted) + (size - granted));
        node.size = size;
        labels_[block].granted = granted;
    }

    /// Grows the memory at its top to `capacity`, which is more than now: the hole after the last block grows.
    constexpr void extend(Quanta capacity) noexcept {
        block_node<Quanta>& top = nodes_[nodes_[bottom].previous];
        top.free_after = static_cast<Quanta>(top.free_after + (capacity - capacity_));
        nodes_[bottom].free_before = top.free_after;
        capacity_ = capacity;
    }

    /// Makes a block of `size` quanta live, of which `granted` were requested. Its offset stays a multiple of
    /// `alignment`, a power of two.
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

    /// Makes a block no longer live, and its handles stale; it keeps its place.
    [[gnu::always_inline]] constexpr void end_life(block_index block) noexcept {
        const block_node<Quanta>& node = nodes_[block];
        labels_[block].generation = (labels_[block].generation | (next_life - 1)) + 1;
        occupied_ = static_cast<Quanta>(occupied_ - node.size);
        if (rounding_ != 0) rounding_ = static_cast<Quanta>(rounding_ - (node.size - labels_[block].granted));
        --live_blocks_;
    }

    /// Adjusts the sums when a live block changes its size from `before` to `after` quanta; what was granted stays.
    constexpr void resized(Quanta before, Quanta after) noexcept {
        occupied_ = static_cast<Quanta>(occupied_ - before + after);
        rounding_ = static_cast<Quanta>(rounding_ - before + after);
    }

    // -- holes as blocks, for placements whose holes do not merge; all O(1), amortised where a node is made -----------

    /// Turns the hole after the last block, all of an empty map, into a hole that is a block. Returns it.
    constexpr block_index cover() {
        const block_index hole = new_block();
        const block_index top = nodes_[bottom].previous;
        attach(hole, top, 0, nodes_[top].free_after);
        return hole;
    }
    /// Splits a block: it keeps its first `size` quanta, the rest becomes a hole after it, which is returned. If the
    /// block is live, `granted` of the quanta it keeps were requested.
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
    /// Joins `hole` and the hole after it, whose index becomes invalid.
    constexpr void absorb_next(block_index hole) noexcept {
        const block_index gone = nodes_[hole].next;
        detach(gone);
        nodes_[hole].size = static_cast<Quanta>(nodes_[hole].size + nodes_[hole].free_after);
        nodes_[hole].free_after = nodes_[nodes_[hole].next].free_before = 0;
        recycle(gone);
    }
    /// Puts a new hole in the place of `block`, which keeps index and generation but has no place until `put_down`.
    /// Returns the hole. The sums go on counting the block as live.
    constexpr block_index lift(block_index block) {
        const block_index hole = new_block();
        const Quanta size = nodes_[block].size;
        attach(hole, detach(block), 0, size);
        return hole;
    }
    /// Puts a lifted block in the place of `hole`, which has its size and whose index becomes invalid.
    constexpr void put_down(block_index block, block_index hole) noexcept {
        const Quanta size = nodes_[hole].size;
        attach(block, detach(hole), 0, size);
        recycle(hole);
    }

    /// Allocates host memory for `blocks` live blocks. Placements whose holes are blocks need twice as many.
    constexpr void reserve(std::size_t blocks) {
        nodes_.reserve(blocks + 2);
        labels_.reserve(blocks + 2);
    }
    /// The number of nodes, in use or to be used again.
    [[nodiscard]] constexpr std::size_t nodes() const noexcept { return nodes_.size(); }
    /// How many nodes fit without another host allocation.
    [[nodiscard]] constexpr std::size_t reserved_nodes() const noexcept { return nodes_.capacity(); }

    friend constexpr bool operator==(const block_map& left, const block_map& right) noexcept {
        if (left.capacity_ != right.capacity_ || left.occupied_ != right.occupied_ ||
            left.rounding_ != right.rounding_ || left.peak_live_ != right.peak_live_ ||
            left.live_blocks_ != right.live_blocks_ || left.reservation_ != right.reservation_)
            return false;
        block_index a = left.first();
        block_index b = right.first();
        for (; a != no_block && b != no_block; a = left.next(a), b = right.next(b)) {
            if (!(left.range(a) == right.range(b)) || left.is_hole(a) != right.is_hole(b)) return false;
            if (left.is_hole(a)) continue;
            const block_label<Quanta>& label_a = left.labels_[a];
            const block_label<Quanta>& label_b = right.labels_[b];
            if (a != b || left.generation(a) != right.generation(b) || label_a.granted != label_b.granted ||
                label_a.owner != label_b.owner || label_a.bits != label_b.bits)
                return false;
        }
        return a == b;
    }

private:
    static constexpr std::uint32_t live_bit = 1;
    static constexpr std::uint32_t special_bit = 2;  // not a buffer, or pinned or held
    static constexpr std::uint32_t next_life = 4;
    static constexpr std::uint32_t kind_mask = 0x7;
    static constexpr std::uint32_t alignment_shift = 3;
    static constexpr std::uint32_t alignment_mask = 0x3f;
    static constexpr std::uint32_t mark_bit = std::uint32_t{1} << 9;
    static constexpr std::uint32_t hold_shift = 10;
    static constexpr std::uint32_t pin_shift = 20;

    [[gnu::cold, gnu::noinline]] constexpr block_index append_block() {
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
    Quanta rounding_ = 0;  // occupied, but not granted: what placements added by rounding
    Quanta peak_live_ = 0;
    std::uint32_t live_blocks_ = 0;
};

}  // namespace hbm
