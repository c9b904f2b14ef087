#pragma once

#include <hbm/core/trivial_vector.hpp>
#include <hbm/search/infeasibility.hpp>
#include <hbm/search/layout.hpp>
#include <hbm/search/layout_search.hpp>
#include <hbm/search/room_search.hpp>
#include <hbm/search/victim_search.hpp>
#include <hbm/search/window_bound.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// Search for the cheapest combination of evictions and moves after which a layout meets its goal, and for a lower
/// bound of the price. With few blocks and short holes (see `layout_search`) both are equal, unless the exact search is
/// given up. Otherwise it tries sets of programs, the most promising first: none; with shared scratch, those above each
/// level, whose code then costs nothing; and the sets that free enough bytes, by branch and bound (Land and Doig, 1960)
/// with the bound of the fractional knapsack. For each set `room_search` finds the moves, and may evict more programs
/// if that is cheaper. If all of that fails, it takes the first solution of `room_search`, or evicts all programs and
/// brings back those that can stay.
template <class Layout>
class joint_search {
public:
    static constexpr std::uint64_t unlimited = ~std::uint64_t{0};

    /// Refers to `start` without copying it.
    constexpr explicit joint_search(const Layout& start) : start_(start) {}

    /// Searches for the cheapest changes.
    /// Cost: O(blocks + programs^2) plus the effort; for several needs O(needs x holes) for each set of programs tried.
    [[gnu::cold]] constexpr void run() {
        if (!start_.look()) return;
        proof_ = proof_of_infeasibility();
        bound_ = unlimited;
        if (proof_ != infeasibility::unknown) return;
        bound_ = least_ = window_bound(start_);
        if (const std::uint64_t other = bytes_bound(); other > bound_) bound_ = other;
        const std::size_t count = start_.blocks.size();
        const bool few = layout_search<Layout>::can_try(start_);
        effort_ = few ? little_effort : count <= thorough_blocks ? thorough_effort : count * passes;
        if (const std::size_t needs = start_.needs.size(); needs > 1)
            effort_ += (count + needs) * (needs < max_rounds ? needs : max_rounds) * passes;
        try_sets_of_programs();
        // Every feasible plan evicts a superset of one of the sets tried.
        if (const std::uint64_t other = set_bound_ < price_ ? set_bound_ : price_; other != unlimited && other > bound_)
            bound_ = other;
        if (few && price_ > bound_) search_exactly();
        if (price_ == unlimited && proof_ == infeasibility::unknown) search_deeply();
        if (few && price_ == unlimited && proof_ == infeasibility::unknown)
            search_exactly(move_prices::least, max_states);
        if (price_ == unlimited) return;
        drop_redundant_changes();
        if (bound_ > price_) bound_ = price_;
    }

    /// Returns the price of the changes, `unlimited` if none were found.
    [[nodiscard]] constexpr std::uint64_t price() const noexcept { return price_; }
    /// Returns a lower bound of the price of any plan.
    [[nodiscard]] constexpr std::uint64_t bound() const noexcept { return bound_; }
    /// Returns the changes in executable order, evictions first.
    [[nodiscard]] constexpr const trivial_vector<change>& changes() const noexcept { return changes_; }
    [[nodiscard]] constexpr infeasibility proof() const noexcept { return proof_; }

private:
    /// Up to this many blocks, chains of moves are searched fully; above it, with `passes` looks per block.
    static constexpr std::size_t thorough_blocks = 160;
    static constexpr std::uint64_t thorough_effort = 60'000;
    static constexpr std::uint64_t passes = 4;
    /// Above it, the effort also has this many looks for each need, up to `max_rounds` needs.
    static constexpr std::size_t max_rounds = 16;
    /// Effort if the exact search runs afterwards.
    static constexpr std::uint64_t little_effort = 1000;
    /// Limits of the last attempt.
    static constexpr std::uint64_t max_effort = std::uint64_t{1} << 21;
    static constexpr std::size_t max_states = 16'000;
    static constexpr std::uint32_t max_branches = 2000;
    /// Limit of trial changes when redundant changes are dropped, for several needs.
    static constexpr std::size_t max_trials = 4000;

    struct item {
        std::uint32_t program = 0;
        std::uint64_t gain = 0;
        std::uint64_t price = 0;
    };

    [[nodiscard, gnu::cold]] static constexpr bool is_wall(const layout_block& block) noexcept {
        return !block.movable && block.program == no_index;
    }
    /// Compares the needs with the most that could be free: above the least reservation, and between walls.
    [[nodiscard, gnu::cold]] constexpr infeasibility proof_of_infeasibility() const {
        const std::uint64_t floor = start_.min_level();
        std::uint64_t used = saturating_add(floor, start_.length_of_needs());
        for (const layout_block& block : start_.blocks)
            if (block.program == no_index) used = saturating_add(used, block.size);
        if (used > start_.capacity) return infeasibility::too_few_bytes;
        trivial_vector<range_of_quanta> stretches;
        std::uint64_t end = floor;
        for (const layout_block& block : start_.blocks) {
            if (!is_wall(block)) continue;
            if (block.offset < floor) return infeasibility::walls;
            stretches.push_back({end, block.offset});
            end = block.end();
        }
        stretches.push_back({end, start_.capacity});
        bool possible = true;
        for (const layout_need& need : hardest_of(start_.needs)) {
            bool fits = false;
            for (std::size_t at = 0; at < stretches.size() && !fits; ++at) fits = stretches[at].holds(need);
            possible = possible && fits;
        }
        if (!possible) return infeasibility::walls;
        const bool several = start_.needs.size() > 1 && start_.needs.size() <= max_needs_packed_exactly;
        return !several || need_packer(stretches, start_.needs, false).places() ? infeasibility::unknown
                                                                                : infeasibility::walls;
    }

    [[nodiscard, gnu::cold, gnu::noinline]] constexpr bool is_done() const noexcept {
        return price_ <= bound_ || effort_ == 0 || start_.is_exhausted();
    }

    [[gnu::cold]] constexpr void try_sets_of_programs() {
        trivial_vector<std::uint32_t> leaving;
        try_with(leaving);
        if (start_.rule != scratch_rule::largest) return;
        for (std::uint64_t level = start_.level(); level > start_.scratch_of_others;) {
            std::uint64_t next = start_.scratch_of_others;
            for (const evictable_program& candidate : start_.programs)
                if (candidate.scratch < level && candidate.scratch > next) next = candidate.scratch;
            level = next;
            leaving.clear();
            for (std::uint32_t at = 0; at < start_.programs.size(); ++at)
                if (start_.programs[at].scratch > level) leaving.push_back(at);
            if (price_of(leaving) >= price_ || is_done()) return at_least(price_of(leaving));
            try_with(leaving);
        }
    }

    /// Tries a set as it is if it frees enough bytes, or supersets that do.
    [[gnu::cold]] constexpr void try_with(const trivial_vector<std::uint32_t>& leaving) {
        Layout changed;
        if (!leaving.empty()) changed = without(leaving);
        const Layout& later = leaving.empty() ? start_ : changed;
        if (const std::uint64_t needed = later.missing_above(later.level()); needed != 0)
            try_knapsack(later, needed, leaving);
        else
            try_set(leaving);
        if (start_.programs.empty() || start_.needs.empty()) return;
        for (const layout_need& need : hardest_of(start_.needs)) try_stretches(later, need.length, leaving);
        if (start_.needs.size() > 1) try_stretches(later, start_.length_of_needs(), leaving);
    }

    [[nodiscard, gnu::cold]] constexpr Layout without(const trivial_vector<std::uint32_t>& leaving) const {
        Layout later = start_;
        for (const std::uint32_t victim : leaving) later.evict(victim);
        return later;
    }
    [[nodiscard, gnu::cold]] constexpr std::uint64_t
    price_of(const trivial_vector<std::uint32_t>& leaving) const noexcept {
        std::uint64_t price = 0;
        for (const std::uint32_t victim : leaving) price += start_.programs[victim].price;
        return price;
    }

    /// Records a lower bound for plans that evict a superset of the current set.
    [[gnu::cold]] constexpr void at_least(std::uint64_t price) noexcept {
        if (counts_ && price < set_bound_) set_bound_ = price;
    }

    [[gnu::cold]] constexpr void try_set(const trivial_vector<std::uint32_t>& leaving) {
        const std::uint64_t price = price_of(leaving);
        if (price >= price_ || is_done()) return at_least(price);
        Layout later = without(leaving);
        effort_ -= later.blocks.size() / 2 < effort_ ? later.blocks.size() / 2 : effort_;
        const std::uint64_t least = leaving.empty() ? least_ : window_bound(later);
        at_least(least < unlimited - price ? price + least : unlimited);
        if (least >= price_ - price || is_done()) return;
        if (least == 0 && later.fits()) return take(leaving, price, {});
        room_search<Layout> search(static_cast<Layout&&>(later), effort_);
        const std::uint64_t more = search.run(price_ - price);
        const std::uint64_t used = effort_ - search.effort();
        effort_ -= used < effort_ ? used : effort_;
        if (more != unlimited) take(leaving, price + more, search.changes());
    }
    [[gnu::cold]] constexpr void take(const trivial_vector<std::uint32_t>& leaving, std::uint64_t price,
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

    /// Returns the scratch that each program frees at the bottom of memory when evicted.
    [[nodiscard, gnu::cold]] static constexpr trivial_vector<std::uint64_t> gains_at_the_bottom(const Layout& later) {
        trivial_vector<std::uint64_t> gains(later.programs.size(), 0);
        for (std::size_t at = 0; at < gains.size(); ++at)
            if (later.rule == scratch_rule::sum) gains[at] = later.programs[at].scratch;
        return gains;
    }
    /// Tries supersets that free enough bytes in all of memory.
    [[gnu::cold]] constexpr void try_knapsack(const Layout& later, std::uint64_t needed,
                                              const trivial_vector<std::uint32_t>& leaving) {
        trivial_vector<std::uint64_t> gains = gains_at_the_bottom(later);
        for (std::size_t at = 0; at < gains.size(); ++at) gains[at] += later.programs[at].size;
        fill(gains, needed, leaving);
    }
    /// Tries supersets that free `length` in a range between two walls.
    [[gnu::cold]] constexpr void try_stretches(const Layout& later, std::uint64_t length,
                                               const trivial_vector<std::uint32_t>& leaving) {
        counts_ = false;
        trivial_vector<std::uint64_t> gains = gains_at_the_bottom(later);
        bool some_wall = false;
        std::uint64_t begin = later.level();
        std::uint64_t occupied = 0;
        const auto end_stretch = [&](std::uint64_t end) {
            const std::uint64_t free = end > begin && end - begin > occupied ? end - begin - occupied : 0;
            std::uint64_t sum = free;
            for (const std::uint64_t gain : gains) sum = saturating_add(sum, gain);
            if (some_wall && free < length && sum >= length) fill(gains, length - free, leaving);
        };
        for (const layout_block& block : later.blocks) {
            if (block.gone) continue;
            if (is_wall(block)) {
                some_wall = true;
                end_stretch(block.offset);
                if (is_done()) break;
                begin = block.end();
                occupied = 0;
                gains.assign(gains.size(), 0);
                continue;
            }
            occupied += block.size;
            if (block.program != no_index) gains[block.program] += block.size;
        }
        if (!is_done()) end_stretch(later.capacity);
        counts_ = true;
    }

    [[gnu::cold]] constexpr void fill(const trivial_vector<std::uint64_t>& gains, std::uint64_t needed,
                                      const trivial_vector<std::uint32_t>& leaving) {
        items_.clear();
        if (!start_.look_at(gains.size())) return;
        for (std::uint32_t at = 0; at < gains.size(); ++at) {
            bool leaves = gains[at] == 0;
            for (const std::uint32_t other : leaving) leaves = leaves || other == at;
            if (leaves) continue;
            insert_by_price(items_, {at, gains[at], start_.programs[at].price});
        }
        trivial_vector<std::uint32_t> set = leaving;
        branches_ = max_branches;
        branch(0, needed, price_of(leaving), set);
    }
    /// Inserts an item in order of its price per quantum, then its price.
    [[gnu::cold, gnu::noinline]] static constexpr void insert_by_price(trivial_vector<item>& items, const item& next) {
        const auto cheaper_than = [&](const item& other) {
            const std::uint64_t a = next.price / next.gain;
            const std::uint64_t b = other.price / other.gain;
            return a != b ? a < b : next.price < other.price;
        };
        std::size_t place = items.size();
        while (place > 0 && cheaper_than(items[place - 1])) --place;
        items.insert(items.begin() + static_cast<std::ptrdiff_t>(place), next);
    }
    /// Returns the price of freeing `needed` quanta if parts of programs could be evicted, rounded down.
    [[nodiscard, gnu::cold]] static constexpr std::uint64_t fractional(const trivial_vector<item>& items,
                                                                       std::size_t at, std::uint64_t needed) noexcept {
        std::uint64_t price = 0;
        for (; at < items.size(); ++at) {
            const std::uint64_t a_quantum = items[at].price / items[at].gain;
            if (items[at].gain >= needed) return price + a_quantum * needed;
            price += a_quantum * items[at].gain;
            needed -= items[at].gain;
        }
        return needed == 0 ? price : unlimited;
    }
    [[gnu::cold]] constexpr void branch(std::size_t at, std::uint64_t needed, std::uint64_t price,
                                        trivial_vector<std::uint32_t>& set) {
        if (needed == 0) return try_set(set);
        const std::uint64_t more = fractional(items_, at, needed);
        if (more == unlimited) return;
        start_.look_at(items_.size() / 4);
        if (branches_ == 0 || is_done() || price >= price_ || more >= price_ - price) return at_least(price + more);
        --branches_;
        const item next = items_[at];
        set.push_back(next.program);
        branch(at + 1, next.gain < needed ? needed - next.gain : 0, price + next.price, set);
        set.pop_back();
        branch(at + 1, needed, price, set);
    }

    /// Returns a lower bound of the price of the bytes that programs must free.
    [[nodiscard, gnu::cold]] constexpr std::uint64_t bytes_bound() const {
        const bool sums = start_.rule == scratch_rule::sum;
        const std::uint64_t needed = start_.missing_above(sums ? start_.level() : start_.min_level());
        if (needed == 0) return 0;
        trivial_vector<item> items;
        for (const evictable_program& candidate : start_.programs) {
            const std::uint64_t gain = candidate.size + (sums ? candidate.scratch : 0);
            if (gain == 0) continue;
            insert_by_price(items, {0, gain, candidate.price});
        }
        return fractional(items, 0, needed);
    }

    /// Applies all changes except one. Returns false if one of them cannot be carried out.
    [[nodiscard, gnu::cold]] constexpr bool make_changes(Layout& later, std::size_t skipped) const {
        for (std::size_t at = 0; at < changes_.size(); ++at) {
            if (at == skipped) continue;
            const change& next = changes_[at];
            if (next.evicts) {
                later.evict(next.subject);
                continue;
            }
            std::size_t place = later.first_from(next.from);
            while (place < later.blocks.size() && later.blocks[place].block != next.subject &&
                   later.blocks[place].offset == next.from)
                ++place;
            if (place == later.blocks.size()) return false;
            const layout_block block = later.blocks[place];
            if (block.block != next.subject || block.offset != next.from || block.gone) return false;
            if (!later.is_free_but_for(next.to, next.to + block.size, block.block)) return false;
            later.move(place, next.to);
        }
        return true;
    }
    /// Returns false if the block evidently has to move: its old place is taken, or, with a single need, it lies in the
    /// only runs that hold the need.
    [[nodiscard, gnu::cold]] constexpr bool could_stay(const Layout& later, const trivial_vector<range_of_quanta>& runs,
                                                       const change& move, std::uint64_t size) const noexcept {
        const std::uint64_t end = move.from + size;
        if (!later.is_free_but_for(move.from, end, move.subject)) return false;
        if (!is_for_one_need()) return true;
        const auto admits_beside_it = [&](range_of_quanta run) {
            return range_of_quanta{run.low, move.from < run.high ? move.from : run.high}.holds(start_.needs[0]) ||
                   range_of_quanta{end > run.low ? end : run.low, run.high}.holds(start_.needs[0]);
        };
        for (const range_of_quanta& run : runs)
            if (admits_beside_it(run)) return true;
        return admits_beside_it(later.run_without(move.subject, move.to));
    }
    [[nodiscard, gnu::cold]] constexpr bool is_for_one_need() const noexcept {
        return start_.needs.size() == 1 && start_.level() <= start_.bottom;
    }
    /// Drops redundant changes.
    /// Cost: O(changes x (log(blocks) + runs)), plus `make_changes` for each candidate.
    [[gnu::cold]] constexpr void drop_redundant_changes() {
        bool possible = price_ > bound_;  // redundant changes of an optimal plan are free
        for (const change& next : changes_) possible = possible || price_of_change(next) == 0;
        std::size_t trials = start_.needs.size() < 2 ? ~std::size_t{0} : max_trials;
        for (bool again = possible; again;) {
            again = false;
            if (!start_.look()) return;
            Layout later = start_;
            later.lower();
            if (!make_changes(later, changes_.size())) return;
            trivial_vector<range_of_quanta> runs;
            if (is_for_one_need()) runs = later.runs_that_fit(start_.needs[0]);
            for (std::size_t at = changes_.size(); at-- > 0 && !again;) {
                const change& next = changes_[at];
                if (!next.evicts && !could_stay(later, runs, next, block_of(next).size)) continue;
                if (trials < changes_.size() || !start_.look()) return;
                trials -= changes_.size();
                Layout without_it = start_;
                without_it.lower();
                again = make_changes(without_it, at) && without_it.fits();
                if (!again) continue;
                price_ -= price_of_change(next);
                changes_.erase(changes_.begin() + static_cast<std::ptrdiff_t>(at));
            }
        }
    }
    [[nodiscard, gnu::cold]] constexpr std::uint64_t price_of_change(const change& step) const noexcept {
        if (step.evicts) return start_.programs[step.subject].price;
        const layout_block& block = block_of(step);
        const std::uint64_t distance = step.from < step.to ? step.to - step.from : step.from - step.to;
        return price_of_move(start_.device, block.price, block.size, distance);
    }

    /// Returns the block of a move as it was at the start.
    [[nodiscard, gnu::cold]] constexpr const layout_block& block_of(const change& move) const noexcept {
        std::size_t at = start_.first_from(move.from);
        while (at < start_.blocks.size() && start_.blocks[at].offset == move.from) {
            if (start_.blocks[at].block == move.subject) return start_.blocks[at];
            ++at;
        }
        for (at = 0; start_.blocks[at].block != move.subject;) ++at;
        return start_.blocks[at];
    }

    /// Searches with lower bounds of the move prices, then with real prices if a gap remains.
    [[gnu::cold]] constexpr void search_exactly() {
        search_exactly(move_prices::least);
        if (price_ > bound_ && start_.device.copy_nanoseconds != 0) search_exactly(move_prices::real);
    }
    [[gnu::cold]] constexpr void search_exactly(move_prices counted,
                                                std::size_t states = layout_search<Layout>::max_states) {
        layout_search<Layout> search(start_, counted, states);
        const search_end_kind ended = search.run(price_);
        if (ended == search_end_kind::found) {
            std::uint64_t price = 0;
            for (const change& next : search.changes()) price += price_of_change(next);
            if (price < price_) {
                price_ = price;
                changes_ = search.changes();
            }
        } else if (ended == search_end_kind::exhausted && search.is_complete() && price_ == unlimited) {
            proof_ = infeasibility::no_arrangement;
        }
        if (search.is_complete() && search.bound() > bound_) bound_ = search.bound();
    }

    /// Searches as a last resort: accepts any plan, or evicts all programs and restores the most expensive first. If
    /// the call makes several requests, evictions are tried first.
    /// Cost: O(blocks^2), at most `max_effort` block visits, plus O(programs^2).
    [[gnu::cold]] constexpr void search_deeply() {
        const std::uint64_t count = start_.blocks.size() + start_.needs.size() + 1;
        std::uint64_t effort = 4 * (little_effort + count * count);
        if (count > 1000 || effort > max_effort) effort = max_effort;
        trivial_vector<std::uint32_t> all;
        for (std::uint32_t at = 0; at < start_.programs.size(); ++at) {  // insertion sort by price
            std::size_t place = at;
            while (place > 0 && start_.programs[at].price < start_.programs[all[place - 1]].price) --place;
            all.insert(all.begin() + static_cast<std::ptrdiff_t>(place), at);
        }
        if (start_.needs.size() > 1) evict_all(all, effort);
        if (start_.is_exhausted()) return;
        if (price_ == unlimited) search_deeply_without({}, effort);
        if (price_ == unlimited && start_.needs.size() < 2) evict_all(all, effort);
        if (price_ == unlimited && !all.empty()) search_deeply_without(all, effort);
    }
    [[gnu::cold, gnu::noinline]] constexpr void evict_all(const trivial_vector<std::uint32_t>& all,
                                                          std::uint64_t effort) {
        if (all.empty()) return;
        trivial_vector<std::uint32_t> leaving = all;
        if (without(all).fits()) victim_search(start_).spare(leaving);
        effort_ = effort;
        try_set(leaving);
    }
    [[gnu::cold]] constexpr void search_deeply_without(const trivial_vector<std::uint32_t>& leaving,
                                                       std::uint64_t effort) {
        room_search<Layout> search(without(leaving), effort);
        const std::uint64_t price = search.run_deeply();
        if (price != unlimited) take(leaving, price_of(leaving) + price, search.changes());
    }

    const Layout& start_;
    std::uint64_t effort_ = 0;
    std::uint64_t price_ = unlimited;
    std::uint64_t bound_ = 0;
    std::uint64_t least_ = 0;              // lower bound for every set
    std::uint64_t set_bound_ = unlimited;  // lower bound of the sets of programs tried
    bool counts_ = true;                   // `at_least` updates `set_bound_`
    infeasibility proof_ = infeasibility::unknown;
    std::uint32_t branches_ = 0;
    trivial_vector<item> items_;
    trivial_vector<change> changes_;
};

}  // namespace hbm::inline v0
