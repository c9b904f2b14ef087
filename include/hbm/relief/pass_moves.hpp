#pragma once

#include <hbm/core/trivial_vector.hpp>
#include <hbm/search/packing.hpp>
#include <hbm/state/memory_state.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace hbm::inline v0 {

/// Chooses moves that can be copied at once, in any order: each goes to a range that is free before all of them.
///
/// Blocks move towards the low end of memory, or towards the high end if the placement reserves at the bottom: the
/// farthest first, each into the shortest hole that is nearer and holds it, ties to the nearest hole.
/// No move, if it and those before it arrive, shortens the longest hole or adds a hole. Each decreases the sum over all
/// blocks of size times distance from the near end, whatever becomes of the others; so repeated passes terminate.
/// Slides by less than a block's length are left to `compactor`: they need copies one after the other.
template <placement P>
class pass_moves {
public:
    using quanta = typename P::quanta;

    /// Requires: the memory may move blocks.
    /// Cost: O(blocks x holes), bounded by `max_looks`.
    [[gnu::cold]] constexpr pass_moves(const memory_state<P>& state, std::uint64_t budget)
        : side_{state.blocks.map().capacity(), reserves<P>} {
        const auto& map = state.blocks.map();
        trivial_vector<packed_block<quanta>> blocks;  // the nearest first
        for (block_index block = side_.upwards ? map.last() : map.first(); block != no_block;
             block = side_.upwards ? map.previous(block) : map.next(block)) {
            const run seen{side_.seen(map.range(block)), map.size(block)};
            if (map.is_hole(block))
                add(after_, seen);
            else if (state.can_move(block))
                blocks.push_back({block, seen.offset, seen.size, map.alignment(block)});
        }
        now_ = after_;
        for (std::size_t at = blocks.size(); at-- > 0 && looks_ != 0;) {
            if (blocks[at].size > budget) continue;
            if (const std::optional<quanta> to = better_place(blocks[at])) {
                moves_.push_back({blocks[at].block, side_.seen({*to, blocks[at].size})});
                budget -= blocks[at].size;
            }
        }
    }

    /// Returns the moves, with real offsets.
    [[nodiscard]] constexpr const relocations<quanta>& moves() const noexcept { return moves_; }

private:
    using run = basic_extent<quanta>;
    using runs = trivial_vector<run>;
    static constexpr std::uint64_t max_looks = std::uint64_t{1} << 24;

    /// Appends a range, which may continue the last one.
    static constexpr void add(runs& list, run range) {
        if (range.size == 0) return;
        if (!list.empty() && list.back().end() == range.offset)
            list.back().size += range.size;
        else
            list.push_back(range);
    }

    /// Returns the nearer place that a block takes, if any.
    [[nodiscard]] constexpr std::optional<quanta> better_place(const packed_block<quanta>& block) {
        std::optional<quanta> best;
        std::size_t taken = 0;
        runs after;
        for (std::size_t at = 0; at < now_.size() && now_[at].offset < block.at && looks_ != 0; ++at) {
            --looks_;
            if (now_[at].size < block.size || (best && now_[at].size >= now_[taken].size)) continue;
            const std::optional<quanta> to = side_.place_in(now_[at], block.size, block.alignment);
            if (!to) continue;
            runs changed = after_with(block, *to);
            if (changed.size() > after_.size() || longest(changed) < longest(after_)) continue;
            best = to;
            taken = at;
            after.swap(changed);
        }
        if (!best) return std::nullopt;
        after_.swap(after);
        const run whole = now_[taken];
        const quanta end = *best + block.size;
        now_[taken] = {end, whole.end() - end};
        if (*best != whole.offset) now_.insert(now_.begin() + taken, {whole.offset, *best - whole.offset});
        return best;
    }
    /// Returns the free runs after the moves chosen so far and one more.
    [[nodiscard]] constexpr runs after_with(const packed_block<quanta>& block, quanta to) {
        looks_ -= after_.size() < looks_ ? after_.size() : looks_;
        const run source{block.at, block.size};
        const run target{to, block.size};
        runs result;
        bool has_source = false;
        for (const run& range : after_) {
            if (!has_source && source.offset < range.offset) add(result, source), has_source = true;
            if (!range.overlaps(target)) {
                add(result, range);
                continue;
            }
            add(result, {range.offset, to - range.offset});
            add(result, {target.end(), range.end() - target.end()});
        }
        if (!has_source) add(result, source);
        return result;
    }
    [[nodiscard]] static constexpr quanta longest(const runs& list) noexcept {
        quanta size = 0;
        for (const run& range : list)
            if (range.size > size) size = range.size;
        return size;
    }

    packing_side<quanta> side_;
    runs now_;    // free before all moves
    runs after_;  // free after the moves chosen so far
    relocations<quanta> moves_;
    std::uint64_t looks_ = max_looks;
};

}  // namespace hbm::inline v0
