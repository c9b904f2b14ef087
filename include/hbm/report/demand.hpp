#pragma once

/// What an attempt demands of a memory, in quanta, and how blocks could move so that all of it fits.

#include <hbm/placement/compacting.hpp>
#include <hbm/relief/planner.hpp>
#include <hbm/report/arrangement.hpp>
#include <hbm/report/attempt.hpp>
#include <hbm/state/memory_state.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace hbm {

/// A memory, and what is to be placed in it without relief. The program that comes in, if one does, is known to the
/// memory, and not in it.
template <placement P>
class demand {
public:
    using quanta = typename P::quanta;
    using state_type = memory_state<P>;

    /// Up to so many blocks the search for moves is exact.
    static constexpr std::uint32_t few_blocks = 12;
    /// Beyond so many none is made where places are aligned: it would take minutes.
    static constexpr std::uint32_t many_blocks = 2000;

    /// `memory` is a copy to ask; the attempt is one that failed there for want of room. Empty if it asks for more than
    /// can be counted.
    template <class Memory>
    [[nodiscard]] static std::optional<demand> of(Memory& memory, const attempt& tried) {
        demand made{memory.state()};
        const std::uint64_t quantum = made.before_.spec.quantum;
        need<quanta> length;
        switch (tried.what()) {
        case attempt::kind::nothing:
            return std::nullopt;
        case attempt::kind::allocate:
            if (to_need(tried.wanted(), quantum, length) != error::none) return std::nullopt;
            made.blocks_.push_back(length);
            return made;
        case attempt::kind::load: {
            const auto code = to_quanta<quanta>(tried.spec().code, quantum);
            const auto scratch = to_quanta<quanta>(tried.spec().scratch, quantum);
            if (!code || !scratch) return std::nullopt;
            std::uint64_t reserved = tried.spec().scratch == 0 ? 0 : made.before_.bytes(*scratch);
            if (reserved > made.before_.scratch_limit()) reserved = made.before_.scratch_limit();
            made.slot_ = static_cast<std::uint32_t>(made.before_.programs.size());
            made.before_.programs.push_back({.code = made.before_.bytes(*code), .scratch = reserved});
            break;
        }
        case attempt::kind::reload:
        case attempt::kind::run:
            if (memory.check(tried.subject()) != error::none) return std::nullopt;
            made.slot_ = tried.subject().index;
        }
        made.comes_in_ = !made.before_.programs[made.slot_].resident;
        if (tried.what() != attempt::kind::run) return made;
        const bool countable = tried.with_run([&](const run_spec& spec) {
            const auto donors = memory.donors_of(spec);
            for (std::size_t at = 0; at < donors.size(); ++at) {
                if (donors[at] != no_index) continue;
                const auto fresh = to_quanta<quanta>(spec.outputs[at].bytes, quantum);
                if (!fresh) return false;
                const output& wanted = spec.outputs[at];
                const lifetime expected = expected_under(made.before_.blocks, wanted.expected, wanted.label);
                made.blocks_.push_back({.length = *fresh, .expected = expected});
                made.outputs_.push_back(static_cast<std::uint32_t>(at));
                made.labels_.push_back(spec.outputs[at].label);
            }
            return donors.size() == spec.outputs.size();
        });
        return countable ? std::optional<demand>{made} : std::nullopt;
    }

    /// The memory as it is, and the program that memory is wanted for.
    [[nodiscard]] const state_type& before() const noexcept { return before_; }
    [[nodiscard]] std::uint32_t slot() const noexcept { return slot_; }

    /// Places all of it, as the manager would without relief. O(blocks to place) searches, and a copy.
    [[nodiscard]] bool fits(state_type state) const {
        if (comes_in_) {
            const std::uint64_t growth = growth_in(state);
            if (growth > state.blocks.map().free()) return false;
            const auto length = static_cast<quanta>(growth);
            if constexpr (reserves<P>) {
                if (length != 0 && !state.blocks.reserve(static_cast<quanta>(state.blocks.reserved() + length)))
                    return false;
            } else if (length != 0 && state.blocks.place({.length = length}) == no_block) {
                return false;
            }
            if (state.blocks.place({.length = state.in_quanta(state.programs[slot_].code)}) == no_block) return false;
        }
        for (const need<quanta>& block : blocks_)
            if (state.blocks.place(block) == no_block) return false;
        return true;
    }

    /// How far placing comes without relief.
    struct progress {
        state_type state;                   ///< with what was placed: code as the program's, outputs under their labels
        std::uint64_t lacking = 0;          ///< bytes of the first part that finds no place; 0 if all do
        std::vector<block_index> outputs;   ///< the blocks of those that found one
        std::vector<std::uint32_t> places;  ///< and which outputs of the run these are
    };
    /// Places the parts in their order, up to the first that finds no place. Cost of `fits`.
    [[nodiscard]] progress place_until_failure() const {
        progress reached;
        reached.state = before_;
        state_type& state = reached.state;
        if (comes_in_) {
            const std::uint64_t growth = growth_in(state);
            const auto length = static_cast<quanta>(growth);
            bool good = growth <= state.blocks.map().free();
            if constexpr (reserves<P>) {
                if (good && length != 0)
                    good = state.blocks.reserve(static_cast<quanta>(state.blocks.reserved() + length));
            } else if (good && length != 0) {
                const block_index scratch = state.blocks.place({.length = length});
                good = scratch != no_block;
                if (good) state.blocks.map().set_owner(scratch, block_kind::scratch, slot_);
            }
            reached.lacking = growth << state.shift();
            if (!good) return reached;
            const quanta code = state.in_quanta(state.programs[slot_].code);
            const block_index placed = state.blocks.place({.length = code});
            reached.lacking = state.bytes(code);
            if (placed == no_block) return reached;
            state.blocks.map().set_owner(placed, block_kind::code, slot_);
        }
        for (std::size_t at = 0; at < blocks_.size(); ++at) {
            const block_index placed = state.blocks.place(blocks_[at]);
            reached.lacking = state.bytes(blocks_[at].length);
            if (placed == no_block) return reached;
            if (at >= outputs_.size()) continue;
            state.blocks.map().set_owner(placed, block_kind::data, static_cast<std::uint32_t>(labels_[at]));
            reached.outputs.push_back(placed);
            reached.places.push_back(outputs_[at]);
        }
        reached.lacking = 0;
        return reached;
    }

    /// The same as parts of an arrangement. Those that are longer than any memory are as long as can be said.
    [[nodiscard]] std::vector<piece> parts_in(const state_type& state) const {
        std::vector<piece> parts;
        const auto add = [&](const need<quanta>& wanted) {
            const need<quanta> required = state.blocks.requirement(wanted);
            parts.push_back({.size = required.length, .alignment = required.alignment});
        };
        if (comes_in_) {
            if (const std::uint64_t growth = growth_in(state); growth != 0 && reserves<P>)
                parts.push_back({.size = growth, .anchored = true});
            else if (growth > std::numeric_limits<quanta>::max())
                parts.push_back({.size = growth});
            else if (growth != 0)
                add({.length = static_cast<quanta>(growth)});
            add({.length = state.in_quanta(state.programs[slot_].code)});
        }
        for (const need<quanta>& block : blocks_) add(block);
        return parts;
    }
    /// How many bytes the parts occupy together; stops at the largest number.
    [[nodiscard]] std::uint64_t bytes_in(const state_type& state) const {
        std::uint64_t sum = 0;
        for (const piece& part : parts_in(state)) {
            const std::uint64_t most = (~std::uint64_t{0} >> state.shift()) - sum;
            if (part.size > most) return ~std::uint64_t{0};
            sum += part.size;
        }
        return sum << state.shift();
    }

    /// Moves after which it fits, in `state`; none if it fits as it is. Exact where blocks are few.
    [[nodiscard]] std::pair<search_end, plan> moves_in(const state_type& state) const {
        plan found;
        if (fits(state)) return {search_end::found, found};
        if constexpr (relocates<P>) {
            const std::vector<piece> parts = parts_in(state);
            const auto accepts = [&](const relocations<std::uint64_t>& moves) {
                state_type later = state;
                found = {};
                for (const relocation<std::uint64_t>& move : moves) {
                    const step next = later.move_of(move.block, static_cast<typename P::quanta>(move.to));
                    if (!later.apply(next)) return false;
                    found.add(next);
                }
                return fits(later);
            };
            if (state.blocks.map().live_blocks() > few_blocks) return roughly(state, parts);
            arrangement_search search{state.blocks.map().capacity(), pieces_of(state), parts};
            const search_end ended = search.run(accepts);
            return {ended, found};
        }
        return {search_end::exhausted, found};
    }

    /// Nothing that only waits, moves blocks and evicts other programs makes room for all of it in less time; the
    /// largest number where nothing does at all. Each part is looked at as if the others needed nothing. See
    /// `joint_search` for the cost of each part after each wait.
    [[nodiscard]] std::uint64_t min_nanoseconds() const {
        if constexpr (!relocates<P>) return 0;
        const auto state = as_movable(before_);
        std::uint64_t most = 0;
        const auto consider = [&](const need<quanta>& wanted) {
            const std::vector<std::uint64_t> scores(state.programs.size(), 0);
            const planner<movable_placement> ways{state, wanted, victims::window, scores, slot_};
            const std::uint64_t least = ways.min_nanoseconds();
            if (least > most) most = least;
        };
        if (comes_in_) {
            if (const std::uint64_t growth = growth_in(before_); growth > state.blocks.map().capacity())
                return ~std::uint64_t{0};
            else if (growth != 0)
                consider(need_of_growth(static_cast<quanta>(growth)));
            consider({.length = state.in_quanta(state.programs[slot_].code)});
        }
        for (const need<quanta>& block : blocks_) consider(block);
        return most;
    }

private:
    using movable_placement = std::conditional_t<compacts<P> || !relocates<P>, P, compacting<P>>;

    explicit demand(const state_type& before) : before_(before) {}

    /// How much longer the reservation becomes, or how long the program's own scratch is. Only for a program that comes
    /// in.
    [[nodiscard]] std::uint64_t growth_in(const state_type& state) const {
        const std::uint64_t scratch = state.programs[slot_].scratch;
        std::uint64_t level = scratch;
        if constexpr (reserves<P>) {
            const std::uint64_t others = state.scratch_level();
            if (scratch == 0) return 0;
            if (P::sharing == scratch_sharing::shared)
                level = std::max(others, scratch);
            else
                level = scratch > ~others ? ~std::uint64_t{0} : others + scratch;
            const std::uint64_t reserved = state.bytes(state.blocks.reserved());
            level = level > reserved ? level - reserved : 0;
        }
        return level >> state.shift();
    }

    /// The same as a need: the whole reservation, or a block. In the memory as it is.
    [[nodiscard]] need<quanta> need_of_growth(quanta growth) const {
        if constexpr (reserves<P>)
            return {.length = static_cast<quanta>(before_.blocks.reserved() + growth), .anchored = true};
        else
            return {.length = growth};
    }

    /// A copy in which blocks may move, and the program that comes in counts.
    [[nodiscard]] memory_state<movable_placement> as_movable(const state_type& state) const {
        memory_state<movable_placement> trial;
        trial.programs = state.programs;
        trial.flights = state.flights;
        trial.held = state.held;
        trial.deferred = state.deferred;
        trial.issued = state.issued;
        trial.reached = state.reached;
        trial.spec = state.spec;
        static_cast<P&>(trial.blocks) = state.blocks;
        if (comes_in_) trial.programs[slot_].resident = true;
        return trial;
    }

    [[nodiscard]] std::vector<piece> pieces_of(const state_type& state) const {
        const auto& map = state.blocks.map();
        std::vector<piece> pieces;
        for (block_index block = map.first(); block != no_block; block = map.next(block)) {
            if (map.is_hole(block)) continue;
            pieces.push_back({.offset = map.offset(block),
                              .size = map.size(block),
                              .alignment = map.alignment(block),
                              .price = state.spec.move_nanoseconds(state.bytes(map.size(block))),
                              .block = block,
                              .movable = state.can_move(block),
                              .anchored = map.kind(block) == block_kind::reservation});
        }
        return pieces;
    }

    /// With the planner of relief, which is quick and may miss a way: what is anchored first, then one run for all the
    /// rest.
    [[nodiscard]] std::pair<search_end, plan> roughly(const state_type& state, const std::vector<piece>& parts) const {
        if (bytes_in(state) > state.bytes(state.blocks.map().free())) return {search_end::exhausted, plan{}};
        bool aligned = false;
        for (const piece& part : parts) aligned = aligned || part.alignment > 1;
        if (aligned && state.blocks.map().live_blocks() > many_blocks) return {search_end::given_up, plan{}};
        memory_state<movable_placement> trial = as_movable(state);
        plan found;
        const auto make_room = [&](const need<quanta>& wanted) {
            if (trial.fits(wanted)) return true;
            const std::vector<std::uint64_t> scores(trial.programs.size(), 0);
            const planner<movable_placement> ways{trial, wanted, victims::none, scores, slot_};
            const std::optional<plan> way = ways.after(0).by_moving();
            if (!way) return false;
            for (const step& next : way->steps) {
                if (next.what != step_kind::move) continue;
                if (!trial.apply(next)) return false;
                found.add(next);
            }
            return true;
        };
        need<quanta> rest{.length = 0};
        std::uint64_t length = 0;
        for (const piece& part : parts) {
            if constexpr (reserves<P>) {
                if (part.anchored) {
                    const need<quanta> level = need_of_growth(static_cast<quanta>(part.size));
                    if (!make_room(level) || !trial.blocks.reserve(level.length)) return {search_end::given_up, found};
                    continue;
                }
            }
            rest.alignment = std::max(rest.alignment, static_cast<quanta>(part.alignment));
            length = align_up(length, part.alignment) + part.size;
        }
        if (length > trial.blocks.map().capacity()) return {search_end::given_up, found};
        rest.length = static_cast<quanta>(length);
        if (length != 0 && !make_room(rest)) return {search_end::given_up, found};
        state_type later = state;
        for (const step& next : found.steps)
            if (!later.apply(next)) return {search_end::given_up, found};
        return {fits(later) ? search_end::found : search_end::given_up, found};
    }

    state_type before_;
    std::vector<need<quanta>> blocks_;    // a buffer, or outputs that take nothing over
    std::vector<std::uint32_t> outputs_;  // which ones these are
    std::vector<tag> labels_;             // and theirs
    std::uint32_t slot_ = no_index;
    bool comes_in_ = false;
};

}  // namespace hbm
