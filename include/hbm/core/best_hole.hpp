#pragma once

/// The smallest hole that fits.

#include <hbm/core/hole_index.hpp>
#include <hbm/core/ordered_tree.hpp>
#include <hbm/core/size_classes.hpp>

#include <vector>

namespace hbm {

/// Finds the smallest hole that admits a need; among equal sizes the one nearest the end of memory that the need
/// searches from. One tree per size class under a bitmap: as long as classes hold few holes, a search touches few
/// nodes; a class that holds many costs the logarithm of their number. Aligned needs pass over holes that are long
/// enough but ill placed.
template <class Quanta>
class best_hole {
public:
    using quanta = Quanta;

    constexpr best_hole() : roots_(classes::count, no_block) {}

    /// O(log n) on average.
    constexpr void insert(block_map<Quanta>& map, block_index hole) {
        const unsigned size_class = classes::of(map.size(hole));
        tree::insert(map, roots_[size_class], hole);
        occupied_.insert(size_class);
    }
    /// O(log n) on average.
    constexpr void erase(block_map<Quanta>& map, block_index hole) {
        const unsigned size_class = classes::of(map.size(hole));
        tree::erase(map, roots_[size_class], hole);
        if (roots_[size_class] == no_block) occupied_.erase(size_class);
    }
    /// O(log n) on average, times the number of holes passed over.
    [[nodiscard]] constexpr block_index find(const block_map<Quanta>& map, const need<Quanta>& n) const {
        for (block_index hole = at_least(map, n.length); hole != no_block;) {
            const Quanta size = map.size(hole);
            const block_index root = roots_[classes::of(size)];
            if (n.from == end::high)
                hole = tree::upper_bound(map, root, [&](block_index other) { return map.size(other) <= size; });
            while (hole != no_block && map.size(hole) == size) {
                if (n.admits(map.range(hole))) return hole;
                hole = n.from == end::low ? tree::next(map, root, hole) : tree::previous(map, root, hole);
            }
            if (size == map.capacity()) break;
            hole = at_least(map, static_cast<Quanta>(size + 1));
        }
        return no_block;
    }
    /// O(log n) on average.
    [[nodiscard]] constexpr Quanta largest(const block_map<Quanta>& map) const {
        const unsigned size_class = occupied_.largest();
        return size_class == occupied_.none ? 0 : map.size(tree::last(map, roots_[size_class]));
    }

private:
    using classes = size_classes<Quanta>;
    using tree = ordered_tree<by_size_then_offset>;

    /// The lowest of the smallest holes of at least `size`.
    [[nodiscard]] constexpr block_index at_least(const block_map<Quanta>& map, Quanta size) const {
        const unsigned size_class = classes::of(size);
        const block_index found =
            tree::lower_bound(map, roots_[size_class], [&](block_index hole) { return map.size(hole) >= size; });
        if (found != no_block) return found;
        const unsigned above = occupied_.at_least(size_class + 1);
        return above == occupied_.none ? no_block : tree::first(map, roots_[above]);
    }

    std::vector<block_index> roots_;
    occupied_set<classes::count> occupied_;
};

}  // namespace hbm
