#pragma once

#include <hbm/planning/exact_search.hpp>
#include <hbm/planning/plan.hpp>
#include <hbm/planning/room_search.hpp>
#include <hbm/planning/victim_search.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// Search for the cheapest combination of evictions and moves after which a layout meets its goal, and for a lower
/// bound of the price. It makes the attempts of the table in `run`, each only where those before it leave something to
/// gain. With few blocks and short holes (see `exact_search`) price and bound are equal, unless that search is given
/// up.
class joint_search {
    using indices = trivial_vector<std::uint32_t>;  // of programs

public:
    /// Refers to `start` without copying it.
    constexpr explicit joint_search(const layout& start) : start_(start) {}

    /// Searches for the cheapest changes.
    /// Cost: O(blocks + programs^2) plus the effort; for several needs O(needs x holes) for each set of programs tried.
    [[gnu::cold]] constexpr void run() {
        if (!start_.look()) return;
        proof_ = proof_of_infeasibility();
        bound_ = unlimited_price;
        if (proof_ != infeasibility::unknown) return;
        least_ = window_bound(start_);
        const std::uint64_t least_for_bytes = bytes_bound();
        bound_ = least_ > least_for_bytes ? least_ : least_for_bytes;
        const std::uint64_t deep = deep_effort();
        const bool several = start_.needs.size() > 1;
        const attempt attempts[] = {
            // Sets of programs that free enough bytes, and for each the moves that make room of them: nearly always it.
            {when::always, &joint_search::try_sets, usual_effort()},
            // Of few blocks all plans, to close the gap between price and bound.
            {when::above_bound, &joint_search::search_exactly, max_states},
            // Nothing was found: perhaps only chains of moves make room, as under buddy; or only all programs together
            // leave room without moves, and those that can stay come back. Chains for several needs are long.
            {when::nothing_found, several ? &joint_search::evict_all : &joint_search::search_deeply, deep},
            {when::nothing_found, several ? &joint_search::search_deeply : &joint_search::evict_all, deep},
            // Perhaps both are needed.
            {when::nothing_found, &joint_search::evict_all_and_search_deeply, deep},
            // Of few blocks a plan that is hard to find, or the proof that there is none.
            {when::nothing_found, &joint_search::search_exactly, max_states_at_last},
        };
        for (const attempt& next : attempts)
            if (is_due(next.due)) (this->*next.engine)(next.effort);
        if (price_ == unlimited_price) return;
        drop_redundant_changes();
        if (bound_ > price_) bound_ = price_;
    }

    /// Returns the price of the changes, `unlimited_price` if none were found.
    constexpr std::uint64_t price() const noexcept { return price_; }
    /// Returns a lower bound of the price of any plan.
    constexpr std::uint64_t bound() const noexcept { return bound_; }
    /// Returns the changes in executable order, evictions first.
    constexpr const trivial_vector<change>& changes() const noexcept { return changes_; }
    constexpr infeasibility proof() const noexcept { return proof_; }

private:
    enum class when : std::uint8_t { always, above_bound, nothing_found };
    struct attempt {
        when due;
        void (joint_search::*engine)(std::uint64_t effort);
        std::uint64_t effort;  // blocks visited, or states
    };
    constexpr bool is_due(when due) const noexcept {
        if (due == when::always) return true;
        if (proof_ != infeasibility::unknown || start_.is_exhausted()) return false;
        return due == when::above_bound ? price_ > bound_ : price_ == unlimited_price;
    }

    /// Up to this many blocks, chains of moves are searched fully; above it, with `passes` looks per block.
    static constexpr std::size_t thorough_blocks = 160;
    static constexpr std::uint64_t thorough_effort = 60'000;
    static constexpr std::uint64_t passes = 4;
    /// For several needs, the effort also has `passes` looks per block for each need, up to this many.
    static constexpr std::size_t max_rounds = 16;
    /// Effort if the exact search runs afterwards.
    static constexpr std::uint64_t little_effort = 1000;
    static constexpr std::uint64_t max_deep_effort = std::uint64_t{1} << 21;
    /// States of the exact search; more make plans hardly cheaper (16,000: ten times as long for 2 of 17,000 plans).
    static constexpr std::uint64_t max_states = 1500;
    static constexpr std::uint64_t max_states_at_last = 16'000;
    static constexpr std::uint32_t max_branches = 2000;
    /// Limit of changes made on trial when redundant changes are dropped, for several needs.
    static constexpr std::size_t max_trials = 4000;

    [[gnu::cold]] constexpr std::uint64_t usual_effort() const noexcept {
        const std::size_t count = start_.blocks.size();
        const std::size_t needs = start_.needs.size();
        std::uint64_t effort = count <= thorough_blocks ? thorough_effort : count * passes;
        if (exact_search::can_try(start_)) effort = little_effort;
        if (needs > 1) effort += (count + needs) * (needs < max_rounds ? needs : max_rounds) * passes;
        return effort;
    }
    constexpr std::uint64_t deep_effort() const noexcept {
        const std::uint64_t count = start_.blocks.size() + start_.needs.size() + 1;
        const std::uint64_t effort = 4 * (little_effort + count * count);
        return count > 1000 || effort > max_deep_effort ? max_deep_effort : effort;
    }

    /// Compares the needs with the most that could be free: above the least reservation, and between walls. These
    /// proofs cost a look at each block and spare the search where it would be longest, for it would try everything.
    [[gnu::cold]] constexpr infeasibility proof_of_infeasibility() const {
        const std::uint64_t floor = start_.min_level();
        std::uint64_t used = saturating_add(floor, start_.length_of_needs());
        for (const layout_block& block : start_.blocks)
            if (block.program == no_index) used = saturating_add(used, block.size);
        if (used > start_.capacity) return infeasibility::too_few_bytes;
        // A stretch is what lies between two blocks that can neither move nor leave. With all else gone, each need has
        // to fit into one of these, and all needs together into all of them.
        trivial_vector<range_of_quanta> stretches;
        std::uint64_t end = floor;
        for (const layout_block& block : start_.blocks) {
            if (block.movable || block.program != no_index) continue;
            if (block.offset < floor) return infeasibility::walls;
            stretches.push_back({end, block.offset});
            end = block.end();
        }
        stretches.push_back({end, start_.capacity});
        for (const layout_need& need : hardest_of(start_.needs)) {
            bool fits = false;
            for (std::size_t at = 0; at < stretches.size() && !fits; ++at) fits = stretches[at].holds(need);
            if (!fits) return infeasibility::walls;
        }
        const bool several = start_.needs.size() > 1 && start_.needs.size() <= max_needs_packed_exactly;
        return !several || need_packer(stretches, start_.needs, false).places() ? infeasibility::unknown
                                                                                : infeasibility::walls;
    }
    /// Returns a lower bound of the price of the bytes that programs must free.
    [[gnu::cold]] constexpr std::uint64_t bytes_bound() const {
        const bool sums = start_.rule == scratch_rule::sum;
        const std::uint64_t needed = start_.missing_above(sums ? start_.level() : start_.min_level());
        return fractional(items_of(gains_of(start_), {}), 0, needed);
    }

    /// Tries sets of programs, the most promising first: none; and with shared scratch those above each level, all of
    /// which have to leave before the reservation can fall, so that their code costs nothing then. Every plan evicts a
    /// superset of one of these, so the least bound of them is one of all plans.
    [[gnu::cold]] constexpr void try_sets(std::uint64_t effort) {
        // A lower level costs at least the programs above it: once these alone cost as much as the best plan, all lower
        // levels do, and one bound stands for them.
        effort_ = effort;
        indices leaving;
        for (std::uint64_t level = start_.level();;) {
            if (!leaving.empty() && (price_of(leaving) >= price_ || is_done())) {
                at_least(price_of(leaving), true);
                break;
            }
            try_supersets(leaving);
            if (start_.rule != scratch_rule::largest || level <= start_.scratch_of_others) break;
            std::uint64_t next = start_.scratch_of_others;
            for (const evictable_program& candidate : start_.programs)
                if (candidate.scratch < level && candidate.scratch > next) next = candidate.scratch;
            level = next;
            leaving.clear();
            for (std::uint32_t at = 0; at < start_.programs.size(); ++at)
                if (start_.programs[at].scratch > level) leaving.push_back(at);
        }
        const std::uint64_t least = set_bound_ < price_ ? set_bound_ : price_;
        if (least != unlimited_price && least > bound_) bound_ = least;
    }
    /// Tries a set as it is if it frees enough bytes, or else those of its supersets that do, by branch and bound (Land
    /// and Doig, 1960): a program leaves or stays, the cheapest per quantum first.
    [[gnu::cold]] constexpr void try_supersets(const indices& leaving) {
        const layout changed = leaving.empty() ? layout{} : without(leaving);
        const layout& later = leaving.empty() ? start_ : changed;
        if (const std::uint64_t needed = later.missing_above(later.level()); needed != 0)
            fill(gains_of(later), needed, leaving, true);
        else
            try_set(leaving, true);
        if (start_.programs.empty() || start_.needs.empty()) return;
        for (const layout_need& need : hardest_of(start_.needs)) try_stretches(later, need.length, leaving);
        if (start_.needs.size() > 1) try_stretches(later, start_.length_of_needs(), leaving);
    }
    /// Tries supersets that free `length` in a range between two walls: enough bytes in all of memory may lie on both
    /// sides of a wall. These sets are not all there are, so their bounds do not count.
    [[gnu::cold]] constexpr void try_stretches(const layout& later, std::uint64_t length, const indices& leaving) {
        trivial_vector<std::uint64_t> gains;
        std::uint64_t begin = later.level();
        std::uint64_t occupied = 0;
        bool some_wall = false;
        const auto begin_stretch = [&](std::uint64_t offset) {
            begin = offset;
            occupied = 0;
            gains.assign(later.programs.size(), 0);
        };
        const auto end_stretch = [&](std::uint64_t end) {
            const std::uint64_t free = end > begin && end - begin > occupied ? end - begin - occupied : 0;
            std::uint64_t sum = free;
            for (const std::uint64_t gain : gains) sum = saturating_add(sum, gain);
            if (some_wall && free < length && sum >= length) fill(gains, length - free, leaving, false);
        };
        begin_stretch(begin);
        // The lowest stretch also grows by scratch at the bottom.
        for (std::size_t at = 0; at < gains.size(); ++at)
            if (later.rule == scratch_rule::sum) gains[at] = later.programs[at].scratch;
        for (const layout_block& block : later.blocks) {
            if (block.gone) continue;
            if (!block.movable && block.program == no_index) {
                some_wall = true;
                end_stretch(block.offset);
                if (is_done()) return;
                begin_stretch(block.end());
                continue;
            }
            occupied += block.size;
            if (block.program != no_index) gains[block.program] += block.size;
        }
        end_stretch(later.capacity);
    }
    /// Tries supersets that free `needed` quanta, of which each program frees its gain. `counts`: bounds count.
    [[gnu::cold]] constexpr void fill(const trivial_vector<std::uint64_t>& gains, std::uint64_t needed,
                                      const indices& leaving, bool counts) {
        if (!start_.look_at(gains.size())) return;
        items_ = items_of(gains, leaving);
        branches_ = max_branches;
        indices set = leaving;
        branch(0, needed, price_of(leaving), set, counts);
    }
    /// Returns what each program frees in all of memory.
    [[gnu::cold]] static constexpr trivial_vector<std::uint64_t> gains_of(const layout& later) {
        trivial_vector<std::uint64_t> gains;
        for (const evictable_program& candidate : later.programs)
            gains.push_back(candidate.size + (later.rule == scratch_rule::sum ? candidate.scratch : 0));
        return gains;
    }

    struct item {
        std::uint32_t program = 0;
        std::uint64_t gain = 0;
        std::uint64_t price = 0;
    };
    /// Lists the programs that free something, besides those in `leaving`: by price per quantum, then price.
    [[gnu::cold]] constexpr trivial_vector<item> items_of(const trivial_vector<std::uint64_t>& gains,
                                                          const indices& leaving) const {
        trivial_vector<item> items;
        for (std::uint32_t at = 0; at < gains.size(); ++at) {
            const item next{at, gains[at], start_.programs[at].price};
            bool leaves = next.gain == 0;
            for (const std::uint32_t other : leaving) leaves = leaves || other == at;
            if (leaves) continue;
            const auto is_before = [&](const item& other) {
                const std::uint64_t a = next.price / next.gain;
                const std::uint64_t b = other.price / other.gain;
                return a != b ? a < b : next.price < other.price;
            };
            std::size_t place = items.size();
            while (place > 0 && is_before(items[place - 1])) --place;
            items.insert(items.begin() + static_cast<std::ptrdiff_t>(place), next);
        }
        return items;
    }
    /// Returns the price of freeing `needed` quanta if parts of programs could be evicted, rounded down: the bound of
    /// the fractional knapsack. Requires: the items are in order of their price per quantum.
    [[gnu::cold]] static constexpr std::uint64_t fractional(const trivial_vector<item>& items, std::size_t at,
                                                            std::uint64_t needed) noexcept {
        std::uint64_t price = 0;
        for (; needed != 0 && at < items.size(); ++at) {
            const std::uint64_t taken = items[at].gain < needed ? items[at].gain : needed;
            price += items[at].price / items[at].gain * taken;
            needed -= taken;
        }
        return needed == 0 ? price : unlimited_price;
    }
    [[gnu::cold]] constexpr void branch(std::size_t at, std::uint64_t needed, std::uint64_t price, indices& set,
                                        bool counts) {
        // First the branch in which the program leaves: the first leaf is the greedy set, and its price prunes the
        // rest. A branch that is cut off still counts with its bound, or the bound of all plans would be too high.
        if (needed == 0) return try_set(set, counts);
        const std::uint64_t more = fractional(items_, at, needed);
        if (more == unlimited_price) return;
        start_.look_at(items_.size() / 4);
        if (branches_ == 0 || is_done() || price >= price_ || more >= price_ - price)
            return at_least(price + more, counts);
        --branches_;
        const item next = items_[at];
        set.push_back(next.program);
        branch(at + 1, next.gain < needed ? needed - next.gain : 0, price + next.price, set, counts);
        set.pop_back();
        branch(at + 1, needed, price, set, counts);
    }
    /// Searches for moves, and perhaps further evictions, once a set of programs has left. First the bound: most sets
    /// cannot be cheaper than the best plan so far.
    [[gnu::cold]] constexpr void try_set(const indices& leaving, bool counts) {
        // The effort pays half a look for the copy and the bound, and in full for what the search of rooms visits.
        const std::uint64_t price = price_of(leaving);
        if (price >= price_ || is_done()) return at_least(price, counts);
        const std::uint64_t looks = start_.blocks.size() / 2;
        effort_ -= looks < effort_ ? looks : effort_;
        layout later = without(leaving);
        const std::uint64_t least = leaving.empty() ? least_ : window_bound(later);
        at_least(least < unlimited_price - price ? price + least : unlimited_price, counts);
        if (least >= price_ - price || is_done()) return;
        if (least == 0 && later.fits()) return take(leaving, price, {});
        room_search search(static_cast<layout&&>(later), effort_);
        const std::uint64_t more = search.run(price_ - price);
        const std::uint64_t used = effort_ - search.effort();
        effort_ -= used < effort_ ? used : effort_;
        if (more != unlimited_price) take(leaving, price + more, search.changes());
    }
    constexpr bool is_done() const noexcept { return price_ <= bound_ || effort_ == 0 || start_.is_exhausted(); }
    /// Records a lower bound for plans that evict a superset of the current set.
    constexpr void at_least(std::uint64_t price, bool counts) noexcept {
        if (counts && price < set_bound_) set_bound_ = price;
    }

    constexpr layout without(const indices& leaving) const {
        layout later = start_;
        for (const std::uint32_t victim : leaving) later.evict(victim);
        return later;
    }
    constexpr std::uint64_t price_of(const indices& leaving) const noexcept {
        std::uint64_t price = 0;
        for (const std::uint32_t victim : leaving) price += start_.programs[victim].price;
        return price;
    }

    /// Searches all plans of few blocks that are cheaper than the best so far.
    [[gnu::cold]] constexpr void search_exactly(std::uint64_t states) {
        if (!exact_search::can_try(start_)) return;
        // What it finds below the best price is the cheapest plan. A search that ends without one proves that the best
        // so far is; that proves that there is none if nothing was found at all. Both only if no place was left out.
        exact_search search(start_, static_cast<std::size_t>(states));
        const exact_search::outcome ended = search.run(price_);
        if (ended == exact_search::outcome::found) {
            price_ = search.price();
            changes_ = search.changes();
        } else if (ended == exact_search::outcome::exhausted && search.is_complete() && price_ == unlimited_price) {
            proof_ = infeasibility::no_arrangement;
        }
        if (search.is_complete() && search.bound() > bound_) bound_ = search.bound();
    }
    /// Accepts any plan, by chains of moves of any length.
    [[gnu::cold]] constexpr void search_deeply(std::uint64_t effort) { search_deeply_without({}, effort); }
    [[gnu::cold]] constexpr void evict_all_and_search_deeply(std::uint64_t effort) {
        if (!start_.programs.empty()) search_deeply_without(all_by_price(), effort);
    }
    [[gnu::cold]] constexpr void search_deeply_without(const indices& leaving, std::uint64_t effort) {
        room_search search(without(leaving), effort);
        const std::uint64_t price = search.run_deeply();
        if (price != unlimited_price) take(leaving, price_of(leaving) + price, search.changes());
    }
    /// Evicts all programs and brings back those that can stay, the most expensive first.
    [[gnu::cold]] constexpr void evict_all(std::uint64_t effort) {
        // If moves are not needed then, programs come back while the call still fits; else all stay away.
        indices leaving = all_by_price();
        if (leaving.empty()) return;
        if (without(leaving).fits()) victim_search(start_).spare(leaving);
        effort_ = effort;
        try_set(leaving, true);
    }
    [[gnu::cold]] constexpr indices all_by_price() const {
        indices all;
        for (std::uint32_t at = 0; at < start_.programs.size(); ++at) {  // insertion sort
            std::size_t place = at;
            while (place > 0 && start_.programs[at].price < start_.programs[all[place - 1]].price) --place;
            all.insert(all.begin() + static_cast<std::ptrdiff_t>(place), at);
        }
        return all;
    }

    /// Makes a plan the best: all evictions come first, which is cheaper than to move a block that leaves later.
    [[gnu::cold]] constexpr void take(const indices& leaving, std::uint64_t price,
                                      const trivial_vector<change>& changes) {
        price_ = price;
        changes_.clear();
        for (const std::uint32_t victim : leaving) changes_.push_back({.evicts = true, .subject = victim});
        for (const change& next : changes)
            if (next.evicts) changes_.push_back({.evicts = true, .subject = next.subject});
        const std::size_t evictions = changes_.size();
        for (const change& next : changes) {
            if (next.evicts) continue;
            bool leaves = false;  // the block was moved before the eviction of its program was chosen
            for (std::size_t at = 0; at < evictions; ++at)
                leaves = leaves || changes_[at].subject == block_of(next).program;
            if (leaves)
                price_ -= price_of_change(next);
            else
                changes_.push_back(next);
        }
    }
    constexpr std::uint64_t price_of_change(const change& step) const noexcept {
        if (step.evicts) return start_.programs[step.subject].price;
        const layout_block& block = block_of(step);
        const std::uint64_t distance = step.from < step.to ? step.to - step.from : step.from - step.to;
        return price_of_move(start_.device, block.price, block.size, distance);
    }
    /// Returns the block of a move as it was at the start; mostly it has not moved before.
    [[gnu::cold]] constexpr const layout_block& block_of(const change& move) const noexcept {
        std::size_t at = start_.find(move.subject, move.from);
        if (at == start_.blocks.size())
            for (at = 0; start_.blocks[at].block != move.subject;) ++at;
        return start_.blocks[at];
    }

    /// Drops changes without which the others can still be carried out and make room: the windows of a plan overlap,
    /// and a block that jumps out of one may have been moved for another. Without it plans for hundreds of blocks cost
    /// 5 % more. The latest change is tried first, for earlier ones made room for it. Nearly all moves are necessary: a
    /// look at the memory after all changes, with the block at its old place, says so without making the others again.
    /// Cost: O(changes x blocks), plus `make_changes` for each candidate.
    [[gnu::cold]] constexpr void drop_redundant_changes() {
        bool possible = price_ > bound_;  // redundant changes of an optimal plan are free
        for (const change& next : changes_) possible = possible || price_of_change(next) == 0;
        std::size_t trials = start_.needs.size() < 2 ? ~std::size_t{0} : max_trials;
        for (bool again = possible; again;) {
            again = false;
            layout later = start_;
            if (!start_.look() || !make_changes(later, changes_.size())) return;
            const trivial_vector<range_of_quanta> open = later.holes_from(later.level());
            for (std::size_t at = changes_.size(); at-- > 0 && !again;) {
                const change& next = changes_[at];
                // A block whose old place was taken meanwhile has to move.
                if (!next.evicts && !later.is_free_but_for(next.from, next.from + block_of(next).size, next.subject))
                    continue;
                if (trials < changes_.size() || !start_.look()) return;
                trials -= changes_.size();
                if (!next.evicts && !could_stay(later, next, open)) continue;
                layout without_it = start_;
                again = make_changes(without_it, at) && without_it.fits();
                if (!again) continue;
                price_ -= price_of_change(next);
                changes_.erase(changes_.begin() + static_cast<std::ptrdiff_t>(at));
            }
        }
    }
    /// Returns false if a block that moves last from here has to: `later` would not meet the goal with it at its old
    /// place, which is free. `open` are the runs of `later` that are as long as the need.
    [[gnu::cold]] constexpr bool could_stay(layout& later, const change& move,
                                            const trivial_vector<range_of_quanta>& open) const {
        std::size_t at = later.find(move.subject, move.to);
        if (at == later.blocks.size()) return false;
        if (later.needs.size() == 1 && later.level() <= later.bottom && later.look()) {
            // Only runs without that place count, or the parts beside it; and the run around its new place.
            const range_of_quanta old{move.from, move.from + later.blocks[at].size};
            const auto takes = [&](range_of_quanta run) {
                if (!old.overlaps(run)) return run.holds(later.needs[0]);
                return (run.low < old.low && range_of_quanta{run.low, old.low}.holds(later.needs[0])) ||
                       (old.high < run.high && range_of_quanta{old.high, run.high}.holds(later.needs[0]));
            };
            for (std::size_t run = 0; run <= open.size(); ++run)
                if (takes(run == open.size() ? later.run_around(at) : open[run])) return true;
            return false;
        }
        at = later.move(at, move.from);
        const bool fits = later.fits();
        later.move(at, move.to);
        return fits;
    }
    /// Applies all changes except one. Returns false if one of them cannot be carried out.
    [[gnu::cold]] constexpr bool make_changes(layout& later, std::size_t skipped) const {
        later.lower();
        for (std::size_t at = 0; at < changes_.size(); ++at) {
            if (at == skipped) continue;
            const change& next = changes_[at];
            if (next.evicts) {
                later.evict(next.subject);
                continue;
            }
            const std::size_t place = later.find(next.subject, next.from);
            if (place == later.blocks.size() || later.blocks[place].gone ||
                !later.is_free_but_for(next.to, next.to + later.blocks[place].size, next.subject))
                return false;
            later.move(place, next.to);
        }
        return true;
    }

    const layout& start_;
    std::uint64_t effort_ = 0;
    std::uint64_t price_ = unlimited_price;
    std::uint64_t bound_ = 0;
    std::uint64_t least_ = 0;                    // lower bound for every set
    std::uint64_t set_bound_ = unlimited_price;  // lower bound of the sets of programs tried
    infeasibility proof_ = infeasibility::unknown;
    std::uint32_t branches_ = 0;
    trivial_vector<item> items_;
    trivial_vector<change> changes_;
};

}  // namespace hbm::inline v0
