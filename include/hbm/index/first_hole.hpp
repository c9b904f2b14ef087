#pragma once

#include <hbm/core/trivial_vector.hpp>
#include <hbm/index/far_hole.hpp>
#include <hbm/index/hole_index.hpp>
#include <hbm/index/range_node.hpp>

#include <bit>
#include <cstdint>
#include <limits>

namespace hbm::inline v0 {

/// Index that returns the hole nearest to the end of memory that a need searches from: a B+ tree (Bayer and McCreight,
/// 1972; Comer, "The ubiquitous B-tree", 1979) of all holes in address order, with the largest size below each entry.
///
/// The path to the last change is cached, because changes come in pairs: a hole is erased and its remainder or merger
/// inserted, mostly in the same leaf. Sizes above an erased hole are only lowered once the pair is complete; until then
/// they are upper bounds. An underfull leaf is refilled when the next change is elsewhere.
///
/// Optimised for searches from the end `From` of memory. The far hole, the last choice, is not in it.
/// Cost: O(log n) per call, plus misaligned holes. `largest` is O(1) unless the last change erased a hole.
template <class Quanta, end From = end::low>
class first_hole {
public:
    using quanta = Quanta;
    static constexpr end search_end = From;
    static constexpr bool leaves_out_far_hole = true;

    constexpr first_hole() : nodes_(1) {}

    constexpr void insert(block_map<Quanta>& map, block_index hole) {
        insert(map, hole, map.size(hole), map.offset(hole));
    }
    /// Inserts a hole whose size and offset are known, without reading the map.
    [[gnu::always_inline]] constexpr void insert(block_map<Quanta>& /*map*/, block_index hole, Quanta size,
                                                 Quanta offset) {
        // The erase before this insert, mostly in the same leaf, left sizes above that may be too large: by `gone_`,
        // the largest hole that went. If this hole is at least as long, they only have to be raised to it; else they
        // are computed anew. So a hole that is cut and put back costs one way up the tree, not two.
        if (!is_at(offset)) move_to(offset);
        if (nodes_[leaf_].count == node::slots) [[unlikely]]
            make_room(offset);
        nodes_[leaf_].put({offset, size, hole});
        if (gone_ > size) {
            lower();
        } else {
            gone_ = 0;
            raise(size);
        }
    }
    [[gnu::always_inline]] constexpr void erase(block_map<Quanta>& map, block_index hole) {
        const Quanta offset = map.offset(hole);
        if (!is_at(offset)) move_to(offset);
        node& leaf = nodes_[leaf_];
        erase_at(leaf, leaf.slots_up_to(offset) - 1);
    }
    /// Returns a hole that admits `n`, or `no_block`.
    [[nodiscard]] constexpr block_index find(const block_map<Quanta>& map, const need<Quanta>& n) const {
        const block_index farthest = far_hole::admitted(map, n);
        if (From == end::low && n.from == end::high && farthest != no_block) return farthest;
        const block_index nearest = search(n, root_, depth_);
        return nearest == no_block ? farthest : nearest;
    }
    /// Removes the first hole of at least `length` quanta, as seen from the end `From`, from the index, and returns it.
    [[gnu::always_inline]] constexpr block_index take(block_map<Quanta>& map, Quanta length) {
        // The size of an entry is that of the largest hole below it, exactly, once the last change is settled. So the
        // nearest entry that is long enough leads to a hole on each level, and the way down never turns back. It is
        // kept for the insert of what is left of the hole.
        settle();
        std::uint32_t at = root_;
        Quanta low = 0;
        Quanta high = no_limit;
        for (unsigned level = 0; level < depth_; ++level) {
            const node& here = nodes_[at];
            const std::uint32_t candidates = here.long_enough(length);
            if (candidates == 0) [[unlikely]]
                return far_hole::at_least(map, length);
            const unsigned slot = nearest_of(From, candidates);
            way_[level] = {at, slot};
            narrow(here, slot, low, high);
            at = here.links[slot];
        }
        leaf_ = at;
        low_ = low;
        high_ = high;
        node& leaf = nodes_[at];
        const std::uint32_t candidates = leaf.long_enough(length);
        if (candidates == 0) return far_hole::at_least(map, length);
        const unsigned slot = nearest_of(From, candidates);
        erase_at(leaf, slot);
        return leaf.links[slot];
    }
    [[nodiscard]] constexpr Quanta largest(const block_map<Quanta>& map) const {
        const Quanta in_tree = largest_in_tree();
        return far_hole::size(map) > in_tree ? far_hole::size(map) : in_tree;
    }

    constexpr void reserve(const block_map<Quanta>& /*map*/, std::size_t blocks) {
        // Leaves hold at least `fewest` holes, so each level has that many times fewer nodes, plus one underfull node.
        nodes_.reserve(blocks / (fewest - 1) + max_levels + 1);
    }

private:
    using node = detail::range_node<Quanta>;

    struct turn {
        std::uint32_t node = 0;
        unsigned slot = 0;
    };

    static constexpr Quanta no_limit = std::numeric_limits<Quanta>::max();
    static constexpr std::uint32_t no_node = ~std::uint32_t{0};
    /// The least number of entries of a node, except the root and the leaf of the path. Neighbours are merged if they
    /// have at most `max_when_joined` entries.
    static constexpr unsigned fewest = 12;
    static constexpr unsigned max_when_joined = 24;
    static constexpr unsigned max_levels = 10;  // levels above the leaves; 2 * 12^9 > 2^31

    /// Returns the index of the bit in `slots` that is nearest to the end `from`: the lowest or the highest.
    [[nodiscard]] static constexpr unsigned nearest_of(end from, std::uint32_t slots) noexcept {
        return static_cast<unsigned>(from == end::low ? std::countr_zero(slots) : 31 - std::countl_zero(slots));
    }
    [[nodiscard]] constexpr Quanta largest_in_tree() const noexcept {
        // The sizes on the path are upper bounds at the moment: they are computed anew on copies, without changing the
        // tree.
        if (gone_ == 0) return nodes_[root_].largest();
        Quanta most = nodes_[leaf_].largest();
        for (unsigned level = depth_; level-- != 0;) {
            node above = nodes_[way_[level].node];
            above.sizes[way_[level].slot] = most;
            most = above.largest();
        }
        return most;
    }

    // -- the path ----------------------------------------------------------------------------------------------------

    /// Returns true if a hole at `offset` belongs to the leaf of the path.
    [[nodiscard, gnu::always_inline]] constexpr bool is_at(Quanta offset) const noexcept {
        return offset >= low_ && offset < high_;
    }
    /// Narrows `[low, high)` to the offsets below an entry.
    [[gnu::always_inline]] static constexpr void narrow(const node& here, unsigned slot, Quanta& low, Quanta& high) {
        low = here.begins[slot];
        if (slot + 1 < node::slots && here.begins[slot + 1] < high) high = here.begins[slot + 1];
    }
    constexpr void move_to(Quanta offset) {
        settle();
        descend(offset);
    }
    [[gnu::always_inline]] constexpr void descend(Quanta offset) {
        std::uint32_t at = root_;
        Quanta low = 0;
        Quanta high = no_limit;
        for (unsigned level = 0; level < depth_; ++level) {
            const node& here = nodes_[at];
            const unsigned slot = here.child_at(offset);
            way_[level] = {at, slot};
            narrow(here, slot, low, high);
            at = here.links[slot];
        }
        leaf_ = at;
        low_ = low;
        high_ = high;
    }
    [[gnu::always_inline]] constexpr void erase_at(node& leaf, unsigned slot) {
        if (leaf.sizes[slot] > gone_) gone_ = leaf.sizes[slot];
        leaf.erase(slot);
    }

    // -- propagation of changes --------------------------------------------------------------------------------------

    /// Completes the last change before another leaf is changed.
    [[gnu::always_inline]] constexpr void settle() {
        if (gone_ != 0) lower();
        if (nodes_[leaf_].count < fewest && depth_ != 0) [[unlikely]]
            refill();
    }
    /// Raises the sizes on the path from the root to the current leaf to at least `size`.
    [[gnu::always_inline]] constexpr void raise(Quanta size) {
        for (unsigned level = depth_; level-- != 0;) {
            Quanta& largest = nodes_[way_[level].node].sizes[way_[level].slot];
            if (largest >= size) return;
            largest = size;
        }
    }
    /// Lowers the sizes on the path from the root after a hole of size `gone_` was erased from the leaf.
    constexpr void lower() {
        // Ends where another hole keeps the size up: there the erased hole was not the largest, or another is as large.
        const Quanta erased = gone_;
        gone_ = 0;
        std::uint32_t child = leaf_;
        for (unsigned level = depth_; level-- != 0;) {
            node& here = nodes_[way_[level].node];
            Quanta& largest = here.sizes[way_[level].slot];
            if (largest > erased) return;
            const Quanta now = nodes_[child].largest();
            if (largest == now) return;
            largest = now;
            child = way_[level].node;
        }
    }

    // -- nodes, on slow paths ----------------------------------------------------------------------------------------

    [[nodiscard]] constexpr std::uint32_t new_node() {
        if (spare_ == no_node) {
            nodes_.emplace_back();
            return static_cast<std::uint32_t>(nodes_.size() - 1);
        }
        const std::uint32_t fresh = spare_;
        spare_ = nodes_[fresh].links[0];
        nodes_[fresh] = node();
        return fresh;
    }
    constexpr void recycle(std::uint32_t freed) noexcept {
        nodes_[freed].links[0] = spare_;
        spare_ = freed;
    }

    /// Splits the full leaf that `offset` belongs to, and full nodes above it.
    [[gnu::noinline]] constexpr void make_room(Quanta offset) {
        // Full nodes are split on the way down, whether or not the leaf will need it, so that a split always finds room
        // in the parent and nothing has to go up again.
        if (nodes_[root_].count == node::slots) {
            const std::uint32_t above = new_node();
            nodes_[above].put({0, nodes_[root_].largest(), root_});
            root_ = above;
            ++depth_;
        }
        std::uint32_t at = root_;
        for (unsigned level = 0; level < depth_; ++level) {
            const unsigned slot = nodes_[at].child_at(offset);
            if (nodes_[nodes_[at].links[slot]].count == node::slots) split(at, slot);
            at = nodes_[at].links[nodes_[at].child_at(offset)];
        }
        descend(offset);
    }
    /// Moves the upper half of a child into a new node.
    constexpr void split(std::uint32_t parent, unsigned slot) {
        const std::uint32_t lower = nodes_[parent].links[slot];
        const std::uint32_t upper = new_node();
        typename node::entries all;
        all.add(nodes_[lower]);
        part(all, lower, upper);
        nodes_[parent].sizes[slot] = nodes_[lower].largest();
        nodes_[parent].put({all.items[all.count / 2].begin, nodes_[upper].largest(), upper});
    }
    constexpr void part(const typename node::entries& all, std::uint32_t lower, std::uint32_t upper) {
        nodes_[lower].assign(all, 0, all.count / 2);
        nodes_[upper].assign(all, all.count / 2, all.count);
    }

    /// Merges the leaf of the path with a neighbour, or balances the two; repeats this on underfull levels above.
    [[gnu::noinline]] constexpr void refill() {
        // From the leaf up, as long as a merge leaves the parent with too few entries. Two neighbours become one node,
        // or share their entries evenly if they have more than `max_when_joined`, which leaves room for changes in
        // either.
        for (unsigned level = depth_; level-- != 0;) {
            node& parent = nodes_[way_[level].node];
            unsigned low = way_[level].slot;
            unsigned high = parent.after(low);
            if (high == node::none) {
                high = low;
                low = parent.before(low);
            }
            const std::uint32_t lower = parent.links[low];
            const std::uint32_t upper = parent.links[high];
            typename node::entries all;
            all.add(nodes_[lower]);
            all.add(nodes_[upper]);
            parent.erase(high);
            if (all.count > max_when_joined) {
                part(all, lower, upper);
                parent.put({all.items[all.count / 2].begin, nodes_[upper].largest(), upper});
            } else {
                nodes_[lower].assign(all, 0, all.count);
                recycle(upper);
            }
            parent.sizes[parent.child_at(all.items[0].begin)] = nodes_[lower].largest();
            if (parent.count >= fewest) break;
        }
        if (nodes_[root_].count == 1) {
            const std::uint32_t only = nodes_[root_].links[std::countr_zero(nodes_[root_].used)];
            recycle(root_);
            root_ = only;
            --depth_;
        }
        descend(0);
    }

    // -- searching ---------------------------------------------------------------------------------------------------

    /// Searches below a node. Sizes that are upper bounds only lengthen the search.
    [[nodiscard]] constexpr block_index search(const need<Quanta>& n, std::uint32_t at, unsigned levels) const {
        // For needs with more than a length. A child whose size suffices may hold only misaligned holes, so unlike
        // `take` this may go into several children.
        const node& here = nodes_[at];
        std::uint32_t rest = here.long_enough(n.length);
        while (rest != 0) {
            const unsigned slot = nearest_of(n.from, rest);
            rest &= ~(std::uint32_t{1} << slot);
            if (levels == 0) {
                if (n.admits(here.range(slot))) return here.links[slot];
            } else {
                const block_index nearest = search(n, here.links[slot], levels - 1);
                if (nearest != no_block) return nearest;
            }
        }
        return no_block;
    }

    trivial_vector<node> nodes_;  // includes spare nodes
    std::uint32_t spare_ = no_node;
    std::uint32_t root_ = 0;
    unsigned depth_ = 0;  // levels above the leaves
    turn way_[max_levels];
    std::uint32_t leaf_ = 0;  // end of the path
    Quanta low_ = 0;          // the leaf holds the holes that begin in `[low_, high_)`
    Quanta high_ = no_limit;
    Quanta gone_ = 0;  // size of the largest hole erased from the leaf that levels above may still count
};

}  // namespace hbm::inline v0
