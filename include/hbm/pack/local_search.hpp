#pragma once

#include <hbm/core/trivial_vector.hpp>
#include <hbm/pack/block.hpp>
#include <hbm/pack/greedy.hpp>
#include <hbm/pack/range_sets.hpp>
#include <hbm/pack/sections.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace hbm::inline v0::pack::detail {

/// Local search that lowers a packing of `blocks` where it is highest. It removes the blocks that live around the
/// highest block and lays them again, each time with those first that protruded before; blocks that live beyond this
/// window of time stay. A window without success is doubled.
/// Requires: blocks, sections and packing outlive the search.
class local_search {
public:
    constexpr local_search(std::span<const block> blocks, const sections& cut, packing& packed, interruption early = {})
        : blocks_(blocks), cut_(&cut), packing_(&packed), early_(early) {
        // A border that few bytes cross constrains both sides least.
        trivial_vector<std::uint64_t> change;
        change.resize(cut.count + std::size_t{2}, 0);
        for (std::uint32_t which = 0; which < blocks.size(); ++which) {
            if (!takes_room(blocks[which])) continue;
            change[cut.lives[which].first + std::size_t{1}] += blocks[which].bytes;
            change[cut.lives[which].last] -= blocks[which].bytes;
        }
        std::uint64_t crossing = 0;
        for (std::uint32_t border = 0; border <= cut.count; ++border) crossing_.push_back(crossing += change[border]);
    }

    /// Lowers the packing until it ends at `enough`, no window helps or it is interrupted. Visits `looks_left` placed
    /// blocks, plus at most a packing of a window, and subtracts them from `looks_left`. Blocks that end above `target`
    /// are laid earlier the next time.
    /// Cost: O(n) for each window, plus the looks.
    constexpr void lower(std::uint64_t target, std::uint64_t enough, std::uint64_t& looks_left) {
        unsigned doublings = 0;
        while (packing_->bytes > enough && looks_left != 0 && !early_.is_wished()) {
            // The highest block decides the height of a packing, so only its surroundings in time are laid again. With
            // success the window shrinks to where work is cheap; without, it grows, until it is all of time.
            const window seen = around(highest(), doublings);
            if (improve(seen, target, looks_left)) {
                if (doublings != 0) --doublings;
                measure();
            } else {
                if (doublings == max_doublings || (seen.begin == 0 && seen.end == cut_->count)) return;
                ++doublings;
            }
        }
    }

private:
    static constexpr unsigned max_doublings = 14;
    static constexpr unsigned max_idle_rounds = 20;  ///< consecutive packings of a window without improvement

    /// The sections `[begin, end)`.
    struct window {
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
    };

    [[nodiscard]] constexpr std::uint32_t highest() const {
        for (std::uint32_t which = 0; which < blocks_.size(); ++which)
            if (takes_room(blocks_[which]) && packing_->offsets[which] + blocks_[which].bytes == packing_->bytes)
                return which;
        return 0;
    }
    constexpr void measure() {
        packing_->bytes = 0;
        for (std::uint32_t which = 0; which < blocks_.size(); ++which) {
            if (!takes_room(blocks_[which])) continue;
            const std::uint64_t end = packing_->offsets[which] + blocks_[which].bytes;
            if (end > packing_->bytes) packing_->bytes = end;
        }
    }

    /// Returns the window around a block, with borders that few bytes cross.
    [[nodiscard]] constexpr window around(std::uint32_t which, unsigned doublings) const {
        // A border between sections that few bytes cross binds both sides least, as blocks that live across it must
        // stay. It is looked for between one and two times the reach on either side.
        const section_range& life = cut_->lives[which];
        const std::uint64_t quarter = (life.last - life.first) / 4;
        const std::uint64_t reach = (quarter < 8 ? 8 : quarter) << doublings;
        const auto below = [&](std::uint64_t by) { return by < life.first ? life.first - by : 0; };
        const auto above = [&](std::uint64_t by) {
            return by < cut_->count - life.last ? life.last + by : cut_->count;
        };
        return {quietest(below(2 * reach), below(reach)), quietest(above(reach), above(2 * reach))};
    }
    [[nodiscard]] constexpr std::uint32_t quietest(std::uint64_t first, std::uint64_t last) const {
        std::uint64_t best = first;
        for (std::uint64_t border = first; border <= last; ++border)
            if (crossing_[border] < crossing_[best]) best = border;
        return static_cast<std::uint32_t>(best);
    }

    /// The problem of a window: its blocks, then the ranges that they may not overlap.
    struct window_problem {
        trivial_vector<block> blocks;
        trivial_vector<std::uint32_t> names;  ///< original number of each block of the window
        sections cut;
        std::uint64_t bytes = 0;  ///< highest end of a block of the window
    };
    [[nodiscard]] constexpr window_problem problem_of(const window& seen) const {
        window_problem problem;
        problem.cut.count = seen.end - seen.begin;
        trivial_vector<std::uint32_t> crossing;
        for (std::uint32_t which = 0; which < blocks_.size(); ++which) {
            const section_range& life = cut_->lives[which];
            if (life.first >= seen.end || life.last <= seen.begin || !takes_room(blocks_[which])) continue;
            if (life.first < seen.begin || life.last > seen.end || blocks_[which].offset != anywhere) {
                crossing.push_back(which);
                continue;
            }
            problem.names.push_back(which);
            problem.blocks.push_back(blocks_[which]);
            problem.cut.lives.push_back({life.first - seen.begin, life.last - seen.begin});
            const std::uint64_t end = packing_->offsets[which] + blocks_[which].bytes;
            if (end > problem.bytes) problem.bytes = end;
        }
        // What lives across the whole window forbids its range all the time: such ranges are joined, for there are
        // many. What ends or begins inside forbids it for a part.
        range_sets staying(1);
        for (const std::uint32_t which : crossing) {
            const offset_range range{packing_->offsets[which], packing_->offsets[which] + blocks_[which].bytes};
            const section_range& life = cut_->lives[which];
            if (life.first <= seen.begin && life.last >= seen.end)
                staying.add(0, range);
            else
                add_given(problem, range,
                          {life.first > seen.begin ? life.first - seen.begin : 0,
                           (life.last < seen.end ? life.last : seen.end) - seen.begin});
        }
        for (const offset_range& range : staying[0]) add_given(problem, range, {0, problem.cut.count});
        return problem;
    }
    static constexpr void add_given(window_problem& problem, const offset_range& range, const section_range& life) {
        problem.blocks.push_back({.begin = life.first,
                                  .end = life.last,
                                  .bytes = range.end - range.begin,
                                  .alignment = 1,
                                  .offset = range.begin});
        problem.cut.lives.push_back(life);
    }

    /// Lays the blocks of a window again. Returns true if its highest end is lower than before.
    [[nodiscard]] constexpr bool improve(const window& seen, std::uint64_t target, std::uint64_t& looks_left) {
        // Squeaky wheel: whatever ends above the target was laid too late, and gets twice the priority in the next
        // round. Rounds without progress are counted; the best packing of all rounds is kept, and only if it is lower
        // than before.
        const window_problem problem = problem_of(seen);
        std::uint64_t looks = 0;
        packing best;
        best.bytes = problem.bytes;
        for (const greedy_order order : {greedy_order::size, greedy_order::area, greedy_order::duration}) {
            trivial_vector<priority> priorities = priorities_of(problem.blocks, order);
            std::uint64_t least = ~std::uint64_t{0};
            for (unsigned idle = 0; idle < max_idle_rounds && best.bytes > target && looks < looks_left; ++idle) {
                if (early_.is_wished()) break;
                packing trial = pack_by_priority(problem.blocks, problem.cut, priorities, looks);
                if (trial.offsets.empty()) break;
                trial.bytes = 0;
                for (std::uint32_t at = 0; at < problem.names.size(); ++at) {
                    const std::uint64_t end = trial.offsets[at] + problem.blocks[at].bytes;
                    if (end > trial.bytes) trial.bytes = end;
                    if (end > target) priorities[at] = doubled(priorities[at]);
                }
                if (trial.bytes < least) {
                    least = trial.bytes;
                    idle = 0;
                }
                if (trial.bytes < best.bytes) best = trial;
            }
        }
        looks_left -= looks < looks_left ? looks : looks_left;
        if (best.offsets.empty()) return false;
        for (std::uint32_t at = 0; at < problem.names.size(); ++at)
            packing_->offsets[problem.names[at]] = best.offsets[at];
        return true;
    }

    std::span<const block> blocks_;
    const sections* cut_;
    packing* packing_;
    interruption early_;
    trivial_vector<std::uint64_t> crossing_;  // for each border of sections: bytes of blocks that live on both sides
};

}  // namespace hbm::inline v0::pack::detail
