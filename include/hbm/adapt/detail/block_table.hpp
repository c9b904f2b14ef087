#pragma once

#include <hbm/core/handle.hpp>
#include <hbm/core/trivial_vector.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// A map from offsets to blocks: a hash table with linear probing, at most half full. A regular value.
/// Erasing closes the gap (Knuth, "The Art of Computer Programming", 6.4, algorithm R). A table never grows twice to a
/// size.
/// The hash is the offset times 2^64 / golden ratio (ibid.), which spreads multiples well.
/// An array by quantum would need 33,554,432 entries for 16 GiB; the blocks are a ring without a tree to search.
template <class Quanta>
class block_table {
public:
    /// Reserves `blocks` entries: 16 to 32 bytes each if quanta have 32 bits.
    constexpr void reserve(std::size_t blocks) {
        if (blocks * 2 > slots_.size()) rehash(std::bit_ceil(blocks < 8 ? std::size_t{16} : blocks * 2));
    }
    [[nodiscard]] constexpr std::size_t size() const noexcept { return used_; }

    /// Returns the block at `offset`, or `no_block`.
    [[nodiscard]] constexpr block_index find(Quanta offset) const noexcept {
        return slots_.empty() ? no_block : slots_[slot_of(offset)].block;
    }
    /// Adds a block.
    /// Requires: no block is at `offset`.
    constexpr void insert(Quanta offset, block_index block) {
        reserve(used_ + 1);
        slots_[slot_of(offset)] = {offset, block};
        ++used_;
    }
    /// Erases the block at `offset` and returns it, or `no_block`.
    constexpr block_index erase(Quanta offset) noexcept {
        if (slots_.empty()) return no_block;
        const std::size_t last = slots_.size() - 1;
        std::size_t gap = slot_of(offset);
        const block_index erased = slots_[gap].block;
        if (erased == no_block) return no_block;
        for (std::size_t at = (gap + 1) & last; slots_[at].block != no_block; at = (at + 1) & last) {
            // An entry fills the gap unless its probing begins after it.
            if (((at - home(slots_[at].offset)) & last) < ((at - gap) & last)) continue;
            slots_[gap] = slots_[at];
            gap = at;
        }
        slots_[gap] = {};
        --used_;
        return erased;
    }

    friend constexpr bool operator==(const block_table& a, const block_table& b) noexcept {
        if (a.used_ != b.used_) return false;
        for (const slot& entry : a.slots_)
            if (entry.block != no_block && b.find(entry.offset) != entry.block) return false;
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
    /// Returns the slot of `offset`, or the free slot for it.
    /// Requires: the table has slots.
    [[nodiscard]] constexpr std::size_t slot_of(Quanta offset) const noexcept {
        std::size_t at = home(offset);
        while (slots_[at].block != no_block && slots_[at].offset != offset) at = (at + 1) & (slots_.size() - 1);
        return at;
    }
    [[gnu::cold, gnu::noinline]] constexpr void rehash(std::size_t slots) {
        trivial_vector<slot> before(slots);
        before.swap(slots_);
        shift_ = static_cast<unsigned>(64 - std::countr_zero(slots));
        for (const slot& entry : before)
            if (entry.block != no_block) slots_[slot_of(entry.offset)] = entry;
    }

    trivial_vector<slot> slots_;  // a power of two, at least 16
    std::size_t used_ = 0;
    unsigned shift_ = 0;
};

}  // namespace hbm::inline v0
