#pragma once

/// The cheapest slide, without the other kinds of relief: for comparison in measurements.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/request.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/search/slide.hpp>

#include <bit>
#include <cstdint>
#include <optional>

namespace hbm::micro {

/// The cheapest slide that makes a free run for `required` in a map, as moves in an order in which they can be carried
/// out; empty if there is none. `movable(block)` is false for walls. For the cost see `slide_finder`.
template <class Quanta, class Movable>
[[nodiscard]] constexpr std::optional<relocations<Quanta>>
cheapest_slide(const block_map<Quanta>& map, const need<Quanta>& required, const memory_spec& device, Movable movable) {
    trivial_vector<segment> segments;
    segments.reserve(std::size_t{2} * map.live_blocks() + 1);
    std::uint64_t end = 0;
    for (block_index block = map.first(); block != no_block; block = map.next(block)) {
        const std::uint64_t size = map.size(block);
        segment& added = segments.emplace_back();  // written in place: a copy would cost as much as everything else
        added.low = end;
        end += size;
        added.high = end;
        if (map.is_hole(block)) continue;
        if (!movable(block)) {
            added.kind = segment_kind::wall;
            continue;
        }
        added.kind = segment_kind::block;
        added.price = as_move_price(device.move_nanoseconds(size * device.quantum));
        added.block = block;
        added.alignment_shift = static_cast<std::uint8_t>(std::countr_zero(map.alignment(block)));
    }
    slide_finder finder(segments, device, required.length, required.alignment);
    const slide best = finder.cheapest(unlimited_price);
    if (!best.is_found()) return std::nullopt;
    relocations<Quanta> moves;
    finder.pack(best, [&](const segment& moved, std::uint64_t to) {
        moves.push_back({moved.block, static_cast<Quanta>(to)});
        return true;
    });
    return moves;
}

}  // namespace hbm::micro
