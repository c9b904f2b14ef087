#pragma once

/// What no plan can be cheaper than.

#include <hbm/search/layout.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm {

/// The least price of one block that is in the way: of moving it, or its share of the price of its program; the largest
/// number if it is a wall. O(1).
template <class Layout>
[[nodiscard]] constexpr std::uint64_t min_price(const Layout& now, const layout_block& block) noexcept {
    std::uint64_t least = block.movable ? block.price : ~std::uint64_t{0};
    if (block.program == no_index) return least;
    const evictable_program& owner = now.programs[block.program];
    const std::uint64_t share = owner.price / (owner.blocks == 0 ? 1 : owner.blocks);
    return share < least ? share : least;
}

/// Goes through the windows in which a need would fit from `floor` on if they were empty: for each block from which on
/// there is one, and for `floor`, the shortest. `include(block)` and `exclude(block)` are called for the blocks that
/// come into the window and leave it, and `found(low, high)` for each window, with the ends of its free range.
/// `is_wall(block)` is true for blocks that no window may hold. Blocks that begin below `floor` are not counted.
/// O(blocks).
template <class Layout, class IsWall, class Include, class Exclude, class Found>
constexpr void for_each_window(const Layout& now, const layout_need& need, std::uint64_t floor, IsWall is_wall,
                               Include include, Exclude exclude, Found found) {
    const std::size_t count = now.blocks.size();
    const auto from = [&](std::size_t at) {
        while (at < count && (now.blocks[at].gone || now.blocks[at].offset < floor)) ++at;
        return at;
    };
    std::uint64_t low = floor;
    std::size_t after = from(0);
    for (std::size_t first = after;;) {
        std::uint64_t high = now.capacity;
        bool ended = false;
        for (;; after = from(after + 1)) {
            high = after == count ? now.capacity : now.blocks[after].offset;
            if (range_of_quanta{low, high}.holds(need)) break;
            if (after == count) return;
            ended = is_wall(now.blocks[after]);
            if (ended) break;
            include(now.blocks[after]);
        }
        if (ended) {  // on from after the wall
            for (; first < after; first = from(first + 1)) exclude(now.blocks[first]);
        } else {
            found(low, high);
            if (first == count) return;
            if (first < after) exclude(now.blocks[first]);
        }
        low = now.blocks[first].end();
        first = from(first + 1);
        if (after < first) after = first;
    }
}

/// What no plan can be cheaper than: the price of the cheapest window of the need for which that is dearest, wherever
/// it is going to be, and of what begins where the reservation is going to be. The largest number where walls leave no
/// room for that. O(blocks) for each of the hardest needs; 0, which bounds nothing, where that cannot be afforded.
template <class Layout>
[[nodiscard, gnu::cold]] constexpr std::uint64_t window_bound(const Layout& now) {
    constexpr std::uint64_t unlimited = ~std::uint64_t{0};
    const std::uint64_t floor = now.min_level();
    if (floor > now.capacity) return unlimited;
    if (!now.look()) return 0;
    std::uint64_t below = 0;
    for (const layout_block& block : now.blocks) {
        if (block.offset >= floor) break;
        if (block.gone) continue;
        const std::uint64_t least = min_price(now, block);
        if (least == unlimited) return unlimited;
        below += least;
    }
    std::uint64_t above = 0;
    for (const layout_need& need : hardest_of(now.needs)) {
        std::uint64_t best = unlimited;
        std::uint64_t price = 0;
        for_each_window(
            now, need, floor, [&](const layout_block& block) { return min_price(now, block) == unlimited; },
            [&](const layout_block& block) { price += min_price(now, block); },
            [&](const layout_block& block) { price -= min_price(now, block); },
            [&](std::uint64_t, std::uint64_t) { best = price < best ? price : best; });
        above = best > above ? best : above;
    }
    return above == unlimited ? unlimited : below + above;
}

}  // namespace hbm
