#pragma once

/// A set of holes in a given order, kept in the nodes that name them.

#include <hbm/blocks/block_map.hpp>

#include <cstdint>

namespace hbm {

/// A treap (Seidel and Aragon, "Randomized search trees", 1996) over holes of a block map. The priority of a hole is a
/// hash of its offset, so that the shape depends on the set alone and not on its history: taking a hole out and
/// putting it back restores every link, and equal sets search alike. All operations take O(log n) steps on average.
///
/// `Order` is a strict order on holes, `before(map, a, b)`. `refresh(map, hole)` is called from the leaves up whenever
/// the subtree below a hole has changed, so that a summary of it can be kept.
template <class Order>
struct ordered_tree {
    /// Keeps no summary.
    struct no_summary {
        template <class Map>
        constexpr void operator()(const Map&, block_index) const noexcept {}
    };

    template <class Map, class Refresh = no_summary>
    static constexpr void insert(Map& map, block_index& root, block_index hole, Refresh refresh = {}) {
        if (root == no_block || priority(map, hole) > priority(map, root)) {
            block_index below = root;
            split(map, below, hole, map.left(hole), map.right(hole), refresh);
            root = hole;
        } else {
            insert(map, Order::before(map, hole, root) ? map.left(root) : map.right(root), hole, refresh);
        }
        refresh(map, root);
    }

    /// Takes `hole` out; it is in the tree.
    template <class Map, class Refresh = no_summary>
    static constexpr void erase(Map& map, block_index& root, block_index hole, Refresh refresh = {}) {
        if (root == hole) {
            root = merge(map, map.left(hole), map.right(hole), refresh);
            return;
        }
        erase(map, Order::before(map, hole, root) ? map.left(root) : map.right(root), hole, refresh);
        refresh(map, root);
    }

    /// The first hole for which `reached` holds; `reached` is false for a prefix of the order and true for the rest.
    template <class Map, class Reached>
    [[nodiscard]] static constexpr block_index lower_bound(const Map& map, block_index root, Reached reached) {
        block_index found = no_block;
        while (root != no_block) {
            if (reached(root)) {
                found = root;
                root = map.left(root);
            } else {
                root = map.right(root);
            }
        }
        return found;
    }

    /// The last hole for which `within` holds; `within` is true for a prefix of the order and false for the rest.
    template <class Map, class Within>
    [[nodiscard]] static constexpr block_index upper_bound(const Map& map, block_index root, Within within) {
        block_index found = no_block;
        while (root != no_block) {
            if (within(root)) {
                found = root;
                root = map.right(root);
            } else {
                root = map.left(root);
            }
        }
        return found;
    }

    /// The hole after `hole`, or none.
    template <class Map>
    [[nodiscard]] static constexpr block_index next(const Map& map, block_index root, block_index hole) {
        return lower_bound(map, root, [&](block_index other) { return Order::before(map, hole, other); });
    }
    /// The hole before `hole`, or none.
    template <class Map>
    [[nodiscard]] static constexpr block_index previous(const Map& map, block_index root, block_index hole) {
        return upper_bound(map, root, [&](block_index other) { return Order::before(map, other, hole); });
    }
    template <class Map>
    [[nodiscard]] static constexpr block_index first(const Map& map, block_index root) {
        return lower_bound(map, root, [](block_index) { return true; });
    }
    template <class Map>
    [[nodiscard]] static constexpr block_index last(const Map& map, block_index root) {
        return upper_bound(map, root, [](block_index) { return true; });
    }

private:
    template <class Map>
    static constexpr std::uint32_t priority(const Map& map, block_index hole) noexcept {
        const auto offset = static_cast<std::uint64_t>(map.offset(hole));
        auto mixed = static_cast<std::uint32_t>(offset ^ (offset >> 32)) * 0x9e3779b1u;
        mixed ^= mixed >> 15;
        return mixed * 0x85ebca77u;
    }
    /// Parts `tree` into what comes before `pivot` and what comes after it.
    template <class Map, class Refresh>
    static constexpr void split(Map& map, block_index tree, block_index pivot, block_index& before, block_index& after,
                                Refresh refresh) {
        if (tree == no_block) {
            before = after = no_block;
        } else if (Order::before(map, tree, pivot)) {
            before = tree;
            split(map, map.right(tree), pivot, map.right(tree), after, refresh);
            refresh(map, tree);
        } else {
            after = tree;
            split(map, map.left(tree), pivot, before, map.left(tree), refresh);
            refresh(map, tree);
        }
    }
    /// Joins two trees; all of `before` comes before all of `after`.
    template <class Map, class Refresh>
    [[nodiscard]] static constexpr block_index merge(Map& map, block_index before, block_index after, Refresh refresh) {
        if (before == no_block) return after;
        if (after == no_block) return before;
        if (priority(map, before) > priority(map, after)) {
            map.right(before) = merge(map, map.right(before), after, refresh);
            refresh(map, before);
            return before;
        }
        map.left(after) = merge(map, before, map.left(after), refresh);
        refresh(map, after);
        return after;
    }
};

/// Holes in address order.
struct by_offset {
    template <class Map>
    [[nodiscard]] static constexpr bool before(const Map& map, block_index a, block_index b) noexcept {
        return map.offset(a) < map.offset(b);
    }
};

}  // namespace hbm
