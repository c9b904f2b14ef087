#pragma once

#include <hbm/planning/segments.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// Exact search for the cheapest plan with few blocks: A* (Hart, Nilsson and Raphael, 1968) over layouts. Evictions
/// come first, then single moves to every place in a hole or, if there are many, to its ends; then `is_complete()` is
/// false. The heuristic is `window_bound`, which never exceeds the price that is left, so the first layout taken from
/// the queue that meets the goal is the cheapest. Few real memories are that small: it is what the heuristics, and
/// brute force, are compared with, and it proves that small memories have no plan. Cost: O(states x blocks^2 x holes),
/// bounded by the limit of states.
class exact_search {
public:
    /// The most blocks that may move or be evicted, and the most blocks in total.
    static constexpr std::size_t max_blocks = 8;
    static constexpr std::size_t max_layout_blocks = 24;
    /// The most places tried in a hole.
    static constexpr std::uint64_t max_places = 16;

    enum class outcome : std::uint8_t {
        found,      ///< the cheapest plan
        exhausted,  ///< there is no plan below the limit
        given_up,   ///< the search exceeded its limit of states or the budget
    };

    /// Returns true if blocks and needs are few enough.
    [[gnu::cold]] static constexpr bool can_try(const layout& start) noexcept {
        if (start.blocks.size() > max_layout_blocks || start.programs.size() > max_blocks) return false;
        if (start.needs.size() > max_needs_packed_exactly) return false;
        std::size_t free = 0;
        for (const layout_block& block : start.blocks) free += block.movable || block.program != no_index;
        return free <= max_blocks;
    }

    /// Copies `start`. Visits at most about `max_states` states.
    constexpr exact_search(const layout& start, std::size_t max_states)
        : start_(start), now_(start), max_states_(max_states) {
        start_.lower();
        for (std::size_t at = 0; at < start_.blocks.size(); ++at)
            if (start_.blocks[at].movable || start_.blocks[at].program != no_index) subjects_[count_++] = at;
        // One expansion may exceed the limit; at least one slot stays empty.
        constexpr std::size_t max_added = max_blocks + max_blocks * (max_layout_blocks + 1) * max_places;
        table_.resize(max_states + max_added + 1, no_index);
    }

    /// Searches for the cheapest plan below the price `limit`.
    [[gnu::cold]] constexpr outcome run(std::uint64_t limit) {
        // A state that was reached for less later on is only marked, not taken out of the queue. The bound of the entry
        // that is taken never falls, so at any end it is a bound of all plans that were not seen.
        limit_ = limit;
        state first;
        for (std::size_t i = 0; i < count_; ++i) first.offsets[i] = start_.blocks[subjects_[i]].offset;
        add(first);
        while (!queue_.empty()) {
            const entry next = take_cheapest();
            bound_ = next.bound;
            if (states_[next.at].superseded) continue;
            look_at(states_[next.at]);
            if (now_.fits()) {
                price_ = states_[next.at].price;
                for (std::uint32_t step = next.at; step != 0; step = states_[step].before)
                    changes_.insert(changes_.begin(), states_[step].last);
                return outcome::found;
            }
            if (states_.size() + 4 * max_blocks * max_layout_blocks > max_states_ || now_.is_exhausted())
                return outcome::given_up;
            expand(next.at, layout{now_});
        }
        if (now_.is_exhausted()) return outcome::given_up;
        bound_ = limit;
        return outcome::exhausted;
    }

    /// Returns false if relevant places were skipped: then price and outcome are not exact.
    constexpr bool is_complete() const noexcept { return complete_; }
    constexpr std::uint64_t price() const noexcept { return price_; }
    /// Returns a lower bound of the price of any plan, at most the limit.
    constexpr std::uint64_t bound() const noexcept { return bound_; }
    constexpr const trivial_vector<change>& changes() const noexcept { return changes_; }

private:
    struct state {
        std::array<std::uint64_t, max_blocks> offsets{};
        std::uint64_t price = 0;
        std::uint32_t evicted = 0;  // a bit for each program
        std::uint32_t before = 0;
        change last;
        bool moved = false;
        bool superseded = false;

        constexpr bool is_like(const state& other) const noexcept {
            return evicted == other.evicted && moved == other.moved && offsets == other.offsets;
        }
    };
    struct entry {
        std::uint64_t bound = 0;
        std::uint32_t at = 0;
    };

    /// Takes the entry of the least bound out of the queue, ties to the latest: it is likely to be nearest to the goal.
    /// A look at all entries is short beside the expansion of a state.
    constexpr entry take_cheapest() {
        std::size_t best = 0;
        for (std::size_t at = 1; at < queue_.size(); ++at) {
            const bool less = queue_[at].bound < queue_[best].bound;
            if (less || (queue_[at].bound == queue_[best].bound && queue_[at].at > queue_[best].at)) best = at;
        }
        const entry cheapest = queue_[best];
        queue_[best] = queue_.back();
        queue_.pop_back();
        return cheapest;
    }

    /// Sets `now_` to the layout of a state. Plans evict before they move, so after a move the programs are settled.
    [[gnu::cold]] constexpr void look_at(const state& current) {
        now_.bottom = start_.bottom;
        now_.scratch_of_others = start_.scratch_of_others;
        now_.programs = start_.programs;
        now_.blocks.clear();
        for (std::uint32_t victim = 0; victim < start_.programs.size(); ++victim)
            if ((current.evicted >> victim & 1) != 0) now_.evict(victim);
        if (current.moved) {
            now_.scratch_of_others = now_.level();
            now_.programs.clear();
        }
        std::size_t subject = 0;
        for (std::size_t at = 0; at < start_.blocks.size(); ++at) {
            layout_block block = start_.blocks[at];
            if (subject < count_ && subjects_[subject] == at) block.offset = current.offsets[subject++];
            if (block.program != no_index && (current.evicted >> block.program & 1) != 0) continue;
            if (current.moved) block.program = no_index;
            now_.blocks.push_back(block);
            std::size_t place = now_.blocks.size() - 1;
            for (; place > 0 && now_.blocks[place - 1].offset > block.offset; --place)
                now_.blocks[place] = now_.blocks[place - 1];
            now_.blocks[place] = block;
        }
    }

    /// Adds a state, unless it cannot lead to a plan below the limit, or was reached for no more. The table of states
    /// is open: a state lies in the slot of its hash, or in the next that is empty.
    [[gnu::cold]] constexpr void add(const state& next) {
        std::uint64_t hash = next.evicted * std::uint64_t{2} + next.moved;
        for (std::size_t i = 0; i < count_; ++i) hash = (hash ^ hash >> 29 ^ next.offsets[i]) * 0x9e3779b97f4a7c15u;
        std::size_t slot = static_cast<std::size_t>(hash >> 32) % table_.size();
        while (table_[slot] != no_index && !states_[table_[slot]].is_like(next)) slot = (slot + 1) % table_.size();
        if (table_[slot] != no_index) {
            if (states_[table_[slot]].price <= next.price) return;
            states_[table_[slot]].superseded = true;
        }
        look_at(next);
        const std::uint64_t more = window_bound(now_);
        if (more >= limit_ || next.price >= limit_ - more) return;
        table_[slot] = static_cast<std::uint32_t>(states_.size());
        queue_.push_back({next.price + more, static_cast<std::uint32_t>(states_.size())});
        states_.push_back(next);
    }

    /// Adds the states after a state: each program that may still leave, in ascending order so that a set of evictions
    /// is reached once, and each block that moves to some place. `now` is the layout of the state; `now_` changes.
    [[gnu::cold]] constexpr void expand(std::uint32_t at, const layout& now) {
        const state from = states_[at];
        if (!from.moved) {
            for (std::uint32_t victim = 0; victim < start_.programs.size(); ++victim) {
                if (from.evicted >> victim != 0) continue;  // evictions in ascending order only
                state next = from;
                next.evicted |= std::uint32_t{1} << victim;
                next.price += start_.programs[victim].price;
                next.before = at;
                next.last = {.evicts = true, .subject = victim};
                for (std::size_t i = 0; i < count_; ++i)
                    if (start_.blocks[subjects_[i]].program == victim) next.offsets[i] = 0;
                add(next);
            }
        }
        for (std::size_t i = 0; i < count_; ++i) {
            const layout_block& block = start_.blocks[subjects_[i]];
            const bool gone = block.program != no_index && (from.evicted >> block.program & 1) != 0;
            if (!block.movable || gone) continue;
            std::uint64_t end = now.bottom;
            for (const layout_block& other : now.blocks) {
                if (other.gone || other.block == block.block) continue;
                move_into({end, other.offset}, at, i, now.level());
                end = other.end();
            }
            move_into({end, now.capacity}, at, i, now.level());
        }
    }
    /// Adds the states after the state `at` in which subject `i` has moved into a hole.
    [[gnu::cold]] constexpr void move_into(range_of_quanta hole, std::uint32_t at, std::size_t i, std::uint64_t level) {
        // Between its ends a place matters only for what fits beside the block, so in a long hole the ends are tried.
        const layout_block& block = start_.blocks[subjects_[i]];
        if (!hole.holds({block.size, block.alignment})) return;
        const auto go_to = [&](std::uint64_t to) {
            state next = states_[at];
            const std::uint64_t from = next.offsets[i];
            if (to == from) return;
            next.offsets[i] = to;
            next.moved = true;
            next.price += price_of_move(start_.device, block.price, block.size, to < from ? from - to : to - from);
            next.before = at;
            next.last = {.subject = block.block, .from = from, .to = to};
            add(next);
        };
        const std::uint64_t first = align_up(hole.low, block.alignment);
        const std::uint64_t last = align_down(hole.high - block.size, block.alignment);
        if ((last - first) / block.alignment < max_places) {
            std::uint64_t to = first;  // does not step beyond `last`, to avoid overflow
            for (go_to(to); last - to >= block.alignment; go_to(to)) to += block.alignment;
            return;
        }
        complete_ = false;
        go_to(first);
        go_to(last);
        // If the reservation has to grow, its end is another candidate.
        if (first < level && level < last) go_to(align_up(level, block.alignment));
    }

    layout start_;
    layout now_;  // layout of the current state
    std::array<std::size_t, max_blocks> subjects_{};
    std::size_t count_ = 0;
    std::size_t max_states_;
    bool complete_ = true;
    std::uint64_t limit_ = unlimited_price;
    std::uint64_t price_ = unlimited_price;
    std::uint64_t bound_ = 0;
    trivial_vector<change> changes_;
    trivial_vector<state> states_;
    trivial_vector<entry> queue_;
    trivial_vector<std::uint32_t> table_;  // of states
};

}  // namespace hbm::inline v0
