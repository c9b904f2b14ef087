#pragma once

/// Sections of time: those instants at which more blocks live than in both neighbours. Blocks that live at the same
/// time do so in such a section.

#include <hbm/core/heap_sort.hpp>
#include <hbm/core/language.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/pack/block.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace hbm::inline v0::pack::detail {

/// The sections `[first, last)` in which a block lives. Empty if it overlaps no other.
struct section_range {
    std::uint32_t first = 0;
    std::uint32_t last = 0;

    [[nodiscard]] constexpr bool meets(const section_range& other) const noexcept {
        return first < other.last && other.first < last;
    }
};

struct sections {
    trivial_vector<section_range> lives;  ///< sections of each block
    std::uint32_t count = 0;
};

/// Returns true if a block has bytes and a life, so that it can overlap others.
[[nodiscard]] constexpr bool takes_room(const block& item) noexcept {
    return item.begin < item.end && item.bytes != 0;
}

/// Returns the sections of blocks.
/// Requires: at most 2^31 blocks.
/// Cost: O(n log n).
[[nodiscard]] constexpr sections sections_of(std::span<const block> blocks) {
    struct event {
        std::uint64_t at;
        std::uint32_t block;
        bool is_begin;
    };
    trivial_vector<event> events;
    for (std::uint32_t which = 0; which < blocks.size(); ++which) {
        if (!takes_room(blocks[which])) continue;
        events.push_back({blocks[which].begin, which, true});
        events.push_back({blocks[which].end, which, false});
    }
    // Ends come before beginnings at the same instant, because lives are half open.
    heap_sort(events, [](const event& a, const event& b) {
        if (a.at != b.at) return a.at < b.at;
        if (a.is_begin != b.is_begin) return b.is_begin;
        return a.block < b.block;
    });
    sections result;
    result.lives.resize(blocks.size(), section_range{});
    // Only where an end follows a beginning are more blocks alive than before and after. Between two such instants
    // nothing meets that does not meet there, so the times in between are dropped.
    bool has_grown = false;
    for (const event& item : events) {
        if (!item.is_begin && has_grown) ++result.count;
        has_grown = item.is_begin;
        (item.is_begin ? result.lives[item.block].first : result.lives[item.block].last) = result.count;
    }
    return result;
}

/// Returns the live bytes of each section, saturating; only blocks with `counts(number)` count.
/// Cost: O(n + sections).
template <class Counts>
[[nodiscard]] constexpr trivial_vector<std::uint64_t> live_bytes(std::span<const block> blocks, const sections& cut,
                                                                 Counts counts) {
    // Sums of differences: each block is noted where it begins and where it ends. The sums may exceed 64 bits; unsigned
    // differences wrap around and come back.
    using wide = hbm::detail::uint128;
    trivial_vector<wide> change(std::size_t{cut.count} + 1, 0);
    for (std::uint32_t which = 0; which < blocks.size(); ++which) {
        if (!takes_room(blocks[which]) || !counts(which)) continue;
        change[cut.lives[which].first] += blocks[which].bytes;
        change[cut.lives[which].last] -= blocks[which].bytes;
    }
    trivial_vector<std::uint64_t> live;
    wide sum = 0;
    for (std::uint32_t section = 0; section < cut.count; ++section) {
        sum += change[section];
        live.push_back(sum > ~std::uint64_t{0} ? ~std::uint64_t{0} : static_cast<std::uint64_t>(sum));
    }
    return live;
}
[[nodiscard]] constexpr trivial_vector<std::uint64_t> live_bytes(std::span<const block> blocks, const sections& cut) {
    return live_bytes(blocks, cut, [](std::uint32_t) { return true; });
}

}  // namespace hbm::inline v0::pack::detail
