#pragma once

/// `manager::compact`: moves blocks together in idle time. Only programs that include this compile it.

#include <hbm/manager.hpp>
#include <hbm/planning/compactor.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// The result of `compact`. Bytes and modelled nanoseconds.
struct compaction {
    std::uint64_t moved = 0;        ///< bytes that have arrived
    std::uint64_t copies = 0;       ///< count of copies
    std::uint64_t nanoseconds = 0;  ///< duration of the copies
    std::uint64_t remaining = 0;    ///< bytes still to be moved by calls with this budget, if nothing else changes
    std::uint64_t needs = 0;  ///< the smallest budget that moves more, if this one is exhausted; 0: this one is enough
    error reason = error::none;  ///< `device_failed`: nothing is lost; the next call continues

    [[nodiscard]] constexpr bool done() const noexcept { return remaining == 0 && needs == 0 && reason == error::none; }

    friend constexpr bool operator==(const compaction&, const compaction&) = default;
};

}  // namespace hbm::inline v0

namespace hbm::inline v0::detail {

/// Divides a memory into sections: each block that may not move is a wall between two of them.
template <placement P>
constexpr sectioned_memory sections_of(const memory_state<P>& state, packing_side side) {
    // Seen from the side to which blocks are packed: under a placement that reserves at the bottom that is the top, and
    // offsets count from there. So the packing itself has one direction only.
    const auto& map = state.blocks.map();
    sectioned_memory memory;
    std::uint64_t begin = 0;
    std::uint64_t used = 0;  // by blocks that may move, from `begin` on
    const auto end_section = [&](std::uint64_t end) {
        if (end != begin) memory.sections.push_back({{begin, end - begin}, end - begin - used});
        used = 0;
    };
    for (block_index block = side.upwards ? map.last() : map.first(); block != no_block;
         block = side.upwards ? map.previous(block) : map.next(block)) {
        if (map.is_hole(block)) continue;
        const packed_block seen{block, side.seen({map.offset(block), map.size(block)}), map.size(block),
                                map.alignment(block)};
        if (state.can_move(block)) {
            memory.blocks.push_back(seen);
            used += seen.size;
            continue;
        }
        end_section(seen.at);
        begin = seen.end();
    }
    end_section(map.capacity());
    return memory;
}
/// Returns all moves of a compaction, of blocks of up to `limit` quanta. Requires: `state` has no pending move.
template <placement P>
constexpr packing_moves moves_for(const memory_state<P>& state, std::uint64_t limit) {
    const packing_side side{state.blocks.map().capacity(), reserves<P>};
    const packing_moves how{.side = side, .limit = limit, .slides_in_parts = stretches<P>};
    return compactor(sections_of(state, side), how).moves();
}

/// A call of `compact`: the pending move first, then moves in the order of the plan while the budget lasts.
template <placement P>
class budgeted_compaction {
public:
    using quanta = typename P::quanta;

    constexpr budgeted_compaction(memory_state<P>& state, executor<P> moves) : state_(state), executor_(moves) {}

    constexpr compaction run(std::uint64_t budget) {
        // A call carries no plan over to the next: each plans anew from the blocks as they are, so the caller may
        // allocate and free between calls. A device that copies fewer bytes than it was asked to has failed; then
        // nothing further is tried in this call.
        const totals before = state_.done;
        const std::uint64_t quantum = state_.spec.quantum;
        budget = align_down(budget, quantum);
        bool failed = false;
        // The bytes in the bounce region leave it in one piece.
        if (state_.moving && budget != 0 && budget >= state_.moving.bounced) {
            const std::uint64_t left = state_.moving.left();
            executor_.finish_moving(budget);
            failed = moved_since(before) < (budget < left ? budget : left);
        }

        const packing_moves work = work_for(budget);
        const auto& moves = work.moves;
        std::size_t at = 0;
        for (; !failed && !state_.moving && at < moves.size(); ++at) {
            const extent from = state_.where(moves[at].block);
            const std::uint64_t left = budget - moved_since(before);
            // A move that a later call can do as a whole is left to it, instead of interrupted here.
            if (left < quantum || (left < from.size && from.size <= budget)) break;
            const std::uint64_t moved = state_.done.moved_bytes;
            executor_.move({moves[at].block, from.offset, state_.bytes(static_cast<quanta>(moves[at].to)), from.size},
                           left);
            failed = state_.done.moved_bytes - moved < (left < from.size ? left : from.size);
            if (failed && !state_.moving) break;  // not begun
        }

        compaction result{.moved = moved_since(before),
                          .copies = state_.done.copies - before.copies,
                          .nanoseconds = state_.done.move_nanoseconds - before.move_nanoseconds,
                          .remaining = state_.moving ? state_.moving.left() : 0,
                          .reason = failed ? error::device_failed : error::none};
        for (; at < moves.size(); ++at)
            result.remaining +=
                state_.is_moving(moves[at].block) ? state_.moving.bytes : state_.where(moves[at].block).size;
        if (result.remaining == 0)
            result.needs = state_.bytes(static_cast<quanta>(work.refused));
        else if (result.moved == 0 && !failed)
            result.needs = min_budget();
        return result;
    }

private:
    [[nodiscard]] constexpr std::uint64_t moved_since(const totals& before) const noexcept {
        return state_.done.moved_bytes - before.moved_bytes;
    }
    /// Returns all moves of calls with this budget, once the pending move is finished; with budget 0, all moves.
    [[nodiscard]] constexpr packing_moves work_for(std::uint64_t budget) const {
        const std::uint64_t limit = budget == 0 ? ~std::uint64_t{0} : budget >> state_.shift();
        if (!state_.moving) return moves_for(state_, limit);
        memory_state<P> later = state_;
        later.finish_moving();
        return moves_for(later, limit);
    }
    /// Returns the smallest budget that moves anything.
    /// Requires: there is a move.
    [[nodiscard]] constexpr std::uint64_t min_budget() const {
        // Bytes in the bounce region leave it in one piece, so they are the least. Otherwise a quantum is asked for:
        // either something moves with so little, or the plan says how long the shortest block is that it had to refuse.
        if (state_.moving) return align_up(state_.moving.bounced == 0 ? 1 : state_.moving.bounced, state_.spec.quantum);
        const packing_moves work = work_for(state_.spec.quantum);
        return work.moves.empty() ? state_.bytes(static_cast<quanta>(work.refused)) : state_.spec.quantum;
    }

    memory_state<P>& state_;
    executor<P> executor_;
};

}  // namespace hbm::inline v0::detail

namespace hbm::inline v0 {

template <class Placement, class Eviction, class Donation, class Relief, class Device, class Events>
constexpr compaction manager<Placement, Eviction, Donation, Relief, Device, Events>::compact(
    std::uint64_t budget) requires compacts<Placement> {
    policies calls = bind_policies();
    return detail::budgeted_compaction<Placement>(state_, executor<Placement>(state_, calls)).run(budget);
}

}  // namespace hbm::inline v0
