#pragma once

#include <hbm/index/far_hole.hpp>
#include <hbm/index/hole_index.hpp>
#include <hbm/index/hole_lists.hpp>
#include <hbm/index/hole_order.hpp>
#include <hbm/index/list_pages.hpp>

#include <cstddef>
#include <limits>

namespace hbm::inline v0 {

/// Index that returns the smallest hole that admits a need: a flat table of sorted lists under a bitmap. The `Order`
/// chooses the list of a hole and sorts lists. Most lists hold at most one hole; long lists continue in pages, see
/// `list_pages`. The table grows with the number of blocks, see `resize`.
///
/// Optimised for searches from the end `From` of memory; others are slower. The far hole is in no list. From the low
/// end it is the last of its ties, whatever the order.
template <class Quanta, template <class, end> class Order, end From = end::low>
class best_hole {
public:
    using quanta = Quanta;
    static constexpr end search_end = From;
    static constexpr bool leaves_out_far_hole = true;

    constexpr best_hole() : best_hole(0) {}
    [[gnu::cold]] constexpr explicit best_hole(Quanta capacity) : best_hole(capacity, order::leading_bits_for(0)) {}

    /// Inserts a hole, out of line.
    /// Cost: amortised (bits of a key) / 6, plus the length of a list. O(holes of a list of the table) if a list is
    /// split, a wide page is created or no reserved page is left.
    [[gnu::noinline]] constexpr void insert(block_map<Quanta>& map, block_index hole) {
        insert(map, hole, map.size(hole), map.offset(hole));
    }
    /// Inserts a hole whose size and offset are known.
    [[gnu::always_inline]] constexpr void insert(block_map<Quanta>& map, block_index hole, Quanta size, Quanta offset) {
        // The quick case is a list that is empty, or whose first hole does not sort before this one: it becomes the
        // first. Most lists have at most one hole, so most inserts end here.
        if (pages_.is_usual(size)) return pages_.insert_usual(lists_, map, hole, offset);
        const unsigned list = order_.list_of(size, offset);
        const block_index head = lists_.link(list);
        if (pages::is_page(head) || order_.before(map.node(head), size, offset)) [[unlikely]]
            return pages_.insert(lists_, map, list, hole);
        lists_.note(list);
        lists_.push(map, list, hole, head);
    }
    [[gnu::always_inline]] constexpr void erase(block_map<Quanta>& map, block_index hole) { lists_.erase(map, hole); }
    /// Returns a hole that admits `n`, or `no_block`.
    /// Cost: as `insert`, times the number of holes skipped because they are misaligned or below `avoid_below`.
    [[nodiscard]] constexpr block_index find(const block_map<Quanta>& map, const need<Quanta>& n) const {
        // The far hole is in no list, so it is compared with the answer of the lists. From the low end it is an
        // ordinary hole, the last of its ties. From the high end it is taken only when no other hole admits the need.
        if (n.length > map.capacity()) return no_block;
        const block_index farthest = far_hole::admitted(map, n);
        block_index smallest = at_least(map, n.length, order_.first_offset());
        if (smallest != no_block) smallest = first_admitted(map, n, smallest);
        if (smallest == no_block) return farthest;
        const Quanta size = map.size(smallest);
        const bool far_is_better = From == end::low && farthest != no_block &&
                                   (far_hole::size(map) < size || (far_hole::size(map) == size && n.from == end::high));
        return far_is_better ? farthest : smallest;
    }
    /// Finds and erases a hole of at least `length`, without other constraints, from the end `From`.
    /// Cost: as `insert`.
    [[gnu::noinline]] constexpr block_index take(block_map<Quanta>& map, Quanta length) {
        // Only the first list may hold holes that are too short; all later ones hold longer ones, of which the first of
        // the first list is the smallest. Pages that turn out to be empty lose their mark on the way.
        if (length > map.capacity()) return no_block;
        const unsigned first = order_.list_of(length, order_.first_offset());
        for (unsigned list = lists_.at_least(first); list != detail::hole_lists::none; list = lists_.above(list)) {
            block_index hole = lists_.link(list);
            if (pages::is_page(hole)) {
                const unsigned inner = pages_.first_list(lists_, hole);
                if (inner == detail::hole_lists::none) {
                    lists_.unmark(list);
                    continue;
                }
                hole = lists_.link(inner);
            }
            if (map.size(hole) < length)
                hole = pages_.nearest_below_list(lists_, map, list, length, order_.first_offset());
            if (hole == list_end) continue;
            if (far_is_smaller(map, length, map.size(hole))) return map.far_hole;
            lists_.erase(map, hole);
            return hole;
        }
        lists_.forget_above(first);
        return far_hole::at_least(map, length);
    }
    /// Fast path of `take`, in O(1). Returns `no_block`, without effect, unless the hole is the first of its list.
    [[gnu::always_inline]] constexpr block_index take_at_once(block_map<Quanta>& map, Quanta length) noexcept {
        // Answers only where the first hole of the first marked list is the answer: not if that list is a page, nor if
        // its first hole is too short and a later one might do. It calls nothing, so its callers save few registers.
        if (length > map.capacity()) [[unlikely]]
            return no_block;
        if (pages_.is_usual(length)) {
            const block_index hole = pages_.take_usual(lists_, map);
            if (hole != no_block) [[likely]]
                return hole;
        }
        const unsigned first = order_.list_of(length, order_.first_offset());
        const unsigned list = lists_.at_least(first);
        if (list == detail::hole_lists::none) [[unlikely]] {
            lists_.forget_above(first);
            return far_hole::at_least(map, length);
        }
        const block_index hole = lists_.link(list);
        if (pages::is_page(hole)) [[unlikely]]
            return no_block;
        const Quanta size = map.size(hole);
        if (size < length || far_is_smaller(map, length, size)) [[unlikely]]
            return no_block;
        lists_.pop(map, list, hole);
        return hole;
    }
    [[nodiscard]] constexpr Quanta largest(const block_map<Quanta>& map) const {
        const block_index last = before_list(map, lists_.largest() + 1);
        const Quanta in_lists = last == no_block ? 0 : map.size(last);
        return far_hole::size(map) > in_lists ? far_hole::size(map) : in_lists;
    }

    /// Returns the hole that follows `hole` in the order of sizes, or `no_block`. The far hole is in no list.
    [[nodiscard, gnu::cold]] constexpr block_index after(const block_map<Quanta>& map, block_index hole) const {
        const block_node<Quanta>& here = map.node(hole);
        if (here.right != list_end) return here.right;
        if constexpr (order::sorts_by_offset) return at_least(map, here.size, order::offset_after(here.offset));
        return here.size == map.capacity() ? no_block : longer_than(map, here.size);
    }

    constexpr void reserve(block_map<Quanta>& map, std::size_t blocks) {
        resize(map, nodes_for(blocks));
        pages_.reserve(lists_, blocks);
        if (blocks > reserved_blocks_) reserved_blocks_ = blocks;
    }
    /// Grows the table to the recommended size for `nodes` blocks and holes; never shrinks it.
    /// Cost: O(holes) if it grows, which happens a few times in total.
    [[gnu::cold, gnu::noinline]] constexpr void resize(block_map<Quanta>& map, std::size_t nodes) {
        // The number of leading bits is no part of the order of holes, so the table may change it at any time. Holes
        // are chained up in reverse order and inserted in front of each other, which restores the order of ties.
        const unsigned leading_bits = order::leading_bits_for(nodes);
        if (leading_bits <= leading_bits_) return;
        block_index last = list_end;  // the holes in reverse order, so that ties keep their order
        for (unsigned list = 1; list < lists_.searched(); ++list)
            if (lists_.is_marked(list)) pages_.chain_up(lists_, map, lists_.link(list), last);
        const std::size_t reserved = reserved_blocks_;
        *this = best_hole(map.capacity(), leading_bits);
        if (reserved != 0) reserve(map, reserved);
        while (last != list_end) {
            const block_index hole = last;
            last = map.right(hole);
            insert(map, hole);
        }
    }

private:
    using node = block_node<Quanta>;
    using order = Order<Quanta, From>;
    using pages = detail::list_pages<Quanta, order>;

    static constexpr block_index list_end = block_map<Quanta>::list_end;

    [[gnu::cold]] constexpr best_hole(Quanta capacity, unsigned leading_bits)
        : order_(capacity, leading_bits), lists_(order_.lists()), pages_(order_), leading_bits_(leading_bits) {}

    /// Returns true if the far hole is long enough, shorter than `smallest` and not the last choice.
    [[nodiscard, gnu::always_inline]] static constexpr bool far_is_smaller(const block_map<Quanta>& map, Quanta length,
                                                                           Quanta smallest) noexcept {
        return From == end::low && far_hole::size(map) >= length && far_hole::size(map) < smallest;
    }
    // -- searching, in key order --------------------------------------------------------------------------------------

    /// Returns the first hole from `hole` on that admits `n`, for needs with more constraints than a length.
    [[nodiscard, gnu::cold, gnu::noinline]] constexpr block_index
    first_admitted(const block_map<Quanta>& map, const need<Quanta>& n, block_index hole) const {
        if constexpr (order::sorts_by_offset) {
            return n.from == From ? admitted_from(map, n, hole) : last_admitted(map, n, hole);
        } else {
            hole = admitted_from(map, n, hole);
            if (From == end::high && n.from == end::low && hole != no_block && map.node(hole).next == map.bottom) {
                // Here the hole at the top is the first of its ties, but from the low end it is the last.
                const block_index other = admitted_from(map, n, after(map, hole));
                if (other != no_block && map.size(other) == map.size(hole)) return other;
            }
            return hole;
        }
    }
    /// Like `first_admitted`, but takes the last of ties in key order.
    [[nodiscard, gnu::cold, gnu::noinline]] constexpr block_index
    last_admitted(const block_map<Quanta>& map, const need<Quanta>& n, block_index hole) const {
        // Ties are to be broken from the other end than the one that the order sorts by: sizes go upwards as ever, but
        // the holes of one size backwards from its last.
        while (hole != no_block) {
            const Quanta size = map.size(hole);
            Quanta offset = order_.last_offset();
            for (hole = before(map, size, offset); hole != no_block && map.size(hole) == size;
                 hole = before(map, size, offset)) {
                if (n.admits(map.range(hole))) return hole;
                offset = map.offset(hole);
            }
            hole = size == map.capacity() ? no_block : longer_than(map, size);
        }
        return no_block;
    }
    [[nodiscard]] constexpr block_index admitted_from(const block_map<Quanta>& map, const need<Quanta>& n,
                                                      block_index hole) const {
        while (hole != no_block && !n.admits(map.range(hole))) hole = after(map, hole);
        return hole;
    }

    /// Returns the first hole that does not sort before a hole of `size` at `offset`.
    [[nodiscard, gnu::cold]] constexpr block_index at_least(const block_map<Quanta>& map, Quanta size,
                                                            Quanta offset) const {
        const unsigned first = order_.list_of(size, offset);
        for (unsigned list = lists_.at_least(first); list != detail::hole_lists::none; list = lists_.above(list)) {
            const block_index hole =
                list == first ? pages_.template nearest<end::low>(lists_, map, lists_.link(list), size, offset)
                              : pages_.template outermost<end::low>(lists_, map, lists_.link(list));
            if (hole != list_end) return hole;
        }
        return no_block;
    }
    /// Returns the last hole that sorts before a hole of `size` at `offset`.
    [[nodiscard, gnu::cold]] constexpr block_index before(const block_map<Quanta>& map, Quanta size,
                                                          Quanta offset) const {
        // The mirror image of `at_least`, but lists before the one of the key are found by `below`, word by word.
        const unsigned last = order_.list_of(size, offset);
        if (lists_.is_marked(last)) {
            const block_index hole = pages_.template nearest<end::high>(lists_, map, lists_.link(last), size, offset);
            if (hole != list_end) return hole;
        }
        return before_list(map, last);
    }
    [[nodiscard, gnu::cold]] constexpr block_index before_list(const block_map<Quanta>& map, unsigned list) const {
        while ((list = lists_.below(list)) != detail::hole_lists::none) {
            const block_index hole = pages_.template outermost<end::high>(lists_, map, lists_.link(list));
            if (hole != list_end) return hole;
        }
        return no_block;
    }
    /// Returns the first hole longer than `size`.
    /// Requires: `size` is less than the capacity.
    [[nodiscard, gnu::cold]] constexpr block_index longer_than(const block_map<Quanta>& map, Quanta size) const {
        return at_least(map, static_cast<Quanta>(size + 1), order_.first_offset());
    }

    order order_;
    detail::hole_lists lists_;
    pages pages_;
    unsigned leading_bits_ = 0;
    std::size_t reserved_blocks_ = 0;
};

}  // namespace hbm::inline v0
