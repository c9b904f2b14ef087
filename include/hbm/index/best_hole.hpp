#pragma once

/// The smallest hole that fits.

#include <hbm/index/hole_index.hpp>
#include <hbm/index/hole_order.hpp>
#include <hbm/index/list_pages.hpp>
#include <hbm/index/number_set.hpp>

#include <cstddef>
#include <vector>

namespace hbm {

/// Finds the smallest hole that admits a need. A flat table of sorted lists under a bitmap; the `Order` says which list
/// a hole belongs to and how lists are sorted. Most lists hold one hole or none. A list that grows long all the same
/// goes on in pages: see `list_pages`.
///
/// The hole at the top of memory is in no list: it is the one that every block of a stack changes. Among equals it is
/// the nearest to the top, whatever the order.
template <class Quanta, template <class> class Order>
class best_hole {
public:
    using quanta = Quanta;

    constexpr best_hole() : best_hole(0) {}
    /// For holes of at most `capacity` quanta.
    constexpr explicit best_hole(Quanta capacity)
        : order_(capacity), lists_(order_.lists(), list_end), occupied_(order_.lists()), pages_(order_) {}

    /// O(1) on average; at worst the number of bits of a key over 6, and the length of a list.
    /// `offset` is the hole's: who calls knows it and need not wait for the memory it is in.
    [[gnu::always_inline]] constexpr void insert(block_map<Quanta>& map, block_index hole, Quanta offset) {
        const block_index owner = hole & ~hole_bit;
        node& added = map.node(owner);
        if (added.next == map.bottom) {
            top_ = owner;
            top_size_ = added.free_after;
            return;
        }
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
        if (gone.next == map.bottom) {
            top_size_ = 0;
            return;
        }
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
        block_index found = at_least(map, n.length, 0);
        if (found != no_block && !n.is_plain()) found = first_admitted(map, n, found);
        const bool top_admits = top_size_ >= n.length && n.admits(map.range(hole_after(top_)));
        if (found == no_block) return top_admits ? hole_after(top_) : no_block;
        const Quanta size = map.free_after(found);
        const bool top_is_better = top_size_ < size || (top_size_ == size && n.from == end::high);
        return hole_after(top_admits && top_is_better ? top_ : found);
    }
    /// Finds and erases at once, for a need that is nothing but long. Cost as of `insert`.
    [[gnu::always_inline]] constexpr block_index take(block_map<Quanta>& map, Quanta length) {
        if (length > map.capacity()) [[unlikely]]
            return no_block;
        const unsigned list = occupied_.at_least(order_.list_of(length, 0));
        if (list != number_set::none) {
            const block_index owner = lists_[list];
            if (is_page(owner)) [[unlikely]]
                return take_within(map, length, list);
            if (map.free_after(owner) < length) [[unlikely]]
                return take_among(map, length, list);
            if (top_size_ < length || map.free_after(owner) <= top_size_) {
                const block_index after = map.node(owner).right;
                map.node(after).left = list_end;
                lists_[list] = after;
                occupied_.erase_if(list, after == list_end);
                return hole_after(owner);
            }
        }
        return take_top(length);
    }
    /// Cost as of `insert`.
    [[nodiscard]] constexpr Quanta largest(const block_map<Quanta>& map) const {
        const unsigned list = occupied_.largest();
        const Quanta below_top =
            list == number_set::none ? 0 : map.free_after(pages_.template outermost<end::high>(map, lists_[list]));
        return top_size_ > below_top ? top_size_ : below_top;
    }

    /// See `list_pages`.
    constexpr void reserve(std::size_t blocks) { pages_.reserve(blocks); }

private:
    using node = block_node<Quanta>;
    using pages = list_pages<Quanta, Order<Quanta>>;

    static constexpr block_index list_end = block_map<Quanta>::list_end;

    [[nodiscard]] static constexpr bool is_page(block_index link) noexcept { return pages::is_page(link); }

    /// Sorts a hole into a list that is a page, or where it does not come first.
    [[gnu::noinline]] constexpr void insert_within(block_map<Quanta>& map, block_index owner, unsigned list) {
        if (is_page(lists_[list])) {
            occupied_.insert(list);
            if (pages_.insert_first(map, lists_[list], owner)) [[likely]]
                return;
        }
        pages_.insert_behind(map, lists_, list, owner);
    }
    /// Takes the first hole of a list that is a page.
    [[gnu::noinline]] constexpr block_index take_within(block_map<Quanta>& map, Quanta length, unsigned list) {
        const unsigned inner = pages_.first_list(lists_[list]);
        const block_index owner = pages_.head(inner);
        const node& first = map.node(owner);
        if (first.free_after < length || (top_size_ >= length && top_size_ < first.free_after)) [[unlikely]]
            return take_among(map, length, list);
        const block_index after = first.right;
        map.node(after).left = list_end;
        if (pages_.begin_with(inner, after)) [[unlikely]]
            clear(list);
        return hole_after(owner);
    }
    /// Takes a hole of a list that has some that are too short, or else of one above.
    [[gnu::noinline]] constexpr block_index take_among(block_map<Quanta>& map, Quanta length, unsigned list) {
        const block_index owner = at_least_within(map, length, 0, list);
        if (owner == no_block || (top_size_ >= length && top_size_ < map.free_after(owner))) return take_top(length);
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
    constexpr block_index take_top(Quanta length) noexcept {
        if (top_size_ < length) return no_block;
        top_size_ = 0;
        return hole_after(top_);
    }

    // -- searching; in key order ------------------------------------------------------------------------------------

    /// The hole for a need that not every long enough hole satisfies, from the first of these on.
    [[nodiscard, gnu::noinline]] constexpr block_index first_admitted(const block_map<Quanta>& map,
                                                                      const need<Quanta>& n, block_index owner) const {
        if (n.from == end::low || !Order<Quanta>::sorts_by_offset) {
            while (owner != no_block && !n.admits(map.range(owner | hole_bit))) owner = after(map, owner);
            return owner;
        }
        while (owner != no_block) {
            const Quanta size = map.free_after(owner);
            Quanta offset = map.capacity();
            for (owner = before(map, size, offset); owner != no_block && map.free_after(owner) == size;
                 owner = before(map, size, offset)) {
                if (n.admits(map.range(owner | hole_bit))) return owner;
                offset = map.end(owner);
            }
            owner = size == map.capacity() ? no_block : at_least(map, static_cast<Quanta>(size + 1), 0);
        }
        return no_block;
    }

    /// The first hole that does not sort before one of `size` at `offset`.
    [[nodiscard, gnu::always_inline]] constexpr block_index at_least(const block_map<Quanta>& map, Quanta size,
                                                                     Quanta offset) const {
        const unsigned wanted = order_.list_of(size, offset);
        const unsigned list = occupied_.at_least(wanted);
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
    /// The last hole that sorts before one of `size` at `offset`.
    [[nodiscard]] constexpr block_index before(const block_map<Quanta>& map, Quanta size, Quanta offset) const {
        const unsigned wanted = order_.list_of(size, offset);
        unsigned list = occupied_.at_most(wanted);
        if (list == wanted) {
            const block_index owner = pages_.template nearest<end::high>(map, lists_[list], size, offset);
            if (owner != list_end) return owner;
            list = occupied_.below(list);
        }
        return list == number_set::none ? no_block : pages_.template outermost<end::high>(map, lists_[list]);
    }
    /// The hole that sorts after another.
    [[nodiscard]] constexpr block_index after(const block_map<Quanta>& map, block_index owner) const {
        const node& here = map.node(owner);
        if (here.right != list_end) return here.right;
        if (Order<Quanta>::sorts_by_offset) return at_least(map, here.free_after, static_cast<Quanta>(here.end() + 1));
        return here.free_after == map.capacity() ? no_block
                                                 : at_least(map, static_cast<Quanta>(here.free_after + 1), 0);
    }

    Order<Quanta> order_;
    block_index top_ = 0;  // names the hole at the top of memory
    Quanta top_size_ = 0;  // 0 when there is none
    std::vector<block_index> lists_;
    number_set occupied_;
    pages pages_;
};

}  // namespace hbm
