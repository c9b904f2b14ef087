#pragma once

/// From the offset of a block to its index.

#include <hbm/core/handle.hpp>
#include <hbm/core/trivial_vector.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace hbm {

/// A hash table with linear probing, at most half full. What is erased leaves no trace: the entries behind it close up
/// (Knuth, "The Art of Computer Programming", 6.4, algorithm R), so that a table which has once been large enough never
/// asks the host again. The hash is the offset times 2^64 divided by the golden ratio (the same, 6.4): offsets that are
/// multiples of each other spread well.
///
/// Why not an array with an entry for each quantum: 16 GiB have 33,554,432 quanta of 512 bytes. Why not a search in
/// the blocks themselves: they are a ring in address order, without a tree over it. A regular value.
template <class Quanta>
class block_table {
public:
    /// Room for `blocks` entries without asking the host again: 16 to 32 bytes each where quanta have 32 bits.
    constexpr void reserve(std::size_t blocks) {
        if (blocks * 2 > slots_.size()) rehash(std::bit_ceil(blocks < 8 ? std::size_t{16} : blocks * 2));
    }
    [[nodiscard]] constexpr std::size_t size() const noexcept { return used_; }

    /// The block at `offset`; `no_block` if there is none. O(1) on average.
    [[nodiscard]] constexpr block_index find(Quanta offset) const noexcept {
        return slots_.empty() ? no_block : slots_[slot_of(offset)].block;
    }
    /// Adds a block at an offset where none is. O(1) on average, amortised where the table grows.
    constexpr void insert(Quanta offset, block_index block) {
        reserve(used_ + 1);
        slots_[slot_of(offset)] = {offset, block};
        ++used_;
    }
    /// Takes the block at `offset` out and returns it; `no_block` if there is none. O(1) on average.
    constexpr block_index erase(Quanta offset) noexcept {
        if (slots_.empty()) return no_block;
        const std::size_t last = slots_.size() - 1;
        std::size_t gap = slot_of(offset);
        const block_index erased = slots_[gap].block;
        if (erased == no_block) return no_block;
        for (std::size_t at = (gap + 1) & last; slots_[at].block != no_block; at = (at + 1) & last) {
            // An entry fills the gap unless its search begins behind it.
            if (((at - home(slots_[at].offset)) & last) < ((at - gap) & last)) continue;
            slots_[gap] = slots_[at];
            gap = at;
        }
        slots_[gap] = {};
        --used_;
        return erased;
    }

    /// Equal when the same blocks are at the same offsets.
    friend constexpr bool operator==(const block_table& a, const block_table& b) noexcept {
        if (a.used_ != b.used_) return false;
        for (const slot& each : a.slots_)
            if (each.block != no_block && b.find(each.offset) != each.block) return false;
        return true;
    }

private:
    struct slot {
        Quanta offset = 0;
        block_index block = no_block;
    };

    [[nodiscard]] constexpr std::size_t home(Quanta offset) const noexcept {
        return static_cast<std::size_t>(std::uint64_t{offset} * 0x9e3779b97f4a7c15u >> shift_);
    }
    /// Where `offset` is, or the free slot where it would be. There are slots.
    [[nodiscard]] constexpr std::size_t slot_of(Quanta offset) const noexcept {
        std::size_t at = home(offset);
        while (slots_[at].block != no_block && slots_[at].offset != offset) at = (at + 1) & (slots_.size() - 1);
        return at;
    }
    [[gnu::cold, gnu::noinline]] constexpr void rehash(std::size_t slots) {
        trivial_vector<slot> before(slots);
        before.swap(slots_);
        shift_ = static_cast<unsigned>(64 - std::countr_zero(slots));
        for (const slot& each : before)
            if (each.block != no_block) slots_[slot_of(each.offset)] = each;
    }

    trivial_vector<slot> slots_;  // a power of two, 16 at least
    std::size_t used_ = 0;
    unsigned shift_ = 0;
};

}  // namespace hbm
