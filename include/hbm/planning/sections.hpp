#pragma once

/// The sections of memory between walls, which `compact` packs.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/bytes.hpp>
#include <hbm/core/extent.hpp>
#include <hbm/core/trivial_vector.hpp>

#include <cstdint>
#include <optional>

namespace hbm::inline v0 {

/// A block and its new offset, in quanta.
struct relocation {
    block_index block = no_block;
    std::uint64_t to = 0;

    friend constexpr bool operator==(const relocation&, const relocation&) = default;
};

/// Coordinates from the end towards which blocks are packed, in quanta: whatever the direction, packing goes to 0.
struct packing_side {
    std::uint64_t capacity = 0;
    bool upwards = false;  ///< towards the high end

    /// Returns the offset of a range as seen from that end. It is its own inverse.
    constexpr std::uint64_t seen(extent range) const noexcept {
        return upwards ? capacity - range.end() : range.offset;
    }
    /// Returns the nearest place in a run for a block whose real offset must be a multiple of `alignment`.
    constexpr std::optional<std::uint64_t> place_in(extent run, std::uint64_t size,
                                                    std::uint64_t alignment) const noexcept {
        if (size > run.size) return std::nullopt;
        const extent real{seen(run), run.size};
        const std::uint64_t last = real.end() - size;
        const std::uint64_t at = upwards ? align_down(last, alignment) : align_up(real.offset, alignment);
        if (at < real.offset || at > last) return std::nullopt;
        return seen({at, size});
    }
    /// Returns the farthest place in a run.
    constexpr std::optional<std::uint64_t> far_place_in(extent run, std::uint64_t size,
                                                        std::uint64_t alignment) const noexcept {
        const packing_side other{capacity, !upwards};
        const auto place = other.place_in({other.seen({seen(run), run.size}), run.size}, size, alignment);
        if (!place) return std::nullopt;
        return seen({other.seen({*place, size}), size});
    }
};

/// A movable block, as seen from the near end.
struct packed_block {
    block_index block = no_block;
    std::uint64_t at = 0;
    std::uint64_t size = 0;
    std::uint64_t alignment = 1;

    constexpr std::uint64_t end() const noexcept { return at + size; }
};

/// The range between two walls, or a wall and an end of memory.
struct section {
    extent range;  ///< range as seen from the near end
    std::uint64_t free = 0;
};

/// A memory between its walls. The blocks of all sections are one list, so that a block which goes to another section
/// only goes to another place in it.
struct sectioned_memory {
    trivial_vector<section> sections;     ///< in ascending order of distance
    trivial_vector<packed_block> blocks;  ///< blocks that may move, in ascending order of distance
};

/// Constraints of moves, and the moves chosen so far.
struct packing_moves {
    packing_side side;
    std::uint64_t limit = 0;                ///< largest block that may move at once
    bool slides_in_parts = false;           ///< blocks over the limit may still slide, in parts
    trivial_vector<relocation> moves = {};  ///< in executable order, with real offsets
    std::uint64_t refused = 0;              ///< the smallest block over the limit that would have moved; 0: none

    constexpr void move(packed_block& block, std::uint64_t to) {
        block.at = to;
        moves.push_back({block.block, side.seen({to, block.size})});
    }
    /// Returns false, and records the size, if a block is too large to move at once.
    constexpr bool allows(std::uint64_t size) noexcept {
        if (size <= limit) return true;
        if (refused == 0 || size < refused) refused = size;
        return false;
    }
};

/// Computes all moves of a compaction with the constraints of `how`. A block that is longer than the limit slides.
/// Defined in compactor.hpp, which only memories that may move blocks include.
constexpr packing_moves moves_of_compaction(sectioned_memory&& memory, const packing_moves& how);

}  // namespace hbm::inline v0
