#pragma once

#include <hbm/blocks/block_node.hpp>
#include <hbm/core/extent.hpp>
#include <hbm/core/handle.hpp>
#include <hbm/core/request.hpp>
#include <hbm/core/trivial_vector.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// The blocks and holes of `[0, capacity)`: a ring of nodes in address order, and a few sums. Holes are nodes like
/// blocks, so filling a hole exactly, or freeing a block between two others, changes no neighbour. The map makes no
/// decisions; placements do. Sizes and offsets are in quanta of type `Quanta`. A regular value: maps compare equal if
/// all blocks, generations and sums do.
///
/// Blocks never move in the array of nodes: a block keeps its node, and with it its index, wherever its memory lies.
/// The links between nodes are a ring in address order that closes at `bottom`, so no link is null, and no change asks
/// whether there is a neighbour. Nodes that are not in use form a chain through `next`; the last that went is the first
/// to come back, while it is still cached.
template <class Quanta>
class block_map {
public:
    using quanta = Quanta;

    /// The largest number of pins of a block. A manager uses one of them for its calls.
    static constexpr std::uint32_t max_pins = (std::uint32_t{1} << 12) - 1;
    static constexpr std::uint32_t max_holds = (std::uint32_t{1} << 10) - 1;
    /// The step between indexes: index x 4 is a distance in bytes, and x86 addressing scales by four for free.
    static constexpr block_index stride = 8;
    /// Returns the ordinal of a block for external tables: from 3 to below `nodes()`.
    [[nodiscard]] static constexpr std::uint32_t number_of(block_index block) noexcept { return block / stride; }

    /// A sentinel node, not a block, and longer than every hole. Indexes end their lists with it instead of null, so
    /// that links can be followed and written without a check.
    static constexpr block_index list_end = 0;
    /// The bottom of memory: a block of size 0 before all others.
    static constexpr block_index bottom = stride;
    /// The hole at one end of memory that blocks come from and return to as to a stack: at the top, or next to the
    /// bottom or the reservation if the placement works from the top. Its node always exists; while its size is 0,
    /// iteration skips it. Indexes do not list it.
    static constexpr block_index far_hole = 2 * stride;

    constexpr block_map() : block_map(0) {}
    /// Constructs a map with a single hole, the far hole, over all of `[0, capacity)`.
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
    [[nodiscard]] constexpr Quanta free() const noexcept { return static_cast<Quanta>(capacity_ - occupied_); }
    /// The granted quanta of live blocks, without rounding by the placement, and their peak.
    [[nodiscard]] constexpr Quanta live() const noexcept { return live_; }
    [[nodiscard]] constexpr Quanta peak_live() const noexcept { return peak_live_; }
    [[nodiscard]] constexpr std::uint32_t live_blocks() const noexcept { return live_blocks_; }

    /// Iteration over blocks and holes in address order; `no_block` at the end.
    [[nodiscard]] constexpr block_index first() const noexcept { return next(bottom); }
    [[nodiscard]] constexpr block_index last() const noexcept { return previous(bottom); }
    [[nodiscard]] constexpr block_index next(block_index block) const noexcept {
        block_index neighbour = at(block).next;
        if (neighbour == far_hole && at(far_hole).size == 0) neighbour = at(far_hole).next;
        return neighbour == bottom ? no_block : neighbour;
    }
    [[nodiscard]] constexpr block_index previous(block_index block) const noexcept {
        block_index neighbour = at(block).previous;
        if (neighbour == far_hole && at(far_hole).size == 0) neighbour = at(far_hole).previous;
        return neighbour == bottom ? no_block : neighbour;
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
    /// Returns true if `block` is in use and was not reused since `generation`; false for an index that is not a block.
    [[nodiscard]] constexpr bool is_live(block_index block, std::uint32_t generation) const noexcept {
        return is_index(block) && this->generation(block) == generation && (generation & live_bit) != 0 &&
               block != bottom;
    }
    /// Like `is_live`, but only for buffers without pins or holds. A single comparison, enough for most frees.
    [[nodiscard, gnu::always_inline]] constexpr bool is_plain(block_index block,
                                                              std::uint32_t generation) const noexcept {
        return is_index(block) && at(block).state == generation && (generation & (live_bit | special_bit)) == live_bit;
    }
    /// Returns the block reserved at the bottom of memory, or `bottom` if there is none.
    [[nodiscard]] constexpr block_index reservation() const noexcept { return reservation_; }
    /// Returns the end of the highest live block, 0 if all is free.
    /// Cost: O(free blocks at the top).
    [[nodiscard]] constexpr Quanta highest_end() const noexcept {
        block_index block = at(bottom).previous;
        while (is_hole(block)) block = at(block).previous;
        return end(block);
    }

    constexpr void set_reservation(block_index block) noexcept { reservation_ = block; }

    // -- attributes of live blocks; all O(1) -------------------------------------------------------------------------

    [[nodiscard]] constexpr block_kind kind(block_index block) const noexcept {
        return is_hole(block) ? block_kind::hole : static_cast<block_kind>(at(block).bits & kind_mask);
    }
    [[nodiscard]] constexpr Quanta granted(block_index block) const noexcept { return granted_of(at(block)); }
    /// Returns the tag of a buffer, or the slot of a program.
    [[nodiscard]] constexpr std::uint32_t owner(block_index block) const noexcept { return at(block).right; }
    /// The number of external pins, and the number of runs in flight that use the block.
    [[nodiscard]] constexpr std::uint32_t pins(block_index block) const noexcept { return at(block).bits >> pin_shift; }
    [[nodiscard]] constexpr std::uint32_t holds(block_index block) const noexcept {
        return at(block).bits >> hold_shift & max_holds;
    }
    /// Returns true if the block has pins or holds: it may neither move nor be evicted.
    [[nodiscard]] constexpr bool is_held(block_index block) const noexcept { return at(block).bits >> hold_shift != 0; }
    /// Returns the alignment that every offset of the block must have.
    [[nodiscard]] constexpr Quanta alignment(block_index block) const noexcept {
        return static_cast<Quanta>(Quanta{1} << (at(block).bits >> alignment_shift & alignment_mask));
    }
    /// Sets the kind and the owner: the tag of a buffer, or the slot of a program.
    constexpr void set_owner(block_index block, block_kind kind, std::uint32_t owner) noexcept {
        at(block).right = owner;
        at(block).bits = (at(block).bits & ~kind_mask) | static_cast<std::uint32_t>(kind);
        update_special_bit(block);
    }
    constexpr void set_tag(block_index block, std::uint32_t tag) noexcept { at(block).right = tag; }
    /// Adds a pin.
    /// Requires: `pins(block) < max_pins`.
    constexpr void pin(block_index block) noexcept { count(block, std::uint32_t{1} << pin_shift); }
    /// Removes a pin.
    /// Requires: `pins(block) != 0`.
    constexpr void unpin(block_index block) noexcept { count(block, 0 - (std::uint32_t{1} << pin_shift)); }
    /// Adds or removes a hold, for a run in flight that uses the block. Requirements as for pins.
    constexpr void hold(block_index block) noexcept { count(block, std::uint32_t{1} << hold_shift); }
    [[gnu::always_inline]] constexpr void release_hold(block_index block) noexcept {
        count(block, 0 - (std::uint32_t{1} << hold_shift));
    }
    constexpr void drop_pins(block_index block) noexcept {
        at(block).bits &= (std::uint32_t{1} << pin_shift) - 1;
        update_special_bit(block);
    }
    /// A temporary mark, to detect duplicates among the arguments of a call.
    [[nodiscard]] constexpr bool marked(block_index block) const noexcept { return (at(block).bits & mark_bit) != 0; }
    constexpr void mark(block_index block) noexcept { at(block).bits |= mark_bit; }
    constexpr void unmark(block_index block) noexcept { at(block).bits &= ~mark_bit; }
    /// Makes the handles of the block stale, without other effects.
    constexpr void invalidate_handles(block_index block) noexcept { at(block).state += next_life; }
    /// Replaces a buffer without pins by a new one in the same place; old handles become stale. Size, alignment,
    /// granted quanta and holds are kept, and the tag if `tag` is 0.
    [[gnu::always_inline]] constexpr void renew(block_index block, std::uint32_t tag) noexcept {
        at(block).state += next_life;
        if (tag != 0) at(block).right = tag;
    }
    /// Sets the quanta that the owner of a block may use, at most its length.
    constexpr void regrant(block_index block, Quanta granted) noexcept {
        block_node<Quanta>& node = at(block);
        live_ = static_cast<Quanta>(live_ - granted_of(node) + granted);
        set_granted(node, granted);
    }
    /// Returns true if `block` is a live buffer of this generation without a mark of `mark`; pins do not matter. False
    /// for an index that is not a block.
    [[nodiscard]] constexpr bool is_unmarked(block_index block, std::uint32_t generation) const noexcept {
        return is_live(block, generation) &&
               (at(block).bits & (kind_mask | mark_bit)) == static_cast<std::uint32_t>(block_kind::data);
    }
    [[nodiscard]] constexpr bool is_unmarked_and_unpinned(block_index block, std::uint32_t generation) const noexcept {
        return is_live(block, generation) && (at(block).bits & (kind_mask | mark_bit | max_pins << pin_shift)) ==
                                                 static_cast<std::uint32_t>(block_kind::data);
    }

    // -- nodes; all O(1), amortised if a node is allocated ------------------------------------------------------------

    /// Returns the node of a block or hole. Indexes use `left` and `right` of a hole.
    [[nodiscard]] constexpr block_node<Quanta>& node(block_index block) noexcept { return at(block); }
    [[nodiscard]] constexpr const block_node<Quanta>& node(block_index block) const noexcept { return at(block); }
    [[nodiscard]] constexpr block_index& left(block_index hole) noexcept { return at(hole).left; }
    [[nodiscard]] constexpr block_index& right(block_index hole) noexcept { return at(hole).right; }
    [[nodiscard]] constexpr block_index left(block_index hole) const noexcept { return at(hole).left; }
    [[nodiscard]] constexpr block_index right(block_index hole) const noexcept { return at(hole).right; }

    /// Returns the address of `right`, which is valid only for a node but may be formed for any number.
    [[nodiscard, gnu::always_inline]] constexpr block_index* address_of_right(block_index hole) noexcept {
        if (__builtin_is_constant_evaluated()) return is_index(hole) ? &at(hole).right : nullptr;
        return &nodes_.data()->right + distance(hole) / sizeof(block_index);
    }

    /// Returns an unlinked node, a hole.
    [[gnu::always_inline]] constexpr block_index new_node() {
        if (spare_ == no_block) [[unlikely]]
            return append_node();
        return spare_node();
    }
    /// Returns an unlinked node.
    /// Requires: `has_spare_node()`.
    [[gnu::always_inline]] constexpr block_index spare_node() noexcept {
        const block_index fresh = spare_;
        spare_ = at(fresh).next;
        return fresh;
    }
    [[nodiscard]] constexpr bool has_spare_node() const noexcept { return spare_ != no_block; }
    /// Recycles the node of an unlinked hole.
    [[gnu::always_inline]] constexpr void recycle(block_index hole) noexcept {
        at(hole).next = spare_;
        spare_ = hole;
    }

    /// Inserts a node into the ring after `lower`, or removes it.
    [[gnu::always_inline]] constexpr void link(block_index block, block_index lower) noexcept {
        block_node<Quanta>& added = at(block);
        block_node<Quanta>& below = at(lower);
        const block_index upper = below.next;
        added.previous = lower;
        added.next = upper;
        below.next = block;
        at(upper).previous = block;
    }
    [[gnu::always_inline]] constexpr void unlink(block_index block) noexcept {
        const block_index lower = at(block).previous;
        const block_index upper = at(block).next;
        at(lower).next = upper;
        at(upper).previous = lower;
    }
    /// Sets the range of a node, without effect on its neighbours.
    constexpr void set_range(block_index block, basic_extent<Quanta> range) noexcept {
        at(block).offset = range.offset;
        at(block).size = range.size;
    }

    // -- holes; all O(1), amortised if a node is allocated ------------------------------------------------------------

    constexpr block_index new_hole(block_index lower, basic_extent<Quanta> range) {
        const block_index hole = new_node();
        set_range(hole, range);
        link(hole, lower);
        return hole;
    }
    /// Cuts a hole with the range `whole` to `size` quanta at the end `At`. Returns the remainder, a new hole.
    /// Requires: `has_spare_node()`, and it is not the far hole.
    template <hbm::end At>
    [[gnu::always_inline]] constexpr block_index split(block_index hole, basic_extent<Quanta> whole,
                                                       Quanta size) noexcept {
        // The part that stays keeps the node, so that a caller that has just made it a block need not look at it again.
        // Links are written by hand instead of by `link`: one of the two neighbours is known.
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
    /// Merges a hole with the next hole and recycles the node of that one. Returns the new size in quanta.
    /// Requires: the next hole is not the far hole, which ends at the top of memory.
    [[gnu::always_inline]] constexpr Quanta absorb_next(block_index hole) noexcept {
        block_node<Quanta>& kept = at(hole);
        const block_index merged = kept.next;
        const auto size = static_cast<Quanta>(kept.size + at(merged).size);
        const block_index upper = at(merged).next;
        kept.size = size;
        kept.next = upper;
        at(upper).previous = hole;
        recycle(merged);
        return size;
    }
    /// Cuts `size` quanta off one end of the far hole. Returns their node.
    /// Requires: `has_spare_node()`.
    template <hbm::end At>
    constexpr block_index take_from_far_hole(Quanta size) noexcept {
        // The far hole changes its size, and its offset if it is cut from below: its place in the ring stays, so an
        // index that does not list it has nothing to do.
        const block_index block = spare_;
        block_node<Quanta>& far = at(far_hole);
        block_node<Quanta>& taken = at(block);
        spare_ = taken.next;
        far.size = static_cast<Quanta>(far.size - size);
        taken.size = size;
        if constexpr (At == hbm::end::low) {
            taken.offset = far.offset;
            far.offset = static_cast<Quanta>(far.offset + size);
            taken.previous = far.previous;
            taken.next = far_hole;
            at(far.previous).next = block;
            far.previous = block;
        } else {
            taken.offset = far.end();
            link(block, far_hole);
        }
        return block;
    }
    /// Merges the hole at the end `At` of the far hole into it and recycles its node.
    template <hbm::end At>
    constexpr void return_to_far_hole(block_index hole) noexcept {
        block_node<Quanta>& far = at(far_hole);
        far.size = static_cast<Quanta>(far.size + at(hole).size);
        if constexpr (At == hbm::end::low) far.offset = at(hole).offset;
        unlink(hole);
        recycle(hole);
    }
    /// Merges the holes next to the far hole into it and recycles their nodes.
    [[gnu::cold, gnu::noinline]] constexpr void widen_far_hole() noexcept {
        block_node<Quanta>& far = at(far_hole);
        while (is_hole(far.next)) absorb_next(far_hole);
        while (is_hole(far.previous)) {
            const block_index merged = far.previous;
            far.offset = at(merged).offset;
            far.size = static_cast<Quanta>(far.size + at(merged).size);
            unlink(merged);
            recycle(merged);
        }
    }
    /// Moves the far hole after `lower`, a block or the bottom, where it absorbs the hole there. Returns the hole that
    /// it leaves behind, `no_block` if it was empty.
    constexpr block_index move_far_hole(block_index lower) {
        // What the far hole was becomes an ordinary hole in the same place, with a node of its own; then the empty far
        // hole is linked elsewhere and absorbs what is free there. If both places touch, it has absorbed what it left.
        const basic_extent<Quanta> before = range(far_hole);
        const block_index left = before.size == 0 ? no_block : new_hole(far_hole, before);
        unlink(far_hole);
        link(far_hole, lower);
        set_range(far_hole, {end(lower), 0});
        const bool touches = at(far_hole).next == left;
        widen_far_hole();
        return touches ? no_block : left;
    }
    /// Replaces `block` in the ring by a new hole, which is returned. The block keeps index and generation and still
    /// counts as live, but is unlinked.
    constexpr block_index lift(block_index block) {
        // A block that moves gives up its memory first: so its new range may overlap the old one. Its node waits
        // outside of the ring until it is linked again.
        const block_index hole = new_node();
        set_range(hole, range(block));
        link(hole, block);
        unlink(block);
        return hole;
    }

    /// Shortens a live block to its first `size` quanta, `granted` of them requested. The caller makes the tail a hole.
    constexpr void cut(block_index block, Quanta size, Quanta granted) noexcept {
        occupied_ = static_cast<Quanta>(occupied_ - (at(block).size - size));
        at(block).size = size;
        regrant(block, granted);
    }

    /// Raises the top of memory to `capacity` quanta.
    /// Requires: `capacity` exceeds the present one.
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

    /// Turns a hole of `size` quanta into a live block, `granted` of them requested. `alignment` is a power of two.
    [[gnu::always_inline]] constexpr void begin_life(block_index block, Quanta size, Quanta granted,
                                                     Quanta alignment) noexcept {
        // The generation was raised when the last life ended, so only the live bit is new. What an index wrote into the
        // node of the hole is overwritten.
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

    /// Turns a block into a hole in the same place; its handles become stale.
    [[gnu::always_inline]] constexpr void end_life(block_index block) noexcept {
        block_node<Quanta>& node = at(block);
        // Setting the two low bits and adding one clears both and carries into the generation: one addition ends the
        // life, and no handle of it matches again before 2^30 lives.
        node.state = (node.state | (next_life - 1)) + 1;
        occupied_ = static_cast<Quanta>(occupied_ - node.size);
        live_ = static_cast<Quanta>(live_ - granted_of(node));
        --live_blocks_;
    }

    /// Adjusts the sums when a live block changes its size.
    constexpr void resized(Quanta before, Quanta after) noexcept {
        occupied_ = static_cast<Quanta>(occupied_ - before + after);
    }

    /// Reserves host memory for this many nodes; see `nodes_for`.
    constexpr void reserve(std::size_t blocks_and_holes) { nodes_.reserve(blocks_and_holes); }
    /// Returns true for the index of a node, in use or recycled. Safe for any number.
    [[nodiscard]] constexpr bool is_index(block_index block) const noexcept {
        return std::rotr(block, std::countr_zero(stride)) < nodes_.size();
    }
    [[nodiscard]] constexpr std::size_t nodes() const noexcept { return nodes_.size(); }
    [[nodiscard]] constexpr std::size_t reserved_nodes() const noexcept { return nodes_.capacity(); }

    friend constexpr bool operator==(const block_map& left, const block_map& right) noexcept {
        // What a caller can see is compared: indexes and generations of blocks, for handles name them, but neither
        // those of holes nor the nodes that are not in use.
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
        return __builtin_is_constant_evaluated()
                   ? *(nodes_.data_ + block / stride)
                   : *reinterpret_cast<block_node<Quanta>*>(reinterpret_cast<char*>(nodes_.data()) + distance(block));
    }
    [[nodiscard, gnu::always_inline]] constexpr const block_node<Quanta>& at(block_index block) const noexcept {
        return __builtin_is_constant_evaluated() ? *(nodes_.data_ + block / stride)
                                                 : *reinterpret_cast<const block_node<Quanta>*>(
                                                       reinterpret_cast<const char*>(nodes_.data()) + distance(block));
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
        if (__builtin_is_constant_evaluated()) {  // 32 at once take fewer steps
            spare_ = static_cast<block_index>(nodes_.size()) * stride;
            nodes_.resize_for_overwrite(nodes_.size() + 32);
            block_index next = spare_;
            for (block_node<Quanta>* node = &at(spare_); node != nodes_.end(); ++node) node->next = next += stride;
            nodes_.back().next = no_block;
            return spare_node();
        }
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
        update_special_bit(block);
    }
    constexpr void update_special_bit(block_index block) noexcept {
        // The bit says in `state`, beside the generation, what `bits` says in full: so a free compares one word with
        // the handle, and knows that the block is live, of this generation, a buffer, and neither pinned nor in use.
        const bool plain = kind(block) == block_kind::data && !is_held(block);
        at(block).state = (at(block).state & ~special_bit) | (plain ? 0 : special_bit);
    }

    trivial_vector<block_node<Quanta>> nodes_;
    block_index spare_ = no_block;
    block_index reservation_ = bottom;
    Quanta capacity_ = 0;
    // Not adjacent to `live_`: g++ 12 would update neighbouring sums as one vector, and stall.
    Quanta occupied_ = 0;
    Quanta peak_live_ = 0;
    Quanta live_ = 0;  // granted quanta of live blocks; `occupied_` includes rounding
    std::uint32_t live_blocks_ = 0;
};

}  // namespace hbm::inline v0
