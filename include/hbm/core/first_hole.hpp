#pragma once

/// The first hole that fits.

#include <hbm/core/hole_index.hpp>
#include <hbm/core/ordered_tree.hpp>

namespace hbm {

/// Finds the hole nearest the end of memory that the need searches from. One tree over all holes in address order, each
/// subtree knowing its largest hole.
template <class Quanta>
class first_hole {
public:
    using quanta = Quanta;

    /// O(log n) on average.
    constexpr void insert(block_map<Quanta>& map, block_index hole) { tree::insert(map, root_, hole); }
    /// O(log n) on average.
    constexpr void erase(block_map<Quanta>& map, block_index hole) { tree::erase(map, root_, hole); }
    /// O(log n) on average, times the number of long but ill-aligned holes passed over.
    [[nodiscard]] constexpr block_index find(const block_map<Quanta>& map, const need<Quanta>& n) const {
        return search(map, n, root_);
    }
    /// O(1).
    [[nodiscard]] constexpr Quanta largest(const block_map<Quanta>& map) const {
        return root_ == no_block ? 0 : map.extra(root_);
    }

private:
    struct by_offset_with_largest : by_offset {
        static constexpr void refresh(block_map<Quanta>& map, block_index hole) noexcept {
            Quanta largest = map.size(hole);
            for (const block_index child : {map.left(hole), map.right(hole)})
                if (child != no_block && map.extra(child) > largest) largest = map.extra(child);
            map.extra(hole) = largest;
        }
    };
    using tree = ordered_tree<by_offset_with_largest>;

    [[nodiscard]] static constexpr block_index search(const block_map<Quanta>& map, const need<Quanta>& n,
                                                      block_index root) {
        if (root == no_block || map.extra(root) < n.length) return no_block;
        const bool from_low = n.from == end::low;
        const block_index sooner = search(map, n, from_low ? map.left(root) : map.right(root));
        if (sooner != no_block) return sooner;
        if (n.admits(map.range(root))) return root;
        return search(map, n, from_low ? map.right(root) : map.left(root));
    }

    block_index root_ = no_block;
};

}  // namespace hbm
