#pragma once

/// Finds ways to make a request fit. Nothing is touched: every way is tried on copies and comes out as a plan.

#include <hbm/relief/memory_state.hpp>
#include <hbm/relief/slide.hpp>
#include <hbm/relief/vacate.hpp>
#include <hbm/relief/victims.hpp>

#include <optional>
#include <span>

namespace hbm {

/// The ways to make one request fit: by moving blocks, by evicting programs, or by both. Each is looked for when it is
/// asked for and is empty when it does not exist (or, for moves into other holes and for both together, was not found).
template <placement P>
class planner {
public:
    using quanta = typename P::quanta;

    /// `wanted` as the placement was asked; `choice` and `scores` (one per program slot) are the eviction policy's;
    /// `protected_slot` is the program that memory is wanted for.
    constexpr planner(const memory_state<P>& state, const need<quanta>& wanted, victims choice,
                      std::span<const std::uint64_t> scores, std::uint32_t protected_slot)
        : state_(state), wanted_(wanted), choice_(choice), finder_(state, scores, protected_slot) {}

    /// The cheaper of sliding and moving into other holes. O(blocks), and O(moves x blocks) a window that is emptied.
    [[nodiscard]] constexpr std::optional<plan> by_moving() const { return moves_in(state_); }

    /// By the eviction policy alone. See `victim_finder` for the cost.
    [[nodiscard]] constexpr std::optional<plan> by_evicting() const {
        if (choice_ == victims::none) return std::nullopt;
        const auto fits = [&](const memory_state<P>& trial) { return trial.fits(wanted_); };
        std::optional<std::vector<std::uint32_t>> slots;
        if (choice_ == victims::window) {
            slots = finder_.cheapest_window(wanted_);
            if (slots) finder_.spare(*slots, fits);
        }
        if (!slots) slots = finder_.one_at_a_time(fits);
        if (!slots) return std::nullopt;
        return evictions(*slots);
    }

    /// Evicts, one at a time, as little as makes moving possible, then moves.
    [[nodiscard]] constexpr std::optional<plan> by_both() const {
        if constexpr (!compacts<P>) return std::nullopt;
        if (choice_ == victims::none) return std::nullopt;
        const auto movable = [&](const memory_state<P>& trial) {
            return trial.fits(wanted_) || moves_in(trial).has_value();
        };
        const auto slots = finder_.one_at_a_time(movable);
        if (!slots) return std::nullopt;
        plan joined = evictions(*slots);
        memory_state<P> trial = state_;
        for (const std::uint32_t slot : *slots) trial.evict(slot);
        if (trial.fits(wanted_)) return joined;
        const std::optional<plan> moves = moves_in(trial);
        for (const step& move : moves->steps) joined.add(move);
        return joined;
    }

private:
    using moves_list = relocations<quanta>;

    [[nodiscard]] constexpr std::uint64_t price(quanta size) const noexcept {
        return state_.spec.move_nanoseconds(state_.bytes(size));
    }

    [[nodiscard]] constexpr plan evictions(const std::vector<std::uint32_t>& slots) const {
        plan evicted;
        for (const std::uint32_t slot : slots) {
            const program_record& record = state_.programs[slot];
            evicted.add({.what = remedy::evict,
                         .subject = slot,
                         .bytes = record.code,
                         .nanoseconds = record.reload_nanoseconds});
        }
        return evicted;
    }

    [[nodiscard]] constexpr plan as_plan(const memory_state<P>& state, const moves_list& moves) const {
        plan moved;
        memory_state<P> trial = state;
        for (const relocation<quanta>& move : moves) {
            const extent from = trial.where(move.block);
            const step next{remedy::move,         move.block, from.offset,
                            trial.bytes(move.to), from.size,  state.spec.move_nanoseconds(from.size)};
            moved.add(next);
            trial.apply(next);
        }
        return moved;
    }

    [[nodiscard]] constexpr std::optional<plan> moves_in(const memory_state<P>& state) const {
        std::optional<plan> best;
        if constexpr (compacts<P>) {
            const auto& map = state.blocks.map();
            need<quanta> required = state.blocks.requirement(wanted_);
            const auto movable = [&](block_index block) { return state.can_move(block); };
            const auto consider = [&](const moves_list& moves) {
                plan candidate = as_plan(state, moves);
                if (!best || candidate.nanoseconds < best->nanoseconds) best = static_cast<plan&&>(candidate);
            };
            if (required.length > map.capacity()) return best;
            if constexpr (reserves<P>) {
                if (wanted_.anchored) {
                    const quanta held = state.blocks.reserved();
                    const basic_extent<quanta> above{held, static_cast<quanta>(state.reservation_for(wanted_) - held)};
                    if (above.size > map.free()) return best;
                    if (const auto moves = push_up(map, above, movable)) consider(*moves);
                    if (vacating attempt{state.blocks, movable}; attempt.empty(above)) consider(attempt.moves());
                    return best;
                }
            }
            if (required.length > map.free()) return best;
            if (const auto moves = cheapest_slide(map, required, movable, [&](quanta size) { return price(size); }))
                consider(*moves);
            if (!best || required.alignment > 1) {
                for (const basic_extent<quanta>& window :
                     windows(state, required, best ? best->nanoseconds : ~std::uint64_t{0})) {
                    if (vacating attempt{state.blocks, movable}; attempt.empty(window)) {
                        consider(attempt.moves());
                        break;
                    }
                }
            }
        }
        return best;
    }

    /// Windows that could be emptied for `required` below the price `limit`: those that begin or end with a hole,
    /// aligned, no wall inside; the cheapest first and no more than are worth trying.
    [[nodiscard]] constexpr std::vector<basic_extent<quanta>>
    windows(const memory_state<P>& state, const need<quanta>& required, std::uint64_t limit) const {
        constexpr std::size_t most = 16;
        const auto& map = state.blocks.map();
        std::vector<basic_extent<quanta>> found;
        std::vector<std::uint64_t> costs;
        for (block_index hole = map.first(); hole != no_block; hole = map.next(hole)) {
            if (!map.is_hole(hole)) continue;
            const basic_extent<quanta> range = map.range(hole);
            const quanta candidates[] = {
                align_down(range.offset, required.alignment), align_up(range.offset, required.alignment),
                range.end() < required.length
                    ? quanta{0}
                    : align_down(static_cast<quanta>(range.end() - required.length), required.alignment)};
            for (const quanta offset : candidates) {
                if (offset > map.capacity() - required.length) continue;
                const basic_extent<quanta> window{offset, required.length};
                const std::uint64_t cost = cost_of_emptying(
                    state, hole, window, costs.size() == most && costs.back() < limit ? costs.back() : limit);
                if (cost == ~std::uint64_t{0}) continue;
                std::size_t place = 0;
                while (place < costs.size() && costs[place] <= cost) ++place;
                if (place > 0 && found[place - 1] == window) continue;
                costs.insert(costs.begin() + static_cast<std::ptrdiff_t>(place), cost);
                found.insert(found.begin() + static_cast<std::ptrdiff_t>(place), window);
                if (found.size() > most) found.pop_back(), costs.pop_back();
            }
        }
        return found;
    }

    /// What moving everything out of `window`, which touches `hole`, costs; the largest number when there is a wall or
    /// it costs `limit` or more.
    [[nodiscard]] constexpr std::uint64_t cost_of_emptying(const memory_state<P>& state, block_index hole,
                                                           basic_extent<quanta> window, std::uint64_t limit) const {
        const auto& map = state.blocks.map();
        std::uint64_t cost = 0;
        block_index block = hole;
        while (map.previous(block) != no_block && map.offset(block) > window.offset) block = map.previous(block);
        for (; block != no_block && map.offset(block) < window.end(); block = map.next(block)) {
            if (map.is_hole(block) || !map.range(block).overlaps(window)) continue;
            if (!state.can_move(block)) return ~std::uint64_t{0};
            cost += price(map.size(block));
            if (cost >= limit) return ~std::uint64_t{0};
        }
        return cost;
    }

    const memory_state<P>& state_;
    need<quanta> wanted_;
    victims choice_;
    victim_finder<P> finder_;
};

}  // namespace hbm
