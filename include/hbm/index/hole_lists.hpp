#pragma once

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/index/branch_free.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace hbm::inline v0::detail {

/// Tag bit of a link to a list, whose number is in the other bits. Node indexes stay below it up to 2^28 nodes, 8 GiB.
inline constexpr block_index list_bit = std::uint32_t{1} << 31;

/// Numbered lists of holes under a bitmap. Lists from 1 to below `searched` are searched in numerical order; those
/// beyond are for pages (see list_pages.hpp).
///
/// `right` of a hole is its successor in the list, or `list_end`. `left` is its predecessor, or the list. So removal
/// takes two loads and two stores for any list and position. The bitmap has a single level and a bound on its words in
/// use: with more levels, each removal would have to test if a word became empty.
class hole_lists {
public:
    static constexpr unsigned none = ~0u;

    constexpr hole_lists() : hole_lists(1) {}
    constexpr explicit hole_lists(std::size_t searched)
        : links_(searched, list_end), occupied_((searched + 63) / 64, 0), searched_(static_cast<unsigned>(searched)) {}

    [[nodiscard]] static constexpr bool is_list(block_index link) noexcept { return link >= list_bit; }

    // -- lists; all O(1) ---------------------------------------------------------------------------------------------

    /// Returns the first link of a list: a hole, `list_end`, or a value of `set_link`.
    [[nodiscard]] constexpr block_index link(unsigned list) const noexcept { return links_[list]; }
    constexpr void set_link(unsigned list, block_index link) noexcept { links_[list] = link; }

    /// Inserts a hole in front of `head`, the first of a list.
    template <class Quanta>
    [[gnu::always_inline]] constexpr void push(block_map<Quanta>& map, unsigned list, block_index hole,
                                               block_index head) noexcept {
        block_node<Quanta>& added = map.node(hole);
        added.left = list | list_bit;
        map.node(head).left = hole;  // between the other two, or g++ joins these into a slower vector store
        added.right = head;
        links_[list] = hole;
        occupied_[list / 64] |= bit(list);
    }
    /// Out-of-line `push()` for slow paths.
    template <class Quanta>
    [[gnu::cold, gnu::noinline]] constexpr void push_cold(block_map<Quanta>& map, unsigned list,
                                                          block_index hole) noexcept {
        push(map, list, hole, links_[list]);
    }
    /// Inserts a hole between two neighbours of a list.
    template <class Quanta>
    [[gnu::cold]] static constexpr void put_between(block_map<Quanta>& map, block_index before, block_index hole,
                                                    block_index after) noexcept {
        map.node(hole).left = before;
        map.node(hole).right = after;
        map.node(before).right = hole;
        map.node(after).left = hole;
    }
    /// Removes `hole`, the first of a list.
    template <class Quanta>
    [[gnu::always_inline]] constexpr void pop(block_map<Quanta>& map, unsigned list, block_index hole) noexcept {
        const block_index after = map.node(hole).right;
        links_[list] = after;
        map.node(after).left = list | list_bit;
        unmark(select(after, unused, list));
    }
    template <class Quanta>
    [[gnu::always_inline]] constexpr void erase(block_map<Quanta>& map, block_index hole) noexcept {
        // What leads to the hole is a hole or a list, and chance decides which. Both have a link to write, so the
        // address is selected instead of branching. The last hole of a list ends in `list_end`, a node that may be
        // written to, and a list that does not become empty clears the mark of list 0, which nobody reads.
        const block_index before = map.node(hole).left;
        const block_index after = map.node(hole).right;
        const block_index list = before & ~list_bit;
        map.node(after).left = before;
        // Forming the address of an absent link is not a constant expression, even if it is never accessed.
        block_index link = list;
        if (__builtin_is_constant_evaluated()) link = select(before & list_bit, list, block_index{0});
        *select(before & list_bit, links_.data() + link, map.address_of_right(list)) = after;
        // All bits, if `before` is a list and `after` its end, which is 0; else 0, which is `unused`.
        unmark(list & static_cast<unsigned>(static_cast<std::int32_t>((after - 1) & before) >> 31));
    }

    // -- bitmap; all O(1), except that searches visit 64 empty lists per step ----------------------------------------

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
    /// Returns the marks of 64 lists, one bit each.
    /// Requires: `first` is a multiple of 64.
    [[nodiscard]] constexpr std::uint64_t marks(unsigned first) const noexcept { return occupied_[first / 64]; }

    /// Returns the lowest marked list >= `list` (or > `list`), or `none`.
    [[nodiscard, gnu::always_inline]] constexpr unsigned at_least(unsigned list) const noexcept {
        const std::uint64_t here = occupied_[list / 64] >> list % 64;
        return here != 0 ? list + lowest(here) : after_word(list / 64);
    }
    [[nodiscard, gnu::always_inline]] constexpr unsigned above(unsigned list) const noexcept {
        const std::uint64_t here = occupied_[list / 64] & above_bit(list);
        return here != 0 ? first_of(list / 64, here) : after_word(list / 64);
    }
    /// Shortens the searched words after a search from `list` on found nothing.
    constexpr void forget_above(unsigned list) noexcept {
        if (list / 64 < last_word_) last_word_ = list / 64;
    }
    /// Returns the highest marked list < `list` (or of all), or `none`.
    /// Cost: O(lists / 64).
    [[nodiscard]] constexpr unsigned below(unsigned list) const noexcept {
        unsigned word = list / 64;
        std::uint64_t here = list % 64 == 0 ? 0 : occupied_[word] & below_bit(list);
        while (here == 0) {
            if (word == 0) return none;
            here = occupied_[--word];
        }
        return last_of(word, here);
    }
    [[nodiscard]] constexpr unsigned largest() const noexcept { return below(64 * (last_word_ + 1)); }

    // -- lists that are not searched ---------------------------------------------------------------------------------

    [[nodiscard]] constexpr unsigned searched() const noexcept { return searched_; }
    /// Appends `lists` empty lists, a multiple of 64, and returns the first, a multiple of 64.
    [[gnu::cold, gnu::noinline]] constexpr unsigned append(std::size_t lists) {
        const std::size_t first = (links_.size() + 63) / 64 * 64;
        links_.resize(first + lists, list_end);
        occupied_.resize(links_.size() / 64, 0);
        return static_cast<unsigned>(first);
    }
    /// Reserves host memory for `lists` lists beyond the searched range.
    [[gnu::cold, gnu::noinline]] constexpr void reserve(std::size_t lists) {
        links_.reserve((searched_ + 63) / 64 * 64 + lists);
        occupied_.reserve(links_.capacity() / 64);
    }

private:
    static constexpr block_index list_end = block_map<std::uint32_t>::list_end;
    /// A dummy list whose mark is ignored.
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
    /// Returns the first nonempty list whose bit is in a word after `word`; `none` if there is none.
    [[nodiscard, gnu::always_inline]] constexpr unsigned after_word(unsigned word) const noexcept {
        // The bound spares the words behind the last mark. It is raised by `note` and lowered by searches that find
        // nothing, never by removals: a removal would have to look whether a word became empty.
        while (word < last_word_)
            if (const std::uint64_t here = occupied_[++word]; here != 0) return first_of(word, here);
        return none;
    }

    trivial_vector<block_index> links_;
    trivial_vector<std::uint64_t> occupied_;
    unsigned searched_ = 0;
    unsigned last_word_ = 0;  // the last word that may have marks of searched lists
};

}  // namespace hbm::inline v0::detail
