#pragma once

#include <hbm/core/bisect.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/relief/planning_problem.hpp>
#include <hbm/relief/relief.hpp>
#include <hbm/search/joint_search.hpp>
#include <hbm/search/victim_search.hpp>

#include <optional>

namespace hbm::inline v0 {

/// A finder of plans that make room for all needs of a call: by waiting, moving, evicting, or both. Changes nothing.
/// Each way is searched on call; empty if it does not exist, or was not found: moves into other holes, and both
/// together, are heuristics. Moves and evictions assume that everything was waited for, their first step, or as much as
/// `after` says. Frees that can take effect at once do so first.
template <class Problem>
class basic_planner {
    using memory_layout = typename Problem::layout_type;
    using indices = trivial_vector<std::uint32_t>;  // of programs

    /// The programs that may leave: all, or some of those of `everyone`, or none.
    struct leavers {
        bool all = false;
        const memory_layout* everyone = nullptr;
        const indices* chosen = nullptr;

        [[gnu::cold]] constexpr bool operator()(const problem_program& loaded) const noexcept {
            bool leaves = all;
            if (chosen != nullptr)
                for (const std::uint32_t index : *chosen)
                    leaves = leaves || everyone->programs[index].slot == loaded.slot;
            return leaves;
        }
    };
    static constexpr leavers nobody{};
    [[nodiscard]] constexpr leavers anybody() const noexcept { return {problem_.choice != victims::none}; }

public:
    /// Requires: `problem` outlives the planner.
    constexpr explicit basic_planner(const Problem& problem) : basic_planner(problem, problem.flights.size()) {}
    basic_planner(const basic_planner&) = delete;
    basic_planner& operator=(const basic_planner&) = delete;

    /// Returns the problem, from which a policy can make a planner with fewer ways.
    [[nodiscard]] constexpr const Problem& problem() const noexcept { return problem_; }
    [[nodiscard]] constexpr std::size_t flights() const noexcept { return problem_.flights.size(); }
    /// Returns the nanoseconds of waiting for the first `count` runs.
    [[nodiscard, gnu::cold]] constexpr std::uint64_t price_of_waiting(std::size_t count) const noexcept {
        std::uint64_t price = 0;
        for (std::size_t at = 0; at < count; ++at) price = saturating_add(price, problem_.flights[at].nanoseconds);
        return price;
    }
    /// Returns a planner whose ways begin with waiting for the first `count` runs, or for all.
    [[nodiscard, gnu::cold]] constexpr basic_planner after(std::size_t count) const {
        return {problem_, count < flights() ? count : flights()};
    }

    /// Waits for the fewest runs that suffice; empty if all do not.
    /// Cost: O(log(flights) x blocks).
    [[nodiscard, gnu::cold]] constexpr std::optional<plan> by_waiting() const {
        if (!problem_.can_wait) return std::nullopt;
        const auto fits = [&](std::size_t count) { return problem_.after(count, nobody).fits(); };
        const std::optional<std::size_t> fewest = least_enough(flights(), fits);
        if (!fewest) return std::nullopt;
        return after(*fewest).begun(with_places({}, problem_.after(*fewest, nobody)));
    }

    /// Returns the plan of `way` after the fewest waits that suffice, by bisection: more waits never hurt. `way` is a
    /// member, `after_few_waits(&planner::by_moving)`, or a function that returns an optional plan.
    /// Cost: 1 + log(flights) times that of `way`.
    template <class Way>
    [[nodiscard, gnu::cold]] constexpr std::optional<plan> after_few_waits(Way way) const {
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
    [[nodiscard, gnu::cold]] constexpr std::optional<plan> cheapest_over_waits(Way way) const {
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
    [[nodiscard]] constexpr planning_result cheapest() const { return solve(problem_.after(waits_, anybody())); }

    /// Returns a lower bound in nanoseconds for all ways after up to `most` waits; the largest number if none exists.
    /// Cost: that of `cheapest` for each number of waits.
    [[nodiscard, gnu::cold]] constexpr std::uint64_t min_nanoseconds(std::size_t most = 16) const {
        std::uint64_t least = ~std::uint64_t{0};
        for (std::size_t waits = 0; waits <= flights() && price_of_waiting(waits) < least; ++waits) {
            const std::uint64_t price = waits < most ? after(waits).cheapest().lower_bound : price_of_waiting(waits);
            if (price < least) least = price;
        }
        return least;
    }

    /// Returns the cheaper of two plans, with victims in the eviction policy's order.
    /// One evicts until enough bytes are free, then moves; the other evicts all that the policy needs without moves.
    /// The second is tried only if the first fails or its moves cost more than the reloads.
    /// Cost: that of both, and twice that of `cheapest`.
    [[nodiscard, gnu::cold]] constexpr planning_result cheapest_in_order() const {
        const memory_layout everyone = problem_.after(waits_, anybody());
        const victim_search victims_of(everyone);
        if (problem_.may_move && problem_.choice != victims::none) {
            planning_result few = solve_with(everyone, victims_of.enough_bytes(problem_.choice == victims::window));
            if (few.found && few.found->nanoseconds_of(step_kind::move) <= few.found->nanoseconds_of(step_kind::evict))
                return few;
            planning_result more = solve_with(everyone, named_by_policy(victims_of));
            const bool better = !few.found || (more.found && more.found->nanoseconds < few.found->nanoseconds);
            return better ? static_cast<planning_result&&>(more) : static_cast<planning_result&&>(few);
        }
        return solve_with(everyone, named_by_policy(victims_of));
    }

    /// Returns the cheapest moves found: slides, and moves into other holes.
    /// Cost: see `joint_search`.
    [[nodiscard, gnu::cold]] constexpr std::optional<plan> by_moving() const {
        if (!problem_.may_move) return std::nullopt;
        return solve(problem_.after(waits_, nobody)).found;
    }

    /// Evicts by the eviction policy alone.
    [[nodiscard, gnu::cold]] constexpr std::optional<plan> by_evicting() const {
        if (problem_.choice == victims::none) return std::nullopt;
        memory_layout everyone = problem_.after(waits_, anybody());
        const victim_search victims_of(everyone);
        std::optional<indices> leaving;
        if (problem_.choice == victims::window) {
            leaving = victims_of.cheapest_window();
            if (leaving) victims_of.spare(*leaving);
        }
        if (!leaving) leaving = victims_of.one_at_a_time();
        if (!leaving) return std::nullopt;
        plan steps = evict(everyone, *leaving);
        return begun(with_places(static_cast<plan&&>(steps), everyone));
    }

    /// Plans evictions by score, one program after the other, until moves make enough room; omits those that turn out
    /// to be unnecessary; then moves.
    [[nodiscard, gnu::cold]] constexpr std::optional<plan> by_both() const {
        if (!problem_.may_move || problem_.choice == victims::none) return std::nullopt;
        const memory_layout everyone = problem_.after(waits_, anybody());
        const std::optional<indices> leaving = victim_search(everyone).one_at_a_time(
            [this](const memory_layout& rest) { return found_in(rest.settled()).found.has_value(); });
        if (!leaving) return std::nullopt;
        std::optional<plan> found = moves_without(everyone, *leaving);
        if (found) found = begun(static_cast<plan&&>(*found));
        return found;
    }

private:
    constexpr basic_planner(const Problem& problem, std::size_t waits) : problem_(problem), waits_(waits) {}

    template <class Way>
    [[nodiscard, gnu::cold]] static constexpr auto go(Way way, const basic_planner& later) {
        if constexpr (requires { (later.*way)(); })
            return (later.*way)();
        else
            return way(later);
    }
    [[nodiscard, gnu::cold, gnu::noinline]] constexpr plan begun(plan&& rest) const {
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
    [[nodiscard, gnu::cold]] constexpr plan with_places(plan&& steps, const memory_layout& later) const {
        if (const std::optional<trivial_vector<std::uint64_t>> places = later.places())
            for (const std::uint64_t place : *places) steps.places.push_back(problem_.bytes(place));
        return static_cast<plan&&>(steps);
    }

    [[nodiscard, gnu::cold]] constexpr const step& eviction_of(std::uint32_t slot) const noexcept {
        std::size_t at = 0;
        while (problem_.programs[at].slot != slot) ++at;
        return problem_.programs[at].eviction;
    }
    /// Evicts programs from `later`. Returns the steps.
    [[nodiscard, gnu::cold]] constexpr plan evict(memory_layout& later, const indices& leaving) const {
        plan steps;
        for (const std::uint32_t index : leaving) {
            steps.add(eviction_of(later.programs[index].slot));
            later.evict(index);
        }
        return steps;
    }

    /// Returns the victims if nothing could move; all evictable programs if those are not enough.
    [[nodiscard, gnu::cold]] constexpr indices named_by_policy(const victim_search<memory_layout>& victims_of) const {
        if (problem_.choice == victims::window)
            if (const auto window = victims_of.cheapest_window()) return *window;
        return victims_of.in_order();
    }
    [[nodiscard, gnu::cold]] constexpr planning_result solve_with(const memory_layout& everyone,
                                                                  const indices& leaving) const {
        return solve(problem_.after(waits_, leavers{false, &everyone, &leaving}));
    }
    [[nodiscard, gnu::cold]] constexpr std::optional<plan> moves_without(const memory_layout& everyone,
                                                                         const indices& leaving) const {
        if (!everyone.look()) return std::nullopt;
        memory_layout rest = everyone;
        plan steps = evict(rest, leaving);
        std::optional<plan> moves = found_in(rest.settled()).found;
        if (!moves) return std::nullopt;
        for (const step& next : moves->steps) steps.add(next);
        steps.places = static_cast<trivial_vector<std::uint64_t>&&>(moves->places);
        return steps;
    }

    [[nodiscard, gnu::cold]] constexpr planning_result solve(const memory_layout& start) const {
        planning_result result = found_in(start);
        if (result.found) {
            result.found = begun(static_cast<plan&&>(*result.found));
            result.lower_bound = result.found->lower_bound;
        } else if (result.lower_bound != ~std::uint64_t{0}) {
            result.lower_bound = saturating_add(result.lower_bound, price_of_waiting(waits_));
        }
        return result;
    }
    /// Like `solve()`, without the cost of waiting.
    [[nodiscard, gnu::cold]] constexpr planning_result found_in(const memory_layout& start) const {
        planning_result result;
        if (start.fits()) {
            result.found = with_places({}, start);
            return result;
        }
        joint_search search(start);
        search.run();
        if (search.price() == unlimited_price) {
            result.proof = search.proof();
            result.lower_bound = search.bound() == unlimited_price ? ~std::uint64_t{0} : search.bound() >> tie_bits;
            return result;
        }
        plan steps;
        memory_layout later = start;
        std::size_t near = 0;
        for (const change& next : search.changes()) {
            if (next.evicts) {
                steps.add(eviction_of(start.programs[next.subject].slot));
                later.evict(next.subject);
                continue;
            }
            const std::size_t at = later.find(next.subject, next.from, near);
            const std::uint64_t size = later.blocks[at].size;
            steps.add(move_step(problem_.spec, next.subject, problem_.bytes(next.from), problem_.bytes(next.to),
                                problem_.bytes(size), next.aside ? step_purpose::aside : step_purpose::room));
            near = later.move(at, next.to);
        }
        // A price that is capped bounds less than the nanoseconds of the plan, and proves nothing about them.
        steps.lower_bound = search.bound() >> tie_bits;
        if (steps.lower_bound > steps.nanoseconds) steps.lower_bound = steps.nanoseconds;
        result.lower_bound = steps.lower_bound;
        result.found = with_places(static_cast<plan&&>(steps), later);
        return result;
    }

    const Problem& problem_;
    std::size_t waits_;
};

}  // namespace hbm::inline v0
