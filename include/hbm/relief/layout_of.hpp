#pragma once

/// What the search for relief has to know of a memory.

#include <hbm/search/layout.hpp>
#include <hbm/state/memory_state.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace hbm {

/// The blocks of `state`, and what `wanted` requires of it. Programs may leave for which `may_leave(slot)` is true;
/// `scores` is the eviction policy's, one per slot. O(blocks + programs^2).
template <placement P, class MayLeave>
[[nodiscard]] constexpr layout layout_of(const memory_state<P>& state, const need<typename P::quanta>& wanted,
                                         std::span<const std::uint64_t> scores, MayLeave may_leave) {
    const auto& map = state.blocks.map();
    const need<typename P::quanta> required = state.blocks.requirement(wanted);
    layout seen;
    seen.device = state.spec;
    seen.capacity = map.capacity();
    if (!wanted.anchored) seen.needs.push_back({required.length, required.alignment});
    if constexpr (reserves<P>) {
        seen.bottom = state.blocks.reserved();
        seen.rule = P::sharing == scratch_sharing::shared ? scratch_rule::largest : scratch_rule::sum;
        if (wanted.anchored && seen.rule == scratch_rule::largest) seen.scratch_of_others = wanted.length;
    }

    std::vector<std::uint32_t> evictable(state.programs.size(), no_index);  // by slot
    for (std::uint32_t slot = 0; slot < state.programs.size(); ++slot) {
        const program_record& record = state.programs[slot];
        if (!record.resident) continue;
        const std::uint64_t scratch = record.scratch >> state.shift();
        if (!state.can_evict(slot) || !may_leave(slot)) {
            if (seen.rule == scratch_rule::sum)
                seen.scratch_of_others += scratch;
            else if (scratch > seen.scratch_of_others)
                seen.scratch_of_others = scratch;
            continue;
        }
        evictable[slot] = static_cast<std::uint32_t>(seen.programs.size());
        seen.programs.push_back({.slot = slot,
                                 .price = as_price(record.reload_nanoseconds),
                                 .score = scores[slot],
                                 .scratch = seen.rule == scratch_rule::none ? 0 : scratch});
    }
    const std::size_t programs = seen.programs.size();
    for (evictable_program& one : seen.programs) {
        std::uint64_t rank = 0;
        for (const evictable_program& other : seen.programs) rank += other.score < one.score;
        // All ranks together stay below one nanosecond.
        constexpr std::uint64_t nanosecond = std::uint64_t{1} << tie_bits;
        one.price += programs * programs < nanosecond ? rank : rank * nanosecond / (programs * programs);
    }

    seen.blocks.reserve(map.live_blocks());
    for (block_index block = map.first(); block != no_block; block = map.next(block)) {
        if (map.is_hole(block) || map.kind(block) == block_kind::reservation) continue;
        layout_block& one = seen.blocks.emplace_back();
        one.offset = map.offset(block);
        one.size = map.size(block);
        one.block = block;
        const block_kind kind = map.kind(block);
        if (kind == block_kind::code || kind == block_kind::scratch) one.program = evictable[map.owner(block)];
        if (one.program != no_index) {
            seen.programs[one.program].size += one.size;
            ++seen.programs[one.program].blocks;
        }
        if constexpr (compacts<P>) {
            one.alignment = map.alignment(block);
            one.movable = state.can_move(block);
            one.price = as_move_price(state.spec.move_nanoseconds(state.bytes(map.size(block))));
        }
    }
    return seen;
}

}  // namespace hbm
