#pragma once

/// What one call needs room for, and placing all of it in order.

#include <hbm/core/bytes.hpp>
#include <hbm/core/result.hpp>
#include <hbm/manager/executor.hpp>
#include <hbm/state/memory_state.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace hbm {

/// What a part of a call is.
enum class part_kind : std::uint8_t {
    reservation,  ///< the program's share of the scratch that is reserved at the bottom
    scratch,      ///< the same as a block of its own
    code,         ///< the program's code and constants
    data,         ///< a buffer, or an output
};

/// Something that a call needs room for.
template <class Quanta>
struct call_part {
    part_kind kind = part_kind::data;
    need<Quanta> required = {};       ///< nothing for the reservation, which follows from the programs in memory
    std::uint32_t output = no_index;  ///< which output of the run
    block_index block = no_block;     ///< once it is placed
};

/// How placing went: which part found no room, and the figures then.
struct call_outcome {
    error reason = error::none;  ///< `device_failed` where a copy failed on the way
    std::size_t part = 0;
    failure figures = {};
};

namespace detail {

/// Makes the reservation what the programs in memory need, which is `level` bytes; false, and nothing done, if it would
/// have to grow and cannot.
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
    part.block = place_seldom(blocks, part.required);
    return part.block != no_block;
}
/// Places the parts in their order. Returns how many were placed: all, or the index of the first without room.
template <placement P>
[[gnu::cold]] constexpr std::size_t place_in_order(P& blocks, std::uint64_t level, unsigned shift,
                                                   std::span<call_part<typename P::quanta>> parts) {
    std::size_t at = 0;
    while (at < parts.size() && place_part(blocks, level, shift, parts[at])) ++at;
    return at;
}
template <placement P>
[[gnu::cold]] constexpr std::size_t place_in_order(memory_state<P>& state,
                                                   std::span<call_part<typename P::quanta>> parts) {
    return place_in_order(state.blocks, state.scratch_level(), state.shift(), parts);
}

/// Places the parts in their order, letting frees take effect that only wait to be noticed before a part would find no
/// room. All, or none and false: tried on a copy first.
template <placement P>
[[gnu::cold, gnu::noinline]] constexpr bool place_with_pending_frees(memory_state<P>& state, policy_interface& policies,
                                                                     std::span<call_part<typename P::quanta>> parts) {
    if (state.deferred.empty()) return false;
    memory_state<P> trial = state;
    const std::uint64_t level = state.scratch_level();
    const auto place_all = [&](memory_state<P>& where, bool on_paper) {
        for (call_part<typename P::quanta>& part : parts) {
            if (place_part(where.blocks, level, where.shift(), part)) continue;
            if (on_paper)
                where.retire(where.reached);
            else
                executor<P>(state, policies).reach(state.reached);
            if (!place_part(where.blocks, level, where.shift(), part)) return false;
        }
        return true;
    };
    if (!place_all(trial, true)) return false;
    place_all(state, false);
    ++state.done.relieved;
    return true;
}

/// True when the parts can be placed in their order, tried on a copy of the blocks.
template <placement P>
[[nodiscard, gnu::cold, gnu::noinline]] constexpr bool can_place_all(const memory_state<P>& state,
                                                                     std::span<call_part<typename P::quanta>> parts) {
    P trial = state.blocks;
    return place_in_order(trial, state.scratch_level(), state.shift(), parts) == parts.size();
}
/// Places the parts in their order: all of them, or none and false. O(parts) searches where one free run surely holds
/// them all or there is only one part; a copy of the blocks otherwise.
template <placement P>
[[gnu::cold]] constexpr bool place_all_or_none(memory_state<P>& state, std::span<call_part<typename P::quanta>> parts) {
    bool sure = parts.size() == 1;
    if (!sure && !gives_more<P>) {
        std::uint64_t sum = 0;
        bool plain = true;
        for (const call_part<typename P::quanta>& part : parts) {
            const need<typename P::quanta> required = state.blocks.requirement(part.required);
            plain = plain && part.kind != part_kind::reservation && required.alignment == 1;
            sum = saturating_add(sum, std::uint64_t{required.length});
        }
        sure = plain && sum <= state.blocks.largest_free();
    }
    return (sure || can_place_all(state, parts)) && place_in_order(state, parts) == parts.size();
}

/// The outcome of a call whose part `at` found no room in `state`.
template <placement P>
[[nodiscard, gnu::cold, gnu::noinline]] constexpr call_outcome no_room(const memory_state<P>& state, std::size_t at) {
    return {.reason = error::buffer_does_not_fit,
            .part = at,
            .figures = {.free = state.bytes(state.blocks.map().free()),
                        .largest_free = state.bytes(state.blocks.largest_free()),
                        .reserved = state.reserved_bytes(),
                        .reservable = state.reservable_bytes()}};
}

}  // namespace detail

}  // namespace hbm
