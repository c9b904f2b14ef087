#pragma once

/// The price of the cheapest relief in a tiny memory, by looking at everything that moves and evictions can lead to.

#include <hbm/state/memory_state.hpp>

#include <cstdint>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hbm::test {

/// Dijkstra's algorithm: a block may move to any place that is free, a program leave at any time. For at most 15 blocks
/// in at most 15 quanta. It shares no code with the planner.
template <placement P>
class brute_force {
public:
    static constexpr std::uint64_t impossible = ~std::uint64_t{0};

    brute_force(const memory_state<P>& state, const need<typename P::quanta>& wanted, std::uint32_t protected_slot,
                bool evicting)
        : state_(state), wanted_(wanted) {
        const auto& map = state.blocks.map();
        capacity_ = map.capacity();
        length_ = state.blocks.requirement(wanted).length;
        unit_ = state.blocks.requirement(wanted).alignment;
        if (wanted.anchored) length_ = wanted.length, unit_ = 1;
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
    std::uint64_t cheapest(std::uint64_t limit) {
        std::vector<std::uint64_t> first;
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
            if (fits()) return price;
            expand(price, here);
        }
        return impossible;
    }
    [[nodiscard]] std::size_t states() const { return known_.size(); }

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

    [[nodiscard]] bool inside(std::uint32_t slot) const {
        if (!state_.programs[slot].resident) return false;
        for (std::size_t at = 0; at < blocks_.size(); ++at)
            if (blocks_[at].owner == slot && offsets_[at] == gone) return false;
        return true;
    }
    void look_at(std::uint64_t key) {
        offsets_.clear();
        for (std::size_t at = 0; at < blocks_.size(); ++at) offsets_.push_back(key >> (4 * at) & 15);
        bottom_ = reserved_;
        needed_ = length_;
        if constexpr (reserves<P>) {
            std::uint64_t level = 0;
            for (std::uint32_t slot = 0; slot < state_.programs.size(); ++slot) {
                if (!inside(slot)) continue;
                const std::uint64_t scratch = state_.programs[slot].scratch / state_.spec.quantum;
                level = P::sharing == scratch_sharing::per_program ? level + scratch
                        : scratch > level                          ? scratch
                                                                   : level;
            }
            if (!wanted_.anchored && level < bottom_) bottom_ = level;
            if (wanted_.anchored && P::sharing == scratch_sharing::per_program && level < needed_) needed_ = level;
        }
        taken_ = 0;
        for (std::uint64_t at = 0; at < bottom_; ++at) taken_ |= std::uint64_t{1} << at;
        for (std::size_t at = 0; at < blocks_.size(); ++at)
            if (offsets_[at] != gone) taken_ |= range(offsets_[at], blocks_[at].size);
    }
    [[nodiscard]] static std::uint64_t range(std::uint64_t offset, std::uint64_t size) {
        return ((std::uint64_t{1} << size) - 1) << offset;
    }
    [[nodiscard]] bool fits() const {
        if (wanted_.anchored)
            return needed_ <= reserved_ ||
                   (needed_ <= capacity_ && (taken_ & range(reserved_, needed_ - reserved_)) == 0);
        for (std::uint64_t at = 0; at + needed_ <= capacity_; at += unit_)
            if ((taken_ & range(at, needed_)) == 0) return true;
        return false;
    }
    void reach(std::uint64_t price, std::uint64_t key) {
        const auto [place, is_new] = known_.insert({key, price});
        if (!is_new && place->second <= price) return;
        place->second = price;
        queue_.push({price, key});
    }
    void expand(std::uint64_t price, std::uint64_t key) {
        for (std::size_t at = 0; at < blocks_.size(); ++at) {
            const block& one = blocks_[at];
            if (offsets_[at] == gone) continue;
            const std::uint64_t without = key & ~(std::uint64_t{15} << (4 * at));
            if (one.may_move) {
                const std::uint64_t own = range(offsets_[at], one.size);
                const std::uint64_t bytes = one.size * state_.spec.quantum;
                for (std::uint64_t to = 0; to + one.size <= capacity_; to += one.alignment) {
                    if (to == offsets_[at] || ((taken_ & ~own) & range(to, one.size)) != 0) continue;
                    const std::uint64_t distance = to < offsets_[at] ? offsets_[at] - to : to - offsets_[at];
                    reach(price + state_.spec.move_nanoseconds(bytes, distance * state_.spec.quantum),
                          without | to << (4 * at));
                }
            }
            if (one.may_go && one.owner < no_index) {
                std::uint64_t later = key;
                for (std::size_t other = 0; other < blocks_.size(); ++other)
                    if (blocks_[other].owner == one.owner) later |= gone << (4 * other);
                reach(price + state_.programs[one.owner].reload_nanoseconds, later);
            }
        }
    }

    using entry = std::pair<std::uint64_t, std::uint64_t>;  // price and state

    const memory_state<P>& state_;
    need<typename P::quanta> wanted_;
    std::uint64_t capacity_ = 0;
    std::uint64_t reserved_ = 0;
    std::uint64_t length_ = 0;
    std::uint64_t unit_ = 1;
    std::vector<block> blocks_;
    std::unordered_map<std::uint64_t, std::uint64_t> known_;
    std::priority_queue<entry, std::vector<entry>, std::greater<>> queue_;
    std::vector<std::uint64_t> offsets_;  // of the state that is looked at
    std::uint64_t bottom_ = 0;
    std::uint64_t needed_ = 0;
    std::uint64_t taken_ = 0;  // a bit for each quantum
};

}  // namespace hbm::test
