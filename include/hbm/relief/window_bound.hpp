#pragma once

/// What no plan can be cheaper than.

#include <hbm/relief/layout.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm {

/// The least price of one block that is in the way: of moving it, or its share of the price of its program; the largest
/// number if it is a wall. O(1).
[[nodiscard]] constexpr std::uint64_t least_price(const layout& now, const tenant& one) noexcept {
    std::uint64_t least = one.movable ? one.price : ~std::uint64_t{0};
    if (one.program == no_index) return least;
    const lodger& owner = now.programs[one.program];
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
        for (const tenant& one : now.blocks) {
            if (one.gone) continue;
            if (one.offset >= length) break;
            const std::uint64_t least = least_price(now, one);
            if (least == unlimited) return unlimited;
            price += least;
        }
        return price;
    }
    std::uint64_t best = unlimited;
    std::uint64_t price = 0;
    std::size_t behind = 0;
    const std::size_t count = now.blocks.size();
    const auto skip_gone = [&](std::size_t at) {
        while (at < count && now.blocks[at].gone) ++at;
        return at;
    };
    behind = skip_gone(0);
    std::uint64_t end = bottom;
    for (std::size_t first = behind;; first = skip_gone(first + 1)) {
        if (behind < first) behind = first, price = 0;
        bool walled = false;
        for (;;) {
            const std::uint64_t high = behind == count ? now.capacity : now.blocks[behind].offset;
            if (now.admits(end, high)) {
                if (price < best) best = price;
                break;
            }
            if (behind == count) return best;
            const std::uint64_t least = least_price(now, now.blocks[behind]);
            walled = least == unlimited;
            if (walled) break;
            price += least;
            behind = skip_gone(behind + 1);
        }
        if (walled) {  // on from behind the wall
            first = behind;
            behind = skip_gone(first + 1);
            price = 0;
        } else if (first < behind) {
            price -= least_price(now, now.blocks[first]);
        }
        if (first == count) return best;
        end = now.blocks[first].end();
    }
}

}  // namespace hbm
