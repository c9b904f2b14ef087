#pragma once

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/extent.hpp>

#include <bit>
#include <cstdint>
#include <limits>

namespace hbm::inline v0::detail {

/// Node of a tree over ranges of memory: up to 32 entries in address order, each with a beginning, a size and a link.
/// In a leaf, an entry is a hole; above, it is a child, whose size is that of its largest hole.
///
/// Entries may have gaps between them: erasing leaves a gap, and inserting shifts entries only up to the nearest gap.
/// Gaps keep a beginning, so that all 32 slots stay sorted. Searches scan whole arrays a fixed number of times without
/// branches, so that compilers vectorise them. Fields are read-only for callers, except `sizes` of an entry.
template <class Quanta>
struct range_node {
    static constexpr unsigned slots = 32;
    static constexpr unsigned none = slots;

    struct entry {
        Quanta begin = 0;
        Quanta size = 0;
        std::uint32_t link = 0;
    };
    /// The merged entries of up to two nodes.
    struct entries {
        entry items[2 * slots];
        unsigned count = 0;

        constexpr void add(const range_node& node) noexcept {
            for (std::uint32_t rest = node.used; rest != 0; rest &= rest - 1)
                items[count++] = node.at(static_cast<unsigned>(std::countr_zero(rest)));
        }
    };

    Quanta begins[slots] = {};  // a gap has any value that keeps the order
    Quanta sizes[slots] = {};   // a gap has 0
    std::uint32_t links[slots] = {};
    std::uint32_t used = 0;  // a bit for each slot with an entry
    std::uint32_t count = 0;

    constexpr range_node() noexcept {
        for (Quanta& begin : begins) begin = last_begin;
    }

    [[nodiscard]] constexpr entry at(unsigned slot) const noexcept { return {begins[slot], sizes[slot], links[slot]}; }
    [[nodiscard]] constexpr basic_extent<Quanta> range(unsigned slot) const noexcept {
        return {begins[slot], sizes[slot]};
    }

    // -- searching; all O(slots) -------------------------------------------------------------------------------------

    /// Returns the number of slots that begin at or below `offset`. An entry that begins there is in the last of them.
    [[nodiscard, gnu::always_inline]] constexpr unsigned slots_up_to(Quanta offset) const noexcept {
        // Counts instead of searching by halves: 32 comparisons are a few vector instructions, while half of the
        // branches of a search are mispredicted. The sum has the width of the offsets so that compilers keep it in the
        // lanes of a vector.
        Quanta count_below = 0;
        for (unsigned slot = 0; slot < slots; ++slot)
            count_below = static_cast<Quanta>(count_below + (begins[slot] <= offset));
        return static_cast<unsigned>(count_below);
    }
    /// Returns the child that `offset` belongs to: the last that begins at or below it.
    /// Requires: it exists.
    [[nodiscard, gnu::always_inline]] constexpr unsigned child_at(Quanta offset) const noexcept {
        const std::uint32_t up_to = used & below(slots_up_to(offset));
        return (static_cast<unsigned>(std::bit_width(up_to)) - 1) % slots;
    }
    /// Returns a bit for each entry of at least `length`.
    [[nodiscard, gnu::always_inline]] constexpr std::uint32_t long_enough(Quanta length) const noexcept {
        if (__builtin_is_constant_evaluated() && used == 0) return 0;  // few steps
        std::uint32_t slots_found = 0;
        for (unsigned slot = 0; slot < slots; ++slot)
            slots_found |= (std::uint32_t{0} - std::uint32_t{sizes[slot] >= length}) & bit_of.items[slot];
        return slots_found & used;
    }
    /// Returns the largest size, 0 without entries.
    [[nodiscard, gnu::always_inline]] constexpr Quanta largest() const noexcept {
        Quanta most = 0;
        for (const Quanta size : sizes) most = size > most ? size : most;
        return most;
    }
    [[nodiscard]] constexpr unsigned after(unsigned slot) const noexcept {
        return static_cast<unsigned>(std::countr_zero(static_cast<std::uint32_t>(used & ~below(slot + 1))));
    }
    [[nodiscard]] constexpr unsigned before(unsigned slot) const noexcept {
        const std::uint32_t lower = used & below(slot);
        return lower == 0 ? none : static_cast<unsigned>(31 - std::countl_zero(lower));
    }

    // -- changing ----------------------------------------------------------------------------------------------------

    [[gnu::always_inline]] constexpr void erase(unsigned slot) noexcept {
        sizes[slot] = 0;
        used &= ~(std::uint32_t{1} << slot);
        --count;
    }
    /// Inserts an entry.
    /// Requires: a gap is left, and no entry begins at the same offset.
    /// Cost: O(slots).
    [[gnu::always_inline]] constexpr void put(const entry& added) noexcept {
        // The slot that the entry belongs behind may be a gap, or the one after it; else the nearest gap comes here. A
        // gap has a beginning as well, that of an entry that was there or comes next, so all slots stay sorted.
        const unsigned above = slots_up_to(added.begin);
        unsigned slot = above - 1;
        if (above == 0 || (used >> slot & 1) != 0) {
            slot = above;
            if (above == slots || (used >> slot & 1) != 0) slot = make_gap(above);
        }
        begins[slot] = added.begin;
        sizes[slot] = added.size;
        links[slot] = added.link;
        used |= std::uint32_t{1} << slot;
        ++count;
    }
    /// Assigns the entries `[first, last)` of `all`, with gaps spread evenly.
    constexpr void assign(const entries& all, unsigned first, unsigned last) noexcept {
        // Gaps lie between the entries, each with the beginning of the next entry, so that inserts find one near by.
        *this = range_node();
        count = last - first;
        for (unsigned at = 0, slot = 0; at < count; ++at) {
            const entry& moved = all.items[first + at];
            const unsigned target = at * slots / count;
            for (; slot <= target; ++slot) begins[slot] = moved.begin;
            sizes[target] = moved.size;
            links[target] = moved.link;
            used |= std::uint32_t{1} << target;
        }
    }

private:
    static constexpr Quanta last_begin = std::numeric_limits<Quanta>::max();

    struct bits {
        std::uint32_t items[slots] = {};
        constexpr bits() noexcept {
            for (unsigned slot = 0; slot < slots; ++slot) items[slot] = std::uint32_t{1} << slot;
        }
    };
    static constexpr bits bit_of{};

    [[nodiscard]] static constexpr std::uint32_t below(unsigned slot) noexcept {
        return static_cast<std::uint32_t>((std::uint64_t{1} << slot) - 1);
    }

    /// Moves the nearest gap between the slots `above - 1` and `above`. Returns its slot.
    [[gnu::noinline]] constexpr unsigned make_gap(unsigned above) noexcept {
        // Shifts the entries between here and the gap by one, in the direction with fewer of them.
        const std::uint32_t lower = ~used & below(above);
        const std::uint32_t higher = ~used & ~below(above);
        const unsigned gap_below = lower == 0 ? 0 : static_cast<unsigned>(31 - std::countl_zero(lower));
        const unsigned gap_above = static_cast<unsigned>(std::countr_zero(higher));
        if (lower == 0 || (higher != 0 && gap_above - above < above - 1 - gap_below)) {
            for (unsigned slot = gap_above; slot > above; --slot) copy(slot - 1, slot);
            used |= std::uint32_t{1} << gap_above;
            return above;
        }
        for (unsigned slot = gap_below; slot + 1 < above; ++slot) copy(slot + 1, slot);
        used |= std::uint32_t{1} << gap_below;
        return above - 1;
    }
    constexpr void copy(unsigned from, unsigned to) noexcept {
        begins[to] = begins[from];
        sizes[to] = sizes[from];
        links[to] = links[from];
    }
};

}  // namespace hbm::inline v0::detail
