#pragma once

#include <hbm/core/bytes.hpp>
#include <hbm/core/result.hpp>
#include <hbm/manager/executor.hpp>
#include <hbm/state/memory_state.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace hbm::inline v0 {

enum class part_kind : std::uint8_t {
    reservation,  ///< the program's share of the scratch that is reserved at the bottom
    scratch,      ///< the program's scratch as a block of its own
    code,         ///< the program's code and constants
    data,         ///< a buffer, or an output
};

template <class Quanta>
struct call_part {
    part_kind kind = part_kind::data;
    need<Quanta> required = {};       ///< empty for the reservation, which follows from the programs in memory
    std::uint32_t output = no_index;  ///< index of the run's output
    block_index block = no_block;     ///< set once it is placed
};

struct call_outcome {
    error reason = error::none;  ///< `device_failed` if a copy failed on the way
    std::size_t part = 0;
    failure figures = {};
};

namespace detail {

/// Sets the reservation to `level` bytes.
/// Fails: returns false, without effect, if it cannot grow.
template <placement P>
[[gnu::cold]] constexpr bool reserve_level(P& blocks, std::uint64_t level, unsigned shift) {
    if constexpr (reserves<P>) {
        const std::uint64_t length = level >> shift;
        if (length <= blocks.reserved()) return true;
        return length <= blocks.map().capacity() && blocks.reserve(static_cast<typename P::quanta>(length));
    }
    return true;
}

template <placement P>
[[gnu::cold, gnu::noinline]] constexpr bool place_part(P& blocks, std::uint64_t level, unsigned shift,
                                                       call_part<typename P::quanta>& part) {
    if (part.kind == part_kind::reservation) return reserve_level(blocks, level, shift);
    part.block = place_cold(blocks, part.required);
    return part.block != no_block;
}
/// Places the parts in order. Returns the number placed: all, or the index of the first without room.
template <placement P>
[[gnu::cold]] constexpr std::size_t place_in_order(P& blocks, std::uint64_t level, unsigned shift,
                                                   std::span<call_part<typename P::quanta>> parts) {
    std::size_t at = 0;
    while (at < parts.size() && place_part(blocks, level, shift, parts[at])) ++at;
    return at;
}
/// Places the parts of a call for the program in the slot `incoming`, if any.
template <placement P>
[[gnu::cold]] constexpr std::size_t place_in_order(memory_state<P>& state,
                                                   std::span<call_part<typename P::quanta>> parts,
                                                   std::uint32_t incoming = no_index) {
    return place_in_order(state.blocks, state.scratch_level(incoming), state.shift(), parts);
}

/// Places the parts in order; completes pending frees before a part that needs them. Tried on a copy first.
/// Fails: returns false, with nothing placed.
template <placement P>
[[gnu::cold, gnu::noinline]] constexpr bool place_with_pending_frees(memory_state<P>& state, policy_interface& policies,
                                                                     std::span<call_part<typename P::quanta>> parts,
                                                                     std::uint32_t incoming = no_index) {
    // The cheapest help of all: frees whose fences are already reached, which only nobody has completed yet. They are
    // completed as late as possible, before the first part that needs them, first on paper and then in fact.
    if (state.deferred.empty()) return false;
    memory_state<P> trial = state;
    const std::uint64_t level = state.scratch_level(incoming);
    for (const bool on_paper : {true, false}) {
        memory_state<P>& changed = on_paper ? trial : state;
        for (call_part<typename P::quanta>& part : parts) {
            if (place_part(changed.blocks, level, state.shift(), part)) continue;
            if (on_paper)
                trial.retire(trial.reached);
            else
                executor<P>(state, policies).reach(state.reached);
            if (!place_part(changed.blocks, level, state.shift(), part)) return false;
        }
    }
    ++state.done.relieved;
    return true;
}

/// Returns the most quanta that the block of `n` takes from a free run, its gap for alignment included; the largest
/// number if the placement does not tell.
template <placement P>
[[nodiscard]] constexpr std::uint64_t most_taken(const P& blocks, const need<typename P::quanta>& n) {
    // A placement that may give more than was requested, or aligns, can take any amount unless it says how much: the
    // largest number then makes callers try on a copy instead of trusting a sum.
    const need<typename P::quanta> required = blocks.requirement(n);
    if constexpr (requires { blocks.most_taken(required); })
        return blocks.most_taken(required);
    else
        return gives_more<P> || required.alignment != 1 ? ~std::uint64_t{0} : std::uint64_t{required.length};
}
/// Returns true if a free run has room for blocks that take at most `quanta`, one after the other.
/// Cost: a search of the placement if it has `has_hole_for`; else its `largest_free`.
template <placement P>
[[nodiscard]] constexpr bool has_run_of(const P& blocks, std::uint64_t quanta) {
    if (quanta == 0 || quanta > blocks.map().capacity()) return quanta == 0;
    if constexpr (requires { blocks.has_hole_for(typename P::quanta{1}); })
        return blocks.has_hole_for(static_cast<typename P::quanta>(quanta));
    else
        return quanta <= blocks.largest_free();
}

/// Places the parts in order, for the program in the slot `incoming`, if any.
/// Fails: returns false, with nothing placed.
/// Cost: O(parts) searches for a single part or if one free run surely holds all; the placement's `largest_free` if a
/// part is longer than all free runs; else a copy of the blocks.
template <placement P>
[[gnu::cold]] constexpr bool place_all_or_none(memory_state<P>& state, std::span<call_part<typename P::quanta>> parts,
                                               std::uint32_t incoming = no_index) {
    // Three answers, the cheap ones first: all surely fit, one surely does not, or a copy has to tell. There is no
    // undoing: a block that is placed and released leaves lists of holes in another order.
    if (parts.size() != 1) {
        std::uint64_t sum = 0;
        std::uint64_t longest = 0;
        for (const call_part<typename P::quanta>& part : parts) {
            const bool is_block = part.kind != part_kind::reservation;
            sum = saturating_add(sum, is_block ? most_taken(state.blocks, part.required) : ~std::uint64_t{0});
            if (is_block && part.required.length > longest) longest = part.required.length;
        }
        if (!has_run_of(state.blocks, sum)) {
            if (longest > state.blocks.largest_free()) return false;
            P trial = state.blocks;
            if (place_in_order(trial, state.scratch_level(incoming), state.shift(), parts) != parts.size())
                return false;
        }
    }
    return place_in_order(state, parts, incoming) == parts.size();
}

template <placement P>
[[nodiscard, gnu::cold]] constexpr call_outcome no_room(const memory_state<P>& state, std::size_t at) {
    return {.reason = error::buffer_does_not_fit, .part = at, .figures = state.figures()};
}
/// Returns the outcome of placing the parts in order. The part that fails is the first that pending frees do not help.
template <placement P>
[[nodiscard, gnu::cold]] constexpr call_outcome
outcome_in_order(memory_state<P>& copy, std::span<call_part<typename P::quanta>> parts, std::uint32_t incoming) {
    // The failure names the part that really is too much: pending frees are completed on the copy, and the parts after
    // the first failure are tried again. If all fit then, the first one is to blame.
    const std::size_t at = place_in_order(copy, parts, incoming);
    if (at == parts.size()) return {};
    const call_outcome first = no_room(copy, at);
    copy.retire(copy.reached);
    const std::size_t rest = place_in_order(copy, parts.subspan(at), incoming);
    return rest == 0 || at + rest == parts.size() ? first : no_room(copy, at + rest);
}

/// Returns the quanta that can be free after all waits, in any place.
template <placement P>
[[nodiscard, gnu::cold]] constexpr std::uint64_t most_after_waits(const memory_state<P>& state) {
    const auto& map = state.blocks.map();
    // An upper bound, in any place: it only has to rule out hopeless calls before the state is copied for them.
    std::uint64_t most = std::uint64_t{map.capacity()} - map.live();
    for (const deferred_free& waiting : state.deferred) most += map.granted(waiting.block);
    if constexpr (reserves<P>) most += state.blocks.reserved();
    return most;
}
/// Returns the least quanta that the parts take, without a reservation.
template <placement P>
[[nodiscard, gnu::cold]] constexpr std::uint64_t least_taken(const P& blocks,
                                                             std::span<const call_part<typename P::quanta>> parts) {
    std::uint64_t sum = 0;
    for (const call_part<typename P::quanta>& part : parts)
        if (part.kind != part_kind::reservation)
            sum = saturating_add(sum, std::uint64_t{blocks.requirement(part.required).length});
    return sum;
}

}  // namespace detail

}  // namespace hbm::inline v0
