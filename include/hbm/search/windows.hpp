#pragma once

#include <hbm/core/bisect.hpp>
#include <hbm/core/bytes.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/search/need_packing.hpp>
#include <hbm/search/slide.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// A range that would make room if it were emptied, and a lower bound of the price of emptying it.
struct window {
    range_of_quanta where;
    std::uint64_t price = 0;
};

/// Adds a window, unless it costs `limit` or there are `most` that cost no more.
/// Cost: O(log(most)), plus moving up to `most` windows.
[[gnu::cold, gnu::noinline]] constexpr void add_window(trivial_vector<window>& windows, std::size_t most,
                                                       std::uint64_t limit, window added) {
    if (added.price >= limit || (windows.size() == most && added.price >= windows.back().price)) return;
    const std::size_t place = *least_enough(
        windows.size(), [&](std::size_t at) { return at == windows.size() || windows[at].price > added.price; });
    if (windows.size() == most) windows.pop_back();
    windows.insert(windows.begin() + static_cast<std::ptrdiff_t>(place), added);
}

/// Lists up to `most` windows for a need that cost less than `limit`, the cheapest first: those that begin or end at a
/// block that is kept, a wall or an end of memory. Windows contain no walls. With alignment, a window may be listed
/// twice, at different prices.
/// Requires: `found` is empty.
/// Cost: O(segments x log(most)).
[[gnu::cold]] constexpr void list_windows(const trivial_vector<segment>& segments, const layout_need& need,
                                          std::uint64_t limit, std::size_t most, trivial_vector<window>& windows) {
    std::size_t after = 0;
    std::uint64_t end = 0;  // end of the segments before `after`
    std::uint64_t price = 0;
    bool after_hole = false;
    for (std::size_t first = 0; first < segments.size(); ++first) {
        const segment& lowest = segments[first];
        if (lowest.kind == segment_kind::wall) {
            after = first + 1;
            price = 0;
            after_hole = false;
            continue;
        }
        if (after <= first) after = first, end = lowest.low;
        const std::uint64_t begin = align_up(lowest.low, need.alignment);
        const std::uint64_t needed = saturating_add(begin, need.length);
        while (after < segments.size()) {
            const segment& next = segments[after];
            if (next.kind == segment_kind::wall || (end >= needed && !next.is_hole())) break;
            if (!next.is_hole()) price += next.least;
            end = next.high;
            ++after;
        }
        // A window that begins after a hole is also visible from the hole. If the sum saturated, there is no window,
        // though memory may end there.
        if (!after_hole && begin >= lowest.low && end >= needed && needed - begin == need.length) {
            add_window(windows, most, limit, {{begin, needed}, price});
            const std::uint64_t from_top = align_down(end - need.length, need.alignment);
            // If the window does not touch the lowest block, it is visible again from after that block.
            const std::uint64_t in_the_way =
                lowest.is_hole() && first + 1 < after ? segments[first + 1].high : lowest.high;
            if (from_top != begin && from_top < in_the_way)
                add_window(windows, most, limit, {{from_top, from_top + need.length}, price});
        }
        after_hole = lowest.is_hole();
        if (after > first && !after_hole) price -= lowest.least;
    }
}

}  // namespace hbm::inline v0
