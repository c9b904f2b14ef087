#pragma once

#include <hbm/manager/executor.hpp>
#include <hbm/relief/compactor.hpp>

#include <cstdint>
#include <limits>

namespace hbm::inline v0::detail {

template <placement P>
class budgeted_compaction {
public:
    using quanta = typename P::quanta;

    constexpr budgeted_compaction(memory_state<P>& state, executor<P> moves) : state_(state), executor_(moves) {}

    constexpr compaction run(std::uint64_t budget) {
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

        const compactor<P> work = work_for(budget);
        const auto& moves = work.moves();
        std::size_t at = 0;
        for (; !failed && !state_.moving && at < moves.size(); ++at) {
            const extent from = state_.where(moves[at].block);
            const std::uint64_t left = budget - moved_since(before);
            // A move that a later call can do as a whole is left to it, instead of interrupted here.
            if (left < quantum || (left < from.size && from.size <= budget)) break;
            if (left >> state_.shift() < work.length_of_group(at)) break;
            const std::uint64_t moved = state_.done.moved_bytes;
            executor_.move({moves[at].block, from.offset, state_.bytes(moves[at].to), from.size}, left);
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
            result.needs = state_.bytes(work.refused());
        else if (result.moved == 0 && !failed)
            result.needs = min_budget();
        return result;
    }

private:
    [[nodiscard]] constexpr std::uint64_t moved_since(const totals& before) const noexcept {
        return state_.done.moved_bytes - before.moved_bytes;
    }
    /// Returns all moves of calls with this budget, once the pending move is finished; with budget 0, all moves.
    [[nodiscard]] constexpr compactor<P> work_for(std::uint64_t budget) const {
        const std::uint64_t most = std::numeric_limits<quanta>::max();
        const std::uint64_t limit = budget >> state_.shift();
        const auto longest = static_cast<quanta>(limit == 0 || limit > most ? most : limit);
        if (!state_.moving) return {state_, longest};
        memory_state<P> later = state_;
        later.finish_moving();
        return {later, longest};
    }
    /// Returns the smallest budget that moves anything.
    /// Requires: there is a move.
    [[nodiscard]] constexpr std::uint64_t min_budget() const {
        if (state_.moving) return align_up(state_.moving.bounced == 0 ? 1 : state_.moving.bounced, state_.spec.quantum);
        const compactor<P> work = work_for(state_.spec.quantum);
        return work.moves().empty() ? state_.bytes(work.refused()) : state_.spec.quantum;
    }

    memory_state<P>& state_;
    executor<P> executor_;
};

}  // namespace hbm::inline v0::detail
