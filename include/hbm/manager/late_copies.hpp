#pragma once

/// Moves by a device that copies later: begun, waited for, and ended when their fences are over.

#include <hbm/device/copies_later.hpp>
#include <hbm/manager/executor.hpp>
#include <hbm/manager/passes.hpp>
#include <hbm/state/stream_records.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// Copies that `begin_compaction` has begun.
struct begun_compaction {
    fence over = {};            ///< over when they have arrived; `fence{}` if no move has begun
    std::uint64_t bytes = 0;    ///< bytes that move
    std::uint32_t moves = 0;    ///< count of blocks that move
    std::uint32_t refused = 0;  ///< count of moves whose copy the device did not begin

    friend constexpr bool operator==(const begun_compaction&, const begun_compaction&) = default;
};

namespace detail {

/// Issues the next fence, of work that lasts `nanoseconds`, on the stream of the device.
template <placement P>
constexpr void issue_copies(memory_state<P>& state, std::uint64_t nanoseconds) {
    state.flights.push_back({.over = {++state.issued.number}, .nanoseconds = nanoseconds});
    state.streams.begin(state, state.streams.copies_on);
}

/// Begins moves of at most `budget` bytes that merge holes, see `pass_moves`.
template <placement P>
[[nodiscard]] constexpr begun_compaction begin_late_copies(memory_state<P>& state, policy_interface& policies,
                                                           executor<P>& moves, std::uint64_t budget) {
    begun_compaction result;
    const fence over{state.issued.number + 1};
    const pass_moves<P> chosen(state, budget >> state.shift());
    policies.copy(over.number, names_fence, 0);
    std::uint64_t nanoseconds = 0;
    for (const auto& [block, to] : chosen.moves()) {
        const begun_move move = begin_copy(state, block, to);
        if (!move) continue;
        if (!policies.copy(move.to, move.from, move.bytes)) {
            end_copy(state, move, false);
            ++result.refused;
            continue;
        }
        state.streams.copies.push_back({over, move});
        nanoseconds = saturating_add(nanoseconds, state.spec.move_nanoseconds(move.bytes));
        result.bytes += move.bytes;
        ++result.moves;
        passes<P>(state, policies).report(event_kind::begun, move);
    }
    if (result.moves == 0) return result;
    result.over = over;
    issue_copies(state, nanoseconds);
    state.streams.limit(state, moves, false);
    return result;
}

}  // namespace detail

/// Ends the copies whose fences are over. The device was waited for: the fences are reported.
template <placement P>
constexpr void end_late_copies(memory_state<P>& state, policy_interface& policies, executor<P>& moves) {
    trivial_vector<late_copy>& copies = state.streams.copies;
    std::size_t ended = 0;
    while (ended < copies.size() && state.is_over(copies[ended].over)) ++ended;
    if (ended == 0) return;
    const trivial_vector<late_copy> over(copies.begin(), copies.begin() + ended);
    copies.erase(copies.begin(), copies.begin() + static_cast<std::ptrdiff_t>(ended));
    bool copied = false;
    for (std::size_t at = 0; at < ended; ++at) {
        if (at == 0 || over[at - 1].over != over[at].over)
            copied = policies.copy(over[at].over.number, detail::asks_if_copied, 0);
        detail::passes<P>(state, policies).end(over[at].move, copied && !over[at].dropped);
    }
    moves.reach(state.reached);  // frees that waited for the moves take effect
}
/// Waits for all copies that are not over.
template <placement P>
constexpr void await_late_copies(memory_state<P>& state, executor<P>& moves) {
    while (!state.streams.copies.empty()) moves.wait_for(state.streams.copies[0].over);
}
/// Copies, and waits until the copy is over if the device copies later. Returns false if it failed.
template <placement P>
constexpr bool copy_and_wait(memory_state<P>& state, policy_interface& policies, executor<P>& moves, std::uint64_t to,
                             std::uint64_t from, std::uint64_t bytes) {
    if (state.streams.copies_on == no_index) return policies.copy(to, from, bytes);
    policies.copy(state.issued.number + 1, detail::names_fence, 0);
    if (!policies.copy(to, from, bytes)) return false;
    detail::issue_copies(state, state.spec.move_nanoseconds(bytes));
    const fence over = state.issued;
    moves.reach(over);
    return policies.copy(over.number, detail::asks_if_copied, 0);
}

}  // namespace hbm::inline v0
