#pragma once

/// Moves into other holes.

#include <hbm/placement/placement.hpp>
#include <hbm/relief/slide.hpp>

#include <optional>
#include <vector>

namespace hbm {

/// Empties a range by moving every block that touches it into a hole elsewhere, the largest first, each into the
/// smallest hole that takes it; where a block bound to multiples of its size finds no hole, the cheapest such place is
/// emptied for it first, which always succeeds under buddy as long as nothing is walled and free memory suffices. Works
/// on a placement of its own.
template <placement P, class Movable>
requires relocates<P>
class vacating {
public:
    using quanta = typename P::quanta;
    using range = basic_extent<quanta>;

    constexpr vacating(const P& blocks, Movable movable) : blocks_(blocks), movable_(movable) {}

    /// Empties `wanted`; false when this way finds none. What was moved until then stays in `moves`. O(moves x blocks).
    constexpr bool empty(range wanted) {
        kept_out_.push_back(wanted);
        const bool emptied = empty_kept_out(wanted);
        kept_out_.pop_back();
        return emptied;
    }

    /// The moves so far, in the order in which they can be carried out.
    [[nodiscard]] constexpr const relocations<quanta>& moves() const noexcept { return moves_; }

private:
    constexpr bool empty_kept_out(range wanted) {
        for (;;) {
            const block_index block = largest_in(wanted);
            if (block == no_block) return true;
            if (!movable_(block)) return false;
            std::optional<quanta> to = elsewhere(block);
            if (!to) to = emptied_elsewhere(block);
            if (!to || !blocks_.relocate(block, *to)) return false;
            moves_.push_back({block, *to});
        }
    }

    [[nodiscard]] constexpr block_index largest_in(range wanted) const {
        const auto& map = blocks_.map();
        block_index largest = no_block;
        for (block_index block = map.first(); block != no_block && map.offset(block) < wanted.end();
             block = map.next(block)) {
            if (map.is_hole(block) || !map.range(block).overlaps(wanted)) continue;
            if (!movable_(block)) return block;  // a wall: no use to go on
            if (largest == no_block || map.size(block) > map.size(largest)) largest = block;
        }
        return largest;
    }

    [[nodiscard]] constexpr bool kept_out(range place) const {
        for (const range& taken : kept_out_)
            if (taken.overlaps(place)) return true;
        return false;
    }

    /// The lowest place for `block` in the smallest hole that takes it outside what is kept out.
    [[nodiscard]] constexpr std::optional<quanta> elsewhere(block_index block) const {
        const auto& map = blocks_.map();
        const quanta size = map.size(block);
        const quanta alignment = map.alignment(block);
        std::optional<quanta> best;
        quanta best_size = 0;
        for (block_index hole = map.first(); hole != no_block; hole = map.next(hole)) {
            if (!map.is_hole(hole) || map.size(hole) < size || (best && map.size(hole) >= best_size)) continue;
            quanta to = align_up(map.offset(hole), alignment);
            while (to >= map.offset(hole) && to <= map.range(hole).end() - size && kept_out({to, size})) {
                const quanta tried = to;
                for (const range& taken : kept_out_)
                    if (taken.overlaps({to, size})) to = align_up(taken.end(), alignment);
                if (to <= tried) break;  // no multiple of so large an alignment is left
            }
            if (to < map.offset(hole) || to > map.range(hole).end() - size || kept_out({to, size})) continue;
            best = to;
            best_size = map.size(hole);
        }
        return best;
    }

    constexpr std::optional<quanta> emptied_elsewhere(block_index block) {
        const auto& map = blocks_.map();
        const quanta size = map.size(block);
        if (map.alignment(block) != size) return std::nullopt;
        std::optional<quanta> best;
        quanta best_live = size;
        for (block_index hole = map.first(); hole != no_block; hole = map.next(hole)) {
            if (!map.is_hole(hole)) continue;
            // A place without any hole is not worth emptying, one inside a hole would have been taken: only the hole's
            // two ends are left.
            for (const quanta place : {align_down(map.offset(hole), size),
                                       align_down(static_cast<quanta>(map.range(hole).end() - 1), size)}) {
                if (size > map.capacity() - place || kept_out({place, size})) continue;
                const quanta live = live_in({place, size}, hole);
                if (live < best_live) best = place, best_live = live;
            }
        }
        return best && empty({*best, size}) ? best : std::nullopt;
    }

    /// How much of `place`, which touches `hole`, is live; all of it when there is a wall in it.
    [[nodiscard]] constexpr quanta live_in(range place, block_index hole) const {
        const auto& map = blocks_.map();
        block_index block = hole;
        while (map.offset(block) > place.offset) block = map.previous(block);
        quanta live = 0;
        for (; block != no_block && map.offset(block) < place.end(); block = map.next(block)) {
            if (map.is_hole(block)) continue;
            if (!movable_(block)) return place.size;
            live = static_cast<quanta>(live + map.size(block));
        }
        return live;
    }

    P blocks_;
    Movable movable_;
    std::vector<range> kept_out_;
    relocations<quanta> moves_;
};

}  // namespace hbm
