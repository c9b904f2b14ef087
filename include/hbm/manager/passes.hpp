#pragma once

/// Defragmentation in passes by the caller, as in Vulkan Memory Allocator: `manager::begin_pass` and `end_pass`.
///
///     for (hbm::pass moves = memory.begin_pass(64_MiB); !moves.empty(); moves = memory.begin_pass(64_MiB)) {
///         for (const hbm::begun_move& move : moves) copy(move.to, move.from, move.bytes);
///         memory.end_pass(moves);
///     }
///
/// The copies may be made in any order and at any time until `end_pass`.
/// Other calls go on while a pass is open, and any number of passes. Until it ends, each block stays in its place, and
/// nothing else is placed there or at its target; relief, `compact` and other passes leave both alone.
/// The copy of a block is dropped, and the block stays, if during the pass it is freed, donated, pinned, or used by
/// work that `issue` began, or if its program leaves. A pin that is gone and work that is over count as well. So does a
/// run that uses the block and is in flight when the pass ends.
///
/// A buffer that is freed keeps its memory until the pass ends. A program does not: a copy that still reads its code
/// may read what is placed there next. If an observer throws at `begun`, the pass is lost, and its places stay taken.
///
/// Requires: whoever writes to a block during a pass, other than a run, pins it once.

#include <hbm/core/result.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/manager/executor.hpp>
#include <hbm/relief/pass_moves.hpp>
#include <hbm/state/begun_move.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// A pass: moves that have begun, which the caller copies in any order, and ends together. Any number may be open.
struct pass {
    trivial_vector<begun_move> moves;

    [[nodiscard]] constexpr bool empty() const noexcept { return moves.empty(); }
    [[nodiscard]] constexpr std::size_t size() const noexcept { return moves.size(); }
    [[nodiscard]] constexpr const begun_move* begin() const noexcept { return moves.begin(); }
    [[nodiscard]] constexpr const begun_move* end() const noexcept { return moves.end(); }

    friend constexpr bool operator==(const pass&, const pass&) = default;
};

/// The result of a pass.
struct pass_result {
    std::uint64_t moved = 0;    ///< bytes of the blocks that moved
    std::uint32_t arrived = 0;  ///< count of blocks that moved
    std::uint32_t failed = 0;   ///< count of blocks that stayed because their copies failed
    std::uint32_t stayed = 0;   ///< count of other blocks that stayed: freed, donated, pinned, evicted, or in use

    friend constexpr bool operator==(const pass_result&, const pass_result&) = default;
};

namespace detail {

template <placement P>
class passes {
public:
    constexpr passes(memory_state<P>& state, policy_interface& policies)
        : state_(state), policies_(policies), executor_(state, policies) {}

    [[nodiscard]] constexpr pass begin(std::uint64_t budget) {
        pass begun;
        const pass_moves<P> chosen(state_, budget >> state_.shift());
        for (const auto& [block, to] : chosen.moves())
            if (const begun_move move = begin_copy(state_, block, to)) begun.moves.push_back(move);
        state_.passing += static_cast<std::uint32_t>(begun.size());
        for (const begun_move& move : begun) report(event_kind::begun, move);
        return begun;
    }
    constexpr result<pass_result> end(const pass& ended, list<std::uint32_t> failed) {
        if (const error why = check(ended); why != error::none) return failure{.reason = why};
        trivial_vector<bool> copied(ended.size(), true);
        for (const std::uint32_t at : failed) {
            if (at >= ended.size()) return failure{.reason = error::bad_argument, .argument = at};
            copied[at] = false;
        }
        pass_result result;
        for (std::size_t at = 0; at < ended.size(); ++at) {
            const bool arrived = end(ended.moves[at], copied[at]);
            if (arrived) result.moved += ended.moves[at].bytes;
            ++(arrived ? result.arrived : copied[at] ? result.stayed : result.failed);
        }
        state_.passing -= static_cast<std::uint32_t>(ended.size());
        executor_.reach(state_.reached);  // frees that waited for the moves take effect
        return result;
    }

    /// Ends one move. Returns true if the block moved.
    constexpr bool end(const begun_move& ended, bool copied) {
        const bool arrived = end_copy(state_, ended, copied, policies_.hears ? &policies_ : nullptr);
        if (arrived) {
            ++state_.done.moves;
            ++state_.done.copies;
            state_.done.moved_bytes += ended.bytes;
        }
        report(arrived ? event_kind::moved : event_kind::stayed, ended);
        return arrived;
    }
    constexpr void report(event_kind what, const begun_move& move) {
        if (!policies_.hears) return;
        tag label = static_cast<tag>(state_.blocks.map().owner(move.block.index));
        if (move.kind != block_kind::data)
            label = check_program(state_, move.owner) == error::none ? state_.programs[move.owner.index].label : tag{};
        executor_.report({.what = what,
                          .kind = move.kind,
                          .label = label,
                          .subject = move.block.index,
                          .where = {move.to, move.bytes},
                          .from = move.from});
    }

private:
    /// Returns an error if a move of the pass is not open, or is listed twice.
    [[nodiscard]] constexpr error check(const pass& checked) {
        block_map<typename P::quanta>& map = state_.blocks.map();
        error why = error::none;
        std::size_t marked = 0;
        for (; why == error::none && marked < checked.size(); ++marked) {
            const begun_move& move = checked.moves[marked];
            why = hbm::check(state_, move);
            if (why == error::none && map.marked(move.place.index)) why = error::stale_handle;
            if (why != error::none) break;
            map.mark(move.place.index);
        }
        while (marked-- > 0) map.unmark(checked.moves[marked].place.index);
        return why;
    }
    memory_state<P>& state_;
    policy_interface& policies_;
    executor<P> executor_;
};

}  // namespace detail

/// Begins a pass. `bind()` returns the policies; their end may throw what an observer threw.
/// Cost: that of `pass_moves`.
template <placement P, class Bind>
[[nodiscard]] constexpr pass begin_moves(memory_state<P>& state, Bind bind, std::uint64_t budget) {
    pass begun;
    // Not returned at once: clang would leak it if the policies' end throws.
    {
        auto policies = bind();
        begun = detail::passes<P>(state, policies).begin(budget);
    }
    return begun;
}
/// Ends a pass; frees that waited for its moves take effect.
/// Fails: see `manager::end_pass`.
/// Cost: O(blocks) for each move, and O(deferred frees).
template <placement P, class Policies>
constexpr result<pass_result> end_moves(memory_state<P>& state, Policies&& policies, const pass& ended,
                                        list<std::uint32_t> failed) {
    return detail::passes<P>(state, policies).end(ended, failed);
}

}  // namespace hbm::inline v0
