#pragma once

/// All blocks and holes of `[0, capacity)` in address order: the data structure behind every placement.

#include <hbm/blocks/block_node.hpp>
#include <hbm/core/extent.hpp>
#include <hbm/core/handle.hpp>
#include <hbm/core/request.hpp>
#include <hbm/core/trivial_vector.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace hbm {

/// The blocks and holes of `[0, capacity)`: a ring of nodes in address order, and a few sums. A hole is a node like a
/// block, so that a block which fills a hole, and one that is freed between two others, changes no neighbour: the node
/// stays where it is and becomes the other. The map makes no decisions; placements do. All sizes and offsets are quanta
/// of type `Quanta`. A regular value: two maps are equal when every block, generation and sum is the same.
template <class Quanta>
class block_map {
public:
    using quanta = Quanta;

    /// The largest number of pins of a block.
    static constexpr std::uint32_t max_pins = (std::uint32_t{1} << 12) - 1;
    /// The largest number of holds of a block.
    static constexpr std::uint32_t max_holds = (std::uint32_t{1} << 10) - 1;
    /// Indexes are multiples of this: times four, an index is the distance of its node from the first one in bytes, and
    /// x86 processors multiply by four for nothing where they load and store.
    static constexpr block_index stride = 8;
    /// Indexes in steps of one, for tables of one's own: from 3 to below `nodes()`.
    [[nodiscard]] static constexpr std::uint32_t number_of(block_index block) noexcept { return block / stride; }

    /// A node that is no block and longer than every hole. An index may end its lists with it and use it in place of
    /// null links, so that a link can be followed and written to without a check.
    static constexpr block_index list_end = 0;
    /// The bottom of memory: a block of size 0 before all others.
    static constexpr block_index bottom = stride;
    /// The hole at one end of memory that blocks come from and return to as to a stack: at the top, or next to the
    /// bottom or the reservation where the placement works from the top. It has a node of its own, which is there when
    /// the hole is not (its size is 0 then, and nobody sees it); indexes keep it in no list.
    static constexpr block_index far_hole = 2 * stride;

    constexpr block_map() : block_map(0) {}
    /// A single hole over all of `[0, capacity)`, the far hole; an empty map if the capacity is 0.
    [[gnu::cold]] constexpr explicit block_map(Quanta capacity) : nodes_(3), capacity_(capacity) {
        at(list_end).size = static_cast<Quanta>(~Quanta{0});
        at(list_end).offset = at(list_end).size;
        at(bottom).state = live_bit | special_bit;
        at(bottom).previous = at(bottom).next = far_hole;
        at(far_hole).previous = at(far_hole).next = bottom;
        at(far_hole).size = capacity;
    }

    // -- reading; all O(1) -------------------------------------------------------------------------------------------

    [[nodiscard]] constexpr Quanta capacity() const noexcept { return capacity_; }
    /// The sum of the holes.
    [[nodiscard]] constexpr Quanta free() const noexcept { return static_cast<Quanta>(capacity_ - occupied_); }
    /// The sum of what was granted to live blocks, and its highest value so far. What a placement adds by its own
    /// rounding does not count.
    [[nodiscard]] constexpr Quanta live() const noexcept { return live_; }
    [[nodiscard]] constexpr Quanta peak_live() const noexcept { return peak_live_; }
    [[nodiscard]] constexpr std::uint32_t live_blocks() const noexcept { return live_blocks_; }

    /// Blocks and holes in address order: the lowest, the highest, and the neighbours of a block or hole; `no_block`
    /// where there is none.
    [[nodiscard]] constexpr block_index first() const noexcept { return next(bottom); }
    [[nodiscard]] constexpr block_index last() const noexcept { return previous(bottom); }
    [[nodiscard]] constexpr block_index next(block_index block) const noexcept {
        block_index found = at(block).next;
        if (found == far_hole && at(far_hole).size == 0) found = at(far_hole).next;
        return found == bottom ? no_block : found;
    }
    [[nodiscard]] constexpr block_index previous(block_index block) const noexcept {
        block_index found = at(block).previous;
        if (found == far_hole && at(far_hole).size == 0) found = at(far_hole).previous;
        return found == bottom ? no_block : found;
    }
    [[nodiscard]] constexpr Quanta offset(block_index block) const noexcept { return at(block).offset; }
    [[nodiscard]] constexpr Quanta size(block_index block) const noexcept { return at(block).size; }
    [[nodiscard]] constexpr Quanta end(block_index block) const noexcept { return at(block).end(); }
    [[nodiscard]] constexpr basic_extent<Quanta> range(block_index block) const noexcept {
        return {offset(block), size(block)};
    }
    [[nodiscard]] constexpr bool is_hole(block_index block) const noexcept { return (at(block).state & live_bit) == 0; }
    [[nodiscard]] constexpr std::uint32_t generation(block_index block) const noexcept {
        return at(block).state & ~special_bit;
    }
    /// True when `block` is live and of that generation; safe for any two numbers.
    [[nodiscard]] constexpr bool is_live(block_index block, std::uint32_t generation) const noexcept {
        return is_index(block) && this->generation(block) == generation && (generation & live_bit) != 0 &&
               block != bottom;
    }
    /// The same, and the block is a buffer without pins or holds. A single comparison, enough for most frees.
    [[nodiscard, gnu::always_inline]] constexpr bool is_plain(block_index block,
                                                              std::uint32_t generation) const noexcept {
        return is_index(block) && at(block).state == generation && (generation & (live_bit | special_bit)) == live_bit;
    }
    /// The block that is reserved at the bottom of memory, or `bottom` while nothing is reserved.
    [[nodiscard]] constexpr block_index reservation() const noexcept { return reservation_; }
    /// The end of the highest live block; 0 when all is free. O(free blocks at the top).
    [[nodiscard]] constexpr Quanta highest_end() const noexcept {
        block_index block = at(bottom).previous;
        while (is_hole(block)) block = at(block).previous;
        return end(block);
    }

    /// Sets the block that is reserved at the bottom of memory, or `bottom`.
    constexpr void set_reservation(block_index block) noexcept { reservation_ = block; }

    // -- attributes of live blocks; all O(1) -------------------------------------------------------------------------

    [[nodiscard]] constexpr block_kind kind(block_index block) const noexcept {
        return is_hole(block) ? block_kind::hole : static_cast<block_kind>(at(block).bits & kind_mask);
    }
    [[nodiscard]] constexpr Quanta granted(block_index block) const noexcept { return granted_of(at(block)); }
    /// The tag of a buffer, or the slot of a program.
    [[nodiscard]] constexpr std::uint32_t owner(block_index block) const noexcept { return at(block).right; }
    /// How often the block is pinned from outside, and how many runs in flight use it.
    [[nodiscard]] constexpr std::uint32_t pins(block_index block) const noexcept { return at(block).bits >> pin_shift; }
    [[nodiscard]] constexpr std::uint32_t holds(block_index block) const noexcept {
        return at(block).bits >> hold_shift & max_holds;
    }
    /// True when the block has pins or holds: it may neither move nor be evicted.
    [[nodiscard]] constexpr bool is_held(block_index block) const noexcept { return at(block).bits >> hold_shift != 0; }
    /// The block's offset stays a multiple of this.
    [[nodiscard]] constexpr Quanta alignment(block_index block) const noexcept {
        return static_cast<Quanta>(Quanta{1} << (at(block).bits >> alignment_shift & alignment_mask));
    }
    /// Sets kind and owner: the tag of a buffer, or the slot of a program.
    constexpr void set_owner(block_index block, block_kind kind, std::uint32_t owner) noexcept {
        at(block).right = owner;
        at(block).bits = (at(block).bits & ~kind_mask) | static_cast<std::uint32_t>(kind);
        note_what_is_special(block);
    }
    /// Sets the tag of a new block, whose kind is data.
    constexpr void set_tag(block_index block, std::uint32_t tag) noexcept { at(block).right = tag; }
    /// Adds a pin; requires `pins(block) < max_pins`.
    constexpr void pin(block_index block) noexcept { count(block, std::uint32_t{1} << pin_shift); }
    /// Removes a pin; requires that there is a pin.
    constexpr void unpin(block_index block) noexcept { count(block, 0 - (std::uint32_t{1} << pin_shift)); }
    /// Adds a hold, a run in flight that uses the block; and removes a hold. The same requirements.
    constexpr void hold(block_index block) noexcept { count(block, std::uint32_t{1} << hold_shift); }
    [[gnu::always_inline]] constexpr void release_hold(block_index block) noexcept {
        count(block, 0 - (std::uint32_t{1} << hold_shift));
    }
    /// Removes all pins.
    constexpr void drop_pins(block_index block) noexcept {
        at(block).bits &= (std::uint32_t{1} << pin_shift) - 1;
        note_what_is_special(block);
    }
    /// A temporary mark, with which a call finds duplicates among its arguments.
    [[nodiscard]] constexpr bool marked(block_index block) const noexcept { return (at(block).bits & mark_bit) != 0; }
    constexpr void mark(block_index block) noexcept { at(block).bits |= mark_bit; }
    constexpr void unmark(block_index block) noexcept { at(block).bits &= ~mark_bit; }
    /// Makes the block's handles stale; changes nothing else.
    constexpr void invalidate_handles(block_index block) noexcept { at(block).state += next_life; }
    /// Replaces a buffer without pins by a new buffer in the same place: the old handles become stale. Its size, its
    /// alignment, what was granted and holds stay, and the tag if `tag` is 0.
    [[gnu::always_inline]] constexpr void renew(block_index block, std::uint32_t tag) noexcept {
        at(block).state += next_life;
        if (tag != 0) at(block).right = tag;
    }
    /// Of the block no more were requested than `granted` quanta.
    constexpr void regrant(block_index block, Quanta granted) noexcept {
        block_node<Quanta>& node = at(block);
        live_ = static_cast<Quanta>(live_ - granted_of(node) + granted);
        set_granted(node, granted);
    }
    /// True for a live buffer of that generation that is not marked; safe for any two numbers. And for one that is not
    /// pinned either.
    [[nodiscard]] constexpr bool is_unmarked(block_index block, std::uint32_t generation) const noexcept {
        return is_live(block, generation) &&
               (at(block).bits & (kind_mask | mark_bit)) == static_cast<std::uint32_t>(block_kind::data);
    }
    [[nodiscard]] constexpr bool is_unmarked_and_unpinned(block_index block, std::uint32_t generation) const noexcept {
        return is_live(block, generation) && (at(block).bits & (kind_mask | mark_bit | max_pins << pin_shift)) ==
                                                 static_cast<std::uint32_t>(block_kind::data);
    }

    // -- nodes; all O(1), amortised where a node is made -------------------------------------------------------------

    /// The node of a block or hole. Indexes keep the `left` and `right` of a hole there.
    [[nodiscard]] constexpr block_node<Quanta>& node(block_index block) noexcept { return at(block); }
    [[nodiscard]] constexpr const block_node<Quanta>& node(block_index block) const noexcept { return at(block); }
    /// The links of a hole.
    [[nodiscard]] constexpr block_index& left(block_index hole) noexcept { return at(hole).left; }
    [[nodiscard]] constexpr block_index& right(block_index hole) noexcept { return at(hole).right; }
    [[nodiscard]] constexpr block_index left(block_index hole) const noexcept { return at(hole).left; }
    [[nodiscard]] constexpr block_index right(block_index hole) const noexcept { return at(hole).right; }

    /// Where the `right` of a hole is. The index may be any number if nobody reads or writes there.
    [[nodiscard, gnu::always_inline]] constexpr block_index* address_of_right(block_index hole) noexcept {
        if (__builtin_is_constant_evaluated()) return is_index(hole) ? &at(hole).right : nullptr;
        return &nodes_.data()->right + distance(hole) / sizeof(block_index);
    }

    /// A node that is a hole without a place.
    [[gnu::always_inline]] constexpr block_index new_node() {
        if (spare_ == no_block) [[unlikely]]
            return append_node();
        return spare_node();
    }
    /// The same if `has_spare_node`.
    [[gnu::always_inline]] constexpr block_index spare_node() noexcept {
        const block_index fresh = spare_;
        spare_ = at(fresh).next;
        return fresh;
    }
    /// True when there is a node to be used again.
    [[nodiscard]] constexpr bool has_spare_node() const noexcept { return spare_ != no_block; }
    /// Returns the node of a hole without a place, to be used again.
    [[gnu::always_inline]] constexpr void recycle(block_index hole) noexcept {
        at(hole).next = spare_;
        spare_ = hole;
    }

    /// Gives a node its place in the ring, after `lower`; and takes it out.
    [[gnu::always_inline]] constexpr void link(block_index block, block_index lower) noexcept {
        const block_index upper = at(lower).next;
        at(block).previous = lower;
        at(block).next = upper;
        at(lower).next = block;
        at(upper).previous = block;
    }
    [[gnu::always_inline]] constexpr void unlink(block_index block) noexcept {
        const block_index lower = at(block).previous;
        const block_index upper = at(block).next;
        at(lower).next = upper;
        at(upper).previous = lower;
    }
    /// Says which range a node stands for; its neighbours know nothing of it.
    constexpr void set_range(block_index block, basic_extent<Quanta> range) noexcept {
        at(block).offset = range.offset;
        at(block).size = range.size;
    }

    // -- holes; all O(1), amortised where a node is made -------------------------------------------------------------

    /// A hole in the ring after `lower`.
    constexpr block_index new_hole(block_index lower, basic_extent<Quanta> range) {
        const block_index hole = new_node();
        set_range(hole, range);
        link(hole, lower);
        return hole;
    }
    /// Cuts a hole, not the far hole, in two, if `has_spare_node`. The hole, which has the range `whole`, keeps `size`
    /// quanta at one of its ends; what is left of it is returned.
    template <hbm::end At>
    [[gnu::always_inline]] constexpr block_index split(block_index hole, basic_extent<Quanta> whole,
                                                       Quanta size) noexcept {
        const block_index rest = spare_node();
        block_node<Quanta>& kept = at(hole);
        block_node<Quanta>& cut = at(rest);
        cut.size = static_cast<Quanta>(whole.size - size);
        kept.size = size;
        if constexpr (At == hbm::end::low) {
            cut.offset = static_cast<Quanta>(whole.offset + size);
            const block_index upper = kept.next;
            cut.previous = hole;
            cut.next = upper;
            kept.next = rest;
            at(upper).previous = rest;
        } else {
            cut.offset = whole.offset;
            kept.offset = static_cast<Quanta>(whole.offset + (whole.size - size));
            const block_index lower = kept.previous;
            cut.next = hole;
            cut.previous = lower;
            kept.previous = rest;
            at(lower).next = rest;
        }
        return rest;
    }
    /// A hole takes the hole after it in, whose node is used again; that is not the far hole. Returns its new size.
    [[gnu::always_inline]] constexpr Quanta absorb_next(block_index hole) noexcept {
        block_node<Quanta>& kept = at(hole);
        const block_index gone = kept.next;
        const auto size = static_cast<Quanta>(kept.size + at(gone).size);
        const block_index upper = at(gone).next;
        kept.size = size;
        kept.next = upper;
        at(upper).previous = hole;
        recycle(gone);
        return size;
    }
    /// A node for `size` quanta at one end of the far hole, which are no longer part of it, if `has_spare_node`.
    template <hbm::end At>
    constexpr block_index take_from_far_hole(Quanta size) noexcept {
        const block_index block = spare_node();
        block_node<Quanta>& far = at(far_hole);
        far.size = static_cast<Quanta>(far.size - size);
        at(block).size = size;
        if constexpr (At == hbm::end::low) {
            at(block).offset = far.offset;
            far.offset = static_cast<Quanta>(far.offset + size);
            link(block, far.previous);
        } else {
            at(block).offset = far.end();
            link(block, far_hole);
        }
        return block;
    }
    /// The far hole takes in the hole beside it, to which that end of it points; its node is used again.
    template <hbm::end At>
    constexpr void return_to_far_hole(block_index hole) noexcept {
        block_node<Quanta>& far = at(far_hole);
        far.size = static_cast<Quanta>(far.size + at(hole).size);
        if constexpr (At == hbm::end::low) far.offset = at(hole).offset;
        unlink(hole);
        recycle(hole);
    }
    /// The far hole takes in the holes beside it, whose nodes are used again.
    [[gnu::cold, gnu::noinline]] constexpr void widen_far_hole() noexcept {
        block_node<Quanta>& far = at(far_hole);
        while (is_hole(far.next)) absorb_next(far_hole);
        while (is_hole(far.previous)) {
            const block_index gone = far.previous;
            far.offset = at(gone).offset;
            far.size = static_cast<Quanta>(far.size + at(gone).size);
            unlink(gone);
            recycle(gone);
        }
    }
    /// The far hole is to be the one after `lower`, a block or the bottom: what it was becomes a hole of its own, which
    /// is returned (`no_block` if it was empty), and the hole that was there becomes part of it.
    constexpr block_index move_far_hole(block_index lower) {
        const basic_extent<Quanta> before = range(far_hole);
        const block_index left = before.size == 0 ? no_block : new_hole(far_hole, before);
        unlink(far_hole);
        link(far_hole, lower);
        set_range(far_hole, {end(lower), 0});
        if (at(far_hole).next == left) return widen_far_hole(), no_block;
        widen_far_hole();
        return left;
    }
    /// Puts a new hole in the place of `block`, which keeps index and generation but has no place until it is linked
    /// again. Returns the hole. The sums go on counting the block as live.
    constexpr block_index lift(block_index block) {
        const block_index hole = new_node();
        set_range(hole, range(block));
        link(hole, block);
        unlink(block);
        return hole;
    }

    /// Shortens a live block to its first `size` quanta, of which `granted` were requested; what is behind it belongs
    /// to nobody until a hole takes it in.
    constexpr void cut(block_index block, Quanta size, Quanta granted) noexcept {
        occupied_ = static_cast<Quanta>(occupied_ - (at(block).size - size));
        at(block).size = size;
        regrant(block, granted);
    }

    /// Grows the memory at its top to `capacity`, which is more than now: the hole at the top grows, or there is one.
    constexpr void extend(Quanta capacity) {
        const auto more = static_cast<Quanta>(capacity - capacity_);
        const block_index top = at(bottom).previous;
        if (is_hole(top))
            at(top).size = static_cast<Quanta>(at(top).size + more);
        else
            new_hole(top, {capacity_, more});
        capacity_ = capacity;
    }

    // -- lives; all O(1) ---------------------------------------------------------------------------------------------

    /// Makes a hole of `size` quanta a live block, of which `granted` were requested. Its offset stays a multiple of
    /// `alignment`, a power of two.
    [[gnu::always_inline]] constexpr void begin_life(block_index block, Quanta size, Quanta granted,
                                                     Quanta alignment) noexcept {
        block_node<Quanta>& node = at(block);
        node.state |= live_bit;
        node.right = 0;
        set_granted(node, granted);
        node.bits = static_cast<std::uint32_t>(block_kind::data) |
                    static_cast<std::uint32_t>(std::countr_zero(alignment)) << alignment_shift;
        occupied_ = static_cast<Quanta>(occupied_ + size);
        live_ = static_cast<Quanta>(live_ + granted);
        if (live_ > peak_live_) peak_live_ = live_;
        ++live_blocks_;
    }

    /// Makes a block a hole, and its handles stale; it keeps its place.
    [[gnu::always_inline]] constexpr void end_life(block_index block) noexcept {
        block_node<Quanta>& node = at(block);
        node.state = (node.state | (next_life - 1)) + 1;
        occupied_ = static_cast<Quanta>(occupied_ - node.size);
        live_ = static_cast<Quanta>(live_ - granted_of(node));
        --live_blocks_;
    }

    /// Adjusts the sums when a live block changes its size from `before` to `after` quanta; what was granted stays.
    constexpr void resized(Quanta before, Quanta after) noexcept {
        occupied_ = static_cast<Quanta>(occupied_ - before + after);
    }

    /// Allocates host memory for so many nodes; see `nodes_for`.
    constexpr void reserve(std::size_t blocks_and_holes) { nodes_.reserve(blocks_and_holes); }
    /// True for the index of a node, in use or to be used again; safe for any number.
    [[nodiscard]] constexpr bool is_index(block_index block) const noexcept {
        return std::rotr(block, std::countr_zero(stride)) < nodes_.size();
    }
    /// The number of nodes, in use or to be used again.
    [[nodiscard]] constexpr std::size_t nodes() const noexcept { return nodes_.size(); }
    /// How many nodes fit without another host allocation.
    [[nodiscard]] constexpr std::size_t reserved_nodes() const noexcept { return nodes_.capacity(); }

    friend constexpr bool operator==(const block_map& left, const block_map& right) noexcept {
        if (left.capacity_ != right.capacity_ || left.occupied_ != right.occupied_ || left.live_ != right.live_ ||
            left.peak_live_ != right.peak_live_ || left.live_blocks_ != right.live_blocks_ ||
            left.reservation_ != right.reservation_)
            return false;
        block_index a = left.first();
        block_index b = right.first();
        for (; a != no_block && b != no_block; a = left.next(a), b = right.next(b)) {
            if (!(left.range(a) == right.range(b)) || left.is_hole(a) != right.is_hole(b)) return false;
            if (left.is_hole(a)) continue;
            if (a != b || left.generation(a) != right.generation(b) || left.granted(a) != right.granted(b) ||
                left.owner(a) != right.owner(b) || left.at(a).bits != right.at(b).bits)
                return false;
        }
        return a == b;
    }

private:
    [[nodiscard, gnu::always_inline]] constexpr block_node<Quanta>& at(block_index block) noexcept {
        if (__builtin_is_constant_evaluated()) return nodes_[block / stride];
        return *reinterpret_cast<block_node<Quanta>*>(reinterpret_cast<char*>(nodes_.data()) + distance(block));
    }
    [[nodiscard, gnu::always_inline]] constexpr const block_node<Quanta>& at(block_index block) const noexcept {
        if (__builtin_is_constant_evaluated()) return nodes_[block / stride];
        return *reinterpret_cast<const block_node<Quanta>*>(reinterpret_cast<const char*>(nodes_.data()) +
                                                            distance(block));
    }
    [[nodiscard]] static constexpr std::size_t distance(block_index block) noexcept {
        return std::size_t{block} * (sizeof(block_node<Quanta>) / stride);
    }

    static constexpr std::uint32_t live_bit = 1;
    static constexpr std::uint32_t special_bit = 2;  // not a buffer, or pinned or held
    static constexpr std::uint32_t next_life = 4;
    static constexpr std::uint32_t kind_mask = 0x7;
    static constexpr std::uint32_t alignment_shift = 3;
    static constexpr std::uint32_t alignment_mask = 0x3f;
    static constexpr std::uint32_t mark_bit = std::uint32_t{1} << 9;
    static constexpr std::uint32_t hold_shift = 10;
    static constexpr std::uint32_t pin_shift = 20;

    [[gnu::cold, gnu::noinline]] constexpr block_index append_node() {
        nodes_.emplace_back();
        return static_cast<block_index>(nodes_.size() - 1) * stride;
    }

    [[nodiscard]] static constexpr Quanta granted_of(const block_node<Quanta>& node) noexcept {
        if constexpr (sizeof(Quanta) == 4)
            return node.left;
        else
            return Quanta{node.upper} << 32 | node.left;
    }
    static constexpr void set_granted(block_node<Quanta>& node, Quanta granted) noexcept {
        node.left = static_cast<std::uint32_t>(granted);
        if constexpr (sizeof(Quanta) != 4) node.upper = static_cast<std::uint32_t>(granted >> 32);
    }

    [[gnu::always_inline]] constexpr void count(block_index block, std::uint32_t more) noexcept {
        at(block).bits += more;
        note_what_is_special(block);
    }
    constexpr void note_what_is_special(block_index block) noexcept {
        const bool plain = kind(block) == block_kind::data && !is_held(block);
        at(block).state = (at(block).state & ~special_bit) | (plain ? 0 : special_bit);
    }

    trivial_vector<block_node<Quanta>> nodes_;
    block_index spare_ = no_block;
    block_index reservation_ = bottom;
    Quanta capacity_ = 0;
    // Apart from each other: g++ 12 would change two sums that are neighbours as one, and wait for both.
    Quanta occupied_ = 0;
    Quanta peak_live_ = 0;
    Quanta live_ = 0;  // what was granted of what is occupied: placements add by rounding
    std::uint32_t live_blocks_ = 0;
};

}  // namespace hbm
