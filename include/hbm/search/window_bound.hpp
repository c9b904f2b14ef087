#pragma once

#include <hbm/search/layout.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// Returns a lower bound of the price of clearing one block: of moving it, or its share of the price of its program.
/// The largest number for a wall.
template <class Layout>
[[nodiscard]] constexpr std::uint64_t min_price(const Layout& now, const layout_block& block) noexcept {
    std::uint64_t least = block.movable ? block.price : ~std::uint64_t{0};
    if (block.program == no_index) return least;
    const evictable_program& owner = now.programs[block.program];
    const std::uint64_t share = owner.price / (owner.blocks == 0 ? 1 : owner.blocks);
    return share < least ? share : least;
}

/// Enumerates the windows from `floor` on that would hold a need if they were empty: the shortest for each start, at
/// `floor` or after a block. Calls `include(block)` and `exclude(block)` for blocks that enter and leave the window,
/// and `visit(low, high)` for each window, with the ends of its free range. No window contains a block for which
/// `is_wall(block)` is true. Blocks that begin below `floor` are skipped.
/// Cost: O(blocks).
template <class Layout, class IsWall, class Include, class Exclude, class Visit>
constexpr void for_each_window(const Layout& now, const layout_need& need, std::uint64_t floor, IsWall is_wall,
                               Include include, Exclude exclude, Visit visit) {
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
        if (ended) {  // continue after the wall
            for (; first < after; first = from(first + 1)) exclude(now.blocks[first]);
        } else {
            visit(low, high);
            if (first == count) return;
            if (first < after) exclude(now.blocks[first]);
        }
        low = now.blocks[first].end();
        first = from(first + 1);
        if (after < first) after = first;
    }
}

/// Returns a lower bound of the price of any plan: the cheapest window of the most expensive need, plus the blocks that
/// begin inside the future reservation. The largest number if walls leave no room; 0 if the budget is exhausted.
/// Cost: O(blocks) for each of the hardest needs.
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

}  // namespace hbm::inline v0
