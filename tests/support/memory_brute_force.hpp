#pragma once

/// The price of the cheapest relief in a tiny memory, by looking at everything that moves and evictions can lead to.

#include <hbm/state/memory_state.hpp>

#include <cstdint>
#include <span>

#include "support/layout_brute_force.hpp"

namespace hbm::test {

/// A memory as the layout that `layout_brute_force` searches: until the reservation that the programs in memory need
/// and all needs of the call have room at once. For at most 12 blocks in at most 15 quanta and 15 programs. It shares
/// no code with the planner.
template <placement P>
class brute_force {
public:
    using quanta = typename P::quanta;
    static constexpr std::uint64_t impossible = layout_brute_force::impossible;

    /// For the state as it is; a program that comes in with the call is marked resident and has no code. The program in
    /// `protected_slot` is not evicted.
    brute_force(const memory_state<P>& state, std::span<const need<quanta>> needs, bool evicting,
                std::uint32_t protected_slot = no_index) {
        const auto& map = state.blocks.map();
        start_.capacity = map.capacity();
        start_.device = state.spec;
        for (const need<quanta>& each : needs) {
            const need<quanta> required = state.blocks.requirement(each);
            if (required.length > start_.capacity) hopeless_ = true;
            start_.needs.push_back({.length = required.length, .alignment = required.alignment});
        }
        if constexpr (reserves<P>)
            start_.rule = P::sharing == scratch_sharing::per_program ? scratch_rule::sum : scratch_rule::largest;
        trivial_vector<std::uint32_t> who;  // of each slot: its place in the layout
        for (std::uint32_t slot = 0; slot < state.programs.size(); ++slot) {
            const program_record& each = state.programs[slot];
            const bool has_code = each.resident && each.code_block != no_block;
            const bool may_go = evicting && has_code && slot != protected_slot && !map.is_held(each.code_block);
            who.push_back(may_go ? static_cast<std::uint32_t>(start_.programs.size()) : no_index);
            if (!each.resident) continue;
            const std::uint64_t scratch = each.scratch / state.spec.quantum;
            if (may_go)
                start_.programs.push_back(
                    {.slot = slot, .price = each.reload_nanoseconds << tie_bits, .scratch = scratch});
            else if (start_.rule == scratch_rule::sum)
                start_.scratch_of_others += scratch;
            else if (scratch > start_.scratch_of_others)
                start_.scratch_of_others = scratch;
        }
        for (block_index at = map.first(); at != no_block; at = map.next(at)) {
            const block_kind kind = map.kind(at);
            if (map.is_hole(at)) continue;
            if (kind == block_kind::reservation) {
                start_.bottom = map.size(at);
                continue;
            }
            const bool held = map.pins(at) != 0 || map.holds(at) != 0 || kind == block_kind::deferred;
            start_.blocks.push_back(
                {.offset = map.offset(at),
                 .size = map.size(at),
                 .alignment = map.alignment(at),
                 .block = at,
                 .program = kind == block_kind::code || kind == block_kind::scratch ? who[map.owner(at)] : no_index,
                 .movable = compacts<P> && !held});
        }
    }

    /// The least price in nanoseconds, or `impossible`; more than `limit` is not looked for.
    std::uint64_t cheapest(std::uint64_t limit = impossible >> tie_bits) const {
        if (hopeless_) return impossible;
        constexpr std::uint64_t most = (impossible >> tie_bits) - 1;
        const std::uint64_t ranks = (std::uint64_t{1} << tie_bits) - 1;
        const std::uint64_t price =
            layout_brute_force(start_).cheapest((limit < most ? limit : most) << tie_bits | ranks);
        return price == impossible ? impossible : price >> tie_bits;
    }

private:
    layout start_;
    bool hopeless_ = false;
};

/// The least price when runs in flight may be waited for first: over all numbers of them, none included, after which
/// frees take effect that can.
template <placement P>
std::uint64_t cheapest_after_waits(const memory_state<P>& state, std::span<const need<typename P::quanta>> needs,
                                   bool evicting, std::uint32_t protected_slot = no_index) {
    std::uint64_t least = brute_force<P>::impossible;
    std::uint64_t waited = 0;
    for (std::size_t runs = 0; runs <= state.flights.size() && waited < least; ++runs) {
        memory_state<P> later = state;
        later.retire(runs == 0 ? state.reached : state.flights[runs - 1].over);
        if (runs != 0) waited += state.flights[runs - 1].nanoseconds;
        const std::uint64_t limit = least - waited - 1;
        const std::uint64_t price = brute_force<P>(later, needs, evicting, protected_slot).cheapest(limit);
        if (price != brute_force<P>::impossible && waited + price < least) least = waited + price;
    }
    return least;
}

}  // namespace hbm::test
