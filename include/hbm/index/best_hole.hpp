#pragma once

/// The smallest hole that fits.

#include <hbm/core/trivial_vector.hpp>
#include <hbm/index/far_hole.hpp>
#include <hbm/index/hole_index.hpp>
#include <hbm/index/hole_order.hpp>
#include <hbm/index/list_pages.hpp>
#include <hbm/index/number_set.hpp>

#include <cstddef>

namespace hbm {

/// Finds the smallest hole that admits a need. A flat table of sorted lists under a bitmap; the `Order` says which list
/// a hole belongs to and how lists are sorted. Most lists hold one hole or none. A list that grows long all the same
/// goes on in pages: see `list_pages`.
///
/// Made for searches that begin at the end `From` of memory; others are slower. The hole at the other end is in no
/// list: see `far_hole`. From the low end it is the last among equals, whatever the order.
template <class Quanta, template <class, end> class Order, end From = end::low>
class best_hole {
public:
    using quanta = Quanta;
    static constexpr end search_end = From;

    constexpr best_hole() : best_hole(0) {}
    /// For holes of at most `capacity` quanta.
    [[gnu::cold]] constexpr explicit best_hole(Quanta capacity)
        : order_(capacity), lists_(order_.lists(), list_end), occupied_(order_.lists()), pages_(order_) {}

    /// O(1) on average; at worst the number of bits of a key over 6, and the length of a list.
    /// `offset` is the hole's: who calls knows it and need not wait for the memory it is in.
    [[gnu::always_inline]] constexpr void insert(block_map<Quanta>& map, block_index hole, Quanta offset) {
        const block_index owner = hole & ~hole_bit;
        node& added = map.node(owner);
        if (far::is_after(map, owner)) return;
        const unsigned list = order_.list_of(added.free_after, offset);
        const block_index head = lists_[list];
        if (is_page(head) || order_.before(map.node(head), added.free_after, offset)) [[unlikely]] {
            insert_within(map, owner, list);
        } else {
            occupied_.insert(list);
            added.left = list_end;
            added.right = head;
            map.node(head).left = owner;
            lists_[list] = owner;
        }
    }
    /// Cost as above, without the length of a list.
    [[gnu::always_inline]] constexpr void erase(block_map<Quanta>& map, block_index hole) {
        const block_index owner = hole & ~hole_bit;
        const node& gone = map.node(owner);
        if (far::is_after(map, owner)) return;
        const unsigned list = order_.list_of(gone.free_after, gone.end());
        const block_index before = gone.left;
        const block_index after = gone.right;
        map.node(after).left = before;
        map.node(before).right = after;
        block_index head = lists_[list];
        if (is_page(head)) [[unlikely]] {
            if (before == list_end) begin_within(map, owner, list, after);
        } else {
            head = head == owner ? after : head;
            lists_[list] = head;
            occupied_.erase_if(list, head == list_end);
        }
    }
    /// Cost as of `insert`, times the number of holes passed over because they are ill aligned or to be shunned.
    [[nodiscard]] constexpr block_index find(const block_map<Quanta>& map, const need<Quanta>& n) const {
        if (n.length > map.capacity()) return no_block;
        const block_index farthest = far::admitted(map, n);
        block_index found = at_least(map, n.length, order_.first_offset());
        if (found != no_block) found = first_admitted(map, n, found);
        if (found == no_block) return farthest;
        const Quanta size = map.free_after(found);
        const bool far_is_better = From == end::low && farthest != no_block &&
                                   (far::size(map) < size || (far::size(map) == size && n.from == end::high));
        return far_is_better ? farthest : hole_after(found);
    }
    /// Finds and erases at once, for a need that is nothing but long and is searched for from the end `From`. Cost as
    /// of `insert`.
    [[gnu::always_inline]] constexpr block_index take(block_map<Quanta>& map, Quanta length) {
        if (length > map.capacity()) [[unlikely]]
            return no_block;
        const unsigned list = occupied_.at_least(order_.list_of(length, order_.first_offset()));
        if (list != number_set::none) {
            const block_index owner = lists_[list];
            if (is_page(owner)) [[unlikely]]
                return take_within(map, length, list);
            if (map.free_after(owner) < length) [[unlikely]]
                return take_among(map, length, list);
            if (!far_is_smaller(map, length, map.free_after(owner))) {
                const block_index after = map.node(owner).right;
                map.node(after).left = list_end;
                lists_[list] = after;
                occupied_.erase_if(list, after == list_end);
                return hole_after(owner);
            }
        }
        return far::at_least(map, length);
    }
    /// Cost as of `insert`.
    [[nodiscard]] constexpr Quanta largest(const block_map<Quanta>& map) const {
        const unsigned list = occupied_.largest();
        const Quanta in_lists =
            list == number_set::none ? 0 : map.free_after(pages_.template outermost<end::high>(map, lists_[list]));
        return far::size(map) > in_lists ? far::size(map) : in_lists;
    }

    /// See `list_pages`.
    constexpr void reserve(std::size_t blocks) { pages_.reserve(blocks); }

private:
    using node = block_node<Quanta>;
    using order = Order<Quanta, From>;
    using pages = list_pages<Quanta, order>;
    using far = far_hole<From>;

    static constexpr block_index list_end = block_map<Quanta>::list_end;

    [[nodiscard]] static constexpr bool is_page(block_index link) noexcept { return pages::is_page(link); }

    /// True when the far hole is long enough and shorter than the smallest in the lists, and no last resort.
    [[nodiscard, gnu::always_inline]] static constexpr bool far_is_smaller(const block_map<Quanta>& map, Quanta length,
                                                                           Quanta smallest) noexcept {
        return From == end::low && far::size(map) >= length && far::size(map) < smallest;
    }
    /// Sorts a hole into a list that is a page, or where it does not come first.
    [[gnu::noinline]] constexpr void insert_within(block_map<Quanta>& map, block_index owner, unsigned list) {
        if (is_page(lists_[list])) {
            occupied_.insert(list);
            if (pages_.insert_first(map, lists_[list], owner)) [[likely]]
                return;
        }
        pages_.insert_later(map, lists_, list, owner);
    }
    /// Takes the first hole of a list that is a page.
    [[gnu::noinline]] constexpr block_index take_within(block_map<Quanta>& map, Quanta length, unsigned list) {
        const unsigned inner = pages_.first_list(lists_[list]);
        const block_index owner = pages_.head(inner);
        const node& first = map.node(owner);
        if (first.free_after < length || far_is_smaller(map, length, first.free_after)) [[unlikely]]
            return take_among(map, length, list);
        const block_index after = first.right;
        map.node(after).left = list_end;
        if (pages_.begin_with(inner, after)) [[unlikely]]
            clear(list);
        return hole_after(owner);
    }
    /// Takes a hole of a list that has some that are too short, or else of one above.
    [[gnu::noinline]] constexpr block_index take_among(block_map<Quanta>& map, Quanta length, unsigned list) {
        const block_index owner = at_least_within(map, length, order_.first_offset(), list);
        if (owner == no_block || far_is_smaller(map, length, map.free_after(owner))) return far::at_least(map, length);
        erase(map, hole_after(owner));
        return hole_after(owner);
    }
    /// Makes a hole the beginning of the list in a page that `gone` began.
    [[gnu::noinline]] constexpr void begin_within(const block_map<Quanta>& map, block_index gone, unsigned list,
                                                  block_index head) {
        if (pages_.begin_with(pages_.list_of(lists_[list], map.node(gone)), head)) [[unlikely]]
            clear(list);
    }
    /// Says that a list whose page has just become empty has no holes.
    constexpr void clear(unsigned list) noexcept {
        lists_[list] = pages_.give_back(lists_[list]);
        occupied_.erase(list);
    }

    // -- searching; in key order ------------------------------------------------------------------------------------

    /// The hole for a need that not every long enough hole satisfies, from the first of these on.
    [[nodiscard, gnu::cold, gnu::noinline]] constexpr block_index
    first_admitted(const block_map<Quanta>& map, const need<Quanta>& n, block_index owner) const {
        if constexpr (order::sorts_by_offset) {
            return n.from == From ? admitted_from(map, n, owner) : last_admitted(map, n, owner);
        } else {
            owner = admitted_from(map, n, owner);
            if (From == end::high && n.from == end::low && owner != no_block && map.node(owner).next == map.bottom) {
                // The hole at the top is the first among its equals here, but the last of them from the low end.
                const block_index other = admitted_from(map, n, after(map, owner));
                if (other != no_block && map.free_after(other) == map.free_after(owner)) return other;
            }
            return owner;
        }
    }
    /// The same where of equals the last in this order comes first.
    [[nodiscard, gnu::cold, gnu::noinline]] constexpr block_index
    last_admitted(const block_map<Quanta>& map, const need<Quanta>& n, block_index owner) const {
        while (owner != no_block) {
            const Quanta size = map.free_after(owner);
            Quanta offset = order_.last_offset();
            for (owner = before(map, size, offset); owner != no_block && map.free_after(owner) == size;
                 owner = before(map, size, offset)) {
                if (n.admits(map.range(owner | hole_bit))) return owner;
                offset = map.end(owner);
            }
            owner = size == map.capacity() ? no_block : longer_than(map, size);
        }
        return no_block;
    }
    /// The first of a hole and those that sort after it that a need admits.
    [[nodiscard]] constexpr block_index admitted_from(const block_map<Quanta>& map, const need<Quanta>& n,
                                                      block_index owner) const {
        while (owner != no_block && !n.admits(map.range(owner | hole_bit))) owner = after(map, owner);
        return owner;
    }

    /// The first hole that does not sort before a hole of `size` at `offset`.
    [[nodiscard, gnu::always_inline]] constexpr block_index at_least(const block_map<Quanta>& map, Quanta size,
                                                                     Quanta offset) const {
        const unsigned list = occupied_.at_least(order_.list_of(size, offset));
        if (list == number_set::none) [[unlikely]]
            return no_block;
        const block_index owner = lists_[list];
        if (is_page(owner) || order_.before(map.node(owner), size, offset)) [[unlikely]]
            return at_least_within(map, size, offset, list);
        return owner;
    }
    [[nodiscard, gnu::noinline]] constexpr block_index at_least_within(const block_map<Quanta>& map, Quanta size,
                                                                       Quanta offset, unsigned list) const {
        if (list == order_.list_of(size, offset)) {
            const block_index owner = pages_.template nearest<end::low>(map, lists_[list], size, offset);
            if (owner != list_end) return owner;
            list = occupied_.above(list);
        }
        return list == number_set::none ? no_block : pages_.template outermost<end::low>(map, lists_[list]);
    }
    /// The last hole that sorts before a hole of `size` at `offset`.
    [[nodiscard, gnu::cold]] constexpr block_index before(const block_map<Quanta>& map, Quanta size,
                                                          Quanta offset) const {
        const unsigned last = order_.list_of(size, offset);
        unsigned list = occupied_.at_most(last);
        if (list == last) {
            const block_index owner = pages_.template nearest<end::high>(map, lists_[list], size, offset);
            if (owner != list_end) return owner;
            list = occupied_.below(list);
        }
        return list == number_set::none ? no_block : pages_.template outermost<end::high>(map, lists_[list]);
    }
    /// The hole that sorts after another.
    [[nodiscard, gnu::cold]] constexpr block_index after(const block_map<Quanta>& map, block_index owner) const {
        const node& here = map.node(owner);
        if (here.right != list_end) return here.right;
        if constexpr (order::sorts_by_offset) return at_least(map, here.free_after, order::offset_after(here.end()));
        return here.free_after == map.capacity() ? no_block : longer_than(map, here.free_after);
    }
    /// The first hole that is longer than `size`, which is less than the capacity.
    [[nodiscard, gnu::cold]] constexpr block_index longer_than(const block_map<Quanta>& map, Quanta size) const {
        return at_least(map, static_cast<Quanta>(size + 1), order_.first_offset());
    }

    order order_;
    trivial_vector<block_index> lists_;
    number_set occupied_;
    pages pages_;
};

}  // namespace hbm
