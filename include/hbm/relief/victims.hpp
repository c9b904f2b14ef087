#pragma once

/// Which programs leave so that a request fits.

#include <hbm/eviction/eviction.hpp>
#include <hbm/relief/layout_of.hpp>
#include <hbm/state/memory_state.hpp>

#include <optional>
#include <span>
#include <vector>

namespace hbm {

/// Picks victims by their scores (one per program slot). `protected_slot` is the program that memory is wanted for; it
/// stays.
template <placement P>
class victim_finder {
public:
    using quanta = typename P::quanta;
    using slots = std::vector<std::uint32_t>;

    constexpr victim_finder(const memory_state<P>& state, std::span<const std::uint64_t> scores,
                            std::uint32_t protected_slot)
        : state_(state), scores_(scores), protected_slot_(protected_slot) {}

    /// The lowest score first until `wanted` fits, or until nobody is left who may leave. O(blocks + programs^2 +
    /// victims x (blocks + programs)).
    [[nodiscard]] constexpr slots in_order(const need<quanta>& wanted) const {
        layout trial = seen(wanted);
        return slots_of(trial, leave_in_order(trial));
    }
    /// The same, but no further than until as much is free as `wanted` needs, wherever it is. The scores that a window
    /// sums say what programs are worth; of those who are worth the same, the larger goes first. Cost as above.
    [[nodiscard]] constexpr slots enough_bytes(const need<quanta>& wanted, victims choice) const {
        layout trial = seen(wanted);
        if (choice == victims::window)
            for (evictable_program& one : trial.programs) one.score /= one.size == 0 ? 1 : one.size;
        return slots_of(trial, leave_in_order(trial, true));
    }

    /// The same, and then whoever went in vain comes back, the highest score first. Empty when even all of them are not
    /// enough. Cost as above, and twice that for coming back.
    [[nodiscard]] constexpr std::optional<slots> one_at_a_time(const need<quanta>& wanted) const {
        layout trial = seen(wanted);
        const std::uint64_t bottom = trial.bottom;
        const std::uint64_t length = trial.length;
        slots victims = leave_in_order(trial);
        if (!trial.fits()) return std::nullopt;
        spare(trial, victims, bottom, length);
        return slots_of(trial, victims);
    }

    /// Takes whoever would go in vain off the list, the latest first: put any one of the others back, and `wanted` no
    /// longer fits. Cost as above.
    constexpr void spare(slots& leaving, const need<quanta>& wanted) const {
        layout trial = seen(wanted);
        const std::uint64_t bottom = trial.bottom;
        const std::uint64_t length = trial.length;
        slots victims;
        for (const std::uint32_t slot : leaving) {
            std::uint32_t who = 0;
            while (trial.programs[who].slot != slot) ++who;
            trial.evict(who);
            victims.push_back(who);
        }
        spare(trial, victims, bottom, length);
        leaving = slots_of(trial, victims);
    }

    /// The lowest score first until `enough(state)` holds, then whoever went in vain comes back, for what only a whole
    /// state can tell. Empty when even all of them are not enough. O(victims x (blocks + cost of `enough`)), and
    /// O(victims^2 x blocks + victims x cost of `enough`) for coming back.
    template <class Enough>
    [[nodiscard]] constexpr std::optional<slots> one_at_a_time_until(Enough enough) const {
        memory_state<P> trial = state_;
        slots victims;
        while (!enough(trial)) {
            std::optional<std::uint32_t> next;
            for (std::uint32_t slot = 0; slot < trial.programs.size(); ++slot)
                if (evictable(trial, slot) && (!next || scores_[slot] < scores_[*next])) next = slot;
            if (!next) return std::nullopt;
            trial.evict(*next);
            victims.push_back(*next);
        }
        for (std::size_t i = victims.size(); i-- > 0;) {
            memory_state<P> without = state_;
            for (std::size_t other = 0; other < victims.size(); ++other)
                if (other != i) without.evict(victims[other]);
            if (enough(without)) victims.erase(victims.begin() + static_cast<std::ptrdiff_t>(i));
        }
        return victims;
    }

    /// The contiguous stretch of programs and holes that satisfies `wanted` at the least sum of scores. Where programs
    /// share their scratch, every level that the reservation could fall to is tried, at the price of all programs above
    /// it. Empty when there is none. O(levels x blocks).
    [[nodiscard]] constexpr std::optional<slots> cheapest_window(const need<quanta>& wanted) const {
        std::optional<slots> best;
        std::uint64_t best_cost = ~std::uint64_t{0};
        const unsigned coarse = coarseness();
        for (std::uint64_t level = state_.scratch_level();;) {
            memory_state<P> trial = state_;
            slots victims;
            std::uint64_t cost = 0;
            std::uint64_t next_level = 0;
            bool possible = true;
            for (std::uint32_t slot = 0; slot < trial.programs.size(); ++slot) {
                const program_record& record = state_.programs[slot];
                if (!record.resident) continue;
                if (record.scratch < level && record.scratch > next_level) next_level = record.scratch;
                if (!reserves<P> || record.scratch <= level) continue;
                possible = possible && evictable(trial, slot);
                if (!possible) break;
                trial.evict(slot);
                victims.push_back(slot);
                cost += scores_[slot] >> coarse;
            }
            if (!possible) break;
            if (!trial.fits(wanted)) extend_by_window(trial, wanted, victims, cost, best_cost, coarse);
            if (cost < best_cost) best = victims, best_cost = cost;
            if (level == 0) break;
            level = next_level;
        }
        return best;
    }

private:
    [[nodiscard]] constexpr layout seen(const need<quanta>& wanted) const {
        return layout_of(state_, wanted, scores_, [&](std::uint32_t slot) { return slot != protected_slot_; });
    }
    /// Who leaves, as numbers in `trial.programs`, which they have left afterwards.
    [[nodiscard]] static constexpr slots leave_in_order(layout& trial, bool bytes_are_enough = false) {
        slots victims;
        while (!trial.fits()) {
            if (bytes_are_enough && trial.free() >= trial.length - (trial.anchored ? trial.bottom : 0)) break;
            std::uint32_t next = no_index;
            for (std::uint32_t who = 0; who < trial.programs.size(); ++who)
                if (trial.programs[who].present &&
                    (next == no_index || trial.programs[who].score < trial.programs[next].score))
                    next = who;
            if (next == no_index) break;
            trial.evict(next);
            victims.push_back(next);
        }
        return victims;
    }
    /// `bottom` and `length` are what the trial's were while all were present.
    static constexpr void spare(layout& trial, slots& victims, std::uint64_t bottom, std::uint64_t length) {
        for (std::size_t i = victims.size(); i-- > 0;) {
            evictable_program& back = trial.programs[victims[i]];
            back.present = true;
            const std::uint64_t level = trial.level();
            const bool lower = trial.rule != scratch_rule::none && !trial.anchored && level < bottom;
            const bool shorter = trial.rule == scratch_rule::sum && trial.anchored && level < length;
            trial.bring_back(victims[i], lower ? level : bottom, shorter ? level : length);
            if (trial.fits())
                victims.erase(victims.begin() + static_cast<std::ptrdiff_t>(i));
            else
                trial.evict(victims[i]);
        }
    }
    [[nodiscard]] static constexpr slots slots_of(const layout& trial, slots victims) {
        for (std::uint32_t& one : victims) one = trial.programs[one].slot;
        return victims;
    }

    [[nodiscard]] constexpr bool evictable(const memory_state<P>& state, std::uint32_t slot) const noexcept {
        return slot != protected_slot_ && state.can_evict(slot);
    }
    /// How many of their lowest bits scores lose so that all of them together stay below the largest number.
    /// O(programs).
    [[nodiscard]] constexpr unsigned coarseness() const noexcept {
        std::uint64_t largest = 0;
        for (const std::uint64_t score : scores_) largest = score > largest ? score : largest;
        unsigned coarse = 0;
        while (largest >> coarse > ~std::uint64_t{0} / (scores_.size() + 1)) ++coarse;
        return coarse;
    }
    [[nodiscard]] static constexpr bool of_program(block_kind kind) noexcept {
        return kind == block_kind::code || kind == block_kind::scratch;
    }

    /// Adds the cheapest window of `trial` to `victims` and its scores to `cost`; `cost` is `limit` when none is
    /// cheaper.
    constexpr void extend_by_window(const memory_state<P>& trial, const need<quanta>& wanted, slots& victims,
                                    std::uint64_t& cost, std::uint64_t limit, unsigned coarse) const {
        const auto& map = trial.blocks.map();
        need<quanta> required = trial.blocks.requirement(wanted);
        required.avoid_below = 0;
        const quanta bottom = wanted.anchored ? reserved(trial) : 0;
        const quanta length = trial.reservation_for(wanted);
        std::vector<std::uint32_t> within(trial.programs.size(), 0);  // blocks of each program inside the window
        std::uint64_t sum = 0;
        basic_extent<quanta> window;
        const auto satisfied = [&] {
            return wanted.anchored ? window.offset == bottom && window.end() >= length
                                   : required.length <= map.capacity() && required.admits(window);
        };
        const auto wall = [&](block_index block) {
            return !map.is_hole(block) && (!of_program(map.kind(block)) || !evictable(trial, map.owner(block)));
        };
        const auto include = [&](block_index block) {
            if (!map.is_hole(block) && within[map.owner(block)]++ == 0) sum += scores_[map.owner(block)] >> coarse;
            window.size = static_cast<quanta>(window.size + map.size(block));
        };
        const auto exclude = [&](block_index block) {
            if (!map.is_hole(block) && --within[map.owner(block)] == 0) sum -= scores_[map.owner(block)] >> coarse;
            window = {map.range(block).end(), static_cast<quanta>(window.size - map.size(block))};
        };

        const std::uint64_t base = cost;
        cost = limit;
        block_index best_low = no_block;
        block_index best_behind = no_block;
        for (block_index low = first_from(map, bottom); low != no_block;) {
            if (wall(low)) {
                if (wanted.anchored) break;
                low = map.next(low);
                continue;
            }
            window = {map.offset(low), 0};
            block_index after = low;
            for (;;) {  // over the stretch up to the next wall
                while (after != no_block && !satisfied() && !wall(after)) {
                    include(after);
                    after = map.next(after);
                }
                if (!satisfied()) break;
                if (base + sum < cost) cost = base + sum, best_low = low, best_behind = after;
                exclude(low);
                low = map.next(low);
            }
            for (; low != after; low = map.next(low)) exclude(low);
            if (wanted.anchored) break;
        }
        for (block_index block = best_low; block != best_behind; block = map.next(block)) {
            if (map.is_hole(block)) continue;
            bool known = false;
            for (const std::uint32_t slot : victims) known = known || slot == map.owner(block);
            if (!known) victims.push_back(map.owner(block));
        }
    }

    [[nodiscard]] static constexpr quanta reserved(const memory_state<P>& state) noexcept {
        if constexpr (reserves<P>)
            return state.blocks.reserved();
        else
            return 0;
    }
    [[nodiscard]] static constexpr block_index first_from(const block_map<quanta>& map, quanta offset) noexcept {
        block_index block = map.first();
        while (block != no_block && map.offset(block) < offset) block = map.next(block);
        return block;
    }

    const memory_state<P>& state_;
    std::span<const std::uint64_t> scores_;
    std::uint32_t protected_slot_;
};

}  // namespace hbm
