#pragma once

#include <hbm/planning/segments.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace hbm::inline v0 {

/// Selection of victims by their scores, without moves: the order of the eviction policy, not the least price.
/// Results are indices into `layout::programs`.
class victim_search {
public:
    using indices = trivial_vector<std::uint32_t>;

private:
    // These templates stand above their first use: clang 14 cannot use them in a constant otherwise.
    static constexpr bool fits(const layout& now) { return now.fits(); }

    /// Evicts programs from `trial` by score until `enough(trial)`. Returns the victims.
    template <class Enough>
    [[gnu::cold]] static constexpr indices leave_until(layout& trial, Enough enough) {
        indices leaving;
        while (!enough(trial) && trial.look()) {
            std::uint32_t next = no_index;
            for (std::uint32_t candidate = 0; candidate < trial.programs.size(); ++candidate)
                if (trial.programs[candidate].present &&
                    (next == no_index || trial.programs[next].score > trial.programs[candidate].score))
                    next = candidate;
            if (next == no_index) break;
            trial.evict(next);
            leaving.push_back(next);
        }
        return leaving;
    }
    /// Brings back the victims that need not leave, the last first: it has the highest score, so losing it costs most.
    template <class Enough>
    [[gnu::cold]] constexpr void spare(layout& trial, indices& leaving, Enough enough) const {
        for (std::size_t i = leaving.size(); i-- > 0 && trial.look();) {
            trial.bring_back(leaving[i], start_.bottom);
            trial.lower();
            if (enough(trial))
                leaving.erase(leaving.begin() + static_cast<std::ptrdiff_t>(i));
            else
                trial.evict(leaving[i]);
        }
    }

public:
    /// Refers to `start` without copying it.
    explicit constexpr victim_search(const layout& start) : start_(start) {}

    /// Evicts the lowest score first, ties to the first, until the layout fits or no program is left.
    /// Cost: O(victims x (blocks + programs + the cost of `fits`)).
    [[gnu::cold]] constexpr indices in_order() const {
        layout trial = lowered();
        return leave_until(trial, fits);
    }
    /// Like `in_order`, but until enough bytes are free anywhere. With `scores_are_sums`, divides scores by size.
    [[gnu::cold]] constexpr indices enough_bytes(bool scores_are_sums) const {
        layout trial = lowered();
        if (scores_are_sums)
            for (evictable_program& candidate : trial.programs)
                candidate.score /= candidate.size == 0 ? 1 : candidate.size;
        return leave_until(trial, [](const layout& now) { return now.missing_above(now.level()) == 0; });
    }

    /// Like `in_order`, then spares unnecessary victims. Returns `nullopt` if all do not suffice for the goal
    /// `enough(layout)`.
    /// Cost: three times `in_order`.
    template <class Enough>
    [[gnu::cold]] constexpr std::optional<indices> one_at_a_time(Enough enough) const {
        layout trial = lowered();
        indices leaving = leave_until(trial, enough);
        if (!enough(trial)) return std::nullopt;
        spare(trial, leaving, enough);
        return leaving;
    }
    constexpr std::optional<indices> one_at_a_time() const { return one_at_a_time(fits); }
    /// Removes unnecessary victims, the latest first, until every one is necessary.
    /// Cost: as `in_order`.
    [[gnu::cold]] constexpr void spare(indices& leaving) const {
        layout trial = lowered();
        for (const std::uint32_t victim : leaving) trial.evict(victim);
        spare(trial, leaving, fits);
    }

    /// Returns the programs of the cheapest contiguous window of programs and holes, by sum of scores, that makes room
    /// for the need or the reservation. With scratch at the bottom, it tries every level of the reservation, at the
    /// price of all programs above it. For several needs it finds a window for each, the hardest first, and brings back
    /// unnecessary victims. Returns `nullopt` if there is none.
    /// Cost: O(levels x needs x blocks).
    [[gnu::cold]] constexpr std::optional<indices> cheapest_window() const {
        // The level of the reservation and the window are chosen together: a program above the level leaves in any
        // case, and then its code may be a part of the window for nothing.
        std::optional<indices> best;
        std::uint64_t best_cost = ~std::uint64_t{0};
        const window_walk start = walk_from_start();
        const std::uint64_t lowest = start_.rule == scratch_rule::largest ? start_.scratch_of_others : 0;
        for (std::uint64_t level = start_.level();;) {
            window_walk walk = start;
            std::uint64_t next_level = lowest;
            for (std::uint32_t candidate = 0; candidate < start_.programs.size(); ++candidate) {
                const std::uint64_t scratch = start_.programs[candidate].scratch;
                if (start_.rule != scratch_rule::none && scratch > level) walk.leave(candidate);
                if (scratch < level && scratch > next_level) next_level = scratch;
            }
            // Lower levels cost at least the programs that left for this one.
            if (walk.cost >= best_cost || !walk.now.look()) break;
            if ((walk.now.fits() || walk.clear_all(best_cost)) && walk.cost < best_cost) {
                best = walk.leaving;
                best_cost = walk.cost;
            }
            if (start_.rule == scratch_rule::none || level <= lowest) break;
            level = next_level;
        }
        if (best && start_.needs.size() + (start_.level() > start_.bottom) > 1) spare(*best);
        return best;
    }

private:
    /// A layout from which programs are evicted window by window. A need that has its window keeps its place, as a
    /// wall.
    struct window_walk {
        layout now;
        indices leaving = {};
        std::uint64_t cost = 0;  // sum of scores

        [[gnu::cold]] constexpr void leave(std::uint32_t victim) {
            now.evict(victim);
            leaving.push_back(victim);
            cost += now.programs[victim].score;
        }
        /// Evicts windows until the goal is met. Returns false if that is impossible at a cost below `limit`.
        [[gnu::cold]] constexpr bool clear_all(std::uint64_t limit) {
            // The hardest need takes its window first, and the room that it takes becomes a wall: the windows of the
            // others are looked for beside it.
            const std::uint64_t level = now.level();
            if (level > now.capacity || !clear({0, level})) return false;
            trivial_vector<layout_need> needs = now.needs;
            sort_needs(needs, false);
            for (const layout_need& need : needs) {
                if (cost >= limit) return false;
                const range_of_quanta window = window_for(need);
                if (window.size() == 0 || !clear(window)) return false;
                if (needs.size() == 1) continue;
                const std::uint64_t place = now.rule == scratch_rule::none
                                                ? align_up(window.low, need.alignment)
                                                : align_down(window.high - need.length, need.alignment);
                now.blocks.insert(now.blocks.begin() + static_cast<std::ptrdiff_t>(now.first_from(place)),
                                  {.offset = place, .size = need.length});
            }
            return cost < limit;
        }
        /// Evicts all programs with blocks that begin in a range. Returns false if another block is there.
        [[gnu::cold]] constexpr bool clear(range_of_quanta room) {
            for (std::size_t at = now.first_from(room.low); at < now.blocks.size(); ++at) {
                const layout_block& block = now.blocks[at];
                if (block.offset >= room.high) break;
                if (block.gone) continue;
                if (block.program == no_index) return false;
                leave(block.program);
            }
            return true;
        }
        /// Returns the window whose programs have the least sum of scores, empty if there is none; a program counts
        /// once.
        [[gnu::cold]] constexpr range_of_quanta window_for(const layout_need& need) const {
            trivial_vector<std::uint32_t> within(now.programs.size(), 0);  // blocks of each program inside the window
            std::uint64_t sum = 0;
            std::uint64_t least = ~std::uint64_t{0};
            range_of_quanta window;
            for_each_window_above(
                now, now.level(), need, [](const layout_block& block) { return block.program == no_index; },
                [&](const layout_block& block) {
                    if (within[block.program]++ == 0) sum += now.programs[block.program].score;
                },
                [&](const layout_block& block) {
                    if (--within[block.program] == 0) sum -= now.programs[block.program].score;
                },
                [&](range_of_quanta room) {
                    if (sum >= least) return;
                    least = sum;
                    window = room;
                });
            return window;
        }
    };
    /// Returns the layout with scores that lose so many low bits that their sum does not overflow.
    [[gnu::cold]] constexpr window_walk walk_from_start() const {
        window_walk start{lowered()};
        std::uint64_t largest = 0;
        for (const evictable_program& candidate : start_.programs)
            largest = candidate.score > largest ? candidate.score : largest;
        while (largest > ~std::uint64_t{0} / (start_.programs.size() + 1)) {
            largest >>= 1;
            for (evictable_program& candidate : start.now.programs) candidate.score >>= 1;
        }
        return start;
    }
    constexpr layout lowered() const {
        layout trial = start_;
        trial.lower();
        return trial;
    }

    const layout& start_;
};

}  // namespace hbm::inline v0
