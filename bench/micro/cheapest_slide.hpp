#pragma once

/// The best slide alone, without anything else that relief could do: for measuring.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/request.hpp>
#include <hbm/search/slide.hpp>

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace hbm::micro {

/// The cheapest slide that opens a run for `required` in a map, in an order in which it can be carried out; empty when
/// there is none. `movable(block)` tells walls. For the cost see `slide_finder`.
template <class Quanta, class Movable>
[[nodiscard]] constexpr std::optional<relocations<Quanta>>
cheapest_slide(const block_map<Quanta>& map, const need<Quanta>& required, const memory_spec& device, Movable movable) {
    trivial_vector<segment> segments;
    segments.reserve(std::size_t{2} * map.live_blocks() + 1);
    std::uint64_t end = 0;
    for (block_index block = map.first(); block != no_block; block = map.next(block)) {
        const std::uint64_t size = map.size(block);
        segment& one = segments.emplace_back();  // written in place: a copy would cost as much as all else
        one.low = end;
        end += size;
        one.high = end;
        if (map.is_hole(block)) continue;
        if (!movable(block)) {
            one.kind = segment_kind::wall;
            continue;
        }
        one.kind = segment_kind::block;
        one.price = as_move_price(device.move_nanoseconds(size * device.quantum));
        one.block = block;
        one.alignment_shift = static_cast<std::uint8_t>(std::countr_zero(map.alignment(block)));
    }
    slide_finder finder(segments, device, required.length, required.alignment);
    const slide best = finder.cheapest(unlimited_price);
    if (!best.is_found()) return std::nullopt;
    relocations<Quanta> moves;
    finder.pack(best, [&](const segment& one, std::uint64_t to) {
        moves.push_back({one.block, static_cast<Quanta>(to)});
        return true;
    });
    return moves;
}

}  // namespace hbm::micro
