#pragma once

/// Why an attempt does not fit, and what would help: values to look at, to apply to a copy, or to print.

#include <hbm/blocks/live_blocks.hpp>
#include <hbm/manager.hpp>
#include <hbm/relief/never_relieve.hpp>
#include <hbm/report/demand.hpp>
#include <hbm/report/remedies.hpp>
#include <hbm/report/words.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace hbm {

/// A block that stands in the way.
struct named_block {
    std::string name = {};  ///< of the buffer or program; empty if it has none
    block_view block = {};
    bool may_move = false;
    bool is_argument = false;         ///< of the very run, and stays where it is while the run is placed
    std::uint32_t output = no_index;  ///< which output of the very run it is, that found room before
};

/// A remedy and what it is about, as it is before the remedy.
struct named_advice {
    advice what;
    std::vector<named_block> unpinned = {};  ///< one for each buffer in `what.unpin`
    std::vector<named_block> steps = {};     ///< one for each step: the block that is moved, or a program's code
    std::vector<named_block> donated = {};   ///< one for each argument in `what.donate`
    std::vector<bool> was_donated = {};      ///< whether that one is donated already, and only nobody takes it over
};

/// What the trouble is.
enum class cause : std::uint8_t {
    none,             ///< it succeeds when it is tried
    call,             ///< the call itself is wrong, or the device failed: nothing that room would help
    capped_bottom,    ///< the free run at the bottom is too short: `culprits` has the block that ends it
    scattered,        ///< enough bytes are free, but not in one run: `culprits` has the neighbours of the longest
    too_little_free,  ///< fewer bytes are free than it takes: `culprits` has the largest blocks
};

/// The answer to "why did it not fit, and what would help?". A value that refers to nothing. Sizes in bytes.
struct explanation {
    failure why;          ///< reason `error::none` if it succeeds
    std::string message;  ///< what the runtime would say
    cause trouble = cause::none;
    std::vector<named_block> culprits = {};
    extent best_run = {};         ///< the free run that is too short
    std::uint64_t shortfall = 0;  ///< how much longer that would have to be, or how much more would have to be free; 0
                                  ///< where only alignment is in the way
    verdict conclusion = verdict::none_found;
    std::uint64_t missing = 0;  ///< bytes that are not there even after all waiting, evicting and unpinning
    std::vector<named_advice> remedies = {};  ///< each proven by trying it; cheapest first
    std::uint64_t lower_bound = 0;  ///< nanoseconds: no way takes less that only waits, moves and evicts; 0 where
                                    ///< nothing is known, the largest number where there is none
    attempt::kind tried = attempt::kind::nothing;
    bool is_part = false;           ///< only one output of the run is known; the rest was not tried
    std::uint64_t in_all = 0;       ///< what all parts of a run or load take that were not there yet; 0 if the cause is
                                    ///< about the one part that is named in the message
    std::uint64_t unmanaged = 0;    ///< bytes at the top of the memory that nobody may use, beyond every capacity here
    bool moves_by_itself = false;   ///< the manager may move blocks
    bool evicts_by_itself = false;  ///< the manager may evict programs
    bool donates_by_itself = false;  ///< outputs may take over what is donated
};

namespace detail {

/// Fills an explanation in.
template <class Memory>
class explainer {
    using P = typename Memory::placement_type;

public:
    explainer(const Memory& memory, const attempt& tried) : memory_(memory), tried_(tried) {}

    [[nodiscard]] explanation explain(const failure& why) {
        found_.why = why;
        found_.tried = tried_.what();
        found_.is_part = tried_.is_part();
        found_.message = message(why, program_name(why));
        found_.unmanaged = memory_.spec().top_reserved;
        note_policies(memory_);
        if (why.reason == error::none) return found_;
        found_.trouble = cause::call;
        if (tried_.what() == attempt::kind::nothing || !for_want_of_room(why.reason)) return found_;
        auto fork = memory_.fork();
        const failure again = tried_.on(fork);
        if (again.reason == error::none) {
            found_.trouble = cause::none;
            found_.conclusion = verdict::found;
            return found_;
        }
        find_culprits();
        for (named_block& culprit : found_.culprits)
            if (const named_block now = named(culprit.block.where.offset); now.block.where == culprit.block.where)
                culprit.block.handle = now.block.handle;
        remedy_finder<Memory> remedies{memory_, tried_, again.reason};
        for (const advice& given : remedies.find()) found_.remedies.push_back(named(given));
        found_.conclusion = remedies.conclusion();
        found_.missing = remedies.missing();
        if (const auto wanted = demand<P>::of(fork, tried_)) found_.lower_bound = wanted->min_nanoseconds();
        return found_;
    }

private:
    static constexpr std::size_t max_culprits = 3;

    [[nodiscard]] std::string program_name(const failure& why) const {
        if (tried_.what() != attempt::kind::load) return memory_.name_of(why.label);
        return tried_.spec().name == nullptr ? "" : tried_.spec().name;
    }

    template <placement Q, eviction E, donation D, relief R, hbm::device V, observer O>
    void note_policies(const manager<Q, E, D, R, V, O>&) noexcept {
        constexpr bool relieves = !std::is_same_v<R, never_relieve>;
        found_.moves_by_itself = compacts<P> && relieves;
        found_.evicts_by_itself = evicts<E> && relieves;
        found_.donates_by_itself = donates<D>;
    }

    // -- names --

    [[nodiscard]] std::string name_of(const block_view& block) const {
        if (block.kind != block_kind::code && block.kind != block_kind::scratch)
            return memory_.name_of(static_cast<tag>(block.owner));
        if (block.owner < memory_.programs().size()) return memory_.name_of(memory_.programs()[block.owner].label);
        return program_name(found_.why);  // it is being loaded
    }
    [[nodiscard]] named_block named(const block_view& block) const {
        const bool argument = block.kind == block_kind::data && block.handle && tried_.uses(block.handle.index);
        const bool may_move = found_.moves_by_itself && !argument && block.pins + block.holds == 0 &&
                              block.kind != block_kind::deferred && block.kind != block_kind::reservation;
        return {block.kind == block_kind::reservation ? "" : name_of(block), block, may_move, argument};
    }
    [[nodiscard]] named_advice named(const advice& given) const {
        named_advice offered{.what = given};
        for (const buffer pinned : given.unpin) offered.unpinned.push_back(named(memory_.where(pinned).offset));
        for (const std::uint32_t argument : given.donate) {
            offered.donated.push_back(named(memory_.where(tried_.argument(argument)).offset));
            offered.was_donated.push_back(tried_.is_donated(argument));
        }
        const auto& state = memory_.state();
        for (const step& next : given.steps.steps) {
            block_index block = no_block;
            if (next.what == step_kind::move) block = next.subject;
            if (next.what == step_kind::evict) block = state.programs[next.subject].code_block;
            offered.steps.push_back(block == no_block ? named_block{} : named(state.where(block).offset));
        }
        return offered;
    }
    [[nodiscard]] named_block named(std::uint64_t offset) const {
        for (const block_view& block : memory_.blocks())
            if (block.where.offset == offset) return named(block);
        return {};
    }

    // -- culprits --

    /// What was in memory when the part did not fit that the message is about: parts of the same attempt that had found
    /// room before it included. Where these could only be placed with relief, what is there now, and the whole attempt.
    void find_culprits() {
        auto asked = memory_.fork();
        const std::optional<demand<P>> wanted = demand<P>::of(asked, tried_);
        const failure& why = found_.why;
        if (!wanted || why.reason == error::scratch_does_not_fit) return find_culprits(memory_.state(), why.requested);
        const auto reached = wanted->place_until_failure();
        if (reached.lacking != why.requested) {
            const std::uint64_t all = wanted->bytes_in(wanted->before());
            if (all != why.requested) found_.in_all = all;
            return find_culprits(memory_.state(), all);
        }
        find_culprits(reached.state, why.requested);
        for (named_block& culprit : found_.culprits)
            for (std::size_t at = 0; at < reached.outputs.size(); ++at)
                if (culprit.block.where == reached.state.where(reached.outputs[at])) {
                    culprit.output = reached.places[at];
                    culprit.may_move = false;
                }
    }

    void find_culprits(const memory_state<P>& state, std::uint64_t requested) {
        // Without the salt of this memory, which their handles get later.
        const block_range<typename P::quanta> all{state.blocks.map(), state.shift(), 0, true};
        const std::vector<block_view> blocks(all.begin(), all.end());
        const std::uint64_t free = state.bytes(state.blocks.map().free());
        if (found_.why.at_the_bottom) return cap_of_bottom(blocks, free);
        if (free < requested) return largest_blocks(blocks, requested - free);
        neighbours_of_longest_run(blocks, requested);
    }

    void cap_of_bottom(const std::vector<block_view>& blocks, std::uint64_t free) {
        const std::uint64_t reserved = memory_.reserved_bytes();
        found_.best_run = {reserved, memory_.reservable_bytes()};
        std::uint64_t level = found_.why.requested;
        if constexpr (reserves<P>)
            if (P::sharing == scratch_sharing::per_program)
                level = saturating_add(level, memory_.state().scratch_level());
        if (level - std::min(level, reserved) > free) return largest_blocks(blocks, level - reserved - free);
        found_.trouble = cause::capped_bottom;
        found_.shortfall = level - std::min(level, found_.best_run.end());
        for (const block_view& block : blocks) {
            if (block.kind == block_kind::hole || block.where.offset < found_.best_run.end()) continue;
            found_.culprits.push_back(named(block));
            return;
        }
    }

    void largest_blocks(std::vector<block_view> blocks, std::uint64_t shortfall) {
        found_.trouble = cause::too_little_free;
        found_.shortfall = shortfall;
        const auto size = [](const block_view& block) { return block.kind == block_kind::hole ? 0 : block.where.size; };
        std::sort(blocks.begin(), blocks.end(), [&](const block_view& a, const block_view& b) {
            return size(a) != size(b) ? size(a) > size(b) : a.where.offset < b.where.offset;
        });
        for (const block_view& block : blocks)
            if (block.kind != block_kind::hole && found_.culprits.size() < max_culprits)
                found_.culprits.push_back(named(block));
    }

    void neighbours_of_longest_run(const std::vector<block_view>& blocks, std::uint64_t requested) {
        found_.trouble = cause::scattered;
        extent run;
        for (const block_view& block : blocks) {
            if (block.kind != block_kind::hole) continue;
            run = run.end() == block.where.offset ? extent{run.offset, run.size + block.where.size} : block.where;
            if (run.size > found_.best_run.size) found_.best_run = run;
        }
        for (const block_view& block : blocks)
            if (block.kind != block_kind::hole &&
                (block.where.end() == found_.best_run.offset || block.where.offset == found_.best_run.end()))
                found_.culprits.push_back(named(block));
        found_.shortfall = requested - std::min(requested, found_.best_run.size);
    }

    const Memory& memory_;
    const attempt& tried_;
    explanation found_;
};

/// Explains the memory as it is once a move that has stopped in the middle is finished: that comes before all relief.
template <class Memory>
[[nodiscard]] explanation explain_finished(const Memory& memory, const attempt& tried, const failure& why) {
    if constexpr (compacts<typename Memory::placement_type>) {
        if (memory.moving() && tried.what() != attempt::kind::nothing && why.reason != error::device_failed) {
            auto finished = memory.fork();
            if (finished.finish_moves()) {
                auto fork = finished.fork();
                const failure again = tried.on(fork);
                return explainer<decltype(finished)>{finished, tried}.explain(again);
            }
        }
    }
    return explainer<Memory>{memory, tried}.explain(why);
}

}  // namespace detail

/// Why an attempt does not fit in `memory`, and what would help. The memory is not touched. Up to some
/// thousand tries of moving, evicting and placing, fewer where there are many blocks: with 10,000 of them, a third
/// pinned, a second.
template <class Memory>
[[nodiscard]] explanation explanation_of(const Memory& memory, const attempt& tried) {
    auto fork = memory.fork();
    return detail::explain_finished(memory, tried, tried.on(fork));
}
/// The same where it is known why: the attempt has failed, and nothing has changed since.
template <class Memory>
[[nodiscard]] explanation explanation_of(const Memory& memory, const attempt& tried, const failure& why) {
    return detail::explain_finished(memory, tried, why);
}
/// The same for a call that failed, where nothing has changed since. Of a run that is not the latest that was refused
/// only the output is known that did not fit.
template <class Memory>
[[nodiscard]] explanation explanation_of(const Memory& memory, const failure& why) {
    const attempt tried = attempt::from(memory, why);
    return detail::explain_finished(memory, tried, why);
}

}  // namespace hbm
