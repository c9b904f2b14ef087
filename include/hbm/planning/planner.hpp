#pragma once

#include <hbm/core/bisect.hpp>
#include <hbm/planning/joint_search.hpp>
#include <hbm/planning/relief.hpp>

#include <optional>

namespace hbm::inline v0 {

/// A byte for each program of a problem: 1 if it may leave.
using program_set = trivial_vector<std::uint8_t>;

/// Returns the memory once the oldest `runs` runs are over, in which the programs in `may_leave` may be evicted.
/// Cost: O(blocks + programs^2).
[[gnu::cold]] constexpr layout layout_after(const planning_problem& problem, std::size_t runs,
                                            const program_set& may_leave) {
    layout seen;
    seen.budget = problem.budget;
    seen.look_at(problem.blocks.size());
    seen.device = problem.spec;
    seen.capacity = problem.capacity;
    seen.bottom = problem.bottom;
    seen.rule = problem.rule;
    seen.needs = problem.needs;
    trivial_vector<std::uint32_t> evictable(problem.programs.size(), no_index);
    for (std::uint32_t at = 0; at < problem.programs.size(); ++at) {
        const problem_program& candidate = problem.programs[at];
        if (candidate.evictable_after > runs || may_leave[at] == 0) {
            if (seen.rule == scratch_rule::sum)
                seen.scratch_of_others = saturating_add(seen.scratch_of_others, candidate.scratch);
            else if (candidate.scratch > seen.scratch_of_others)
                seen.scratch_of_others = candidate.scratch;
            continue;
        }
        evictable[at] = static_cast<std::uint32_t>(seen.programs.size());
        seen.programs.push_back({.slot = candidate.slot,
                                 .price = as_price(candidate.eviction.nanoseconds),
                                 .score = candidate.score,
                                 .scratch = seen.rule == scratch_rule::none ? 0 : candidate.scratch});
    }
    // Ties in the cost of programs are broken by score; all ranks together stay below one nanosecond.
    const std::size_t count = seen.programs.size();
    for (evictable_program& candidate : seen.programs) {
        std::uint64_t rank = 0;
        for (const evictable_program& other : seen.programs) rank += candidate.score > other.score;
        constexpr std::uint64_t nanosecond = std::uint64_t{1} << tie_bits;
        candidate.price += count * count < nanosecond ? rank : rank * nanosecond / (count * count);
    }
    seen.blocks.reserve(problem.blocks.size());
    for (const problem_block& block : problem.blocks) {
        if (block.freed_after <= runs) continue;
        const bool cut = block.cut_after <= runs;
        const std::uint64_t size = cut ? block.size_when_cut : block.size;
        layout_block& placed = seen.blocks.emplace_back();
        placed.offset = block.offset;
        placed.size = size;
        placed.alignment = block.alignment;
        placed.block = block.block;
        placed.price = cut ? as_move_price(problem.spec.move_nanoseconds(problem.bytes(size))) : block.price;
        placed.movable = problem.may_move && block.movable_after <= runs;
        if (block.program != no_index) placed.program = evictable[block.program];
        if (placed.program == no_index) continue;
        seen.programs[placed.program].size += size;
        ++seen.programs[placed.program].blocks;
    }
    return seen;
}

/// A finder of plans that make room for all needs of a call: by waiting, moving, evicting, or both. Changes nothing.
/// Each way is searched on call; empty if it does not exist, or was not found: moves into other holes, and both
/// together, are heuristics. Moves and evictions assume that everything was waited for, their first step, or as much as
/// `after` says. Frees that can take effect at once do so first.
class planner {
    using indices = trivial_vector<std::uint32_t>;  // of programs

public:
    /// Requires: `problem` outlives the planner.
    constexpr explicit planner(const planning_problem& problem) : planner(problem, problem.flights.size()) {}
    planner(const planner&) = delete;
    planner& operator=(const planner&) = delete;

    /// Returns the problem, from which a policy can make a planner with fewer ways.
    constexpr const planning_problem& problem() const noexcept { return problem_; }
    constexpr std::size_t flights() const noexcept { return problem_.flights.size(); }
    /// Returns the nanoseconds of waiting for the first `count` runs.
    [[gnu::cold]] constexpr std::uint64_t price_of_waiting(std::size_t count) const noexcept {
        std::uint64_t price = 0;
        for (std::size_t at = 0; at < count; ++at) price = saturating_add(price, problem_.flights[at].nanoseconds);
        return price;
    }
    /// Returns a planner whose ways begin with waiting for the first `count` runs, or for all.
    constexpr planner after(std::size_t count) const { return {problem_, count < flights() ? count : flights()}; }

    /// Waits for the fewest runs that suffice; empty if all do not.
    /// Cost: O(log(flights) x blocks).
    [[gnu::cold]] constexpr std::optional<plan> by_waiting() const {
        if (!problem_.can_wait) return std::nullopt;
        const auto fits = [&](std::size_t count) { return layout_after(problem_, count, nobody()).fits(); };
        const std::optional<std::size_t> fewest = least_enough(flights(), fits);
        if (!fewest) return std::nullopt;
        return after(*fewest).begun(with_places({}, layout_after(problem_, *fewest, nobody())));
    }

    /// Returns the plan of `way` after the fewest waits that suffice, by bisection: more waits never hurt. `way` is a
    /// member, `after_few_waits(&planner::by_moving)`, or a function that returns an optional plan.
    /// Cost: 1 + log(flights) times that of `way`.
    template <class Way>
    [[gnu::cold]] constexpr std::optional<plan> after_few_waits(Way way) const {
        std::optional<plan> best;
        (void)least_enough(flights(), [&](std::size_t count) {
            std::optional<plan> chosen = go(way, after(count));
            const bool exists = chosen.has_value();
            if (exists) best = static_cast<std::optional<plan>&&>(chosen);
            return exists;
        });
        return best;
    }

    /// Returns the cheapest of waiting alone and of `way` after 0, 1, ... waits, until waiting costs more than the best
    /// plan. `way` is a member, `cheapest_over_waits(&planner::cheapest)`, or a function of a planner that returns a
    /// `planning_result`, whose bound counts too.
    /// Cost: that of `way` for each count.
    template <class Way>
    [[gnu::cold]] constexpr std::optional<plan> cheapest_over_waits(Way way) const {
        // Each count of waits is a memory of its own: fewer blocks are held, and more programs may leave. Waiting alone
        // comes first, for it is cheap to find, and its price ends the loop early.
        std::optional<plan> best = by_waiting();
        std::uint64_t bound = ~std::uint64_t{0};
        for (std::size_t waits = 0; waits <= flights(); ++waits) {
            if (best && price_of_waiting(waits) >= best->nanoseconds) break;
            planning_result result = go(way, after(waits));
            if (result.found && (!best || result.found->nanoseconds < best->nanoseconds))
                best = static_cast<std::optional<plan>&&>(result.found);
            if (result.lower_bound < bound) bound = result.lower_bound;
        }
        if (best) best->lower_bound = bound < best->nanoseconds ? bound : best->nanoseconds;
        return best;
    }

    /// Returns the cheapest plan found by moving, evicting or both, or the proof that there is none.
    /// All evictable programs may leave; the eviction policy's scores only break ties.
    /// Cost: see `joint_search`.
    [[gnu::cold]] constexpr planning_result cheapest() const { return solve(with_all()); }

    /// Returns a lower bound in nanoseconds for all ways after up to `most` waits; the largest number if none exists.
    /// Cost: that of `cheapest` for each number of waits.
    [[gnu::cold]] constexpr std::uint64_t min_nanoseconds(std::size_t most = 16) const {
        // A way after some waits costs at least these waits, so beyond `most` their price alone is the bound.
        std::uint64_t least = ~std::uint64_t{0};
        for (std::size_t waits = 0; waits <= flights() && price_of_waiting(waits) < least; ++waits) {
            const std::uint64_t price = waits < most ? after(waits).cheapest().lower_bound : price_of_waiting(waits);
            if (price < least) least = price;
        }
        return least;
    }

    /// Returns the cheaper of two plans, with victims in the eviction policy's order.
    /// One evicts until enough bytes are free, then moves; the other evicts all that the policy needs without moves.
    /// The second is tried only if the first fails or its moves cost more than the reloads: where few moves are cheap,
    /// victims that moves need are fewer than those that the policy names if nothing may move.
    /// Cost: that of both, and twice that of `cheapest`.
    [[gnu::cold]] constexpr planning_result cheapest_in_order() const {
        layout everyone = with_all();
        if (problem_.choice == victims::none) return solve(static_cast<layout&&>(everyone));
        const victim_search victims_of(everyone);
        planning_result few;
        if (problem_.may_move) {
            few = solve_with(everyone, victims_of.enough_bytes(problem_.choice == victims::window));
            if (few.found && few.found->nanoseconds_of(step_kind::move) <= few.found->nanoseconds_of(step_kind::evict))
                return few;
        }
        std::optional<indices> named;  // the victims if nothing could move; all if those are not enough
        if (problem_.choice == victims::window) named = victims_of.cheapest_window();
        planning_result more = solve_with(everyone, named ? *named : victims_of.in_order());
        if (!few.found || (more.found && more.found->nanoseconds < few.found->nanoseconds)) return more;
        return few;
    }

    /// Returns the cheapest moves found: slides, and moves into other holes.
    /// Cost: see `joint_search`.
    [[gnu::cold]] constexpr std::optional<plan> by_moving() const {
        if (!problem_.may_move) return std::nullopt;
        return solve(layout_after(problem_, waits_, nobody())).found;
    }

    /// Evicts by the eviction policy alone.
    [[gnu::cold]] constexpr std::optional<plan> by_evicting() const {
        if (problem_.choice == victims::none) return std::nullopt;
        layout later = with_all();
        std::optional<indices> leaving;
        if (problem_.choice == victims::window) {
            leaving = victim_search(later).cheapest_window();
            if (leaving) victim_search(later).spare(*leaving);
        }
        if (!leaving) leaving = victim_search(later).one_at_a_time();
        if (!leaving) return std::nullopt;
        plan steps = evict(later, *leaving);
        return begun(with_places(static_cast<plan&&>(steps), later));
    }

    /// Plans evictions by score, one program after the other, until moves make enough room; omits those that turn out
    /// to be unnecessary; then moves.
    [[gnu::cold]] constexpr std::optional<plan> by_both() const {
        if (!problem_.may_move || problem_.choice == victims::none) return std::nullopt;
        layout rest = with_all();
        const std::optional<indices> leaving = victim_search(rest).one_at_a_time(
            [this](const layout& now) { return found_in(now.settled()).found.has_value(); });
        if (!leaving || !rest.look()) return std::nullopt;
        plan steps = evict(rest, *leaving);
        std::optional<plan> moves = found_in(rest.settled()).found;
        if (!moves) return std::nullopt;
        for (const step& next : moves->steps) steps.add(next);
        steps.places = static_cast<trivial_vector<std::uint64_t>&&>(moves->places);
        return begun(static_cast<plan&&>(steps));
    }

private:
    constexpr planner(const planning_problem& problem, std::size_t waits) : problem_(problem), waits_(waits) {}

    template <class Way>
    static constexpr auto go(Way way, const planner& later) {
        if constexpr (requires { (later.*way)(); })
            return (later.*way)();
        else
            return way(later);
    }

    constexpr program_set nobody() const { return program_set(problem_.programs.size(), 0); }
    /// Returns the memory in which all programs may leave, if the eviction policy evicts at all.
    [[gnu::cold]] constexpr layout with_all() const {
        return layout_after(problem_, waits_, program_set(problem_.programs.size(), problem_.choice != victims::none));
    }

    /// Puts the wait before the other steps of a plan. It is there also if nothing is waited for and some frees can
    /// take effect at once: the executor carries them out with the first wait.
    [[gnu::cold]] constexpr plan begun(plan&& rest) const {
        const std::uint64_t bytes = problem_.returned_after(waits_);
        if (waits_ != 0 || bytes != 0) {
            const std::uint64_t price = price_of_waiting(waits_);
            if (rest.lower_bound != 0 || rest.steps.empty()) rest.lower_bound = saturating_add(price, rest.lower_bound);
            rest.nanoseconds = saturating_add(price, rest.nanoseconds);
            rest.steps.insert(rest.steps.begin(),
                              {.what = step_kind::wait,
                               .to = waits_ == 0 ? problem_.reached.number : problem_.flights[waits_ - 1].over.number,
                               .bytes = bytes,
                               .nanoseconds = price});
        }
        return static_cast<plan&&>(rest);
    }
    /// Adds to the plan the places of the needs in `later`, the memory after it.
    [[gnu::cold]] constexpr plan with_places(plan&& steps, const layout& later) const {
        if (const std::optional<trivial_vector<std::uint64_t>> places = later.places())
            for (const std::uint64_t place : *places) steps.places.push_back(problem_.bytes(place));
        return static_cast<plan&&>(steps);
    }
    constexpr const step& eviction_of(std::uint32_t slot) const noexcept {
        std::size_t at = 0;
        while (problem_.programs[at].slot != slot) ++at;
        return problem_.programs[at].eviction;
    }
    /// Evicts programs from `later`. Returns the steps.
    [[gnu::cold]] constexpr plan evict(layout& later, const indices& leaving) const {
        plan steps;
        for (const std::uint32_t index : leaving) {
            steps.add(eviction_of(later.programs[index].slot));
            later.evict(index);
        }
        return steps;
    }

    /// Solves the problem if only some programs of `everyone` may leave.
    [[gnu::cold]] constexpr planning_result solve_with(const layout& everyone, const indices& leaving) const {
        program_set may_leave = nobody();
        for (const std::uint32_t index : leaving)
            for (std::size_t at = 0; at < may_leave.size(); ++at)
                if (problem_.programs[at].slot == everyone.programs[index].slot) may_leave[at] = 1;
        return solve(layout_after(problem_, waits_, may_leave));
    }
    [[gnu::cold]] constexpr planning_result solve(layout&& start) const {
        planning_result result = found_in(static_cast<layout&&>(start));
        if (result.found) {
            result.found = begun(static_cast<plan&&>(*result.found));
            result.lower_bound = result.found->lower_bound;
        } else if (result.lower_bound != ~std::uint64_t{0}) {
            result.lower_bound = saturating_add(result.lower_bound, price_of_waiting(waits_));
        }
        return result;
    }
    /// Like `solve()`, without the cost of waiting. Turns changes, in quanta, into steps, in bytes, on the layout,
    /// which follows them: a step says how long its block is where it lies then.
    [[gnu::cold]] constexpr planning_result found_in(layout&& later) const {
        planning_result result;
        if (later.fits()) {
            result.found = with_places({}, later);
            return result;
        }
        joint_search search(later);
        search.run();
        if (search.price() == unlimited_price) {
            result.proof = search.proof();
            result.lower_bound = search.bound() == unlimited_price ? ~std::uint64_t{0} : search.bound() >> tie_bits;
            return result;
        }
        plan steps;
        for (const change& next : search.changes()) {
            if (next.evicts) {
                steps.add(eviction_of(later.programs[next.subject].slot));
                later.evict(next.subject);
                continue;
            }
            const std::size_t at = later.find(next.subject, next.from);
            steps.add(move_step(problem_.spec, next.subject, problem_.bytes(next.from), problem_.bytes(next.to),
                                problem_.bytes(later.blocks[at].size),
                                next.aside ? step_purpose::aside : step_purpose::room));
            later.move(at, next.to);
        }
        // A price that is capped bounds less than the nanoseconds of the plan, and proves nothing about them.
        steps.lower_bound = search.bound() >> tie_bits;
        if (steps.lower_bound > steps.nanoseconds) steps.lower_bound = steps.nanoseconds;
        result.lower_bound = steps.lower_bound;
        result.found = with_places(static_cast<plan&&>(steps), later);
        return result;
    }

    const planning_problem& problem_;
    std::size_t waits_;
};

constexpr std::optional<plan> relieve_cheapest::choose(const planner& ways) const {
    return ways.cheapest_over_waits(&planner::cheapest_in_order);
}

template <class Relief>
constexpr std::optional<plan> plan_by(const Relief& policy, const planning_problem& problem) {
    if constexpr (chooses_plans<Relief>)
        return policy.choose(planner(problem));
    else
        return planner(problem).by_waiting();
}
constexpr planning_result cheapest_plan(const planning_problem& problem) {
    return planner(problem).cheapest();
}
constexpr std::uint64_t min_nanoseconds(const planning_problem& problem) {
    return planner(problem).min_nanoseconds();
}

}  // namespace hbm::inline v0
