#pragma once

/// The smallest hole that fits.

#include <hbm/core/hole_index.hpp>
#include <hbm/core/hole_order.hpp>
#include <hbm/core/number_set.hpp>

#include <bit>
#include <cstdint>
#include <vector>

namespace hbm {

/// Finds the smallest hole that admits a need. A flat table of sorted lists under a bitmap; the `Order` says which list
/// a hole belongs to and how lists are sorted. Most lists hold one hole or none. A list that grows long all the same
/// gives way to a page of 64 lists by the next six bits of the key, and so on.
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
        : order_(capacity), lists_(order_.lists(), list_end), occupied_(order_.lists()) {}

    /// O(1) on average; at worst the number of bits of a key over 6, and the length of a list.
    /// `offset` is the hole's: who calls knows it and need not wait for the memory it is in.
    [[gnu::always_inline]] constexpr void insert(block_map<Quanta>& map, block_index hole, Quanta offset) {
        const block_index owner = hole & ~hole_bit;
        node& added = map.node(owner);
        if (added.next == map.bottom) {
            top_ = owner;
            top_size_ = added.behind;
            return;
        }
        const unsigned list = order_.list_of(added.behind, offset);
        const block_index head = lists_[list];
        occupied_.insert(list);
        if (is_page(head) || order_.before(map.node(head), added.behind, offset)) [[unlikely]] {
            insert_within(map, owner, list);
        } else {
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
        const unsigned list = order_.list_of(gone.behind, gone.end());
        const block_index before = gone.left;
        const block_index behind = gone.right;
        map.node(behind).left = before;
        map.node(before).right = behind;
        block_index head = lists_[list];
        if (is_page(head)) [[unlikely]] {
            if (before == list_end) begin_within(map, owner, list, behind);
        } else {
            head = head == owner ? behind : head;
            lists_[list] = head;
            occupied_.erase_if(list, head == list_end);
        }
    }
    /// Cost as of `insert`, times the number of holes passed over because they are ill aligned or to be shunned.
    [[nodiscard]] constexpr block_index find(const block_map<Quanta>& map, const need<Quanta>& n) const {
        if (n.length > map.capacity()) return no_block;
        block_index found = at_least(map, n.length, 0);
        if (found != no_block && !n.is_plain()) found = first_admitted(map, n, found);
        const bool top_admits = top_size_ >= n.length && n.admits(map.range(hole_behind(top_)));
        if (found == no_block) return top_admits ? hole_behind(top_) : no_block;
        const Quanta size = map.behind(found);
        const bool top_is_better = top_size_ < size || (top_size_ == size && n.from == end::high);
        return hole_behind(top_admits && top_is_better ? top_ : found);
    }
    /// Finds and erases at once, for a need that is nothing but long. Cost as of `insert`.
    [[gnu::always_inline]] constexpr block_index take(block_map<Quanta>& map, Quanta length) {
        if (length > map.capacity()) [[unlikely]]
            return no_block;
        const unsigned list = occupied_.at_least(order_.list_of(length, 0));
        if (list != number_set::none) {
            const block_index owner = lists_[list];
            if (is_page(owner) || order_.before(map.node(owner), length, 0)) [[unlikely]]
                return take_within(map, length, list);
            if (top_size_ < length || map.behind(owner) <= top_size_) {
                const block_index behind = map.node(owner).right;
                map.node(behind).left = list_end;
                lists_[list] = behind;
                occupied_.erase_if(list, behind == list_end);
                return hole_behind(owner);
            }
        }
        return take_top(length);
    }
    /// Cost as of `insert`.
    [[nodiscard]] constexpr Quanta largest(const block_map<Quanta>& map) const {
        const unsigned list = occupied_.largest();
        const Quanta below_top = list == number_set::none ? 0 : map.behind(last_below(map, lists_[list]));
        return top_size_ > below_top ? top_size_ : below_top;
    }

    /// Room for the holes between `blocks` live blocks. As long as there were never more, lists grow longer where the
    /// pages that this makes room for are taken.
    constexpr void reserve(std::size_t blocks) {
        if (blocks <= reserved_blocks_) return;
        reserved_blocks_ = blocks;
        reserved_pages_ = blocks < 512'000 ? 64 + blocks / 256 : 2064;  // half a MiB at most
        pages_.reserve(reserved_pages_);
    }

private:
    using node = block_node<Quanta>;
    using key = typename Order<Quanta>::key;

    /// Lists by the next six bits of the key. A link to one is its number with the hole bit.
    struct page {
        std::uint64_t occupied = 0;
        block_index lists[64] = {};
    };

    /// The way from a list of the table down to one in a page.
    struct turn {
        block_index page;
        unsigned digit;
    };
    struct trail {
        unsigned list;
        unsigned depth = 0;
        turn turns[(sizeof(key) * 8 + 5) / 6];  // left as they are: clearing them takes longer than using them

        constexpr explicit trail(unsigned from) noexcept : list(from) {}

        constexpr void add(block_index page, unsigned digit) noexcept { turns[depth++] = {page, digit}; }
        [[nodiscard]] constexpr const turn& last() const noexcept { return turns[depth - 1]; }
    };

    static constexpr block_index list_end = block_map<Quanta>::list_end;
    static constexpr unsigned longest_list = 4;
    static constexpr unsigned page_bits = 6;

    [[nodiscard]] static constexpr bool is_page(block_index link) noexcept { return link >= hole_bit; }

    /// The lists of a page are chosen by the bits just below `bits`; this many of them.
    [[nodiscard]] static constexpr unsigned chosen_by(unsigned bits) noexcept {
        return bits < page_bits ? bits : page_bits;
    }
    [[nodiscard]] static constexpr unsigned digit(key whole, unsigned bits) noexcept {
        const unsigned width = chosen_by(bits);
        return static_cast<unsigned>(whole >> (bits - width)) & ((1u << width) - 1);
    }

    [[nodiscard]] constexpr key key_of(const node& other) const noexcept {
        return order_.key_of(other.behind, other.end());
    }

    [[gnu::noinline]] constexpr block_index take_within(block_map<Quanta>& map, Quanta length, unsigned list) {
        trail way(list);
        block_index owner = lists_[list];
        while (is_page(owner)) {
            way.add(owner, static_cast<unsigned>(std::countr_zero(pages_[owner & ~hole_bit].occupied)));
            owner = pages_[owner & ~hole_bit].lists[way.last().digit];
        }
        if (way.depth == 0 || order_.before(map.node(owner), length, 0)) {
            owner = at_least_within(map, length, 0, list);
            if (owner == no_block || (top_size_ >= length && top_size_ < map.behind(owner))) return take_top(length);
            erase(map, hole_behind(owner));
            return hole_behind(owner);
        }
        if (top_size_ >= length && top_size_ < map.behind(owner)) return take_top(length);
        const block_index behind = map.node(owner).right;
        map.node(behind).left = list_end;
        begin_with(behind, way);
        return hole_behind(owner);
    }
    constexpr block_index take_top(Quanta length) noexcept {
        if (top_size_ < length) return no_block;
        top_size_ = 0;
        return hole_behind(top_);
    }

    // -- searching; in key order ------------------------------------------------------------------------------------

    /// The hole for a need that not every long enough hole satisfies, from the first of these on.
    [[nodiscard, gnu::noinline]] constexpr block_index first_admitted(const block_map<Quanta>& map,
                                                                      const need<Quanta>& n, block_index owner) const {
        if (n.from == end::low || !Order<Quanta>::sorts_by_offset) {
            while (owner != no_block && !n.admits(map.range(owner | hole_bit))) owner = behind(map, owner);
            return owner;
        }
        while (owner != no_block) {
            const Quanta size = map.behind(owner);
            Quanta offset = map.capacity();
            for (owner = before(map, size, offset); owner != no_block && map.behind(owner) == size;
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
        const block_index owner = list == order_.list_of(size, offset)
                                      ? at_least_below(map, lists_[list], size, offset, order_.remaining_bits(size))
                                      : first_below(lists_[list]);
        return owner != list_end ? owner : first_above(list);
    }
    [[nodiscard]] constexpr block_index first_above(unsigned list) const {
        const unsigned next = occupied_.above(list);
        return next == number_set::none ? no_block : first_below(lists_[next]);
    }
    /// The last hole that sorts before one of `size` at `offset`.
    [[nodiscard]] constexpr block_index before(const block_map<Quanta>& map, Quanta size, Quanta offset) const {
        const unsigned wanted = order_.list_of(size, offset);
        unsigned list = occupied_.at_most(wanted);
        if (list == wanted) {
            const block_index hole = before_below(map, lists_[list], size, offset, order_.remaining_bits(size));
            if (hole != list_end) return hole;
            list = occupied_.below(list);
        }
        return list == number_set::none ? no_block : last_below(map, lists_[list]);
    }
    /// The hole that sorts behind another.
    [[nodiscard]] constexpr block_index behind(const block_map<Quanta>& map, block_index owner) const {
        const node& here = map.node(owner);
        if (here.right != list_end) return here.right;
        if (Order<Quanta>::sorts_by_offset) return at_least(map, here.behind, static_cast<Quanta>(here.end() + 1));
        return here.behind == map.capacity() ? no_block : at_least(map, static_cast<Quanta>(here.behind + 1), 0);
    }

    // -- pages: cold unless very many holes are of one size ---------------------------------------------------------

    [[nodiscard]] constexpr block_index first_below(block_index link) const {
        while (is_page(link))
            link = pages_[link & ~hole_bit].lists[std::countr_zero(pages_[link & ~hole_bit].occupied)];
        return link;
    }
    [[nodiscard]] constexpr block_index last_below(const block_map<Quanta>& map, block_index link) const {
        while (is_page(link))
            link = pages_[link & ~hole_bit].lists[63 - std::countl_zero(pages_[link & ~hole_bit].occupied)];
        while (map.node(link).right != list_end) link = map.node(link).right;
        return link;
    }
    [[nodiscard]] constexpr block_index at_least_below(const block_map<Quanta>& map, block_index link, Quanta size,
                                                       Quanta offset, unsigned bits) const {
        if (!is_page(link)) {
            while (order_.before(map.node(link), size, offset)) link = map.node(link).right;
            return link;
        }
        const page& below = pages_[link & ~hole_bit];
        const unsigned chosen = digit(order_.key_of(size, offset), bits);
        if ((below.occupied >> chosen & 1) != 0) {
            const block_index hole = at_least_below(map, below.lists[chosen], size, offset, bits - chosen_by(bits));
            if (hole != list_end) return hole;
        }
        const std::uint64_t above = below.occupied >> chosen >> 1 << chosen << 1;
        return above == 0 ? list_end : first_below(below.lists[std::countr_zero(above)]);
    }
    [[nodiscard]] constexpr block_index before_below(const block_map<Quanta>& map, block_index link, Quanta size,
                                                     Quanta offset, unsigned bits) const {
        if (!is_page(link)) {
            block_index last = list_end;
            for (; order_.before(map.node(link), size, offset); link = map.node(link).right) last = link;
            return last;
        }
        const page& below = pages_[link & ~hole_bit];
        const unsigned chosen = digit(order_.key_of(size, offset), bits);
        if ((below.occupied >> chosen & 1) != 0) {
            const block_index hole = before_below(map, below.lists[chosen], size, offset, bits - chosen_by(bits));
            if (hole != list_end) return hole;
        }
        const std::uint64_t lower = below.occupied & ((std::uint64_t{1} << chosen) - 1);
        return lower == 0 ? list_end : last_below(map, below.lists[63 - std::countl_zero(lower)]);
    }

    /// Finds where the list begins that a hole belongs to, in a page that is marked as having it, and how many bits of
    /// the key are left there.
    [[nodiscard]] constexpr block_index& descend(const block_map<Quanta>& map, block_index owner, unsigned list,
                                                 unsigned& bits) {
        const key whole = key_of(map.node(owner));
        bits = order_.remaining_bits(map.behind(owner));
        block_index* head = &lists_[list];
        while (is_page(*head)) {
            page& below = pages_[*head & ~hole_bit];
            const unsigned chosen = digit(whole, bits);
            below.occupied |= std::uint64_t{1} << chosen;
            head = &below.lists[chosen];
            bits -= chosen_by(bits);
        }
        return *head;
    }

    [[gnu::noinline]] constexpr void insert_within(block_map<Quanta>& map, block_index owner, unsigned list) {
        unsigned bits = 0;
        block_index& head = descend(map, owner, list, bits);
        node& added = map.node(owner);
        block_index before = list_end;
        block_index behind = head;
        unsigned passed = 0;
        for (; order_.before(map.node(behind), added.behind, added.end()); ++passed) {
            before = behind;
            behind = map.node(behind).right;
        }
        added.left = before;
        added.right = behind;
        map.node(behind).left = owner;
        (before == list_end ? head : map.node(before).right) = owner;
        if (passed > longest_list) break_up(map, owner, list);
    }

    /// Makes `head` the beginning of the list that `gone` began.
    [[gnu::noinline]] constexpr void begin_within(const block_map<Quanta>& map, block_index gone, unsigned list,
                                                  block_index head) {
        const key whole = key_of(map.node(gone));
        unsigned bits = order_.remaining_bits(map.behind(gone));
        trail way(list);
        for (block_index link = lists_[list]; is_page(link); link = pages_[link & ~hole_bit].lists[way.last().digit]) {
            way.add(link, digit(whole, bits));
            bits -= chosen_by(bits);
        }
        begin_with(head, way);
    }
    /// Makes `head` the beginning of the list at the end of the way. Pages that are empty then end.
    constexpr void begin_with(block_index head, trail& way) {
        for (;; --way.depth) {
            const turn last = way.last();
            page& below = pages_[last.page & ~hole_bit];
            below.lists[last.digit] = head;
            if (head != list_end) return;
            below.occupied &= ~(std::uint64_t{1} << last.digit);
            if (below.occupied != 0) return;
            below.lists[0] = spare_page_;
            spare_page_ = last.page;
            if (way.depth == 1) break;
        }
        lists_[way.list] = list_end;
        occupied_.erase(way.list);
    }

    /// Puts a page in the place of the long list that a hole is in. Its keys differ, so bits are left to tell them
    /// apart by. O(length of the list).
    [[gnu::noinline]] constexpr void break_up(block_map<Quanta>& map, block_index owner, unsigned list) {
        block_index fresh = spare_page_;
        if (fresh != list_end) {
            spare_page_ = pages_[fresh & ~hole_bit].lists[0];
        } else if (pages_.size() < reserved_pages_ || map.nodes() > reserved_blocks_ + 2) {
            pages_.emplace_back();
            fresh = static_cast<block_index>(pages_.size() - 1) | hole_bit;
        } else {
            return;
        }
        unsigned bits = 0;
        block_index& head = descend(map, owner, list, bits);
        page& below = pages_[fresh & ~hole_bit];
        below.occupied = 0;
        for (block_index& empty : below.lists) empty = list_end;
        unsigned latest = 64;
        for (block_index next = head; next != list_end; next = map.node(next).right) {
            const unsigned chosen = digit(key_of(map.node(next)), bits);
            if (chosen == latest) continue;
            if (latest != 64) {
                map.node(map.node(next).left).right = list_end;
                map.node(next).left = list_end;
            }
            below.lists[chosen] = next;
            below.occupied |= std::uint64_t{1} << chosen;
            latest = chosen;
        }
        head = fresh;
    }

    Order<Quanta> order_;
    block_index top_ = 0;  // names the hole at the top of memory
    Quanta top_size_ = 0;  // 0 when there is none
    std::vector<block_index> lists_;
    number_set occupied_;
    std::vector<page> pages_;
    block_index spare_page_ = list_end;
    std::size_t reserved_blocks_ = 0;
    std::size_t reserved_pages_ = 0;
};

}  // namespace hbm
