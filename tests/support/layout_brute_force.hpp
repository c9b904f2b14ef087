#pragma once

/// The price of the cheapest way to the goal of a tiny layout, by looking at everything that moves and evictions can
/// lead to. It shares no code with the search.

#include <hbm/planning/layout.hpp>

#include <cstdint>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "testing/price_model.hpp"

namespace hbm::test {

/// What it takes to move so many quanta so far.
inline std::uint64_t time_of_move(const memory_spec& device, std::uint64_t size, std::uint64_t distance) {
    return testing::price_of_moving({device.bandwidth, device.copy_nanoseconds, device.bounce}, size * device.quantum,
                                    distance * device.quantum)
        .nanoseconds;
}

/// Dijkstra's algorithm: a block may move to any place that is free, a program leave at any time. For at most 12 blocks
/// in at most 15 quanta.
class layout_brute_force {
public:
    static constexpr std::uint64_t impossible = ~std::uint64_t{0};

    explicit layout_brute_force(const layout& start) : start_(start) {}

    /// The least price, or `impossible`; more than `limit` is not looked for.
    std::uint64_t cheapest(std::uint64_t limit) {
        std::uint64_t key = 0;
        for (std::size_t at = 0; at < start_.blocks.size(); ++at) key |= start_.blocks[at].offset << (4 * at);
        reach(0, {key, 0});
        while (!queue_.empty()) {
            const auto [price, here] = queue_.top();
            queue_.pop();
            if (known_[packed(here)] < price) continue;
            if (price > limit) return impossible;
            look_at(here);
            if (is_met()) return price;
            expand(price, here);
        }
        return impossible;
    }

    /// Returns true if the goal is met after those programs have left whose bits are set, and nothing has moved.
    bool fits_after(std::uint64_t evicted) {
        std::uint64_t key = 0;
        for (std::size_t at = 0; at < start_.blocks.size(); ++at) {
            const std::uint32_t owner = start_.blocks[at].program;
            const bool left = owner != no_index && (evicted >> owner & 1) != 0;
            key |= (left ? gone : start_.blocks[at].offset) << (4 * at);
        }
        look_at({key, evicted});
        return is_met();
    }

private:
    using state = std::pair<std::uint64_t, std::uint64_t>;  // offsets, and a bit for each program that has left
    static constexpr std::uint64_t gone = 15;

    static std::uint64_t range(std::uint64_t offset, std::uint64_t size) {
        return ((std::uint64_t{1} << size) - 1) << offset;
    }
    std::uint64_t packed(const state& some) const { return some.first | some.second << 48; }
    void look_at(const state& some) {
        offsets_.clear();
        occupied_ = 0;
        level_ = start_.rule == scratch_rule::none ? start_.bottom : start_.scratch_of_others;
        for (std::size_t who = 0; who < start_.programs.size(); ++who) {
            if ((some.second >> who & 1) != 0) continue;
            const std::uint64_t scratch = start_.programs[who].scratch;
            if (start_.rule == scratch_rule::sum) level_ += scratch;
            if (start_.rule == scratch_rule::largest && scratch > level_) level_ = scratch;
        }
        for (std::size_t at = 0; at < start_.blocks.size(); ++at) {
            offsets_.push_back(some.first >> (4 * at) & 15);
            if (offsets_.back() != gone) occupied_ |= range(offsets_.back(), start_.blocks[at].size);
        }
    }
    bool is_met() const {
        return level_ <= start_.capacity && (occupied_ & range(0, level_)) == 0 &&
               all_fit(0, occupied_ | range(0, level_));
    }
    bool all_fit(std::size_t first, std::uint64_t taken) const {
        if (first == start_.needs.size()) return true;
        const layout_need& need = start_.needs[first];
        for (std::uint64_t at = 0; at + need.length <= start_.capacity; at += need.alignment)
            if ((taken & range(at, need.length)) == 0 && all_fit(first + 1, taken | range(at, need.length)))
                return true;
        return false;
    }
    void reach(std::uint64_t price, const state& some) {
        const auto [place, is_new] = known_.insert({packed(some), price});
        if (!is_new && place->second <= price) return;
        place->second = price;
        queue_.push({price, some});
    }
    void expand(std::uint64_t price, const state& here) {
        const std::uint64_t bottom = level_ < start_.bottom ? level_ : start_.bottom;
        const std::uint64_t taken = occupied_ | range(0, bottom);
        for (std::size_t at = 0; at < start_.blocks.size(); ++at) {
            const layout_block& each = start_.blocks[at];
            if (offsets_[at] == gone || !each.movable) continue;
            const std::uint64_t without = here.first & ~(std::uint64_t{15} << (4 * at));
            const std::uint64_t own = range(offsets_[at], each.size);
            for (std::uint64_t to = 0; to + each.size <= start_.capacity; to += each.alignment) {
                if (to == offsets_[at] || ((taken & ~own) & range(to, each.size)) != 0) continue;
                const std::uint64_t distance = to < offsets_[at] ? offsets_[at] - to : to - offsets_[at];
                const std::uint64_t time = time_of_move(start_.device, each.size, distance);
                reach(price + (time == 0 ? 1 : time << tie_bits), {without | to << (4 * at), here.second});
            }
        }
        for (std::size_t who = 0; who < start_.programs.size(); ++who) {
            if ((here.second >> who & 1) != 0) continue;
            std::uint64_t later = here.first;
            for (std::size_t at = 0; at < start_.blocks.size(); ++at)
                if (start_.blocks[at].program == who) later |= gone << (4 * at);
            reach(price + start_.programs[who].price, {later, here.second | std::uint64_t{1} << who});
        }
    }

    const layout& start_;
    std::unordered_map<std::uint64_t, std::uint64_t> known_;
    std::priority_queue<std::pair<std::uint64_t, state>, std::vector<std::pair<std::uint64_t, state>>, std::greater<>>
        queue_;
    trivial_vector<std::uint64_t> offsets_;  // of the state that is looked at
    std::uint64_t occupied_ = 0;             // by blocks, a bit for each quantum
    std::uint64_t level_ = 0;
};

/// Carries changes out one by one. Returns the broken rule; null if the goal is met in the end and the price is right.
/// `evicts_first`: an eviction after a move breaks a rule.
inline const char* broken_rule(const layout& start, const trivial_vector<change>& changes, std::uint64_t price,
                               bool evicts_first = true) {
    struct block {
        std::uint64_t offset;
        bool gone;
    };
    std::vector<block> now;
    for (const layout_block& each : start.blocks) now.push_back({each.offset, false});
    std::vector<bool> left(start.programs.size(), false);
    const auto level = [&] {
        std::uint64_t needed = start.rule == scratch_rule::none ? start.bottom : start.scratch_of_others;
        for (std::size_t who = 0; who < left.size(); ++who) {
            const std::uint64_t scratch = left[who] ? 0 : start.programs[who].scratch;
            if (start.rule == scratch_rule::sum) needed += scratch;
            if (start.rule == scratch_rule::largest && scratch > needed) needed = scratch;
        }
        return needed;
    };
    std::uint64_t paid = 0;
    bool some_moved = false;
    for (const change& next : changes) {
        if (next.evicts) {
            if (some_moved && evicts_first) return "an eviction after a move";
            if (next.subject >= left.size() || left[next.subject]) return "an eviction of nobody";
            left[next.subject] = true;
            for (std::size_t at = 0; at < now.size(); ++at)
                now[at].gone = now[at].gone || start.blocks[at].program == next.subject;
            paid += start.programs[next.subject].price;
            continue;
        }
        some_moved = true;
        std::size_t which = 0;
        while (which < now.size() && start.blocks[which].block != next.subject) ++which;
        if (which == now.size() || now[which].gone) return "a move of no block";
        const layout_block& each = start.blocks[which];
        if (!each.movable) return "a move of a wall";
        if (now[which].offset != next.from || next.from == next.to) return "a move from where the block is not";
        if (next.to % each.alignment != 0) return "a block where its alignment forbids it";
        const std::uint64_t bottom = level() < start.bottom ? level() : start.bottom;
        if (next.to < bottom || each.size > start.capacity || next.to > start.capacity - each.size)
            return "a move out of memory";
        for (std::size_t at = 0; at < now.size(); ++at)
            if (at != which && !now[at].gone && now[at].offset < next.to + each.size &&
                next.to < now[at].offset + start.blocks[at].size)
                return "a move onto another block";
        const std::uint64_t distance = next.to < next.from ? next.from - next.to : next.to - next.from;
        const std::uint64_t time = time_of_move(start.device, each.size, distance);
        paid += time == 0 ? 1 : time << tie_bits;
        now[which].offset = next.to;
    }
    if (paid != price) return "the price is not the sum of its parts";
    layout later = start;
    for (std::uint32_t who = 0; who < left.size(); ++who)
        if (left[who]) later.evict(who);
    later.bottom = later.bottom < later.level() ? later.bottom : later.level();
    for (std::size_t at = 0; at < now.size(); ++at) later.blocks[at].offset = now[at].offset;
    for (std::size_t at = 1; at < later.blocks.size(); ++at)  // by offset again
        for (std::size_t low = at; low > 0 && later.blocks[low - 1].offset > later.blocks[low].offset; --low)
            std::swap(later.blocks[low - 1], later.blocks[low]);
    const auto places = later.places();
    if (!later.fits() || !places || places->size() != start.needs.size()) return "the goal is not met";
    for (std::size_t at = 0; at < places->size(); ++at) {
        const std::uint64_t low = (*places)[at];
        const std::uint64_t high = low + start.needs[at].length;
        if (low % start.needs[at].alignment != 0 || low < later.level() || high > start.capacity || high < low)
            return "a need where it may not be";
        for (std::size_t other = 0; other < at; ++other)
            if ((*places)[other] < high && low < (*places)[other] + start.needs[other].length)
                return "two needs at one place";
        for (const layout_block& each : later.blocks)
            if (!each.gone && each.offset < high && low < each.end()) return "a need on a block";
    }
    for (const layout_block& each : later.blocks)
        if (!each.gone && each.offset < later.level()) return "a block in the reservation";
    return nullptr;
}

}  // namespace hbm::test
