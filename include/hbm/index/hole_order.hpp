#pragma once

/// In which order an index keeps holes: the smaller first, and of equals one or the other.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/request.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace hbm {

/// Holes by size, of equals the one that came to be last: it costs nothing to know, and what lies around it is still in
/// the cache. (The hole at the top of memory is taken after its equals from the low end, before them from the high
/// end: from there it is in the lists.)
///
/// An order is made for a capacity and sorts by a key. The leading bits of a key, read as a small floating-point number
/// has them, choose one of the lists from 1 to below `lists()`; the `rest` tells the holes of one list apart. All O(1)
/// and without a branch. How many bits lead changes only how fast things are found, not what: few where there are few
/// holes, because a small table stays in the cache and is copied in no time.
template <class Quanta, end From = end::low>
class latest_first {
public:
    using key = Quanta;

    /// Whether holes of one size are told apart by offset.
    static constexpr bool sorts_by_offset = false;
    /// How many holes are passed before a list is broken up. Many: what is passed is smaller and mostly of one size,
    /// and a page would be asked by all who come for that size.
    static constexpr unsigned longest_list = 256;

    constexpr latest_first(Quanta capacity, unsigned leading_bits) noexcept
        : leading_bits_(leading_bits), most_remaining_(std::numeric_limits<Quanta>::digits - 1 - leading_bits),
          lists_(list_of(capacity, 0) + 1) {}

    /// How many bits are to lead where there are so many blocks and holes. In constant evaluation few: compilers count
    /// the entries of a table.
    [[nodiscard]] static constexpr unsigned leading_bits_for(std::size_t nodes) noexcept {
        if (__builtin_is_constant_evaluated()) return 2;
        return nodes <= 8'000 ? 8 : nodes <= 80'000 ? 9 : 10;
    }

    [[nodiscard]] constexpr unsigned lists() const noexcept { return lists_; }
    /// The bits of the key that do not choose the list, from the highest bit of a word down.
    [[nodiscard]] constexpr key rest(Quanta size, Quanta) const noexcept {
        return static_cast<key>(size << (0 - remaining_bits(size)) % (sizeof(key) * 8));
    }
    [[nodiscard]] constexpr unsigned size_bits_in_rest(Quanta size) const noexcept { return remaining_bits(size); }
    /// Whether all holes of a size are in one list: always.
    [[nodiscard]] static constexpr bool has_one_list(Quanta) noexcept { return true; }
    /// The leading bits by which holes of one size are told apart, from the highest bit of a word down: none.
    [[nodiscard]] static constexpr std::uint64_t leading_offset(Quanta) noexcept { return 0; }
    [[nodiscard, gnu::always_inline]] constexpr unsigned remaining_bits(Quanta size) const noexcept {
        return most_remaining_ -
               static_cast<unsigned>(std::countl_zero(static_cast<Quanta>(size | 1u << leading_bits_)));
    }
    [[nodiscard, gnu::always_inline]] constexpr unsigned list_of(Quanta size, Quanta) const noexcept {
        const unsigned below = remaining_bits(size);
        return (below << leading_bits_) + static_cast<unsigned>(size >> below);
    }
    /// True when a hole sorts before one of `size` at `offset`; `list_end` never does.
    [[nodiscard, gnu::always_inline]] static constexpr bool before(const block_node<Quanta>& other, Quanta size,
                                                                   Quanta offset) noexcept {
        return other.size < size ||
               (From == end::high && other.size == size && is_top(other) && offset != first_offset());
    }
    /// True when a hole has that size.
    [[nodiscard]] static constexpr bool has_size(const block_node<Quanta>& hole, Quanta size) noexcept {
        return hole.size == size;
    }
    /// The offset that sorts before those of all holes.
    [[nodiscard]] static constexpr Quanta first_offset() noexcept { return std::numeric_limits<Quanta>::max(); }

private:
    [[nodiscard]] static constexpr bool is_top(const block_node<Quanta>& node) noexcept {
        return node.next == block_map<Quanta>::bottom;
    }

    unsigned leading_bits_;
    unsigned most_remaining_;  // how many bits of the largest size do not choose its list
    unsigned lists_;
};

/// Holes by size, of equals the nearest to the end of memory where searches begin. Small sizes, of which there are many
/// holes, are spread over lists by offset.
template <class Quanta, end From = end::low>
class nearest_first {
public:
    // Wide enough for a size and an offset.
    __extension__ using key = std::conditional_t<sizeof(Quanta) == 4, std::uint64_t, unsigned __int128>;

    static constexpr bool sorts_by_offset = true;
    static constexpr unsigned longest_list = 4;

    constexpr nearest_first(Quanta capacity, unsigned leading_bits) noexcept
        : offset_bits_(static_cast<unsigned>(std::bit_width(capacity))),
          leading_bits_(at_most(leading_bits, offset_bits_ / 2)),
          first_shift_(std::numeric_limits<Quanta>::digits - 1 + offset_bits_ - leading_bits_),
          first_list_(((offset_bits_ - leading_bits_ + 1) << leading_bits_) - 1),
          max_offset_(static_cast<Quanta>((key{1} << offset_bits_) - 1)) {}

    [[nodiscard]] static constexpr unsigned leading_bits_for(std::size_t nodes) noexcept {
        if (__builtin_is_constant_evaluated()) return 2;
        return nodes <= 8'000 ? 8 : nodes <= 32'000 ? 9 : nodes <= 80'000 ? 10 : 11;
    }

    [[nodiscard]] constexpr unsigned lists() const noexcept { return (offset_bits_ << leading_bits_) + 1; }
    [[nodiscard, gnu::always_inline]] constexpr key key_of(Quanta size, Quanta offset) const noexcept {
        return static_cast<key>(key{size} << offset_bits_) |
               (From == end::low ? offset : static_cast<Quanta>(offset ^ max_offset_));
    }
    [[nodiscard, gnu::always_inline]] constexpr key rest(Quanta size, Quanta offset) const noexcept {
        return static_cast<key>(key_of(size, offset) << (0 - remaining_bits(size)) % (sizeof(key) * 8));
    }
    /// How many of the bits of a rest are those of the size; offsets follow.
    [[nodiscard]] constexpr unsigned size_bits_in_rest(Quanta size) const noexcept {
        return remaining_bits(size) > offset_bits_ ? remaining_bits(size) - offset_bits_ : 0;
    }
    /// Whether all holes of a size are in one list: no bit of their offsets chooses it.
    [[nodiscard]] constexpr bool has_one_list(Quanta size) const noexcept {
        return remaining_bits(size) >= offset_bits_;
    }
    /// The bits by which holes of one size are told apart, from the highest bit of a word down.
    [[nodiscard, gnu::always_inline]] constexpr std::uint64_t leading_offset(Quanta offset) const noexcept {
        return std::uint64_t{From == end::low ? offset : static_cast<Quanta>(offset ^ max_offset_)}
               << (64 - offset_bits_) % 64;
    }
    [[nodiscard]] constexpr unsigned remaining_bits(Quanta size) const noexcept {
        return first_shift_ - static_cast<unsigned>(std::countl_zero(size));
    }
    [[nodiscard, gnu::always_inline]] constexpr unsigned list_of(Quanta size, Quanta offset) const noexcept {
        const unsigned below = remaining_bits(size);
        return static_cast<unsigned>(key_of(size, offset) >> below) + (below << leading_bits_) - first_list_;
    }
    [[nodiscard, gnu::always_inline]] static constexpr bool before(const block_node<Quanta>& other, Quanta size,
                                                                   Quanta offset) noexcept {
        constexpr auto turned = static_cast<Quanta>(From == end::low ? 0 : ~Quanta{0});
        if constexpr (sizeof(Quanta) == 4)
            return (key{other.size} << 32 | (other.offset ^ turned)) < (key{size} << 32 | (offset ^ turned));
        else
            return other.size < size || (other.size == size && (other.offset ^ turned) < (offset ^ turned));
    }
    /// True when a hole has that size.
    [[nodiscard]] static constexpr bool has_size(const block_node<Quanta>& hole, Quanta size) noexcept {
        return hole.size == size;
    }
    /// Offsets that sort before and after those of all holes in lists, and the one that sorts after another. (No hole
    /// in a list begins at 0 where those are sorted from the high end.)
    [[nodiscard]] constexpr Quanta first_offset() const noexcept { return From == end::low ? 0 : max_offset_; }
    [[nodiscard]] constexpr Quanta last_offset() const noexcept { return From == end::low ? max_offset_ : 0; }
    [[nodiscard]] static constexpr Quanta offset_after(Quanta offset) noexcept {
        return static_cast<Quanta>(From == end::low ? offset + 1 : offset - 1);
    }

private:
    [[nodiscard]] static constexpr unsigned at_most(unsigned limit, unsigned number) noexcept {
        return number < limit ? number : limit;
    }

    unsigned offset_bits_;
    unsigned leading_bits_;
    unsigned first_shift_;  // how many bits of the largest number's key do not choose its list
    unsigned first_list_;   // what the smallest key would choose if lists were not counted from it, less 1
    Quanta max_offset_;
};

}  // namespace hbm
