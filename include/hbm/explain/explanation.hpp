#pragma once

#include <hbm/blocks/live_blocks.hpp>
#include <hbm/explain/ledger.hpp>
#include <hbm/explain/message.hpp>
#include <hbm/explain/remedies.hpp>
#include <hbm/explain/trial_memory.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hbm::inline v0 {

/// A block in the way of an attempt, with its name.
struct named_block {
    std::string name = {};  ///< name of the buffer or program, or ""
    block_view block = {};
    bool may_move = false;
    bool is_argument = false;         ///< an argument of the failed run; see `run_spec::arguments_may_move`
    std::uint32_t output = no_index;  ///< index of the output if the failed run had placed it, else `no_index`
};

/// A remedy and the blocks that it concerns, as they are before the remedy.
struct named_advice {
    advice what;
    std::vector<named_block> unpinned = {};  ///< one for each buffer in `what.unpin`
    std::vector<named_block> steps = {};  ///< one for each step: the block to move, or the code of the program to evict
    std::vector<named_block> donated = {};  ///< one for each argument in `what.donate`
    std::vector<bool> was_donated = {};     ///< the argument is donated already, but kept or not taken over
    std::uint64_t more_bytes = 0;           ///< advised capacity less the present one; 0 without such advice
    bool is_exact = true;                   ///< no smaller change helps; false if only some sizes were tried
};

enum class obstacle : std::uint8_t {
    none,             ///< no failure: the attempt succeeds
    call,             ///< an invalid call, or the device failed: free memory would not help
    capped_bottom,    ///< the free run at the bottom is too short; `culprits` has the block that ends it
    scattered,        ///< enough bytes are free, but not in one run; `culprits` has the longest run's neighbours
    too_little_free,  ///< too few bytes are free; `culprits` has the largest blocks
};

/// The explanation of a failed attempt: obstacle and remedies, to examine, apply to a copy, or print.
/// Has no references to the memory. Sizes in bytes.
struct explanation {
    failure why;          ///< reason `error::none` if the attempt succeeds
    std::string message;  ///< message of the runtime
    obstacle main_obstacle = obstacle::none;
    std::vector<named_block> culprits = {};
    extent best_run = {};         ///< the free run that is too short
    std::uint64_t shortfall = 0;  ///< bytes missing in `best_run`, or of free bytes; 0 if only alignment is in the way
    remedy_status conclusion = remedy_status::none_found;
    std::uint64_t missing = 0;                ///< bytes missing even after all waiting, evicting and unpinning
    std::vector<named_advice> remedies = {};  ///< tried and found to work; cheapest first
    std::uint64_t lower_bound = 0;  ///< nanoseconds of any remedy that only waits, moves and evicts; 0: no bound is
                                    ///< known; the largest number: there is none
    std::uint64_t effort = 0;       ///< count of block visits of the search
    bool ended_by_effort = false;   ///< with more effort there may be more remedies, cheaper ones, or a proof
    attempt::kind tried = attempt::kind::nothing;
    bool is_part = false;            ///< the run has more parts; only a single output was tried
    std::uint64_t unmanaged = 0;     ///< bytes reserved at the top of the memory, not part of any capacity here
    bool moves_by_itself = false;    ///< the manager may move blocks
    bool evicts_by_itself = false;   ///< the manager may evict programs
    bool donates_by_itself = false;  ///< outputs may take over donated inputs
};

namespace detail {

class explainer {
public:
    explainer(const trial_memory& memory, const attempt& tried, const explain_options& options)
        : memory_(memory), tried_(tried), place_(options.place), effort_(options.effort), budget_(options.effort) {}

    /// Explains an attempt that was not made before. Its own search is limited by the manager, not by the effort.
    [[nodiscard]] explanation explain() {
        const failure why = memory_.try_out(tried_);
        return explain(why, why);
    }
    /// Explains an attempt that failed with `why`, if it still does.
    [[nodiscard]] explanation explain(const failure& why) {
        if (!is_worth_trying(why)) return explain(why, why);
        return explain(why, try_again());
    }

private:
    [[nodiscard]] failure try_again() {
        // A quarter of the effort: a manager that plans could otherwise spend all of it on finding again that there is
        // no plan.
        const budget_share part(budget_, 4);
        return memory_.try_out(tried_, &budget_);
    }
    [[nodiscard]] bool is_worth_trying(const failure& why) const {
        return tried_.what() != attempt::kind::nothing && for_want_of_room(why.reason);
    }
    [[nodiscard]] explanation explain(const failure& why, const failure& again) {
        // Two failures: `why` is what the caller saw, and its message is printed; `again` is that of the same attempt
        // on a copy, where an interrupted move counts as finished. Remedies are sought for the second. If the attempt
        // succeeds there, nothing is in the way any more, and a search would explain what does not exist.
        result_.why = why;
        result_.tried = tried_.what();
        result_.is_part = tried_.is_part();
        result_.message = message(why, program_name(why), place_);
        result_.unmanaged = memory_.records().spec.top_reserved;
        result_.moves_by_itself = memory_.by_itself.moves;
        result_.evicts_by_itself = memory_.by_itself.evicts;
        result_.donates_by_itself = memory_.by_itself.donates;
        if (why.reason == error::none) return static_cast<explanation&&>(result_);
        result_.main_obstacle = obstacle::call;
        if (!is_worth_trying(why)) return static_cast<explanation&&>(result_);
        if (again.reason == error::none) {
            result_.main_obstacle = obstacle::none;
            result_.conclusion = remedy_status::found;
            return static_cast<explanation&&>(result_);
        }
        find_culprits();
        remedy_finder remedies{memory_, tried_, again.reason, budget_};
        for (const advice& given : remedies.find()) result_.remedies.push_back(named(given));
        result_.conclusion = remedies.conclusion();
        result_.missing = remedies.missing();
        result_.lower_bound = remedies.lower_bound();
        result_.effort = effort_ - budget_.left();
        result_.ended_by_effort = budget_.fell_short();
        for (named_advice& given : result_.remedies) given.is_exact = remedies.is_exact(given.what);
        return static_cast<explanation&&>(result_);
    }

    static constexpr std::size_t max_culprits = 3;

    [[nodiscard]] std::string program_name(const failure& why) const {
        if (tried_.what() != attempt::kind::load) return memory_.name_of(why.label);
        return tried_.spec().name == nullptr ? "" : tried_.spec().name;
    }

    // -- names --

    [[nodiscard]] std::string name_of(const block_view& block) const {
        if (block.kind == block_kind::reservation) return "";
        if (block.kind != block_kind::code && block.kind != block_kind::scratch)
            return memory_.name_of(static_cast<tag>(block.owner));
        const auto& programs = memory_.records().programs;
        if (block.owner < programs.size()) return memory_.name_of(programs[block.owner].label);
        return program_name(result_.why);  // the program that is being loaded
    }
    [[nodiscard]] named_block named(const block_view& block, std::uint32_t output = no_index) const {
        // A block may move only if it is a wall for nobody: not an argument of the failed run, not one of its own
        // outputs placed so far, not pinned, not in use, not freed and waiting. The remedies assume the same.
        const bool argument = block.kind == block_kind::data && block.handle && tried_.uses(block.handle.index);
        const bool may_move = result_.moves_by_itself && !argument && output == no_index &&
                              block.pins + block.holds == 0 && block.kind != block_kind::deferred &&
                              block.kind != block_kind::reservation;
        return {name_of(block), block, may_move, argument, output};
    }
    [[nodiscard]] named_block named_at(std::uint64_t offset) const {
        const auto at =
            std::lower_bound(memory_.blocks.begin(), memory_.blocks.end(), offset,
                             [](const block_view& block, std::uint64_t low) { return block.where.offset < low; });
        return at != memory_.blocks.end() && at->where.offset == offset ? named(*at) : named_block{};
    }
    [[nodiscard]] named_block named(buffer held) const {
        for (const block_view& block : memory_.blocks)
            if (block.handle == held) return named(block);
        return {};
    }
    [[nodiscard]] named_block code_of(std::uint32_t slot) const {
        for (const block_view& block : memory_.blocks)
            if (block.kind == block_kind::code && block.owner == slot) return named(block);
        return {};
    }
    [[nodiscard]] named_advice named(const advice& given) const {
        // Names are looked up in the memory before the remedy. A block that moves twice is elsewhere by its second
        // step, so the place of its first one is remembered for it.
        named_advice offered{.what = given};
        if (given.capacity) offered.more_bytes = *given.capacity - memory_.capacity_bytes;
        for (const buffer pinned : given.unpin) offered.unpinned.push_back(named(pinned));
        for (const std::uint32_t argument : given.donate) {
            offered.donated.push_back(named(tried_.argument(argument)));
            offered.was_donated.push_back(tried_.is_donated(argument));
        }
        std::map<block_index, std::uint64_t> places;  // by block, before all moves: a block may move several times
        for (const step& next : given.steps.steps) {
            if (next.what == step_kind::move)
                offered.steps.push_back(named_at(places.try_emplace(next.subject, next.from).first->second));
            else
                offered.steps.push_back(next.what == step_kind::evict ? code_of(next.subject) : named_block{});
        }
        return offered;
    }

    // -- culprits --

    /// Reads the blocks at the moment of failure, when earlier parts of the attempt were placed already.
    void find_culprits() {
        // Three obstacles, the strictest first. Scratch has to begin at the bottom, whatever is free elsewhere. If too
        // few bytes are free in all, no arrangement helps, and pointing at a place would mislead. Only then is it a
        // question of pieces.
        const std::optional<refused_part> refused = memory_.first_refused(tried_);
        if (!refused) return;
        if (result_.why.at_the_bottom) return cap_of_bottom(*refused);
        const std::uint64_t requested = result_.why.requested;
        if (refused->free < requested) return largest_blocks(*refused, requested - refused->free);
        neighbours_of_longest_run(*refused, requested);
    }
    void add_culprit(const refused_part& refused, std::size_t at) {
        result_.culprits.push_back(named(refused.blocks[at], refused.outputs[at]));
    }

    /// Scratch needs the run that begins at the bottom: the block that ends it is in the way, unless too few bytes are
    /// free in all.
    void cap_of_bottom(const refused_part& refused) {
        const std::uint64_t reserved = memory_.reserved_bytes;
        result_.best_run = {reserved, memory_.reservable_bytes};
        const std::uint64_t level = saturating_add(result_.why.requested, memory_.unshared_bytes);
        if (const std::uint64_t missing = missing_for_reservation(level, reserved, refused.free); missing != 0)
            return largest_blocks(refused, missing);
        result_.main_obstacle = obstacle::capped_bottom;
        result_.shortfall = missing_for_reservation(level, reserved, result_.best_run.size);
        for (std::size_t at = 0; at < refused.blocks.size(); ++at) {
            const block_view& block = refused.blocks[at];
            if (block.kind != block_kind::hole && block.where.offset >= result_.best_run.end())
                return add_culprit(refused, at);
        }
    }

    /// Too few bytes are free: no place is to blame, so the largest blocks are named.
    void largest_blocks(const refused_part& refused, std::uint64_t shortfall) {
        result_.main_obstacle = obstacle::too_little_free;
        result_.shortfall = shortfall;
        std::vector<std::size_t> largest;
        for (std::size_t at = 0; at < refused.blocks.size(); ++at)
            if (refused.blocks[at].kind != block_kind::hole) largest.push_back(at);
        std::sort(largest.begin(), largest.end(), [&](std::size_t a, std::size_t b) {
            const std::uint64_t left = refused.blocks[a].where.size;
            const std::uint64_t right = refused.blocks[b].where.size;
            return left != right ? left > right : a < b;
        });
        for (std::size_t i = 0; i < largest.size() && i < max_culprits; ++i) add_culprit(refused, largest[i]);
    }

    /// Enough is free, but in pieces: the neighbours of the longest piece are named. Holes that touch are one piece.
    void neighbours_of_longest_run(const refused_part& refused, std::uint64_t requested) {
        result_.main_obstacle = obstacle::scattered;
        extent run;
        for (const block_view& block : refused.blocks) {
            if (block.kind != block_kind::hole) continue;
            run = run.end() == block.where.offset ? extent{run.offset, run.size + block.where.size} : block.where;
            if (run.size > result_.best_run.size) result_.best_run = run;
        }
        for (std::size_t at = 0; at < refused.blocks.size(); ++at) {
            const extent& where = refused.blocks[at].where;
            const bool beside = where.end() == result_.best_run.offset || where.offset == result_.best_run.end();
            if (beside && refused.blocks[at].kind != block_kind::hole) add_culprit(refused, at);
        }
        result_.shortfall = requested - std::min(requested, result_.best_run.size);
    }

    const trial_memory& memory_;
    const attempt& tried_;
    failure_place place_;
    std::uint64_t effort_;
    search_budget budget_;
    explanation result_;
};

}  // namespace detail

/// Explains why an attempt does not fit in `memory`, which stays unchanged. An interrupted move counts as finished.
/// Cost: the attempt, and up to `options.effort` block visits.
template <class Memory>
[[nodiscard]] explanation explanation_of(const Memory& memory, const attempt& tried,
                                         const explain_options& options = {}) {
    const detail::trial_memory_of<Memory> trials(memory, options.blocks_stay);
    return detail::explainer(trials, tried, options).explain();
}
/// Explains an attempt that failed with `why`.
/// Requires: the memory has not changed since.
/// Cost: O(blocks), and up to `options.effort` block visits.
template <class Memory>
[[nodiscard]] explanation explanation_of(const Memory& memory, const attempt& tried, const failure& why,
                                         const explain_options& options = {}) {
    const detail::trial_memory_of<Memory> trials(memory, options.blocks_stay);
    detail::explainer explains(trials, tried, options);
    // An interrupted move counts as finished here, so that the attempt may fail for another reason than it did.
    const bool is_outdated =
        memory.moving() && tried.what() != attempt::kind::nothing && why.reason != error::device_failed;
    return is_outdated ? explains.explain() : explains.explain(why);
}
/// Explains a failed call. Of a run that is not the latest refused run, only the output that did not fit is available.
/// Requires: the memory has not changed since.
template <class Memory>
[[nodiscard]] explanation explanation_of(const Memory& memory, const failure& why,
                                         const explain_options& options = {}) {
    return explanation_of(memory, attempt::from(memory, why), why, options);
}

}  // namespace hbm::inline v0
