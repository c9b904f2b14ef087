#pragma once

#include <hbm/explain/trial_memory.hpp>
#include <hbm/planning/planner.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace hbm::inline v0 {

/// The result of a search for remedies of the unchanged attempt: waiting, moving, evicting, unpinning, donating.
enum class remedy_status : std::uint8_t {
    found,
    none_found,        ///< not proven: there may be a remedy
    not_enough_bytes,  ///< proven: with all remedies, too few bytes are free
    walls,             ///< proven: blocks that cannot move leave no range that is long enough
    no_arrangement,    ///< proven: all results of moves and evictions were examined
};

namespace detail {

/// Sorts a short list; ties keep their order. (std::stable_sort causes deprecation warnings with some compilers.)
template <class Item, class Less>
void sort_stably(std::vector<Item>& items, Less less) {
    for (auto next = items.begin(); next != items.end(); ++next)
        std::rotate(std::upper_bound(items.begin(), next, *next, less), next, next + 1);
}

/// Finds remedies for an attempt that more free memory would help. The planner proposes; a remedy counts only if it was
/// applied to a copy of the memory, on which the attempt then succeeded.
class remedy_finder {
public:
    /// Requires: memory, attempt and budget outlive the finder.
    remedy_finder(const trial_memory& memory, const attempt& tried, error why, search_budget& budget)
        : memory_(memory), tried_(tried), why_(why), budget_(budget) {}

    /// Returns the remedies, cheapest first; a smaller request and a larger memory come last.
    /// Cost: some dozens of tries of the attempt, all paid from the budget.
    [[nodiscard]] const std::vector<advice>& find() {
        if (!budget_.spend(looks_of_a_try())) return remedies_;
        std::optional<planning_problem> problem = memory_.problem_for(tried_);
        if (!problem) return remedies_;
        problem_ = static_cast<planning_problem&&>(*problem);
        problem_.budget = &budget_;
        weighed_waits_ = std::min(max_waits, max_blocks_looked_at / (problem_.blocks.size() + 1));
        // The proof comes first: where no steps can help, none are searched for, and what is missing bounds the sizes
        // that are tried at the end. Each stage has a share of the budget, so that none starves those after it.
        judge();
        if (conclusion_ == remedy_status::none_found) {
            const budget_share most(budget_, 2);
            try_kinds();
        }
        donate_more();
        if (!remedies_.empty()) conclusion_ = remedy_status::found;
        find_lower_bound();
        ask_for_less();
        grow();
        detail::sort_stably(remedies_,
                            [](const advice& a, const advice& b) { return a.nanoseconds() < b.nanoseconds(); });
        return remedies_;
    }
    [[nodiscard]] remedy_status conclusion() const noexcept { return conclusion_; }
    /// Returns a lower bound of the bytes missing even after all waiting, evicting and unpinning.
    [[nodiscard]] std::uint64_t missing() const noexcept { return missing_; }
    /// Returns a lower bound in nanoseconds for waits, moves and evictions; the largest number if no remedy exists.
    [[nodiscard]] std::uint64_t lower_bound() const noexcept { return lower_bound_; }
    /// Returns true if no larger request and no smaller memory than advised is enough: bytes alone rule it out, or all
    /// of them were tried. True for advice without a size.
    [[nodiscard]] bool is_exact(const advice& given) const noexcept {
        if (given.ask_for && !(most_to_ask_ && *given.ask_for >= *most_to_ask_))
            return is_most_to_ask_ && !budget_.fell_short();
        if (given.capacity && !(least_capacity_ && *given.capacity <= *least_capacity_))
            return is_least_capacity_ && !budget_.fell_short();
        return true;
    }

private:
    enum kind : unsigned { waiting = 1, evicting = 2, moving = 4, unpinning = 8, all_kinds = 15 };

    /// Limit of the waits compared, each with its own plan; less if there are many blocks.
    static constexpr std::size_t max_blocks_looked_at = 200'000;
    static constexpr std::size_t max_waits = 16;
    static constexpr std::size_t max_arguments = 64;  // arguments tried as donors
    static constexpr std::uint64_t few_lengths = 64;  // lengths tried one by one

    struct solution {
        unsigned allowed = 0;  ///< kinds of steps open to the planner
        unsigned used = 0;
        bool exists = false;    ///< the planner found a plan
        bool possible = false;  ///< the plan works
        advice given = {};
    };

    /// Returns the block visits to copy a memory a few times and read a planning problem from it.
    [[nodiscard]] std::uint64_t looks_of_a_try() const noexcept { return 2 * memory_.blocks.size() + 64; }
    [[nodiscard]] bool works(const advice& given) const {
        // A trial is paid before it is made, so that the effort bounds the time. The planner of the trial's own manager
        // gets a share of what is left: one hard case must not use up what the other trials need.
        if (!budget_.spend(looks_of_a_try())) return false;
        const budget_share part(budget_, 8);
        return memory_.helps(given, tried_, why_, budget_);
    }
    bool offer(const advice& given) {
        const bool good = works(given);
        if (good) remedies_.push_back(given);
        return good;
    }
    [[nodiscard]] std::uint64_t bytes(std::uint64_t quanta) const noexcept {
        return saturating_multiply(quanta, problem_.spec.quantum);
    }

    // -- waiting, evicting, moving and unpinning --

    /// Sets `conclusion` and `missing` for the memory after all waits, with all blocks movable and programs evictable.
    /// If even this memory has no plan, and the planner proves it, no set of steps is a remedy: each takes some of
    /// these permissions away.
    void judge() {
        const budget_share part(budget_, 4);
        const planning_problem everything = only(all_kinds);
        const layout now = layout_after(everything, 0, program_set(everything.programs.size(), 0));
        const std::uint64_t level = now.level();
        needed_ = bytes(saturating_add(now.length_of_needs(), level > now.bottom ? level - now.bottom : 0));
        has_one_part_ = problem_.needs.size() == 1 && level <= now.bottom;
        const planning_result result = planner(everything).cheapest();
        if (result.found) return;
        switch (result.proof) {
        case infeasibility::too_few_bytes: {
            layout later =
                layout_after(everything, everything.flights.size(), program_set(everything.programs.size(), 1));
            for (std::uint32_t at = 0; at < later.programs.size(); ++at) later.evict(at);
            missing_ = bytes(later.missing_above(later.min_level()));
            least_capacity_ = saturating_add(bytes(problem_.capacity), missing_);
            // All that can be free. An allocation needs nothing else.
            if (tried_.what() == attempt::kind::allocate)
                most_to_ask_ = bytes(now.length_of_needs()) - std::min(bytes(now.length_of_needs()), missing_);
            conclusion_ = remedy_status::not_enough_bytes;
            break;
        }
        case infeasibility::walls: conclusion_ = remedy_status::walls; break;
        case infeasibility::no_arrangement: conclusion_ = remedy_status::no_arrangement; break;
        case infeasibility::unknown:
        case infeasibility::wrong_call: break;
        }
    }

    /// Returns the problem with steps of these kinds alone.
    [[nodiscard]] planning_problem only(unsigned kinds) const {
        planning_problem restricted = problem_;
        if ((kinds & evicting) == 0) restricted.choice = victims::none;
        if ((kinds & moving) == 0) restricted.may_move = false;
        if ((kinds & waiting) == 0) {
            restricted.flights.clear();
            restricted.can_wait = false;
        }
        for (problem_block& block : restricted.blocks) {
            if ((kinds & waiting) == 0) block.freed_after = block.cut_after = never;
            if ((kinds & unpinning) == 0 || !block.pinned) continue;
            block.movable_after = block.movable_unpinned;
            ++block.price;  // less than a nanosecond: ties go to the plan that moves fewer pinned blocks
        }
        return restricted;
    }

    /// People choose among kinds of steps: one may wait but not evict. So there is a remedy for each set of kinds, of
    /// which 16 exist. The largest sets are tried first: if one has no plan, neither have its subsets; if its plan
    /// needs fewer kinds, it is that of the smaller set as well (`is_settled`). A remedy is dropped if another with a
    /// subset of its kinds costs no more.
    void try_kinds() {
        std::vector<solution> solutions;
        for (int size = 4; size > 0; --size)
            for (unsigned kinds = all_kinds; kinds > 0; --kinds)
                if (std::popcount(kinds) == size && !is_settled(solutions, kinds)) solutions.push_back(solve(kinds));
        std::erase_if(solutions, [](const solution& entry) { return !entry.possible; });
        detail::sort_stably(solutions, [](const solution& a, const solution& b) {
            const int left = std::popcount(a.used);
            const int right = std::popcount(b.used);
            return left != right ? left < right : a.given.nanoseconds() < b.given.nanoseconds();
        });
        std::vector<solution> offered;
        for (solution& next : solutions) {
            bool better = true;
            for (const solution& other : offered)
                better =
                    better && ((other.used & ~next.used) != 0 || next.given.nanoseconds() < other.given.nanoseconds());
            if (!better) continue;
            remedies_.push_back(next.given);
            offered.push_back(static_cast<solution&&>(next));
        }
    }
    [[nodiscard]] static bool is_settled(const std::vector<solution>& solutions, unsigned kinds) {
        // Settled by a larger set that has no plan at all, or by one whose plan works and uses these kinds alone.
        for (const solution& entry : solutions)
            if ((kinds & ~entry.allowed) == 0 && (!entry.exists || (entry.possible && (entry.used & ~kinds) == 0)))
                return true;
        return false;
    }

    [[nodiscard]] solution solve(unsigned kinds) const {
        // A plan is a proposal by numbers; whether the manager then places the parts is another question, for its
        // placement has rules of its own. So each plan is applied to a copy and the attempt made there, and only what
        // worked is a remedy. `exists` without `possible` is kept apart: subsets of its kinds may still work.
        solution solved{.allowed = kinds};
        planning_problem allowed = only(kinds);
        // Without plans, or if the placement takes no given range, the parts of a call are placed one after another.
        // That may need more room than the planner's packing: plan for one free run that holds them all.
        for (const bool joined : {false, true}) {
            if (joined && allowed.needs.size() < 2) break;
            if (joined) allowed.needs = {all_in_one(allowed.needs)};
            std::optional<plan> steps = cheapest(allowed);
            if (!steps) break;
            solved.exists = true;
            std::vector<buffer> unpinned = pinned_among(*steps);
            // Once some buffers have to be unpinned, the others stay pinned: a plan that moves none of these may exist.
            if (!unpinned.empty()) {
                for (problem_block& block : allowed.blocks) {
                    const auto is_it = [&](buffer held) { return held.index == block.block; };
                    if (block.pinned && std::none_of(unpinned.begin(), unpinned.end(), is_it))
                        block.movable_after = never;
                }
                if (std::optional<plan> fewer = cheapest(allowed); fewer && fewer->nanoseconds <= steps->nanoseconds) {
                    steps = fewer;
                    unpinned = pinned_among(*steps);
                }
            }
            solved.given = {.unpin = unpinned, .steps = *steps};
            solved.used = kinds_of(solved.given);
            solved.possible = works(solved.given);
            if (solved.possible) break;
        }
        return solved;
    }

    /// Returns the cheapest plan over all waits; with many blocks, the plan with the fewest waits.
    [[nodiscard]] std::optional<plan> cheapest(const planning_problem& problem) const {
        // Each count of waits is a planning of its own. With few blocks all of them are compared; with many, the fewest
        // waits that make any plan possible are found by bisection, and waiting alone is the other candidate.
        const budget_share part(budget_, 2);  // the rest pays for trying what it finds
        const planner ways(problem);
        if (ways.flights() <= weighed_waits_) return ways.cheapest_over_waits(&planner::cheapest);
        std::optional<plan> waiting_only = ways.by_waiting();
        std::optional<plan> best = ways.after_few_waits([](const planner& later) { return later.cheapest().found; });
        const bool better = best && (!waiting_only || best->nanoseconds < waiting_only->nanoseconds);
        return better ? best : waiting_only;
    }

    [[nodiscard]] static unsigned kinds_of(const advice& given) noexcept {
        return (given.has(step_kind::wait) ? +waiting : 0u) | (given.has(step_kind::evict) ? +evicting : 0u) |
               (given.has(step_kind::move) ? +moving : 0u) | (given.unpin.empty() ? 0u : +unpinning);
    }
    /// Returns the pinned buffers that a plan moves, in the order of their first moves.
    [[nodiscard]] std::vector<buffer> pinned_among(const plan& steps) const {
        std::map<block_index, buffer> pinned;
        for (const problem_block& block : problem_.blocks)
            if (block.pinned) pinned[block.block] = buffer::of(block.block, block.generation, memory_.records().salt);
        std::vector<buffer> moved;
        for (const step& next : steps.steps)
            if (next.what == step_kind::move)
                if (const auto held = pinned.extract(next.subject)) moved.push_back(held.mapped());
        return moved;
    }

    void find_lower_bound() {
        // A bound for what the manager or its user can do without changing pins: a remedy that costs as little cannot
        // be beaten, and the text says so.
        const budget_share part(budget_, 4);
        const planning_problem as_it_is = only(waiting | evicting | moving);
        lower_bound_ = planner(as_it_is).min_nanoseconds(std::max<std::size_t>(weighed_waits_, 1));
    }

    // -- donating --

    /// Offers each argument of the run whose donation alone is enough; if there is none, a smallest set of arguments:
    /// all of them, less each that is not missed. Only arguments that an output would take over are tried.
    void donate_more() {
        if (tried_.what() != attempt::kind::run) return;
        const auto taken_with = [&](const attempt& changed) {
            return changed.with_run([&](const run_spec& run) {
                std::size_t taken = 0;
                for (const std::uint32_t donor : memory_.donors_of(run)) taken += donor != no_index;
                return taken;
            });
        };
        const std::size_t taken = taken_with(tried_);
        const auto is_pinned = [&](buffer argument) {
            for (const block_view& block : memory_.blocks)
                if (block.handle == argument) return block.pins != 0;
            return false;
        };
        const std::vector<std::uint32_t> could = tried_.could_donate();
        const std::uint64_t looks = memory_.blocks.size() + 4 * could.size();
        advice combined;
        bool any_is_enough = false;
        for (const std::uint32_t argument : could) {
            if (combined.donate.size() == max_arguments || !budget_.spend(looks)) break;
            if (is_pinned(tried_.argument(argument))) continue;
            attempt changed = tried_;
            changed.donate(argument);
            if (taken_with(changed) <= taken) continue;
            combined.donate.push_back(argument);
            any_is_enough = offer({.donate = {argument}}) || any_is_enough;
        }
        if (any_is_enough || combined.donate.size() < 2 || !works(combined)) return;
        for (std::size_t i = combined.donate.size(); i-- > 0;) {
            advice fewer = combined;
            fewer.donate.erase(fewer.donate.begin() + static_cast<std::ptrdiff_t>(i));
            if (works(fewer)) combined = fewer;
        }
        offer(combined);
    }

    // -- another request, another memory --

    /// Returns true if a call never fails in a larger memory than one where it succeeds: bisection is exact. If a call
    /// has several parts, one that lies elsewhere may force another to do so.
    [[nodiscard]] bool is_monotone() const noexcept { return memory_.by_itself.monotone && has_one_part_; }

    /// Finds the largest request that succeeds by bisection between the longest free run, which is often the answer,
    /// and the request.
    void ask_for_less() {
        attempt changed = tried_;
        const std::uint64_t* size = changed.negotiable(why_);
        const std::uint64_t quantum = problem_.spec.quantum;
        if (size == nullptr || *size <= quantum) return;
        const auto enough = [&](std::uint64_t count) { return works({.ask_for = count * quantum}); };
        const std::uint64_t above = std::min((*size - 1) / quantum, problem_.capacity) + 1;
        std::uint64_t largest = 0;
        if (const std::uint64_t free = longest_free_run(); free != 0 && free < above && enough(free)) largest = free;
        for (std::uint64_t fails = above; fails - largest > 1;) {
            const std::uint64_t middle = largest + (fails - largest) / 2;
            (enough(middle) ? largest : fails) = middle;
        }
        // Bisection is exact if all smaller sizes are enough, too. Less scratch leaves the code where it is; shorter
        // code may lie where scratch has to be, and an output may be as long as a donor that it takes over.
        const bool has_one_size = has_one_part_ || why_ == error::scratch_does_not_fit;
        const bool is_bisected = memory_.by_itself.monotone && has_one_size && !tried_.donates();
        is_most_to_ask_ = is_bisected || above - largest <= few_lengths;
        if (!is_bisected && is_most_to_ask_)
            for (std::uint64_t count = above; --count > largest;)
                if (enough(count)) largest = count;
        if (largest != 0) remedies_.push_back({.ask_for = largest * quantum});
    }
    [[nodiscard]] std::uint64_t longest_free_run() const {
        // Of the present memory, above the reservation. Only a first guess for the bisection: it is tried like any
        // other size.
        std::uint64_t longest = 0;
        std::uint64_t end = problem_.bottom;
        for (const problem_block& block : problem_.blocks) {
            if (block.offset > end) longest = std::max(longest, block.offset - end);
            end = block.offset + block.size;
        }
        return std::max(longest, problem_.capacity - std::min(problem_.capacity, end));
    }

    /// Finds the smallest memory that is large enough. What is needed in all is an upper bound under most placements;
    /// what is missing after all relief is a lower bound. Bisection runs between them.
    void grow() {
        const std::uint64_t quantum = problem_.spec.quantum;
        const std::uint64_t present = problem_.capacity;
        const auto enough = [&](std::uint64_t count) { return works({.capacity = count * quantum}); };
        // A block of buddy is aligned to a power of two, which may need more than the missing bytes.
        std::uint64_t smallest = present + needed_ / quantum;
        if (needed_ > ~std::uint64_t{0} / 8 || smallest > ~std::uint64_t{0} / 8 / quantum) return;
        if (!enough(smallest)) smallest = std::bit_ceil(smallest) * 2;
        if (!enough(smallest)) {  // a block that is aligned more coarsely than that
            std::uint64_t coarsest = 1;
            for (const layout_need& need : problem_.needs) coarsest = std::max(coarsest, need.alignment);
            smallest = saturating_add(align_up(present, coarsest), needed_ / quantum);
            if (smallest < present || smallest > ~std::uint64_t{0} / 8 / quantum || !enough(smallest)) return;
        }
        std::uint64_t fails = present + (missing_ == 0 ? 0 : missing_ / quantum - 1);
        if (!is_monotone() && fails + 1 < smallest && enough(fails + 1)) smallest = fails + 1;
        while (smallest - fails > 1) {
            const std::uint64_t middle = fails + (smallest - fails) / 2;
            (enough(middle) ? smallest : fails) = middle;
        }
        is_least_capacity_ = is_monotone() || smallest - present <= few_lengths;
        if (!is_monotone() && is_least_capacity_)
            for (std::uint64_t count = present + 1; count < smallest; ++count)
                if (enough(count)) smallest = count;
        remedies_.push_back({.capacity = smallest * quantum});
    }

    const trial_memory& memory_;
    const attempt& tried_;
    error why_;
    search_budget& budget_;
    planning_problem problem_;
    std::size_t weighed_waits_ = 0;
    std::uint64_t needed_ = 0;  // bytes of all parts
    std::uint64_t missing_ = 0;
    bool has_one_part_ = false;                         // the call needs one range
    bool is_most_to_ask_ = false;                       // unless the effort was used up: no larger request is enough
    bool is_least_capacity_ = false;                    // no smaller memory is enough
    std::optional<std::uint64_t> most_to_ask_ = {};     // bytes: no larger allocation can succeed
    std::optional<std::uint64_t> least_capacity_ = {};  // bytes: no smaller memory can be enough
    std::uint64_t lower_bound_ = 0;
    remedy_status conclusion_ = remedy_status::none_found;
    std::vector<advice> remedies_;
};

}  // namespace detail

}  // namespace hbm::inline v0
