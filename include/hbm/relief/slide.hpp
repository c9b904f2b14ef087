#pragma once

/// Moves that keep the order of the blocks.

#include <hbm/core/block_map.hpp>
#include <hbm/core/request.hpp>

#include <limits>
#include <optional>
#include <vector>

namespace hbm {

/// A block and where it goes, in quanta.
template <class Quanta>
struct relocation {
    block_index block = no_block;
    Quanta to = 0;

    friend constexpr bool operator==(const relocation&, const relocation&) = default;
};

template <class Quanta>
using relocations = std::vector<relocation<Quanta>>;

/// The cheapest slide that opens a run for `wanted`: all live blocks between two holes move down, so that the holes
/// join. The moved set of any order-preserving plan contains every live block between the outermost holes that it uses,
/// so the cheapest such stretch between walls is optimal; two pointers over the holes find it. `price(size)` is what
/// moving a block costs, `movable(block)` tells walls. Empty when there is none. O(blocks) when nothing is aligned
/// beyond the quantum.
template <class Quanta, class Movable, class Price>
[[nodiscard]] constexpr std::optional<relocations<Quanta>>
cheapest_slide(const block_map<Quanta>& map, const need<Quanta>& wanted, Movable movable, Price price) {
    const auto wall = [&](block_index block) { return !map.is_hole(block) && !movable(block); };
    const auto end_before = [&](block_index block) { return block == no_block ? map.capacity() : map.offset(block); };
    // Packs [low, behind) and says where the run would begin that the packing opens.
    const auto pack = [&](block_index low, block_index behind, relocations<Quanta>* moves) {
        Quanta cursor = map.offset(low);
        for (block_index block = low; block != behind; block = map.next(block)) {
            if (map.is_hole(block)) continue;
            const Quanta to = align_up(cursor, map.alignment(block));
            if (moves != nullptr && to != map.offset(block)) moves->push_back({block, to});
            cursor = static_cast<Quanta>(to + map.size(block));
        }
        const Quanta begin = align_up(cursor, wanted.alignment);
        return begin < cursor ? std::numeric_limits<Quanta>::max()
                              : begin;  // no multiple of so large an alignment is left
    };

    std::uint64_t best = ~std::uint64_t{0};
    block_index best_low = no_block;
    block_index best_behind = no_block;
    block_index low = map.first();
    block_index behind = low;
    Quanta free = 0;
    std::uint64_t cost = 0;
    std::vector<std::uint64_t> prices;  // of the blocks in the window, of which those before `oldest` have left it
    std::size_t oldest = 0;
    while (low != no_block) {
        if (!map.is_hole(low)) {  // windows begin with a hole
            if (low == behind)
                behind = map.next(low);
            else
                cost -= prices[oldest++];
            low = map.next(low);
            if (low == behind) free = 0, cost = 0;
            continue;
        }
        while (behind != no_block && free < wanted.length && !wall(behind)) {
            if (map.is_hole(behind)) {
                free = static_cast<Quanta>(free + map.size(behind));
            } else {
                prices.push_back(price(map.size(behind)));
                cost += prices.back();
            }
            behind = map.next(behind);
        }
        if (free >= wanted.length) {
            block_index reach = behind;  // alignment may ask for more than the sum
            std::uint64_t reach_cost = cost;
            while (reach_cost < best) {
                const Quanta begin = pack(low, reach, nullptr);
                if (begin <= end_before(reach) && end_before(reach) - begin >= wanted.length) {
                    best = reach_cost;
                    best_low = low;
                    best_behind = reach;
                    break;
                }
                if (reach == no_block || wall(reach)) break;
                if (!map.is_hole(reach)) reach_cost += price(map.size(reach));
                reach = map.next(reach);
            }
            free = static_cast<Quanta>(free - map.size(low));
            low = map.next(low);
        } else {  // a wall or the end: nothing that begins before it can do
            low = behind == no_block ? no_block : map.next(behind);
            behind = low;
            free = 0;
            cost = 0;
            oldest = prices.size();
        }
    }
    if (best_low == no_block) return std::nullopt;
    relocations<Quanta> moves;
    pack(best_low, best_behind, &moves);
    return moves;
}

/// The fewest blocks pushed up, in order, so that `range` is free: each goes just above the one below it until one need
/// not move. Empty when a wall or the end of memory is in the way. O(blocks from the beginning of memory).
template <class Quanta, class Movable>
[[nodiscard]] constexpr std::optional<relocations<Quanta>> push_up(const block_map<Quanta>& map,
                                                                   basic_extent<Quanta> range, Movable movable) {
    relocations<Quanta> upwards;
    Quanta cursor = range.end();
    for (block_index block = map.first(); block != no_block; block = map.next(block)) {
        if (map.is_hole(block) || map.range(block).end() <= range.offset) continue;
        if (map.offset(block) >= cursor) break;
        const Quanta to = align_up(cursor, map.alignment(block));
        if (!movable(block) || to < cursor || to > map.capacity() - map.size(block)) return std::nullopt;
        upwards.push_back({block, to});
        cursor = static_cast<Quanta>(to + map.size(block));
    }
    return relocations<Quanta>(upwards.rbegin(), upwards.rend());  // the topmost makes room for the others
}

}  // namespace hbm
