#pragma once

/// The price of the cheapest relief in a tiny memory, by looking at everything that waits, moves and evictions can lead
/// to.

#include <hbm/state/memory_state.hpp>

#include <cstdint>
#include <queue>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "testing/price_model.hpp"

namespace hbm::test {

/// Dijkstra's algorithm: a block may move to any place that is free, a program leave at any time, until the reservation
/// that the programs in memory need and all needs of the call have room at once. For at most 12 blocks in at most 15
/// quanta and 15 programs. It shares no code with the planner.
template <placement P>
class brute_force {
public:
    using quanta = typename P::quanta;
    static constexpr std::uint64_t impossible = ~std::uint64_t{0};

    /// For the state as it is; a program that comes in with the call is marked resident and has no code. The program in
    /// `protected_slot` is not evicted.
    brute_force(const memory_state<P>& state, std::span<const need<quanta>> needs, bool evicting,
                std::uint32_t protected_slot = no_index)
        : state_(state) {
        const auto& map = state.blocks.map();
        capacity_ = map.capacity();
        for (const need<quanta>& each : needs) {
            const need<quanta> required = state.blocks.requirement(each);
            if (required.length > capacity_) hopeless_ = true;
            needs_.push_back({required.length, required.alignment});
        }
        for (block_index at = map.first(); at != no_block; at = map.next(at)) {
            const block_kind kind = map.kind(at);
            if (map.is_hole(at)) continue;
            if (kind == block_kind::reservation) {
                reserved_ = map.size(at);
                continue;
            }
            const bool of_program = kind == block_kind::code || kind == block_kind::scratch;
            const bool held = map.pins(at) != 0 || map.holds(at) != 0 || kind == block_kind::deferred;
            const std::uint32_t owner = of_program ? map.owner(at) : no_index;
            const bool runs = of_program && map.is_held(state.programs[owner].code_block);
            blocks_.push_back({map.offset(at), map.size(at), map.alignment(at), owner, compacts<P> && !held,
                               evicting && of_program && !runs && owner != protected_slot});
        }
    }

    /// The least price, or `impossible`; more than `limit` is not looked for.
    std::uint64_t cheapest(std::uint64_t limit = impossible - 1) {
        if (hopeless_) return impossible;
        std::uint64_t key = 0;
        for (std::size_t at = 0; at < blocks_.size(); ++at) key |= blocks_[at].offset << (4 * at);
        known_[key] = 0;
        queue_.push({0, key});
        while (!queue_.empty()) {
            const auto [price, here] = queue_.top();
            queue_.pop();
            if (known_[here] < price) continue;
            if (price > limit) return impossible;
            look_at(here);
            if (is_met()) return price;
            expand(price, here);
        }
        return impossible;
    }

private:
    static constexpr std::uint64_t gone = 15;
    struct block {
        std::uint64_t offset;
        std::uint64_t size;
        std::uint64_t alignment;
        std::uint32_t owner;
        bool may_move;
        bool may_go;
    };
    struct length_and_unit {
        std::uint64_t length;
        std::uint64_t unit;
    };

    [[nodiscard]] bool is_resident(std::uint32_t slot) const {
        if (!state_.programs[slot].resident) return false;
        for (std::size_t at = 0; at < blocks_.size(); ++at)
            if (blocks_[at].owner == slot && offsets_[at] == gone) return false;
        return true;
    }
    void look_at(std::uint64_t key) {
        offsets_.clear();
        for (std::size_t at = 0; at < blocks_.size(); ++at) offsets_.push_back(key >> (4 * at) & 15);
        level_ = 0;
        if constexpr (reserves<P>) {
            for (std::uint32_t slot = 0; slot < state_.programs.size(); ++slot) {
                if (!is_resident(slot)) continue;
                const std::uint64_t scratch = state_.programs[slot].scratch / state_.spec.quantum;
                if (P::sharing == scratch_sharing::per_program) level_ += scratch;
                if (P::sharing == scratch_sharing::shared && scratch > level_) level_ = scratch;
            }
        }
        occupied_ = 0;
        for (std::size_t at = 0; at < blocks_.size(); ++at)
            if (offsets_[at] != gone) occupied_ |= range(offsets_[at], blocks_[at].size);
    }
    [[nodiscard]] static std::uint64_t range(std::uint64_t offset, std::uint64_t size) {
        return ((std::uint64_t{1} << size) - 1) << offset;
    }
    [[nodiscard]] bool is_met() const {
        return level_ <= capacity_ && (occupied_ & range(0, level_)) == 0 && all_fit(0, occupied_ | range(0, level_));
    }
    [[nodiscard]] bool all_fit(std::size_t first, std::uint64_t taken) const {
        if (first == needs_.size()) return true;
        const auto [length, unit] = needs_[first];
        for (std::uint64_t at = 0; at + length <= capacity_; at += unit)
            if ((taken & range(at, length)) == 0 && all_fit(first + 1, taken | range(at, length))) return true;
        return false;
    }
    void reach(std::uint64_t price, std::uint64_t key) {
        const auto [place, is_new] = known_.insert({key, price});
        if (!is_new && place->second <= price) return;
        place->second = price;
        queue_.push({price, key});
    }
    void expand(std::uint64_t price, std::uint64_t key) {
        const testing::move_model device{state_.spec.bandwidth, state_.spec.copy_nanoseconds, state_.spec.bounce};
        const std::uint64_t quantum = state_.spec.quantum;
        const std::uint64_t bottom = level_ < reserved_ ? level_ : reserved_;
        const std::uint64_t taken = occupied_ | range(0, bottom);
        for (std::size_t at = 0; at < blocks_.size(); ++at) {
            const block& each = blocks_[at];
            if (offsets_[at] == gone) continue;
            const std::uint64_t without = key & ~(std::uint64_t{15} << (4 * at));
            if (each.may_move) {
                const std::uint64_t own = range(offsets_[at], each.size);
                for (std::uint64_t to = 0; to + each.size <= capacity_; to += each.alignment) {
                    if (to == offsets_[at] || ((taken & ~own) & range(to, each.size)) != 0) continue;
                    const std::uint64_t distance = to < offsets_[at] ? offsets_[at] - to : to - offsets_[at];
                    reach(price + testing::price_of_moving(device, each.size * quantum, distance * quantum).nanoseconds,
                          without | to << (4 * at));
                }
            }
            if (each.may_go) {
                std::uint64_t later = key;
                for (std::size_t other = 0; other < blocks_.size(); ++other)
                    if (blocks_[other].owner == each.owner) later |= gone << (4 * other);
                reach(price + state_.programs[each.owner].reload_nanoseconds, later);
            }
        }
    }

    using entry = std::pair<std::uint64_t, std::uint64_t>;  // price and state

    const memory_state<P>& state_;
    std::vector<length_and_unit> needs_;
    bool hopeless_ = false;
    std::uint64_t capacity_ = 0;
    std::uint64_t reserved_ = 0;
    std::vector<block> blocks_;
    std::unordered_map<std::uint64_t, std::uint64_t> known_;
    std::priority_queue<entry, std::vector<entry>, std::greater<>> queue_;
    std::vector<std::uint64_t> offsets_;  // of the state that is looked at
    std::uint64_t level_ = 0;
    std::uint64_t occupied_ = 0;  // by blocks, a bit for each quantum
};

/// The same when runs in flight may be waited for first: the least over all numbers of them, none included, after which
/// frees take effect that can.
template <placement P>
std::uint64_t cheapest_after_waits(const memory_state<P>& state, std::span<const need<typename P::quanta>> needs,
                                   bool evicting, std::uint32_t protected_slot = no_index) {
    std::uint64_t least = brute_force<P>::impossible;
    std::uint64_t waited = 0;
    for (std::size_t runs = 0; runs <= state.flights.size() && waited < least; ++runs) {
        memory_state<P> later = state;
        later.retire(runs == 0 ? state.reached : state.flights[runs - 1].over);
        if (runs != 0) waited += state.flights[runs - 1].nanoseconds;
        const std::uint64_t limit = least - waited - 1;
        const std::uint64_t price = brute_force<P>(later, needs, evicting, protected_slot).cheapest(limit);
        if (price != brute_force<P>::impossible && waited + price < least) least = waited + price;
    }
    return least;
}

}  // namespace hbm::test
