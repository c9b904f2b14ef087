#pragma once

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/request.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/index/hole_lists.hpp>
#include <hbm/index/hole_order.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace hbm::inline v0::detail {

/// Extension of `hole_lists` for long lists. A list that grows long is replaced by a page of 64 lists, selected by the
/// next six bits of the key; pages nest. If a list of a page grows long and most holes of the page have one size, the
/// page becomes wide: 4,096 lists for that size, selected by twelve bits of the offset, plus one for smaller and one
/// for larger holes. So 150 holes of one size, as paged caches leave them, are distinguished in one step. The lists of
/// pages live in the same `hole_lists`, so removal is uniform.
///
/// Removal does not detect empty pages; searches skip and, if possible, unlink them. New pages reuse their memory.
template <class Quanta, class Order>
class list_pages {
public:
    static constexpr unsigned none = hole_lists::none;
    constexpr explicit list_pages(const Order& order) : order_(order) {}

    [[nodiscard]] static constexpr bool is_page(block_index link) noexcept { return hole_lists::is_list(link); }

    // -- the usual size: the first with a long list; its holes are found without the table ----------------------------

    [[nodiscard, gnu::always_inline]] constexpr bool is_usual(Quanta size) const noexcept {
        return size == usual_.size;
    }
    /// Removes the first hole of the usual size from its list. Returns `no_block` if the fast path fails.
    [[nodiscard, gnu::always_inline]] constexpr block_index take_usual(hole_lists& lists,
                                                                       block_map<Quanta>& map) const noexcept {
        // Sorted by offset, the lists of the usual size have the first hole first, found by two look-ups of marks:
        // the summary names the first 64 lists that are not all empty, their marks name the first list. Removals clear
        // the mark of a list only, so a mark of the summary may be out of date; and a list may have become a page. Both
        // go the way of the table.
        unsigned list = usual_.first;
        unsigned word = 0;
        if constexpr (Order::sorts_by_offset) {
            const std::uint64_t words = lists.marks(usual_.first - by_offset + summary);
            word = lowest(words);
            const std::uint64_t here = lists.marks(usual_.first + word * 64);
            if (words == 0 || here == 0) [[unlikely]]
                return no_block;
            list += word * 64 + lowest(here);
        }
        const block_index hole = lists.link(list);
        if (is_page(hole) || hole == list_end) [[unlikely]]
            return no_block;
        lists.pop(map, list, hole);
        if constexpr (Order::sorts_by_offset)
            lists.unmark_if(usual_.first - by_offset + summary + word, lists.marks(usual_.first + word * 64) == 0);
        return hole;
    }
    /// Inserts a hole of the usual size into its list.
    [[gnu::noinline]] constexpr void insert_usual(hole_lists& lists, block_map<Quanta>& map, block_index hole,
                                                  Quanta offset) {
        // Only the usual case is done here: the hole becomes the first of its list. All else is sorted in below the
        // list of the table, where long lists are split, too.
        const unsigned at = static_cast<unsigned>(order_.leading_offset(offset) >> (64 - 2 * page_bits));
        const block_index head = lists.link(usual_.first + at);
        if (is_page(head) || order_.before(map.node(head), usual_.size, offset)) [[unlikely]]
            return insert(lists, map, usual_.parent, hole);
        lists.note(usual_.parent);
        lists.mark(usual_.parent);
        if constexpr (Order::sorts_by_offset) lists.mark(usual_.first - by_offset + summary + at / 64);
        lists.push(map, usual_.first + at, hole, head);
    }

    // -- searching; O(bits of a key / 6), plus the length of a list, plus empty pages --------------------------------

    /// Returns the first list below a link to a page, or `none`.
    [[nodiscard]] constexpr unsigned first_list(hole_lists& lists, block_index link) noexcept {
        const unsigned list = first_marked(lists, link);
        if (list == none || !is_page(lists.link(list))) [[likely]]
            return list;
        return first_list_below(lists, link);
    }
    /// Returns the first (or, from the high end, last) hole at a link, or `list_end`.
    template <end From>
    [[nodiscard, gnu::cold]] constexpr block_index outermost(const hole_lists& lists, const block_map<Quanta>& map,
                                                             block_index link) const {
        if (!is_page(link)) {
            if (From == end::high && link != list_end)
                while (map.node(link).right != list_end) link = map.node(link).right;
            return link;
        }
        return outermost_of<From>(lists, map, link, 0, lists_of(link));
    }
    /// From the low end, returns the first hole at a link that does not sort before one of `size` at `offset`; from the
    /// high end, the last that does. Returns `list_end` if there is none.
    template <end From>
    [[nodiscard]] constexpr block_index nearest(const hole_lists& lists, const block_map<Quanta>& map, block_index link,
                                                Quanta size, Quanta offset) const {
        return nearest_below(From, lists, map, link, order_.rest(size, offset), size, offset);
    }

    // -- changes; cost as searches, plus the length of a list if a page is created -----------------------------------

    /// Inserts a hole in sorted order below a list of the table.
    [[gnu::noinline]] constexpr void insert(hole_lists& lists, block_map<Quanta>& map, unsigned list,
                                            block_index hole) {
        // Goes down the pages. Each consumes the bits of the key that chose its list; `rest` is what is left of the
        // key, left-aligned, so that its leading bits choose the next list. All lists on the way are marked, for they
        // may have been empty.
        const node& added = map.node(hole);
        block_index link = lists.link(list);
        lists.note(list);
        lists.mark(list);
        for (key rest = order_.rest(added.size, added.offset); is_page(link);) {
            list = list_in(link, added.size, rest);
            rest = static_cast<key>(rest << bits_used(link, list));
            mark(lists, link, list);
            link = lists.link(list);
        }
        if (!order_.before(map.node(link), added.size, added.offset)) return lists.push_cold(map, list, hole);
        insert_later(lists, map, list, hole);
    }

    /// Like `nearest` from the low end, below a list of the table. Splits a list in which it passes many holes: if each
    /// hole was inserted in front of the others, no insert has done so.
    /// Cost: like `insert`.
    [[gnu::noinline]] constexpr block_index nearest_below_list(hole_lists& lists, block_map<Quanta>& map, unsigned list,
                                                               Quanta size, Quanta offset) {
        // The list that the key of the need leads to is the only one with holes on both sides of it. If it has none
        // that is large enough, the answer is the first hole of a later list, for which the search begins again from
        // above.
        const unsigned outer = list;
        block_index link = lists.link(list);
        for (key rest = order_.rest(size, offset); is_page(link); link = lists.link(list)) {
            list = list_in(link, size, rest);
            rest = static_cast<key>(rest << bits_used(link, list));
        }
        unsigned passed = 0;
        for (; order_.is_below(map.node(link), size, offset); ++passed) link = map.node(link).right;
        if (passed > Order::longest_list) break_up(lists, map, list);
        return link != list_end ? link : nearest<end::low>(lists, map, lists.link(outer), size, offset);
    }

    /// Prepends all holes at a link to a chain through their `right`, in reverse order. This invalidates their lists.
    [[gnu::cold, gnu::noinline]] constexpr void chain_up(const hole_lists& lists, block_map<Quanta>& map,
                                                         block_index link, block_index& chain) const {
        if (is_page(link)) {
            for (unsigned at = 0; at < lists_of(link); ++at) {
                const unsigned list = first_of(link) + at;
                if (lists.is_marked(list) && !is_summary(link, at)) chain_up(lists, map, lists.link(list), chain);
            }
            return;
        }
        while (link != list_end) {
            const block_index next = map.right(link);
            map.right(link) = chain;
            chain = link;
            link = next;
        }
    }

    /// Reserves host memory for the holes between `blocks` live blocks. Until there are more, lists grow longer once
    /// the reserved pages are used up.
    constexpr void reserve(hole_lists& lists, std::size_t blocks) {
        if (blocks <= reserved_blocks_) return;
        reserved_blocks_ = blocks;
        reserved_pages_ = 132 + blocks / 32;  // 9 bytes per block
        pages_.reserve(reserved_pages_);
        lists.reserve(reserved_pages_ * 64);
    }

private:
    using node = block_node<Quanta>;
    using key = typename Order::key;

    enum class shape : std::uint8_t { narrow_page, wide_page, inner_page };
    /// The state of 64 lists: a page, the first 64 of a wide page, or an `inner_page`, the others of a wide page.
    ///
    /// The records of the 64 lists each of a wide page after its first only lead back to that.
    struct page_record {
        unsigned parent = 0;   // list that the page replaces; next page if spare
        unsigned pages = 0;    // number of its lists that begin with another page
        unsigned delay = 0;    // long lists to ignore before holes are counted again
        Quanta size = 0;       // of a wide page: the size of the holes that it sorts by offset
        unsigned skipped = 0;  // of a wide page: the bits of that size in the rest of a key
        shape kind = shape::narrow_page;
        bool is_spare = false;
    };

    /// A size, and the location of its holes.
    struct usual_size {
        Quanta size = 0;       // 0 means none
        unsigned parent = 0;   // the list in the table of the index
        unsigned first = 0;    // its only list, or the first of its lists, by offset
        unsigned page = none;  // page of these lists
    };

    static constexpr block_index list_end = block_map<Quanta>::list_end;
    static constexpr unsigned page_bits = 6;
    static constexpr unsigned key_bits = sizeof(key) * 8;
    /// The least number of holes for a wide page.
    static constexpr unsigned many = 24;
    // Layout of a wide page, in units of 64 lists: smaller holes; a summary, whose marks indicate non-empty units of
    // the following lists; the lists by offset; larger holes.
    static constexpr unsigned smaller = 0;
    static constexpr unsigned summary = 64;
    static constexpr unsigned by_offset = 128;
    static constexpr unsigned larger = by_offset + 4096;
    static constexpr unsigned lists_of_wide = larger + 64;

    /// Tag bit of a link to a wide page, in addition to `list_bit`.
    static constexpr block_index wide_bit = std::uint32_t{1} << 30;

    // The link to a page is the number of its first list, with tag bits.
    [[nodiscard]] static constexpr bool is_wide(block_index link) noexcept { return (link & wide_bit) != 0; }
    [[nodiscard]] static constexpr unsigned first_of(block_index link) noexcept {
        return link & ~(list_bit | wide_bit);
    }
    [[nodiscard]] static constexpr unsigned lists_of(block_index link) noexcept {
        return is_wide(link) ? lists_of_wide : 64;
    }
    [[nodiscard]] constexpr unsigned page_at(block_index link) const noexcept {
        return (first_of(link) - first_list_) / 64;
    }
    [[nodiscard]] constexpr block_index link_to(unsigned page) const noexcept {
        return (first_list_ + page * 64) | list_bit | (pages_[page].kind == shape::wide_page ? wide_bit : 0);
    }
    [[nodiscard]] constexpr bool is_in_page(unsigned list) const noexcept { return list >= first_list_; }
    /// Returns the page that contains `list`.
    [[nodiscard]] constexpr unsigned page_of(unsigned list) const noexcept {
        const unsigned page = (list - first_list_) / 64;
        return pages_[page].kind == shape::inner_page ? pages_[page].parent : page;
    }
    /// Returns the list of a page for a hole of `size` and the rest of its key, and the number of bits that this uses.
    [[nodiscard, gnu::always_inline]] constexpr unsigned list_in(block_index link, Quanta size,
                                                                 key rest) const noexcept {
        const unsigned first = first_of(link);
        if (!is_wide(link)) return first + static_cast<unsigned>(rest >> (key_bits - page_bits));
        const page_record& page = pages_[page_at(link)];
        if (size != page.size) [[unlikely]]
            return first + (size < page.size ? smaller : larger);
        const auto bits_of_offset = static_cast<key>(rest << page.skipped);
        return first + by_offset + static_cast<unsigned>(bits_of_offset >> (key_bits - 2 * page_bits));
    }
    [[nodiscard]] constexpr unsigned bits_used(block_index link, unsigned list) const noexcept {
        if (!is_wide(link)) return page_bits;
        const unsigned at = list - first_of(link);
        return at == smaller || at == larger ? 0 : pages_[page_at(link)].skipped + 2 * page_bits;
    }
    [[nodiscard]] static constexpr unsigned lowest(std::uint64_t bits) noexcept {
        return static_cast<unsigned>(std::countr_zero(bits)) % 64;
    }
    [[gnu::always_inline]] static constexpr void mark(hole_lists& lists, block_index link, unsigned list) noexcept {
        lists.mark(list);
        mark_summary(lists, link, list);
    }
    [[gnu::always_inline]] static constexpr void mark_summary(hole_lists& lists, block_index link,
                                                              unsigned list) noexcept {
        if (is_wide(link)) lists.mark(first_of(link) + summary + (list - first_of(link) - by_offset) / 64 % 64);
    }

    /// Like `first_list`, for pages in pages.
    [[nodiscard, gnu::cold, gnu::noinline]] constexpr unsigned first_list_below(hole_lists& lists,
                                                                                block_index link) noexcept {
        for (;;) {
            const unsigned list = first_marked(lists, link);
            if (list == none) return none;
            const block_index inner = lists.link(list);
            if (!is_page(inner)) return list;
            const unsigned first = first_list_below(lists, inner);
            if (first != none) return first;
            lists.unmark(list);
        }
    }
    [[nodiscard, gnu::noinline]] constexpr unsigned first_marked(hole_lists& lists, block_index link) noexcept {
        if (!is_wide(link)) {
            const std::uint64_t here = lists.marks(first_of(link));
            return here == 0 ? none : first_of(link) + lowest(here);
        }
        const unsigned page = first_of(link);
        if (lists.marks(page + smaller) != 0) return page + smaller;
        for (std::uint64_t words = lists.marks(page + summary); words != 0; words &= words - 1) {
            const unsigned first = page + by_offset + lowest(words) * 64;
            if (const std::uint64_t here = lists.marks(first); here != 0) return first + lowest(here);
            lists.unmark(page + summary + lowest(words));
        }
        return lists.marks(page + larger) != 0 ? page + larger : none;
    }
    /// Returns true for a list of the summary, which holds no holes.
    [[nodiscard]] static constexpr bool is_summary(block_index link, unsigned at) noexcept {
        return is_wide(link) && at >= summary && at < by_offset;
    }
    /// Returns the outermost hole of the lists `[first, last)` of a page.
    template <end From>
    [[nodiscard, gnu::cold]] constexpr block_index outermost_of(const hole_lists& lists, const block_map<Quanta>& map,
                                                                block_index link, unsigned first, unsigned last) const {
        // Goes over 64 lists in a step where none of them is marked, and over the summary, whose marks are not those of
        // lists. A marked list may still be without holes: a page that has become empty.
        while (first < last) {
            const unsigned at = From == end::low ? first : last - 1;
            const unsigned list = first_of(link) + at;
            if (is_summary(link, at) || lists.marks(list) == 0) {
                if (From == end::low)
                    first = at / 64 * 64 + 64;
                else
                    last = at / 64 * 64;
                continue;
            }
            if (lists.is_marked(list)) {
                const block_index hole = outermost<From>(lists, map, lists.link(list));
                if (hole != list_end) return hole;
            }
            From == end::low ? ++first : --last;
        }
        return list_end;
    }
    [[nodiscard]] constexpr block_index nearest_below(end from, const hole_lists& lists, const block_map<Quanta>& map,
                                                      block_index link, key rest, Quanta size, Quanta offset) const {
        // At each level one list has holes on both sides of the key; the lists before it have smaller ones, those after
        // it larger ones. So only if nothing on the wanted side is in that list, which may be a page, do the others
        // matter, and there the outermost hole is the nearest.
        if (!is_page(link)) {
            block_index before = list_end;
            for (; order_.is_below(map.node(link), size, offset); link = map.node(link).right) before = link;
            return from == end::low ? link : before;
        }
        const unsigned chosen = list_in(link, size, rest);
        if (lists.is_marked(chosen)) {
            const auto beyond = static_cast<key>(rest << bits_used(link, chosen));
            const block_index hole = nearest_below(from, lists, map, lists.link(chosen), beyond, size, offset);
            if (hole != list_end) return hole;
        }
        const unsigned at = chosen - first_of(link);
        return from == end::low ? outermost_of<end::low>(lists, map, link, at + 1, lists_of(link))
                                : outermost_of<end::high>(lists, map, link, 0, at);
    }

    /// Inserts a hole into a list behind its first element.
    [[gnu::noinline]] constexpr void insert_later(hole_lists& lists, block_map<Quanta>& map, unsigned list,
                                                  block_index hole) {
        const node& added = map.node(hole);
        block_index before = list_end;
        block_index after = lists.link(list);
        unsigned passed = 0;
        for (; order_.before(map.node(after), added.size, added.offset); ++passed) {
            before = after;
            after = map.node(after).right;
        }
        hole_lists::put_between(map, before, hole, after);
        if (passed > Order::longest_list) break_up(lists, map, list);
    }
    /// Replaces a long list by a page if possible, or the page that contains it by a wide page. Keys in the list
    /// differ, so undistinguished bits are left.
    /// Cost: O(holes in the list or page).
    [[gnu::cold, gnu::noinline]] constexpr void break_up(hole_lists& lists, block_map<Quanta>& map, unsigned list) {
        // A list in a page first tries to make the whole page wide. Else it becomes a narrow page that takes the next
        // six bits of the key; which bits those are follows from the pages above. The page keeps the order of the list,
        // so holes with equal bits stay together and are linked anew without comparisons.
        if (is_in_page(list) && widen(lists, map, page_of(list), map.size(lists.link(list)))) return;
        const unsigned fresh = new_page(lists, map, shape::narrow_page);
        if (fresh == none) return;
        unsigned used = 0;
        for (unsigned above = list; is_in_page(above); above = pages_[page_of(above)].parent)
            used += bits_used(link_to(page_of(above)), above);
        if (is_in_page(list)) ++pages_[page_of(list)].pages;
        pages_[fresh].parent = list;
        const block_index first = lists.link(list);
        const Quanta size = map.size(first);
        tally counted;
        if (!Order::sorts_by_offset && !is_in_page(list)) count(lists, map, first, size, counted);
        lists.set_link(list, link_to(fresh));
        distribute(lists, map, link_to(fresh), first, used);
        if (usual_.page == none && counted.equal > counted.holes / 2 && order_.size_bits_in_rest(size) <= page_bits)
            usual_ = {size, list, list_in(link_to(fresh), size, order_.rest(size, 0)), fresh};
    }
    /// Replaces the outermost narrow page around `page` by a wide page for `size`, if it has many holes and three
    /// quarters have that size. Returns true if it did. Otherwise it waits for as many long lists as it counted holes.
    /// Cost: O(holes below the list of the table), amortised O(1) per long list.
    [[gnu::cold, gnu::noinline]] constexpr bool widen(hole_lists& lists, block_map<Quanta>& map, unsigned page,
                                                      Quanta size) {
        // Narrow pages take six bits a step, first those of the size. Many holes of one size would share all of these
        // and lie in a chain of pages; a wide page skips to the offset. All holes below the list are taken out in
        // reverse order and inserted again, so that equal ones keep theirs. Counting costs as much as there are holes,
        // so the next count waits for as many long lists.
        while (is_in_page(pages_[page].parent)) page = page_of(pages_[page].parent);
        if (!Order::sorts_by_offset || pages_[page].kind == shape::wide_page) return false;
        if (pages_[page].delay != 0) {
            --pages_[page].delay;
            return false;
        }
        const unsigned list = pages_[page].parent;
        tally counted;
        count(lists, map, lists.link(list), size, counted);
        pages_[page].delay = counted.holes < many ? 0 : counted.holes;
        if (counted.holes < many || counted.equal < counted.holes / 4 * 3) return false;
        const unsigned fresh = new_page(lists, map, shape::wide_page);
        if (fresh == none) return false;
        block_index last = list_end;
        chain_up(lists, map, lists.link(list), last);
        clear(lists, page);
        pages_[fresh].parent = list;
        pages_[fresh].size = size;
        pages_[fresh].skipped = order_.size_bits_in_rest(size);
        lists.set_link(list, link_to(fresh));
        while (last != list_end) {
            const block_index hole = last;
            last = map.right(hole);
            insert(lists, map, list, hole);
        }
        if (usual_.page == none && order_.has_one_list(size))
            usual_ = {size, list, first_of(link_to(fresh)) + by_offset, fresh};
        return true;
    }
    struct tally {
        unsigned holes = 0;
        unsigned equal = 0;
    };
    [[gnu::cold, gnu::noinline]] constexpr void count(const hole_lists& lists, const block_map<Quanta>& map,
                                                      block_index link, Quanta size, tally& counted) const {
        if (is_page(link)) {
            for (unsigned list = first_of(link); list < first_of(link) + 64; ++list)
                if (lists.is_marked(list)) count(lists, map, lists.link(list), size, counted);
            return;
        }
        for (; link != list_end; link = map.right(link)) {
            ++counted.holes;
            counted.equal += map.size(link) == size;
        }
    }
    /// Recycles a narrow page and the pages below it, with their contents.
    [[gnu::cold, gnu::noinline]] constexpr void clear(hole_lists& lists, unsigned page) {
        const unsigned first = first_of(link_to(page));
        for (unsigned list = first; list < first + 64; ++list) {
            if (is_page(lists.link(list))) clear(lists, page_at(lists.link(list)));
            lists.set_link(list, list_end);
            lists.unmark(list);
        }
        recycle(page);
    }
    /// Distributes a list of holes over the lists of a narrow page; `used` bits of their keys led there.
    [[gnu::cold]] constexpr void distribute(hole_lists& lists, block_map<Quanta>& map, block_index to,
                                            block_index first, unsigned used) {
        unsigned latest = none;
        for (block_index next = first; next != list_end; next = map.node(next).right) {
            const node& here = map.node(next);
            const unsigned chosen =
                list_in(to, here.size, static_cast<key>(order_.rest(here.size, here.offset) << used));
            if (chosen == latest) continue;
            if (latest != none) map.node(here.left).right = list_end;
            map.node(next).left = chosen | list_bit;
            lists.set_link(chosen, next);
            mark(lists, to, chosen);
            latest = chosen;
        }
    }

    /// Returns an unlinked page, or `none` if there is no memory for one. Recycles up to two empty pages, round robin,
    /// so that they do not accumulate.
    [[nodiscard, gnu::cold, gnu::noinline]] constexpr unsigned new_page(hole_lists& lists, const block_map<Quanta>& map,
                                                                        shape kind) {
        // Removal knows nothing of pages, so nobody notices that a page has become empty. Therefore each new page looks
        // at two others in turn: twice as many as are made, so empty ones do not accumulate. A page with pages below
        // it stays until those are gone. A wide page occupies many records, of which only the first is looked at.
        const auto all = static_cast<unsigned>(pages_.size());
        for (unsigned looks = 0; looks < 2 && looks < all; ++looks) {
            turn_ += turn_ < all && pages_[turn_].kind == shape::wide_page ? lists_of_wide / 64 : 1;
            if (turn_ >= all) turn_ = 0;
            const page_record here = pages_[turn_];
            if (here.is_spare || here.pages != 0) continue;
            if (first_marked(lists, link_to(turn_)) != none) continue;
            if (is_in_page(here.parent)) --pages_[page_of(here.parent)].pages;
            lists.set_link(here.parent, list_end);
            lists.unmark(here.parent);
            recycle(turn_);
        }
        unsigned& spare = spare_[kind == shape::wide_page];
        unsigned fresh = spare;
        if (fresh != none) {
            spare = pages_[fresh].parent;
        } else {
            const unsigned more = kind == shape::wide_page ? lists_of_wide / 64 : 1;
            if (all + more > reserved_pages_ && map.nodes() <= nodes_for(reserved_blocks_)) return none;
            const unsigned first = lists.append(std::size_t{64} * more);
            if (all == 0) first_list_ = first;
            pages_.resize(all + more, {.parent = all, .kind = shape::inner_page});
            fresh = all;
        }
        pages_[fresh] = {.kind = kind};
        return fresh;
    }
    [[gnu::cold]] constexpr void recycle(unsigned page) noexcept {
        if (page == usual_.page) usual_ = {};
        unsigned& spare = spare_[pages_[page].kind == shape::wide_page];
        pages_[page] = {.parent = spare, .kind = pages_[page].kind, .is_spare = true};
        spare = page;
    }

    Order order_;
    usual_size usual_;
    trivial_vector<page_record> pages_;
    unsigned first_list_ = none;        // the first list in a page, if any
    unsigned spare_[2] = {none, none};  // the first spare narrow and wide page
    unsigned turn_ = 0;
    std::size_t reserved_blocks_ = 0;
    std::size_t reserved_pages_ = 0;
};

}  // namespace hbm::inline v0::detail
