#pragma once

/// Lists of holes, and which of them are empty.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/index/branch_free.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace hbm {

/// The bit of a link that leads to a list and not to a node; without it the link is the list's number. Indexes of nodes
/// stay below it while there are fewer than 2^28 nodes: 8 GiB of them.
inline constexpr block_index list_bit = std::uint32_t{1} << 31;

/// Numbered lists of holes under a bitmap. The first `searched` of them are searched in order of their numbers, from 1
/// on; what lies beyond is for pages (see list_pages.hpp).
///
/// A hole's `right` is the next of its list, or `list_end`. Its `left` says what leads to it: the hole before it, or
/// its list. So a hole leaves its list by two loads and two stores, whichever list that is and wherever it stands in
/// it. There is a single level of bitmap, and a bound on its words that are in use: with more levels, whoever takes a
/// hole out would have to ask each time whether a word became empty.
class hole_lists {
public:
    static constexpr unsigned none = ~0u;

    constexpr hole_lists() : hole_lists(1) {}
    /// Empty lists, numbered below `searched`. O(searched).
    constexpr explicit hole_lists(std::size_t searched)
        : links_(searched, list_end), occupied_((searched + 63) / 64, 0), searched_(static_cast<unsigned>(searched)) {}

    [[nodiscard]] static constexpr bool is_list(block_index link) noexcept { return link >= list_bit; }

    // -- lists; all O(1) ---------------------------------------------------------------------------------------------

    /// What a list begins with: a hole, `list_end`, or what `set_link` put there.
    [[nodiscard]] constexpr block_index link(unsigned list) const noexcept { return links_[list]; }
    constexpr void set_link(unsigned list, block_index link) noexcept { links_[list] = link; }

    /// Puts a hole at the beginning of a list, which begins with `head`.
    template <class Quanta>
    [[gnu::always_inline]] constexpr void push(block_map<Quanta>& map, unsigned list, block_index hole,
                                               block_index head) noexcept {
        block_node<Quanta>& added = map.node(hole);
        added.left = list | list_bit;
        added.right = head;
        map.node(head).left = hole;
        links_[list] = hole;
        occupied_[list / 64] |= bit(list);
    }
    /// The same where it is seldom done.
    template <class Quanta>
    [[gnu::cold, gnu::noinline]] constexpr void push_seldom(block_map<Quanta>& map, unsigned list,
                                                            block_index hole) noexcept {
        push(map, list, hole, links_[list]);
    }
    /// Puts a hole between two others of a list.
    template <class Quanta>
    [[gnu::cold]] static constexpr void put_between(block_map<Quanta>& map, block_index before, block_index hole,
                                                    block_index after) noexcept {
        map.node(hole).left = before;
        map.node(hole).right = after;
        map.node(before).right = hole;
        map.node(after).left = hole;
    }
    /// Takes `hole`, with which a list begins, out of it.
    template <class Quanta>
    [[gnu::always_inline]] constexpr void pop(block_map<Quanta>& map, unsigned list, block_index hole) noexcept {
        const block_index after = map.node(hole).right;
        links_[list] = after;
        map.node(after).left = list | list_bit;
        unmark(select(after, unused, list));
    }
    /// Takes a hole out of its list.
    template <class Quanta>
    [[gnu::always_inline]] constexpr void erase(block_map<Quanta>& map, block_index hole) noexcept {
        const block_index before = map.node(hole).left;
        const block_index after = map.node(hole).right;
        const block_index list = before & ~list_bit;
        map.node(after).left = before;
        // The address of a link that is not there is no constant expression, even where nobody reads or writes it.
        block_index link = list;
        if (__builtin_is_constant_evaluated()) link = select(before & list_bit, list, block_index{0});
        *select(before & list_bit, links_.data() + link, map.address_of_right(list)) = after;
        const unsigned emptied = select(after, unused, list);
        unmark(select(before & list_bit, emptied, unused));
    }

    // -- which lists have something in them; all O(1) but for searches over empty lists, 64 at a time ----------------

    /// Says that a list may have something in it; that it is one of those that are searched; and that it is empty.
    [[gnu::always_inline]] constexpr void mark(unsigned list) noexcept { occupied_[list / 64] |= bit(list); }
    [[gnu::always_inline]] constexpr void note(unsigned list) noexcept {
        if (list / 64 > last_word_) [[unlikely]]
            last_word_ = list / 64;
    }
    [[gnu::always_inline]] constexpr void unmark(unsigned list) noexcept { occupied_[list / 64] &= ~bit(list); }
    [[gnu::always_inline]] constexpr void unmark_if(unsigned list, bool empty) noexcept {
        occupied_[list / 64] &= ~(std::uint64_t{empty} << list % 64);
    }
    [[nodiscard]] constexpr bool is_marked(unsigned list) const noexcept {
        return (occupied_[list / 64] & bit(list)) != 0;
    }
    /// The marks of 64 lists from a multiple of 64 on, one bit each.
    [[nodiscard]] constexpr std::uint64_t marks(unsigned first) const noexcept { return occupied_[first / 64]; }

    /// The marked list of the smallest number >= `list`, or > `list`; or `none`.
    [[nodiscard, gnu::always_inline]] constexpr unsigned at_least(unsigned list) const noexcept {
        const std::uint64_t here = occupied_[list / 64] >> list % 64;
        return here != 0 ? list + lowest(here) : after_word(list / 64);
    }
    [[nodiscard, gnu::always_inline]] constexpr unsigned above(unsigned list) const noexcept {
        const std::uint64_t here = occupied_[list / 64] & above_bit(list);
        return here != 0 ? first_of(list / 64, here) : after_word(list / 64);
    }
    /// A search found nothing from a list on: the next one need not look so far.
    constexpr void forget_above(unsigned list) noexcept {
        if (list / 64 < last_word_) last_word_ = list / 64;
    }
    /// The marked list of the largest number < `list`, and of all; or `none`. O(lists / 64).
    [[nodiscard]] constexpr unsigned below(unsigned list) const noexcept {
        unsigned word = list / 64;
        std::uint64_t here = list % 64 == 0 ? 0 : occupied_[word] & below_bit(list);
        while (here == 0) {
            if (word == 0) return none;
            here = occupied_[--word];
        }
        return last_of(word, here);
    }
    [[nodiscard]] constexpr unsigned largest() const noexcept { return below(searched_); }

    // -- lists beyond those that are searched ------------------------------------------------------------------------

    /// The first number that is not searched.
    [[nodiscard]] constexpr unsigned searched() const noexcept { return searched_; }
    /// Adds so many empty lists, a multiple of 64, from a multiple of 64 on; returns the first.
    [[gnu::cold, gnu::noinline]] constexpr unsigned append(std::size_t lists) {
        const std::size_t first = (links_.size() + 63) / 64 * 64;
        links_.resize(first + lists, list_end);
        occupied_.resize(links_.size() / 64, 0);
        return static_cast<unsigned>(first);
    }
    /// Room for that many more than are searched without asking the host again.
    [[gnu::cold, gnu::noinline]] constexpr void reserve(std::size_t lists) {
        links_.reserve((searched_ + 63) / 64 * 64 + lists);
        occupied_.reserve(links_.capacity() / 64);
    }

private:
    static constexpr block_index list_end = block_map<std::uint32_t>::list_end;
    /// The list to which nothing belongs: its mark means nothing.
    static constexpr unsigned unused = 0;

    [[nodiscard]] static constexpr std::uint64_t bit(unsigned number) noexcept {
        return std::uint64_t{1} << number % 64;
    }
    [[nodiscard]] static constexpr std::uint64_t below_bit(unsigned number) noexcept { return bit(number) - 1; }
    [[nodiscard]] static constexpr std::uint64_t above_bit(unsigned number) noexcept {
        return ~std::uint64_t{1} << number % 64;
    }
    [[nodiscard]] static constexpr unsigned lowest(std::uint64_t bits) noexcept {
        return static_cast<unsigned>(std::countr_zero(bits));
    }
    [[nodiscard]] static constexpr unsigned first_of(unsigned word, std::uint64_t bits) noexcept {
        return word * 64 + lowest(bits);
    }
    [[nodiscard]] static constexpr unsigned last_of(unsigned word, std::uint64_t bits) noexcept {
        return word * 64 + 63 - static_cast<unsigned>(std::countl_zero(bits));
    }
    /// The first marked list in the words after one.
    [[nodiscard, gnu::always_inline]] constexpr unsigned after_word(unsigned word) const noexcept {
        while (word < last_word_)
            if (const std::uint64_t here = occupied_[++word]; here != 0) return first_of(word, here);
        return none;
    }

    trivial_vector<block_index> links_;
    trivial_vector<std::uint64_t> occupied_;
    unsigned searched_ = 0;
    unsigned last_word_ = 0;  // no word beyond it has marks of lists that are searched
};

}  // namespace hbm
