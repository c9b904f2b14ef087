#pragma once

/// A hole that fits, found at once.

#include <hbm/core/hole_index.hpp>
#include <hbm/core/size_classes.hpp>

#include <vector>

namespace hbm {

/// Finds the latest hole of the first size class whose every member fits, as TLSF does (Masmano et al., 2004). Where
/// that finds nothing it looks through the one class below, whose members fit in part: TLSF gives up there and fails
/// while a hole fits.
template <class Quanta>
class good_hole {
public:
    using quanta = Quanta;

    constexpr good_hole() : heads_(classes::count, no_block) {}

    /// O(1).
    constexpr void insert(block_map<Quanta>& map, block_index hole) {
        const unsigned size_class = classes::of(map.size(hole));
        const block_index head = heads_[size_class];
        map.left(hole) = no_block;
        map.right(hole) = head;
        if (head != no_block) map.left(head) = hole;
        heads_[size_class] = hole;
        occupied_.insert(size_class);
    }
    /// O(1).
    constexpr void erase(block_map<Quanta>& map, block_index hole) {
        const unsigned size_class = classes::of(map.size(hole));
        const block_index before = map.left(hole);
        const block_index behind = map.right(hole);
        if (behind != no_block) map.left(behind) = before;
        if (before != no_block) {
            map.right(before) = behind;
        } else {
            heads_[size_class] = behind;
            if (behind == no_block) occupied_.erase(size_class);
        }
    }
    /// O(1); O(holes of one class) when only that class has a hole that fits. Aligned needs pass over ill-placed holes.
    [[nodiscard]] constexpr block_index find(const block_map<Quanta>& map, const need<Quanta>& n) const {
        const unsigned partly = classes::of(n.length);
        const bool all_fit = n.length == 1 || classes::of(static_cast<Quanta>(n.length - 1)) != partly;
        const unsigned wholly = all_fit ? partly : partly + 1;
        for (unsigned size_class = occupied_.at_least(wholly); size_class != occupied_.none;
             size_class = occupied_.at_least(size_class + 1)) {
            const block_index hole = first_admitted(map, n, size_class);
            if (hole != no_block) return hole;
        }
        return all_fit ? no_block : first_admitted(map, n, partly);
    }
    /// O(holes of the largest class).
    [[nodiscard]] constexpr Quanta largest(const block_map<Quanta>& map) const {
        const unsigned size_class = occupied_.largest();
        Quanta largest = 0;
        if (size_class == occupied_.none) return largest;
        for (block_index hole = heads_[size_class]; hole != no_block; hole = map.right(hole))
            if (map.size(hole) > largest) largest = map.size(hole);
        return largest;
    }

private:
    using classes = size_classes<Quanta>;

    [[nodiscard]] constexpr block_index first_admitted(const block_map<Quanta>& map, const need<Quanta>& n,
                                                       unsigned size_class) const {
        for (block_index hole = heads_[size_class]; hole != no_block; hole = map.right(hole))
            if (n.admits(map.range(hole))) return hole;
        return no_block;
    }

    std::vector<block_index> heads_;
    occupied_set<classes::count> occupied_;
};

}  // namespace hbm
