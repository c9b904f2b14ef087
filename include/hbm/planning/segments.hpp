#pragma once

/// Memory as a row of segments, and the windows in it: ranges that would make room if they were empty.

#include <hbm/core/bisect.hpp>
#include <hbm/planning/layout.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

enum class segment_kind : std::uint8_t { hole, block, wall };

/// A part of memory: a hole, a block or a wall. Offsets are in quanta.
struct segment {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::uint64_t price = unlimited_price;  ///< price of moving the block to a disjoint place
    std::uint64_t least = unlimited_price;  ///< like `price`, or less if its program may be evicted
    block_index block = no_block;
    std::uint32_t program = no_index;  ///< as in `layout_block`
    segment_kind kind = segment_kind::hole;
    bool own = false;  ///< a hole that is free only once the requesting block has left
    std::uint8_t alignment_shift = 0;

    constexpr std::uint64_t size() const noexcept { return high - low; }
    constexpr std::uint64_t alignment() const noexcept { return std::uint64_t{1} << alignment_shift; }
    constexpr bool is_hole() const noexcept { return kind == segment_kind::hole; }
    /// Returns true for a movable block, even if its program could be evicted instead.
    constexpr bool can_slide() const noexcept { return kind == segment_kind::block && price != unlimited_price; }
};

using segments = trivial_vector<segment>;

/// Returns a lower bound of the price of clearing one block: of moving it, or its share of the price of its program.
/// Shares make the bound of a window hold even if it holds all blocks of a program. Unlimited for a wall.
constexpr std::uint64_t min_price(const layout& now, const layout_block& block) noexcept {
    const std::uint64_t least = block.movable ? block.price : unlimited_price;
    if (block.program == no_index) return least;
    const evictable_program& owner = now.programs[block.program];
    const std::uint64_t share = owner.price / (owner.blocks == 0 ? 1 : owner.blocks);
    return share < least ? share : least;
}

/// Calls `visit(part)` for the parts of `room` outside of `barred`, as holes, and inside, as walls, in ascending order.
/// Requires: the ranges of `barred` ascend and are disjoint; `room` is not empty.
template <class Visit>
[[gnu::cold]] constexpr void split(range_of_quanta room, const trivial_vector<range_of_quanta>& barred, Visit visit) {
    for (const range_of_quanta& range : barred) {
        if (!range.overlaps(room)) continue;
        if (range.low > room.low) visit(segment{.low = room.low, .high = range.low});
        const std::uint64_t low = range.low > room.low ? range.low : room.low;
        room.low = range.high < room.high ? range.high : room.high;
        visit(segment{.low = low, .high = room.low, .kind = segment_kind::wall});
    }
    if (room.low < room.high) visit(segment{.low = room.low, .high = room.high});
}

/// Divides memory from `low` on into segments. The place of the block at index `self` counts as a hole; blocks in a
/// `barred` range, which was cleared for others, are walls. Blocks that begin below `low` are left out.
/// Requires: the ranges of `barred` ascend and are disjoint.
[[gnu::hot]] constexpr void divide(const layout& now, std::uint64_t low, const trivial_vector<range_of_quanta>& barred,
                                   std::size_t self, segments& parts) {
    // Every search begins with it, so it is a third of relief. It walks up blocks and barred ranges together: nearly
    // all holes and blocks lie outside of these and become segments as they are.
    // Segments are written in place: a copy of one that was just made waits for all of its fields.
    // A long row gets twice the room it needs: glibc then gives it pages of its own, and from then on keeps as much of
    // what searches free. Else each search of 1,000 blocks spends most of its time on new pages, 3 ms instead of 0.3.
    const std::size_t most = 2 * now.blocks.size() + 4 * barred.size() + 2;
    parts.clear();
    parts.reserve(most < 1400 ? most : 2 * most);
    const auto add_hole = [&](range_of_quanta room, bool own) {
        const bool joins = !parts.empty() && parts.back().is_hole() && parts.back().high == room.low;
        segment& part = joins ? parts.back() : parts.emplace_back();
        if (!joins) part.low = room.low;
        part.high = room.high;
        part.own = part.own || own;
    };
    std::size_t passed = 0;  // barred ranges below
    const auto is_barred = [&](range_of_quanta room) {
        while (passed != barred.size() && barred[passed].high <= room.low) ++passed;
        return passed != barred.size() && barred[passed].low < room.high;
    };
    const auto add_free = [&](range_of_quanta room, bool own) {
        if (room.low >= room.high) return;
        if (!is_barred(room)) return add_hole(room, own);
        split(room, barred, [&](const segment& part) {
            if (part.is_hole())
                add_hole({part.low, part.high}, own);
            else
                parts.push_back(part);
        });
    };
    for (std::size_t at = 0; at < now.blocks.size(); ++at) {
        const layout_block& block = now.blocks[at];
        if (block.gone || block.offset < low) continue;
        const range_of_quanta place{block.offset, block.end()};
        add_free({low, place.low}, false);
        low = place.high;
        if (at == self) {
            add_free(place, true);
            continue;
        }
        const bool wall = block.fixed || (!block.movable && block.program == no_index) || is_barred(place);
        segment& part = parts.emplace_back();
        part.low = place.low;
        part.high = place.high;
        part.price = block.movable ? block.price : unlimited_price;
        part.least = wall ? unlimited_price : min_price(now, block);
        part.block = block.block;
        part.program = block.program;
        part.kind = wall ? segment_kind::wall : segment_kind::block;
        part.alignment_shift = static_cast<std::uint8_t>(std::countr_zero(block.alignment));
    }
    add_free({low, now.capacity}, false);
}

/// Enumerates the windows without walls that would hold a need if they were empty: the shortest for each start, at the
/// lowest segment or after a block. Calls `include(part)` and `exclude(part)` for blocks that enter and leave the
/// window, and `visit(range, first)` for each window, with its range from hole to hole and the index of its lowest
/// part. Two indexes walk up the row, so the blocks in between are the window, and sums over them are kept by the
/// caller. Cost: O(segments).
template <class Include, class Exclude, class Visit>
constexpr void for_each_window(const segments& parts, const layout_need& need, Include include, Exclude exclude,
                               Visit visit) {
    std::size_t after = 0;
    std::uint64_t end = 0;  // of the segments before `after`
    for (std::size_t first = 0; first < parts.size(); ++first) {
        if (parts[first].kind == segment_kind::wall) continue;
        if (after <= first) {
            after = first;
            end = parts[first].low;
        }
        range_of_quanta room{parts[first].low, end};
        bool is_enough = false;
        for (;; ++after) {
            is_enough = room.takes(need);
            if (after == parts.size() || parts[after].kind == segment_kind::wall) break;
            if (is_enough && !parts[after].is_hole()) break;
            if (!parts[after].is_hole()) include(parts[after]);
            room.high = end = parts[after].high;
        }
        // A start at a block behind a hole would be no other window than the start at the hole.
        const bool is_start = first == 0 || !parts[first - 1].is_hole();
        if (is_start && is_enough) visit(room, first);
        if (after > first && !parts[first].is_hole()) exclude(parts[first]);
    }
}

/// A range that would make room if it were emptied, and a lower bound of the price of emptying it.
struct window {
    range_of_quanta where;
    std::uint64_t price = 0;
};

/// Lists up to `most` windows for a need that cost less than `limit`, the cheapest first: those that begin or end at a
/// block that is kept, a wall or an end of memory. With alignment, a window may be listed twice, at different prices.
/// Cost: O(segments x log(most)), plus moving up to `most` windows for each.
constexpr trivial_vector<window> list_windows(const segments& parts, const layout_need& need, std::uint64_t limit,
                                              std::size_t most) {
    trivial_vector<window> windows;
    std::uint64_t price = 0;
    const auto is_wanted = [&] { return price < limit && (windows.size() < most || price < windows.back().price); };
    const auto add = [&](std::uint64_t begin) {
        if (!is_wanted()) return;
        const std::size_t place = *least_enough(
            windows.size(), [&](std::size_t at) { return at == windows.size() || windows[at].price > price; });
        if (windows.size() == most) windows.pop_back();
        windows.insert(windows.begin() + static_cast<std::ptrdiff_t>(place), {{begin, begin + need.length}, price});
    };
    for_each_window(
        parts, need, [&](const segment& part) { price += part.least; },
        [&](const segment& part) { price -= part.least; },
        [&](range_of_quanta room, std::size_t first) {
            // The list stays sorted and short: nearly all windows are no cheaper than the last of it.
            if (!is_wanted()) return;
            const std::uint64_t begin = align_up(room.low, need.alignment);
            const std::uint64_t from_top = align_down(room.high - need.length, need.alignment);
            add(begin);
            // A window above the lowest block is visible again from after that block.
            const bool second = parts[first].is_hole() && first + 1 < parts.size() && parts[first].high < room.high;
            if (from_top != begin && from_top < parts[first + second].high) add(from_top);
        });
    return windows;
}

/// Enumerates windows as above from `low` on, without a row of segments, for searches that look at them once. Calls
/// `include(block)`, `exclude(block)` and `visit(range)`. Cost: O(blocks).
template <class IsWall, class Include, class Exclude, class Visit>
constexpr void for_each_window_above(const layout& now, std::uint64_t low, const layout_need& need, IsWall is_wall,
                                     Include include, Exclude exclude, Visit visit) {
    const trivial_vector<layout_block>& blocks = now.blocks;
    const auto next_from = [&](std::size_t at) {
        while (at < blocks.size() && (blocks[at].gone || blocks[at].offset < low)) ++at;
        return at;
    };
    std::size_t after = next_from(0);
    for (std::size_t first = after;; first = next_from(first + 1)) {
        // The window begins at `low`; `first` is the block above it, and `after` the first one above the window.
        if (after < first) after = first;
        for (;; after = next_from(after + 1)) {
            const range_of_quanta room{low, after < blocks.size() ? blocks[after].offset : now.capacity};
            if (room.takes(need)) {
                visit(room);
                break;
            }
            if (after == blocks.size() || is_wall(blocks[after])) break;
            include(blocks[after]);
        }
        if (first == blocks.size()) return;
        if (first < after) exclude(blocks[first]);
        low = blocks[first].end();
    }
}

/// Returns a lower bound of the price of any plan: the cheapest window of the most expensive need, plus the blocks that
/// begin inside the future reservation. A plan has to empty such a window, whatever else it does, and nothing is
/// cheaper than to move each of its blocks once. Unlimited if walls leave no room; 0 if the budget is exhausted. Cost:
/// O(blocks) for each of the hardest needs.
[[gnu::hot]] constexpr std::uint64_t window_bound(const layout& now) {
    const std::uint64_t floor = now.min_level();
    if (floor > now.capacity) return unlimited_price;
    if (!now.look()) return 0;
    std::uint64_t below = 0;
    for (const layout_block& block : now.blocks) {
        if (block.offset >= floor) break;
        if (block.gone) continue;
        const std::uint64_t least = min_price(now, block);
        if (least == unlimited_price) return unlimited_price;
        below += least;
    }
    std::uint64_t above = 0;
    for (const layout_need& need : hardest_of(now.needs)) {
        std::uint64_t best = unlimited_price;
        std::uint64_t price = 0;
        for_each_window_above(
            now, floor, need, [](const layout_block& block) { return !block.movable && block.program == no_index; },
            [&](const layout_block& block) { price += min_price(now, block); },
            [&](const layout_block& block) { price -= min_price(now, block); },
            [&](range_of_quanta) { best = price < best ? price : best; });
        above = best > above ? best : above;
    }
    return above == unlimited_price ? unlimited_price : below + above;
}

}  // namespace hbm::inline v0
