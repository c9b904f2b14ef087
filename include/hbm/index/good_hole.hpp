#pragma once

/// A hole that fits, found at once.

#include <hbm/core/trivial_vector.hpp>
#include <hbm/index/far_hole.hpp>
#include <hbm/index/hole_index.hpp>
#include <hbm/index/number_set.hpp>
#include <hbm/index/size_classes.hpp>

namespace hbm {

/// Finds the latest hole of the first size class whose every member fits, as TLSF does (Masmano et al., 2004). Where
/// that finds nothing it looks through the one class below, whose members fit in part: TLSF gives up there and fails
/// while a hole fits. Made for blocks that come from the high end, the hole at the low end is in no list: see
/// `far_hole`.
template <class Quanta, end From = end::low>
class good_hole {
public:
    using quanta = Quanta;
    static constexpr end search_end = From;

    constexpr good_hole() : good_hole(0) {}
    /// For holes of at most `capacity` quanta.
    constexpr explicit good_hole(Quanta capacity)
        : heads_(classes::of(capacity) + 1, list_end), occupied_(classes::of(capacity) + 1) {}

    /// O(1).
    [[gnu::always_inline]] constexpr void insert(block_map<Quanta>& map, block_index hole) {
        const block_index owner = hole & ~hole_bit;
        if (is_last_resort(map, owner)) return;
        block_node<Quanta>& added = map.node(owner);
        const unsigned size_class = classes::of(added.free_after);
        const block_index head = heads_[size_class];
        added.left = list_end;
        added.right = head;
        map.node(head).left = owner;
        heads_[size_class] = owner;
        occupied_.insert(size_class);
    }
    /// O(1).
    [[gnu::always_inline]] constexpr void erase(block_map<Quanta>& map, block_index hole) {
        const block_index owner = hole & ~hole_bit;
        if (is_last_resort(map, owner)) return;
        const block_node<Quanta>& gone = map.node(owner);
        const unsigned size_class = classes::of(gone.free_after);
        const block_index before = gone.left;
        const block_index after = gone.right;
        map.node(after).left = before;
        map.node(before).right = after;
        block_index head = heads_[size_class];
        head = head == owner ? after : head;
        heads_[size_class] = head;
        occupied_.erase_if(size_class, head == list_end);
    }
    /// O(1); O(holes of one class) when only that class has a hole that fits. Aligned needs pass over ill-placed holes.
    [[nodiscard]] constexpr block_index find(const block_map<Quanta>& map, const need<Quanta>& n) const {
        if (n.length > map.capacity()) return no_block;
        const unsigned partly = classes::of(n.length);
        const bool all_fit = classes::of(static_cast<Quanta>(n.length - 1)) != partly;
        for (unsigned size_class = all_fit ? occupied_.at_least(partly) : occupied_.above(partly);
             size_class != occupied_.none; size_class = occupied_.above(size_class)) {
            const block_index hole = first_admitted(map, n, size_class);
            if (hole != no_block) return hole;
        }
        const block_index hole = all_fit ? no_block : first_admitted(map, n, partly);
        return From == end::high && hole == no_block ? far_hole<From>::admitted(map, n) : hole;
    }
    /// O(holes of the largest class).
    [[nodiscard]] constexpr Quanta largest(const block_map<Quanta>& map) const {
        const unsigned size_class = occupied_.largest();
        Quanta largest = From == end::high ? far_hole<From>::size(map) : 0;
        if (size_class == occupied_.none) return largest;
        for (block_index owner = heads_[size_class]; owner != list_end; owner = map.node(owner).right)
            if (map.free_after(owner) > largest) largest = map.free_after(owner);
        return largest;
    }

private:
    using classes = size_classes<Quanta>;
    static constexpr block_index list_end = block_map<Quanta>::list_end;

    [[nodiscard, gnu::always_inline]] static constexpr bool is_last_resort(const block_map<Quanta>& map,
                                                                           block_index owner) noexcept {
        return From == end::high && far_hole<From>::is_after(map, owner);
    }
    [[nodiscard]] constexpr block_index first_admitted(const block_map<Quanta>& map, const need<Quanta>& n,
                                                       unsigned size_class) const {
        for (block_index owner = heads_[size_class]; owner != list_end; owner = map.node(owner).right)
            if (n.admits(map.range(owner | hole_bit))) return owner | hole_bit;
        return no_block;
    }

    trivial_vector<block_index> heads_;
    number_set occupied_;
};

}  // namespace hbm
