#pragma once

/// What no plan can be cheaper than.

#include <hbm/search/layout.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm {

/// The least price of one block that is in the way: of moving it, or its share of the price of its program; the largest
/// number if it is a wall. O(1).
[[nodiscard]] constexpr std::uint64_t min_price(const layout& now, const layout_block& one) noexcept {
    std::uint64_t least = one.movable ? one.price : ~std::uint64_t{0};
    if (one.program == no_index) return least;
    const evictable_program& owner = now.programs[one.program];
    const std::uint64_t share = owner.price / (owner.blocks == 0 ? 1 : owner.blocks);
    return share < least ? share : least;
}

/// How far the reservation could fall if every program left that can. O(programs).
[[nodiscard]] constexpr std::uint64_t lowest_bottom(const layout& now) noexcept {
    if (now.anchored || now.rule == scratch_rule::none || now.programs.empty()) return now.bottom;
    return now.scratch_of_others < now.bottom ? now.scratch_of_others : now.bottom;
}

/// The price of the cheapest window: wherever the run is going to be, all that is there now has to move or go. The
/// largest number where walls leave no room for it, or nothing else could. O(blocks).
[[nodiscard]] constexpr std::uint64_t window_bound(const layout& now) noexcept {
    constexpr std::uint64_t unlimited = ~std::uint64_t{0};
    const std::uint64_t bottom = lowest_bottom(now);
    std::uint64_t length = now.length;
    if (now.anchored && now.rule == scratch_rule::sum && !now.programs.empty() && now.scratch_of_others < length)
        length = now.scratch_of_others;
    if (now.anchored) {
        if (length <= bottom) return 0;
        if (length > now.capacity) return unlimited;
        std::uint64_t price = 0;
        for (const layout_block& one : now.blocks) {
            if (one.gone) continue;
            if (one.offset >= length) break;
            const std::uint64_t least = min_price(now, one);
            if (least == unlimited) return unlimited;
            price += least;
        }
        return price;
    }
    std::uint64_t best = unlimited;
    std::uint64_t price = 0;
    std::size_t after = 0;
    const std::size_t count = now.blocks.size();
    const auto skip_gone = [&](std::size_t at) {
        while (at < count && now.blocks[at].gone) ++at;
        return at;
    };
    after = skip_gone(0);
    std::uint64_t end = bottom;
    for (std::size_t first = after;; first = skip_gone(first + 1)) {
        if (after < first) after = first, price = 0;
        bool walled = false;
        for (;;) {
            const std::uint64_t high = after == count ? now.capacity : now.blocks[after].offset;
            if (now.admits(end, high)) {
                if (price < best) best = price;
                break;
            }
            if (after == count) return best;
            const std::uint64_t least = min_price(now, now.blocks[after]);
            walled = least == unlimited;
            if (walled) break;
            price += least;
            after = skip_gone(after + 1);
        }
        if (walled) {  // on from after the wall
            first = after;
            after = skip_gone(first + 1);
            price = 0;
        } else if (first < after) {
            price -= min_price(now, now.blocks[first]);
        }
        if (first == count) return best;
        end = now.blocks[first].end();
    }
}

}  // namespace hbm
