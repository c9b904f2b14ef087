#pragma once

#include <hbm/core/trivial_vector.hpp>
#include <hbm/search/layout.hpp>
#include <hbm/search/window_bound.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// The outcome of an exact search.
enum class search_end_kind : std::uint8_t {
    found,      ///< the cheapest plan
    exhausted,  ///< there is no plan below the limit
    given_up,   ///< the search exceeded its limit
};

/// The prices of moves in an exact search.
enum class move_prices : std::uint8_t {
    least,  ///< every move counts as one copy
    real,   ///< moves cost what their distance requires
};

/// Exact search for the cheapest plan with few blocks: A* (Hart, Nilsson and Raphael, 1968) over layouts. Evictions
/// come first, then single moves to every place in a hole or, if there are many, to its ends; then `is_complete()` is
/// false. The heuristic is `window_bound`.
/// Cost: O(states x blocks^2 x holes), bounded by the limit of states.
template <class Layout>
class layout_search {
public:
    static constexpr std::uint64_t unlimited = ~std::uint64_t{0};
    /// The most blocks that may move or be evicted, the most blocks in total, and the default limit of states.
    static constexpr std::size_t max_blocks = 8;
    static constexpr std::size_t max_layout_blocks = 24;
    static constexpr std::size_t max_states = 1500;
    /// The most places tried in a hole, and the most successors of a state.
    static constexpr std::uint64_t max_places = 16;
    static constexpr std::size_t max_added = max_blocks + max_blocks * (max_layout_blocks + 1) * max_places;

    /// Returns true if blocks and needs are few enough.
    [[nodiscard, gnu::cold]] static constexpr bool can_try(const Layout& start) noexcept {
        if (start.blocks.size() > max_layout_blocks || start.programs.size() > max_blocks) return false;
        if (start.needs.size() > max_needs_packed_exactly) return false;
        std::size_t free = 0;
        for (const layout_block& block : start.blocks) free += block.movable || block.program != no_index;
        return free <= max_blocks;
    }

    /// Copies `start`. Visits at most about `states` states.
    [[gnu::cold]] constexpr layout_search(const Layout& start, move_prices counted, std::size_t states = max_states)
        : start_(start), now_(start), limit_of_states_(states) {
        start_.lower();
        if (counted == move_prices::least) start_.device.copy_nanoseconds = 0;  // the prices of blocks stay
        for (std::size_t at = 0; at < start_.blocks.size(); ++at)
            if (start_.blocks[at].movable || start_.blocks[at].program != no_index) subjects_[count_++] = at;
        table_.resize(std::bit_ceil(states + max_added + 1), no_index);  // at least one slot stays empty
    }

    /// Searches for the cheapest plan below the price `limit`.
    [[gnu::cold]] constexpr search_end_kind run(std::uint64_t limit) {
        limit_ = limit;
        state first;
        for (std::size_t i = 0; i < count_; ++i) first.offsets[i] = start_.blocks[subjects_[i]].offset;
        add(first);
        while (!queue_.empty()) {
            bound_ = queue_.front().bound;
            const std::uint32_t at = queue_.front().at;
            pop();
            if (states_[at].superseded) continue;
            look_at(states_[at]);
            if (now_.fits()) {
                price_ = states_[at].price;
                for (std::uint32_t step = at; step != 0; step = states_[step].before)
                    changes_.insert(changes_.begin(), states_[step].last);
                return search_end_kind::found;
            }
            if (states_.size() + 4 * max_blocks * max_layout_blocks > limit_of_states_ || now_.is_exhausted())
                return search_end_kind::given_up;
            expand(at, Layout{now_});
        }
        if (now_.is_exhausted()) return search_end_kind::given_up;
        bound_ = limit;
        return search_end_kind::exhausted;
    }

    /// Returns false if relevant places were skipped: then price and outcome are not exact.
    [[nodiscard]] constexpr bool is_complete() const noexcept { return complete_; }
    [[nodiscard]] constexpr std::uint64_t price() const noexcept { return price_; }
    /// Returns a lower bound of the price of any plan, at most the limit.
    [[nodiscard]] constexpr std::uint64_t bound() const noexcept { return bound_; }
    [[nodiscard]] constexpr const trivial_vector<change>& changes() const noexcept { return changes_; }

private:
    struct state {
        std::array<std::uint64_t, max_blocks> offsets{};
        std::uint64_t price = 0;
        std::uint32_t evicted = 0;  // a bit for each program
        std::uint32_t before = 0;
        change last;
        bool moved = false;
        bool superseded = false;
    };
    struct entry {
        std::uint64_t bound = 0;
        std::uint32_t at = 0;
    };

    [[nodiscard, gnu::cold]] static constexpr bool sooner(const entry& a, const entry& b) noexcept {
        return a.bound != b.bound ? a.bound < b.bound : a.at > b.at;
    }
    [[gnu::cold]] constexpr void push(const entry& next) {
        queue_.push_back(next);
        for (std::size_t at = queue_.size() - 1; at > 0 && sooner(queue_[at], queue_[(at - 1) / 2]);) {
            const entry up = queue_[at];
            queue_[at] = queue_[(at - 1) / 2];
            queue_[(at - 1) / 2] = up;
            at = (at - 1) / 2;
        }
    }
    [[gnu::cold]] constexpr void pop() {
        const entry last = queue_.back();
        queue_.pop_back();
        if (queue_.empty()) return;
        std::size_t at = 0;
        for (;;) {
            std::size_t child = at * 2 + 1;
            if (child >= queue_.size()) break;
            if (child + 1 < queue_.size() && sooner(queue_[child + 1], queue_[child])) ++child;
            if (!sooner(queue_[child], last)) break;
            queue_[at] = queue_[child];
            at = child;
        }
        queue_[at] = last;
    }

    /// Sets `now_` to the layout of a state.
    [[gnu::cold]] constexpr void look_at(const state& current) {
        now_.bottom = start_.bottom;
        now_.scratch_of_others = start_.scratch_of_others;
        now_.programs = start_.programs;
        now_.blocks.clear();
        for (std::uint32_t victim = 0; victim < start_.programs.size(); ++victim)
            if ((current.evicted >> victim & 1) != 0) now_.evict(victim);
        if (current.moved) {  // evictions come before moves
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

    [[nodiscard, gnu::cold]] constexpr std::size_t slot_of(const state& current) const noexcept {
        std::uint64_t hash = current.evicted * std::uint64_t{2} + current.moved;
        for (std::size_t i = 0; i < count_; ++i)
            hash = (hash ^ current.offsets[i]) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
        std::size_t slot = static_cast<std::size_t>(hash) % table_.size();
        for (; table_[slot] != no_index; slot = slot + 1 == table_.size() ? 0 : slot + 1) {
            const state& other = states_[table_[slot]];
            if (other.evicted == current.evicted && other.moved == current.moved && other.offsets == current.offsets)
                break;
        }
        return slot;
    }

    [[gnu::cold]] constexpr void add(const state& next) {
        const std::size_t slot = slot_of(next);
        if (table_[slot] != no_index) {
            if (states_[table_[slot]].price <= next.price) return;
            states_[table_[slot]].superseded = true;
        }
        look_at(next);
        const std::uint64_t more = window_bound(now_);
        if (more >= limit_ || next.price >= limit_ - more) return;
        table_[slot] = static_cast<std::uint32_t>(states_.size());
        push({next.price + more, static_cast<std::uint32_t>(states_.size())});
        states_.push_back(next);
    }

    [[gnu::cold]] constexpr void expand(std::uint32_t at, const Layout& now) {
        const state from = states_[at];
        const std::uint64_t level = now.level();
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
            const auto go_to = [&](std::uint64_t to) {
                if (to == from.offsets[i]) return;
                state next = from;
                next.offsets[i] = to;
                next.moved = true;
                next.price += price_of_move(start_.device, block.price, block.size,
                                            to < from.offsets[i] ? from.offsets[i] - to : to - from.offsets[i]);
                next.before = at;
                next.last = {.subject = block.block, .from = from.offsets[i], .to = to};
                add(next);
            };
            const auto consider = [&](std::uint64_t low, std::uint64_t high) {
                if (!range_of_quanta{low, high}.holds({block.size, block.alignment})) return;
                const std::uint64_t first = align_up(low, block.alignment);
                const std::uint64_t last = align_down(high - block.size, block.alignment);
                if ((last - first) / block.alignment < max_places) {
                    std::uint64_t to = first;  // does not step beyond `last`, to avoid overflow
                    for (go_to(to); last - to >= block.alignment; go_to(to)) to += block.alignment;
                    return;
                }
                complete_ = false;
                go_to(first);
                if (last != first) go_to(last);
                // If the reservation has to grow, its end is another candidate.
                if (first < level && level < last) go_to(align_up(level, block.alignment));
            };
            std::uint64_t end = now.bottom;
            for (const layout_block& other : now.blocks) {
                if (other.gone || other.block == block.block) continue;
                consider(end, other.offset);
                end = other.end();
            }
            consider(end, now.capacity);
        }
    }

    Layout start_;
    Layout now_;  // layout of the current state
    std::array<std::size_t, max_blocks> subjects_{};
    std::size_t count_ = 0;
    std::size_t limit_of_states_;
    bool complete_ = true;
    std::uint64_t limit_ = unlimited;
    std::uint64_t price_ = unlimited;
    std::uint64_t bound_ = 0;
    trivial_vector<change> changes_;
    trivial_vector<state> states_;
    trivial_vector<entry> queue_;
    trivial_vector<std::uint32_t> table_;  // hash table of states
};

}  // namespace hbm::inline v0
