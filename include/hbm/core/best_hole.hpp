#pragma once

/// The smallest hole that fits.

#include <hbm/core/hole_index.hpp>
#include <hbm/core/number_set.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace hbm {

/// Which of several holes of the smallest sufficient size is taken.
enum class tie_break : std::uint8_t {
    nearest,  ///< the one nearest the end of memory that the need searches from
    latest,   ///< the one that came to be last: it costs nothing to know, and its neighbours are still in the cache
};

/// Finds the smallest hole that admits a need. Holes are sorted by a key, the size and behind it, for ties by place, the
/// offset. The leading bits of the key, read as a small floating-point number has them, choose a list in a flat table
/// under a bitmap: small sizes, of which there are many holes, are told apart by offset as well, large ones by size
/// alone, and most lists hold one hole or none. A list that grows long all the same gives way to a page of 64 lists by
/// the next six bits of the key, and so on. Lists are sorted, so that each begins with its smallest key.
///
/// The table is as large as the capacity asks for: at 16 GiB and a quantum of 512 B it has 26,624 lists, 104 KiB.
template <class Quanta, tie_break Ties>
class best_hole {
public:
    using quanta = Quanta;

    constexpr best_hole() : best_hole(0) {}
    /// For holes of at most `capacity` quanta.
    constexpr explicit best_hole(Quanta capacity)
        : offset_bits_(static_cast<unsigned>(std::bit_width(capacity))),
          leading_bits_(std::min(most_leading_bits, offset_bits_ / 2)),
          first_shift_(std::numeric_limits<Quanta>::digits - 1 + offset_bits_ - leading_bits_),
          first_list_((offset_bits_ - leading_bits_ + 1) << leading_bits_),
          lists_(std::size_t{offset_bits_} << leading_bits_, list_end), occupied_(lists_.size()) {}

    /// O(1) on average; at worst the number of bits of a key over 6, and the length of a list.
    [[gnu::always_inline]] constexpr void insert(block_map<Quanta>& map, block_index hole) {
        const block_index owner = hole & ~hole_bit;
        node& added = map.node(owner);
        const unsigned list = list_of(added.behind, added.end());
        const block_index head = lists_[list];
        occupied_.insert(list);
        if (is_page(head) || sorts_before(map.node(head), added.behind, added.end())) [[unlikely]] {
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
        const unsigned list = list_of(gone.behind, gone.end());
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
    [[nodiscard, gnu::always_inline]] constexpr block_index find(const block_map<Quanta>& map, const need<Quanta>& n) const {
        if (n.length > map.capacity()) [[unlikely]]
            return no_block;
        const block_index owner = at_least(map, n.length, 0);
        if (owner == no_block) [[unlikely]]
            return no_block;
        return n.is_plain() ? owner | hole_bit : first_admitted(map, n, owner);
    }
    /// Cost as of `insert`.
    [[nodiscard]] constexpr Quanta largest(const block_map<Quanta>& map) const {
        const unsigned list = occupied_.largest();
        return list == number_set::none ? 0 : map.node(last_below(map, lists_[list])).behind;
    }

    /// Room for the holes between `blocks` live blocks. Where all pages are taken, lists grow longer instead.
    constexpr void reserve(std::size_t blocks) {
        most_pages_ = 64 + blocks / 64;
        pages_.reserve(most_pages_);
    }

private:
    // Wide enough for a size and an offset.
    __extension__ using key = std::conditional_t<sizeof(Quanta) == 4, std::uint64_t, unsigned __int128>;

    using node = block_node<Quanta>;

    /// Lists by the next six bits of the key. A link to one is its number with the hole bit.
    struct page {
        std::uint64_t occupied = 0;
        block_index lists[64] = {};
    };

    static constexpr block_index list_end = block_map<Quanta>::list_end;
    static constexpr unsigned most_leading_bits = 10;
    static constexpr unsigned longest_list = 8;
    static constexpr unsigned page_bits = 6;

    [[nodiscard]] static constexpr bool is_page(block_index link) noexcept { return link >= hole_bit; }

    [[nodiscard, gnu::always_inline]] constexpr key key_of(Quanta size, Quanta offset) const noexcept {
        const key high = static_cast<key>(key{size} << offset_bits_);
        return Ties == tie_break::latest ? high : static_cast<key>(high | offset);
    }
    /// The list that holes of `size` at `offset` are in: the first `leading_bits_` bits behind the first one of the key,
    /// and which doubling of the size it is. O(1), and without a branch.
    [[nodiscard, gnu::always_inline]] constexpr unsigned list_of(Quanta size, Quanta offset) const noexcept {
        const unsigned below = first_shift_ - static_cast<unsigned>(std::countl_zero(size));
        return static_cast<unsigned>(key_of(size, offset) >> below) + (below << leading_bits_) - first_list_;
    }
    /// How many bits of a key are left that did not choose its list.
    [[nodiscard]] constexpr unsigned remaining_bits(Quanta size) const noexcept {
        return static_cast<unsigned>(std::bit_width(size)) - 1 + offset_bits_ - leading_bits_;
    }
    /// The lists of a page are chosen by the bits just below `bits`; this many of them.
    [[nodiscard]] static constexpr unsigned chosen_by(unsigned bits) noexcept { return std::min(bits, page_bits); }
    [[nodiscard]] static constexpr unsigned digit(key whole, unsigned bits) noexcept {
        const unsigned width = chosen_by(bits);
        return static_cast<unsigned>(whole >> (bits - width)) & ((1u << width) - 1);
    }

    /// True when the hole behind a block sorts before one of `size` at `offset`; `list_end` never does.
    [[nodiscard, gnu::always_inline]] static constexpr bool sorts_before(const node& other, Quanta size,
                                                                         Quanta offset) noexcept {
        if constexpr (Ties == tie_break::latest)
            return other.behind < size;
        else if constexpr (sizeof(Quanta) == 4)
            return (key{other.behind} << 32 | other.end()) < (key{size} << 32 | offset);
        else
            return other.behind < size || (other.behind == size && other.end() < offset);
    }

    // -- searching; in key order ------------------------------------------------------------------------------------

    /// The hole for a need that not every long enough hole satisfies, from the first of these on.
    [[nodiscard, gnu::noinline]] constexpr block_index first_admitted(const block_map<Quanta>& map,
                                                                      const need<Quanta>& n, block_index owner) const {
        if (n.from == end::low || Ties == tie_break::latest) {
            while (owner != no_block && !n.admits(map.range(owner | hole_bit))) owner = behind(map, owner);
            return owner == no_block ? no_block : owner | hole_bit;
        }
        while (owner != no_block) {
            const Quanta size = map.behind(owner);
            Quanta offset = map.capacity();
            for (owner = before(map, size, offset); owner != no_block && map.behind(owner) == size;
                 owner = before(map, size, offset)) {
                if (n.admits(map.range(owner | hole_bit))) return owner | hole_bit;
                offset = map.end(owner);
            }
            owner = size == map.capacity() ? no_block : at_least(map, static_cast<Quanta>(size + 1), 0);
        }
        return no_block;
    }

    /// The first hole that does not sort before one of `size` at `offset`.
    [[nodiscard, gnu::always_inline]] constexpr block_index at_least(const block_map<Quanta>& map, Quanta size, Quanta offset) const {
        const unsigned wanted = list_of(size, offset);
        const unsigned list = occupied_.at_least(wanted);
        if (list == number_set::none) [[unlikely]]
            return no_block;
        const block_index owner = lists_[list];
        if (is_page(owner) || sorts_before(map.node(owner), size, offset)) [[unlikely]]
            return at_least_within(map, size, offset, list);
        return owner;
    }
    [[nodiscard, gnu::noinline]] constexpr block_index at_least_within(const block_map<Quanta>& map, Quanta size,
                                                                       Quanta offset, unsigned list) const {
        const block_index owner = list == list_of(size, offset)
                                      ? at_least_below(map, lists_[list], size, offset, remaining_bits(size))
                                      : first_below(lists_[list]);
        return owner != list_end ? owner : first_above(list);
    }
    [[nodiscard]] constexpr block_index first_above(unsigned list) const {
        const unsigned next = occupied_.above(list);
        return next == number_set::none ? no_block : first_below(lists_[next]);
    }
    /// The last hole that sorts before one of `size` at `offset`.
    [[nodiscard]] constexpr block_index before(const block_map<Quanta>& map, Quanta size, Quanta offset) const {
        const unsigned wanted = list_of(size, offset);
        unsigned list = occupied_.at_most(wanted);
        if (list == wanted) {
            const block_index hole = before_below(map, lists_[list], size, offset, remaining_bits(size));
            if (hole != list_end) return hole;
            list = occupied_.below(list);
        }
        return list == number_set::none ? no_block : last_below(map, lists_[list]);
    }
    /// The hole that sorts behind another.
    [[nodiscard]] constexpr block_index behind(const block_map<Quanta>& map, block_index owner) const {
        const node& here = map.node(owner);
        if (here.right != list_end) return here.right;
        if (Ties == tie_break::nearest) return at_least(map, here.behind, static_cast<Quanta>(here.end() + 1));
        return here.behind == map.capacity() ? no_block : at_least(map, static_cast<Quanta>(here.behind + 1), 0);
    }

    // -- pages: cold unless very many holes are of one size ---------------------------------------------------------

    [[nodiscard]] constexpr block_index first_below(block_index link) const {
        while (is_page(link)) link = pages_[link & ~hole_bit].lists[std::countr_zero(pages_[link & ~hole_bit].occupied)];
        return link;
    }
    [[nodiscard]] constexpr block_index last_below(const block_map<Quanta>& map, block_index link) const {
        while (is_page(link)) link = pages_[link & ~hole_bit].lists[63 - std::countl_zero(pages_[link & ~hole_bit].occupied)];
        while (map.node(link).right != list_end) link = map.node(link).right;
        return link;
    }
    [[nodiscard]] constexpr block_index at_least_below(const block_map<Quanta>& map, block_index link, Quanta size,
                                                       Quanta offset, unsigned bits) const {
        if (!is_page(link)) {
            while (sorts_before(map.node(link), size, offset)) link = map.node(link).right;
            return link;
        }
        const page& below = pages_[link & ~hole_bit];
        const unsigned chosen = digit(key_of(size, offset), bits);
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
            for (; sorts_before(map.node(link), size, offset); link = map.node(link).right) last = link;
            return last;
        }
        const page& below = pages_[link & ~hole_bit];
        const unsigned chosen = digit(key_of(size, offset), bits);
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
        const key whole = key_of(map.behind(owner), map.end(owner));
        bits = remaining_bits(map.behind(owner));
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
        for (; sorts_before(map.node(behind), added.behind, added.end()); ++passed) {
            before = behind;
            behind = map.node(behind).right;
        }
        added.left = before;
        added.right = behind;
        map.node(behind).left = owner;
        (before == list_end ? head : map.node(before).right) = owner;
        if (passed > longest_list) break_up(map, owner, list);
    }

    /// Makes `head` the beginning of the list that `gone` began. Pages that are empty then end.
    [[gnu::noinline]] constexpr void begin_within(const block_map<Quanta>& map, block_index gone, unsigned list,
                                                  block_index head) {
        const key whole = key_of(map.behind(gone), map.end(gone));
        if (begin_below(lists_[list], whole, remaining_bits(map.behind(gone)), head)) occupied_.erase(list);
    }
    /// True when nothing is left below `link`.
    constexpr bool begin_below(block_index& link, key whole, unsigned bits, block_index head) {
        if (!is_page(link)) {
            link = head;
            return head == list_end;
        }
        page& below = pages_[link & ~hole_bit];
        const unsigned chosen = digit(whole, bits);
        if (!begin_below(below.lists[chosen], whole, bits - chosen_by(bits), head)) return false;
        below.occupied &= ~(std::uint64_t{1} << chosen);
        if (below.occupied != 0) return false;
        below.lists[0] = spare_page_;
        spare_page_ = link;
        link = list_end;
        return true;
    }

    /// Puts a page in the place of the long list that a hole is in. Its keys differ, so bits are left to tell them apart
    /// by. O(length of the list).
    [[gnu::noinline]] constexpr void break_up(block_map<Quanta>& map, block_index owner, unsigned list) {
        block_index fresh = spare_page_;
        if (fresh != list_end) {
            spare_page_ = pages_[fresh & ~hole_bit].lists[0];
        } else if (pages_.size() < most_pages_) {
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
            const unsigned chosen = digit(key_of(map.behind(next), map.end(next)), bits);
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

    block_index spare_page_ = list_end;
    std::size_t most_pages_ = ~std::size_t{0};
    unsigned offset_bits_;
    unsigned leading_bits_;
    unsigned first_shift_;  // how far down the key of the largest number goes to name its list
    unsigned first_list_;   // what the smallest key would name
    std::vector<block_index> lists_;
    number_set occupied_;
    std::vector<page> pages_;
};

}  // namespace hbm
