#pragma once

#include <hbm/core/trivial_vector.hpp>
#include <hbm/pack/block.hpp>
#include <hbm/pack/sections.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>

namespace hbm::inline v0::pack {

/// The most blocks of a search: its memory grows quadratically, to 24 MiB.
inline constexpr std::size_t max_search_blocks = 1024;

namespace detail {

/// The `search_block::offset` of a block that may lie anywhere.
inline constexpr std::uint32_t unplaced = ~std::uint32_t{0};

/// The largest capacity in units: no sum of the search exceeds 32 bits.
inline constexpr std::uint64_t max_search_units = std::uint64_t{1} << 29U;

struct search_block {
    section_range life;
    std::uint32_t size = 0;      ///< size in units
    std::uint32_t duration = 0;  ///< length of its life, in an arbitrary unit
    std::uint32_t alignment = 1;
    std::uint32_t offset = unplaced;  ///< fixed offset in units
    std::uint32_t which = 0;          ///< its number in the original problem
};

/// A problem in small numbers: sizes and offsets in units, lives in sections. It omits blocks that overlap nothing.
struct search_problem {
    trivial_vector<search_block> blocks;
    trivial_vector<std::uint32_t> live;  ///< live units of each section
    std::uint32_t sections = 0;
    std::uint64_t unit = 1;       ///< bytes per unit
    bool is_constrained = false;  ///< some block has an alignment or a given offset
};

/// Returns the problem of a search for capacities up to `max_bytes`, or `nullopt` if it has too many blocks or units.
[[nodiscard]] constexpr std::optional<search_problem> search_problem_of(std::span<const block> blocks,
                                                                        std::uint64_t max_bytes) {
    // The greatest common divisor of all sizes, alignments and given offsets is the unit. In some packing that needs
    // the least memory each block lies on others, or at a multiple of its alignment, so all offsets are multiples of
    // it. Small numbers let the search keep its state in 32 bits.
    std::uint64_t unit = 0;
    std::uint64_t longest = 0;
    std::size_t count = 0;
    for (const block& item : blocks) {
        if (!takes_room(item)) continue;
        ++count;
        unit = std::gcd(unit, item.bytes);
        if (item.alignment > 1 && item.offset == anywhere) unit = std::gcd(unit, item.alignment);
        if (item.offset != anywhere) unit = std::gcd(unit, item.offset);
        if (item.end - item.begin > longest) longest = item.end - item.begin;
    }
    if (count > max_search_blocks || count == 0 || max_bytes / unit >= max_search_units) return std::nullopt;
    unsigned shift = 0;
    while ((longest >> shift) > ~std::uint32_t{0}) ++shift;

    const sections cut = sections_of(blocks);
    search_problem problem{.blocks = {}, .live = {}, .sections = cut.count, .unit = unit, .is_constrained = false};
    for (const std::uint64_t live : live_bytes(blocks, cut)) {
        if (live > max_bytes) return std::nullopt;
        problem.live.push_back(static_cast<std::uint32_t>(live / unit));
    }
    for (std::uint32_t which = 0; which < blocks.size(); ++which) {
        const block& item = blocks[which];
        if (!takes_room(item)) continue;
        search_block added{.life = cut.lives[which],
                           .size = static_cast<std::uint32_t>(item.bytes / unit),
                           .duration = static_cast<std::uint32_t>((item.end - item.begin) >> shift),
                           .which = which};
        if (item.alignment > 1 && item.offset == anywhere) {
            if (item.alignment / unit >= max_search_units) return std::nullopt;
            added.alignment = static_cast<std::uint32_t>(item.alignment / unit);
        }
        if (item.offset != anywhere) {
            if (item.offset / unit >= max_search_units) return std::nullopt;
            added.offset = static_cast<std::uint32_t>(item.offset / unit);
        }
        problem.is_constrained = problem.is_constrained || added.alignment > 1 || added.offset != unplaced;
        problem.blocks.push_back(added);
    }
    return problem;
}

/// Criteria that order blocks.
enum class order_by : std::uint8_t {
    duration,  ///< a long life
    area,      ///< duration times size
    crowd,     ///< the most remaining bytes in one of its sections
};

/// An order of blocks: lexicographic by three criteria.
using block_order = std::array<order_by, 3>;

/// The orders that a search tries in turn. Each is good on instances on which the others are slow.
///
/// Which order is fast for an instance is not known beforehand; times differ by orders of magnitude.
inline constexpr block_order search_orders[] = {
    {order_by::duration, order_by::area, order_by::crowd},
    {order_by::crowd, order_by::area, order_by::duration},
    {order_by::crowd, order_by::duration, order_by::area},
};

/// The sort key of a block: larger is earlier.
using order_key = std::array<std::uint64_t, 3>;

/// Returns the key of a block whose fullest section has `crowd` remaining units.
[[nodiscard]] constexpr order_key key_of(const search_block& item, std::uint32_t crowd, const block_order& order) {
    order_key key{};
    for (std::size_t at = 0; at < key.size(); ++at) {
        switch (order[at]) {
        case order_by::duration: key[at] = item.duration; break;
        case order_by::area: key[at] = std::uint64_t{item.duration} * item.size; break;
        case order_by::crowd: key[at] = crowd; break;
        }
    }
    return key;
}

}  // namespace detail

}  // namespace hbm::inline v0::pack
