#pragma once

/// Sort orders of holes: by size, with different rules for ties.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/language.hpp>
#include <hbm/core/request.hpp>
#include <hbm/index/branch_free.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace hbm::inline v0 {

/// Orders holes by size; ties go to the latest hole, which costs nothing to track and whose neighbours are still
/// cached. The hole at the top of memory comes after its ties from the low end, before them from the high end.
///
/// An order is constructed for a capacity and sorts by a key. The leading bits of the key, as in a small floating-point
/// number, choose a list from 1 to below `lists()`; `rest` distinguishes the holes of a list. All O(1) and branch-free.
/// The number of leading bits affects speed only: few bits for few holes keep the table in the cache and cheap to copy.
template <class Quanta, end From = end::low>
class latest_first {
public:
    using key = Quanta;

    /// True when holes of equal size are sorted by offset.
    static constexpr bool sorts_by_offset = false;
    /// Count of holes that an insert may pass before the list is split. Large, because most of these holes have one
    /// size, and a split list would slow down each search for that size.
    static constexpr unsigned longest_list = 256;

    constexpr latest_first(Quanta capacity, unsigned leading_bits) noexcept
        : leading_bits_(leading_bits), lists_(list_of(capacity, 0) + 1) {}

    /// Returns the recommended number of leading bits for `nodes` blocks and holes. Few in constant evaluation, because
    /// compilers count the entries of a table.
    [[nodiscard]] static constexpr unsigned leading_bits_for(std::size_t nodes) noexcept {
        if (__builtin_is_constant_evaluated()) return 2;
        return nodes <= 8'000 ? 8 : nodes <= 80'000 ? 9 : 10;
    }

    [[nodiscard]] constexpr unsigned lists() const noexcept { return lists_; }
    /// Returns the bits of the key that do not choose the list, left-aligned.
    [[nodiscard]] constexpr key rest(Quanta size, Quanta) const noexcept {
        return static_cast<key>(size << (0 - remaining_bits(size)) % (sizeof(key) * 8));
    }
    [[nodiscard]] constexpr unsigned size_bits_in_rest(Quanta size) const noexcept { return remaining_bits(size); }
    /// Returns true if all holes of a size are in one list.
    [[nodiscard]] static constexpr bool has_one_list(Quanta) noexcept { return true; }
    /// Returns the leading bits that distinguish holes of equal size, left-aligned: none.
    [[nodiscard]] static constexpr std::uint64_t leading_offset(Quanta) noexcept { return 0; }
    [[nodiscard, gnu::always_inline]] constexpr unsigned remaining_bits(Quanta size) const noexcept {
        return detail::highest_bit(static_cast<Quanta>(size | 1u << leading_bits_)) - leading_bits_;
    }
    [[nodiscard, gnu::always_inline]] constexpr unsigned list_of(Quanta size, Quanta) const noexcept {
        // The size as a small floating-point number: `below` is the exponent, the leading bits are the mantissa. The
        // mantissa keeps its highest bit, so the lists of an exponent begin where those of the one before end, without
        // gaps.
        const unsigned below = remaining_bits(size);
        return (below << leading_bits_) + static_cast<unsigned>(size >> below);
    }
    /// Returns true if `other` sorts before a hole of `size` at `offset`; false for `list_end`.
    [[nodiscard, gnu::always_inline]] static constexpr bool before(const block_node<Quanta>& other, Quanta size,
                                                                   Quanta) noexcept {
        const bool top_first = From == end::high && other.next == block_map<Quanta>::bottom;
        return other.size < static_cast<Quanta>(size + Quanta{top_first});  // without a branch: ties are frequent
    }
    /// Returns true if `other` sorts before every hole of `size`.
    [[nodiscard]] static constexpr bool is_below(const block_node<Quanta>& other, Quanta size, Quanta) noexcept {
        return other.size < size;
    }
    /// Returns an offset that sorts before all others.
    [[nodiscard]] static constexpr Quanta first_offset() noexcept { return std::numeric_limits<Quanta>::max(); }

private:
    unsigned leading_bits_;
    unsigned lists_;
};

/// Orders holes by size; ties go to the nearest to the end of memory where searches begin. Small sizes, which are
/// frequent, are spread over several lists by offset.
template <class Quanta, end From = end::low>
class nearest_first {
public:
    // Key type, wide enough for a size and an offset.
    using key = std::conditional_t<sizeof(Quanta) == 4, std::uint64_t, detail::uint128>;

    static constexpr bool sorts_by_offset = true;
    static constexpr unsigned longest_list = 4;

    constexpr nearest_first(Quanta capacity, unsigned leading_bits) noexcept
        : offset_bits_(static_cast<unsigned>(std::bit_width(capacity))),
          leading_bits_(leading_bits < offset_bits_ / 2 ? leading_bits : offset_bits_ / 2),
          first_shift_(offset_bits_ - leading_bits_),
          first_list_(((offset_bits_ - leading_bits_ + 1) << leading_bits_) - 1),
          max_offset_(static_cast<Quanta>((key{1} << offset_bits_) - 1)) {}

    [[nodiscard]] static constexpr unsigned leading_bits_for(std::size_t nodes) noexcept {
        if (__builtin_is_constant_evaluated()) return 2;
        return nodes <= 8'000 ? 8 : nodes <= 32'000 ? 9 : nodes <= 80'000 ? 10 : 11;
    }

    /// Returns the size above the offset, so that comparing keys compares sizes first. From the high end, the offset is
    /// complemented: the nearest hole comes first from there as well.
    [[nodiscard]] constexpr unsigned lists() const noexcept { return (offset_bits_ << leading_bits_) + 1; }
    [[nodiscard, gnu::always_inline]] constexpr key key_of(Quanta size, Quanta offset) const noexcept {
        return static_cast<key>(key{size} << offset_bits_) |
               (From == end::low ? offset : static_cast<Quanta>(offset ^ max_offset_));
    }
    [[nodiscard, gnu::always_inline]] constexpr key rest(Quanta size, Quanta offset) const noexcept {
        return static_cast<key>(key_of(size, offset) << (0 - remaining_bits(size)) % (sizeof(key) * 8));
    }
    /// Returns the number of bits of the size in `rest`; the bits of the offset follow.
    [[nodiscard]] constexpr unsigned size_bits_in_rest(Quanta size) const noexcept {
        return remaining_bits(size) > offset_bits_ ? remaining_bits(size) - offset_bits_ : 0;
    }
    [[nodiscard]] constexpr bool has_one_list(Quanta size) const noexcept {
        return remaining_bits(size) >= offset_bits_;
    }
    /// Returns the bits of the key that distinguish holes of equal size, left-aligned.
    [[nodiscard, gnu::always_inline]] constexpr std::uint64_t leading_offset(Quanta offset) const noexcept {
        // Left-aligned in 64 bits, so that callers shift out as many leading bits as they have lists.
        return std::uint64_t{From == end::low ? offset : static_cast<Quanta>(offset ^ max_offset_)}
               << (64 - offset_bits_) % 64;
    }
    [[nodiscard]] constexpr unsigned remaining_bits(Quanta size) const noexcept {
        return first_shift_ + detail::highest_bit(size);
    }
    [[nodiscard, gnu::always_inline]] constexpr unsigned list_of(Quanta size, Quanta offset) const noexcept {
        // As in `latest_first`, but of the key. Its highest bit is that of the size, since the size stands above the
        // offset. Small sizes have few bits of their own, so the leading bits reach into the offset and spread them
        // over lists.
        const unsigned below = remaining_bits(size);
        return static_cast<unsigned>(key_of(size, offset) >> below) + (below << leading_bits_) - first_list_;
    }
    [[nodiscard, gnu::always_inline]] static constexpr bool before(const block_node<Quanta>& other, Quanta size,
                                                                   Quanta offset) noexcept {
        // Size and offset are compared as one number: two comparisons would be a branch that chance decides.
        constexpr auto turned = static_cast<Quanta>(From == end::low ? 0 : ~Quanta{0});
        if constexpr (sizeof(Quanta) == 4)
            return (key{other.size} << 32 | (other.offset ^ turned)) < (key{size} << 32 | (offset ^ turned));
        else
            return other.size < size || (other.size == size && (other.offset ^ turned) < (offset ^ turned));
    }
    [[nodiscard]] static constexpr bool is_below(const block_node<Quanta>& other, Quanta size, Quanta offset) noexcept {
        return before(other, size, offset);
    }
    /// Offsets that sort before and after all holes in lists, and the successor of an offset. (No listed hole begins at
    /// 0 if holes are sorted from the high end.)
    [[nodiscard]] constexpr Quanta first_offset() const noexcept { return From == end::low ? 0 : max_offset_; }
    [[nodiscard]] constexpr Quanta last_offset() const noexcept { return From == end::low ? max_offset_ : 0; }
    [[nodiscard]] static constexpr Quanta offset_after(Quanta offset) noexcept {
        return static_cast<Quanta>(From == end::low ? offset + 1 : offset - 1);
    }

private:
    unsigned offset_bits_;
    unsigned leading_bits_;
    unsigned first_shift_;  // bits of the key of size 1 that do not choose its list, modulo 2^32
    unsigned first_list_;   // list of the smallest key before renumbering, less 1
    Quanta max_offset_;
};

}  // namespace hbm::inline v0
