#pragma once

/// Sorted lists that grew long.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/request.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/index/hole_order.hpp>

#include <bit>
#include <cstdint>

namespace hbm {

/// Lists of holes under pages. A list that grows long gives way to a page of 64 lists by the next six bits of the key,
/// and so on. A link leads to the first hole of a list, or to a page; whoever has the table of lists asks here only
/// where its link `is_page`.
///
/// A page stays when its last hole goes, for the next hole with these bits: how deep a list lies decides a branch, and
/// where holes of one size come and go it had better stay as it is. Only a page that the table leads to goes, if none
/// is below it. Other empty pages are looked for where pages are made.
template <class Quanta, class Order>
class list_pages {
public:
    constexpr explicit list_pages(const Order& order) : order_(order) {}

    /// The length up to which lists are left alone.
    static constexpr unsigned longest_list = 4;

    [[nodiscard]] static constexpr bool is_page(block_index link) noexcept { return link >= hole_bit; }

    // -- searching; O(bits of a key / 6), and the length of a list ---------------------------------------------------

    /// The number of the list in a page that comes first below a link to one.
    [[nodiscard, gnu::always_inline]] constexpr unsigned first_list(block_index link) const noexcept {
        for (;;) {
            const unsigned list = outermost_list<end::low>(link, occupied(link));
            link = lists_[list];
            if (!is_page(link)) return list;
        }
    }
    /// The number of the list in a page that a hole belongs to.
    [[nodiscard, gnu::always_inline]] constexpr unsigned list_of(block_index link,
                                                                 const block_node<Quanta>& hole) const noexcept {
        for (key rest = order_.rest(hole.free_after, hole.end());; rest = rest << page_bits) {
            const unsigned list = list_in(link, rest);
            link = lists_[list];
            if (!is_page(link)) return list;
        }
    }
    /// The hole that begins a list in a page.
    [[nodiscard]] constexpr block_index head(unsigned list) const noexcept { return lists_[list]; }

    /// The hole that sorts first or last, as seen from one end, below a link that leads to one.
    template <end From>
    [[nodiscard]] constexpr block_index outermost(const block_map<Quanta>& map, block_index link) const {
        while (is_page(link)) link = lists_[outermost_list<From>(link, occupied(link))];
        if (From == end::high)
            while (map.node(link).right != list_end) link = map.node(link).right;
        return link;
    }
    /// From the low end, the first hole below a link that does not sort before one of `size` at `offset`; from the high
    /// end, the last that does. Or `list_end`.
    template <end From>
    [[nodiscard]] constexpr block_index nearest(const block_map<Quanta>& map, block_index link, Quanta size,
                                                Quanta offset) const {
        unsigned beside = none;  // the list on that side of the way down that is nearest to it
        for (key rest = order_.rest(size, offset); is_page(link); rest = rest << page_bits) {
            const std::uint64_t here = occupied(link);
            const unsigned chosen = digit(rest);
            const std::uint64_t others =
                here & (From == end::low ? ~std::uint64_t{1} << chosen : (std::uint64_t{1} << chosen) - 1);
            if (others != 0) beside = outermost_list<From>(link, others);
            link = (here >> chosen & 1) != 0 ? lists_[list_in(link, rest)] : list_end;
        }
        block_index before = list_end;
        for (; order_.before(map.node(link), size, offset); link = map.node(link).right) before = link;
        const block_index found = From == end::low ? link : before;
        return found != list_end || beside == none ? found : outermost<From>(map, lists_[beside]);
    }

    // -- changing; cost as above, and the length of a list where a page is made --------------------------------------

    /// Sorts the hole after a block into its list in a page, if it comes first there, given a link to a page above it.
    /// Else it only marks the pages on the way, and returns false.
    [[gnu::always_inline]] constexpr bool insert_first(block_map<Quanta>& map, block_index link, block_index owner) {
        node& added = map.node(owner);
        unsigned list = 0;
        for (key rest = order_.rest(added.free_after, added.end()); is_page(link); rest = rest << page_bits) {
            list = list_in(link, rest);
            pages_[list / 64].occupied |= std::uint64_t{1} << list % 64;
            link = lists_[list];
        }
        if (order_.before(map.node(link), added.free_after, added.end())) [[unlikely]]
            return false;
        added.left = list_end;
        added.right = link;
        map.node(link).left = owner;
        lists_[list] = owner;
        return true;
    }
    /// Sorts the hole after a block into its list of a table, or in the pages below, where it does not come first.
    [[gnu::noinline]] constexpr void insert_later(block_map<Quanta>& map, trivial_vector<block_index>& table,
                                                  unsigned list, block_index owner) {
        node& added = map.node(owner);
        list = is_page(table[list]) ? list_of(table[list], added) : list | hole_bit;
        block_index before = list_end;
        block_index after = link_to(table, list);
        unsigned passed = 0;
        for (; order_.before(map.node(after), added.free_after, added.end()); ++passed) {
            before = after;
            after = map.node(after).right;
        }
        added.left = before;
        added.right = after;
        map.node(after).left = owner;
        map.node(before).right = owner;
        if (passed > longest_list) break_up(map, table, list);
    }
    /// Makes a hole, or `list_end`, the beginning of a list in a page. True if that leaves the table's page empty.
    [[gnu::always_inline]] constexpr bool begin_with(unsigned list, block_index head) noexcept {
        lists_[list] = head;
        bool empty = head == list_end;
        while (!in_table(list)) {
            page& here = pages_[list / 64];
            here.occupied &= ~(std::uint64_t{empty} << list % 64);
            empty = here.occupied == 0;
            list = here.parent;
        }
        return empty;
    }
    /// What is to stand in a table for a page that is empty: itself if it has pages below it, else nothing.
    [[nodiscard]] constexpr block_index give_back(block_index link) noexcept {
        if (pages_[page_at(link)].pages != 0) return link;
        recycle(page_at(link));
        return list_end;
    }

    /// Room for the holes between `blocks` live blocks. As long as there were never more, lists grow longer where the
    /// pages that this makes room for are taken.
    constexpr void reserve(std::size_t blocks) {
        if (blocks <= reserved_blocks_) return;
        reserved_blocks_ = blocks;
        reserved_pages_ = blocks < 512'000 ? 64 + blocks / 256 : 2064;  // half a MiB at most
        pages_.reserve(reserved_pages_);
        lists_.reserve(reserved_pages_ * 64);
    }

private:
    using node = block_node<Quanta>;
    using key = typename Order::key;

    /// What leads to 64 lists. A link to a page is the number of its first list, with the hole bit.
    struct page {
        std::uint64_t occupied = 0;  // which of its lists have a hole in them or below them
        unsigned parent = 0;         // the list it stands for: in another page, or in the table, with the hole bit
        unsigned pages = 0;          // how many of its lists are pages
    };

    static constexpr block_index list_end = block_map<Quanta>::list_end;
    static constexpr unsigned page_bits = 6;

    [[nodiscard]] static constexpr bool in_table(unsigned list) noexcept { return list >= hole_bit; }

    [[nodiscard]] static constexpr unsigned page_at(block_index link) noexcept { return (link & ~hole_bit) / 64; }
    [[nodiscard]] constexpr std::uint64_t occupied(block_index link) const noexcept {
        return pages_[page_at(link)].occupied;
    }
    /// The list of a page that the next bits of a key choose.
    [[nodiscard]] static constexpr unsigned digit(key rest) noexcept {
        return static_cast<unsigned>(rest >> (sizeof(key) * 8 - page_bits));
    }
    [[nodiscard]] static constexpr unsigned list_in(block_index link, key rest) noexcept {
        return (link & ~hole_bit) + digit(rest);
    }
    /// The first or the last of some lists of a page.
    template <end From>
    [[nodiscard]] static constexpr unsigned outermost_list(block_index link, std::uint64_t some) noexcept {
        return (link & ~hole_bit) +
               static_cast<unsigned>(From == end::low ? std::countr_zero(some) : 63 - std::countl_zero(some));
    }

    /// Puts a page in the place of a long list, if there is one. The keys in the list differ, so bits are left to tell
    /// them apart by. O(length of the list).
    [[gnu::cold]] constexpr void break_up(block_map<Quanta>& map, trivial_vector<block_index>& table, unsigned list) {
        const unsigned fresh = new_page(map, table);
        if (fresh == none) return;
        pages_[fresh] = {0, list, 0};
        unsigned chosen_by = 0;
        for (unsigned above = list; !in_table(above); above = pages_[above / 64].parent) chosen_by += page_bits;
        if (!in_table(list)) ++pages_[list / 64].pages;
        for (unsigned i = 0; i < 64; ++i) lists_[fresh * 64 + i] = list_end;
        block_index& link = link_to(table, list);
        unsigned latest = none;
        for (block_index next = link; next != list_end; next = map.node(next).right) {
            const unsigned chosen =
                digit(static_cast<key>(order_.rest(map.free_after(next), map.end(next)) << chosen_by));
            if (chosen == latest) continue;
            if (latest != none) {
                map.node(map.node(next).left).right = list_end;
                map.node(next).left = list_end;
            }
            lists_[fresh * 64 + chosen] = next;
            pages_[fresh].occupied |= std::uint64_t{1} << chosen;
            latest = chosen;
        }
        link = fresh * 64 | hole_bit;
    }
    [[nodiscard]] constexpr block_index& link_to(trivial_vector<block_index>& table, unsigned list) noexcept {
        return in_table(list) ? table[list & ~hole_bit] : lists_[list];
    }

    /// A page that nothing leads to, or `none` when there is no room for one. Looks at two pages in turn for whether
    /// they are empty, so that these do not pile up: O(1).
    [[nodiscard, gnu::cold]] constexpr unsigned new_page(const block_map<Quanta>& map,
                                                         trivial_vector<block_index>& table) {
        const auto all = static_cast<unsigned>(pages_.size());
        for (unsigned looks = 0; looks < 2 && looks < all; ++looks) {
            turn_ = turn_ + 1 < all ? turn_ + 1 : 0;
            const page& here = pages_[turn_];
            if (here.occupied != 0 || here.pages != 0) continue;
            if (!in_table(here.parent)) --pages_[here.parent / 64].pages;
            link_to(table, here.parent) = list_end;
            recycle(turn_);
        }
        if (spare_ != none) {
            const unsigned fresh = spare_;
            spare_ = pages_[fresh].parent;
            return fresh;
        }
        if (all >= reserved_pages_ && map.nodes() <= reserved_blocks_ + 2) return none;
        lists_.resize((pages_.size() + 1) * 64, list_end);
        pages_.emplace_back();
        return all;
    }
    constexpr void recycle(unsigned gone) noexcept {
        pages_[gone] = {0, spare_, spare};
        spare_ = gone;
    }

    /// In the place of the number of its pages, of one that nothing leads to.
    static constexpr unsigned spare = ~0u;
    static constexpr unsigned none = ~0u;

    Order order_;
    trivial_vector<block_index> lists_;
    trivial_vector<page> pages_;
    unsigned spare_ = none;  // the first of the pages that were given back
    unsigned turn_ = 0;
    std::size_t reserved_blocks_ = 0;
    std::size_t reserved_pages_ = 0;
};

}  // namespace hbm
