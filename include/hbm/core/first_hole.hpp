#pragma once

/// The first hole that fits.

#include <hbm/core/hole_index.hpp>
#include <hbm/core/ordered_tree.hpp>

#include <vector>

namespace hbm {

/// Finds the hole nearest the end of memory that the need searches from. One tree over all holes in address order, each
/// subtree knowing its largest hole.
template <class Quanta>
class first_hole {
public:
    using quanta = Quanta;

    /// O(log n) on average.
    constexpr void insert(block_map<Quanta>& map, block_index hole) {
        if (largest_.size() < map.nodes()) largest_.resize(map.nodes(), 0);
        tree::insert(map, root_, hole, summary{largest_});
    }
    /// O(log n) on average.
    constexpr void erase(block_map<Quanta>& map, block_index hole) { tree::erase(map, root_, hole, summary{largest_}); }
    /// O(log n) on average, times the number of long but ill-aligned holes passed over.
    [[nodiscard]] constexpr block_index find(const block_map<Quanta>& map, const need<Quanta>& n) const {
        return search(map, n, root_);
    }
    /// O(1).
    [[nodiscard]] constexpr Quanta largest(const block_map<Quanta>&) const { return largest_below(root_); }

    /// Room for the holes between `blocks` live blocks.
    constexpr void reserve(std::size_t blocks) { largest_.reserve(blocks + 2); }

private:
    using tree = ordered_tree<by_offset>;

    /// Keeps the largest hole of each subtree.
    struct summary {
        std::vector<Quanta>& largest;

        constexpr void operator()(const block_map<Quanta>& map, block_index hole) const noexcept {
            Quanta most = map.behind(hole);
            for (const block_index child : {map.left(hole), map.right(hole)})
                if (child != no_block && largest[child & ~hole_bit] > most) most = largest[child & ~hole_bit];
            largest[hole & ~hole_bit] = most;
        }
    };

    [[nodiscard]] constexpr Quanta largest_below(block_index root) const noexcept {
        return root == no_block ? 0 : largest_[root & ~hole_bit];
    }
    [[nodiscard]] constexpr block_index search(const block_map<Quanta>& map, const need<Quanta>& n,
                                               block_index root) const {
        if (largest_below(root) < n.length) return no_block;
        const bool from_low = n.from == end::low;
        const block_index sooner = search(map, n, from_low ? map.left(root) : map.right(root));
        if (sooner != no_block) return sooner;
        if (n.admits(map.range(root))) return root;
        return search(map, n, from_low ? map.right(root) : map.left(root));
    }

    block_index root_ = no_block;
    std::vector<Quanta> largest_;  // by the block that names the hole at the root
};

}  // namespace hbm
