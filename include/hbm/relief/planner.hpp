#pragma once

/// Finds ways to make a request fit. Nothing is touched: every way is tried on copies and comes out as a plan.

#include <hbm/relief/layout_of.hpp>
#include <hbm/relief/victims.hpp>
#include <hbm/search/joint_search.hpp>
#include <hbm/state/memory_state.hpp>

#include <optional>
#include <span>

namespace hbm {

/// The ways to make one request fit: by waiting, by moving blocks, by evicting programs, or by both. Each is looked for
/// when it is asked for and is empty when it does not exist (or, for moves into other holes and for both together, was
/// not found). Moves and evictions are looked for as things are after everything was waited for, which is then their
/// first step, or after as much as `after` says. Where frees wait that may take effect, the first step is to let them.
template <placement P>
class planner {
public:
    using quanta = typename P::quanta;

    /// `wanted` as the placement was asked; `choice` and `scores` (one per program slot) are the eviction policy's;
    /// `protected_slot` is the program that memory is wanted for. All are referred to, not copied. Where waiting is not
    /// enough, no fewer than `min_waits` of the runs in flight are waited for.
    constexpr planner(const memory_state<P>& state, const need<quanta>& wanted, victims choice,
                      std::span<const std::uint64_t> scores, std::uint32_t protected_slot, std::size_t min_waits = 0)
        : planner(state, wanted, choice, scores, protected_slot, min_waits, state.flights.size()) {}
    planner(const planner&) = delete;
    planner& operator=(const planner&) = delete;

    /// The runs in flight: how many fences can be waited for.
    [[nodiscard]] constexpr std::size_t flights() const noexcept { return origin_.flights.size(); }
    /// What waiting for the first `count` of them costs, in nanoseconds. O(count).
    [[nodiscard]] constexpr std::uint64_t price_of_waiting(std::size_t count) const noexcept {
        std::uint64_t price = 0;
        for (std::size_t at = 0; at < count; ++at) price = saturating_add(price, origin_.flights[at].nanoseconds);
        return price;
    }
    /// The ways that begin with waiting for the first `count` of them, for all if that is more. O(blocks).
    [[nodiscard]] constexpr planner after(std::size_t count) const {
        const std::size_t all = flights();
        return {origin_, wanted_, choice_, scores_, protected_slot_, min_waits_, count < all ? count : all};
    }

    /// Waits for as few runs as it takes; empty where waiting is not enough. O(log(flights) x blocks).
    [[nodiscard]] constexpr std::optional<plan> by_waiting() const {
        if (!origin_.can_wait()) return std::nullopt;
        const auto fewest = fewest_waits(0, [&](std::size_t count) { return waited(count).fits(wanted_); });
        if (!fewest) return std::nullopt;
        return waiting(*fewest, waited(*fewest));
    }

    /// What `way` finds after waiting for as few of the runs in flight as it takes, by halves, as if more waits never
    /// hurt; empty where it finds nothing after all of them. A way is a member, `after_few_waits(&Planner::by_moving)`,
    /// or any function of a planner, here with an optional plan. Cost of the way, 1 + log(flights) times.
    template <class Way>
    [[nodiscard]] constexpr std::optional<plan> after_few_waits(Way way) const {
        std::optional<plan> found;
        (void)fewest_waits(min_waits_, [&](std::size_t count) {
            std::optional<plan> some = go(way, after(count));
            if (some) found = some;
            return some.has_value();
        });
        return found;
    }

    /// The cheapest of waiting alone and of what `way` finds after waiting for none, one, ... of the runs in flight, as
    /// long as that costs less than the best so far. A way is a member, `cheapest_over_waits(&Planner::cheapest)`, or
    /// any function of a planner, here with a `planning_result`, whose bound counts too. Cost of the way for each.
    template <class Way>
    [[nodiscard]] constexpr std::optional<plan> cheapest_over_waits(Way way) const {
        std::optional<plan> best = by_waiting();
        std::uint64_t lower_bound = ~std::uint64_t{0};
        for (std::size_t waits = min_waits_; waits <= flights(); ++waits) {
            if (best && price_of_waiting(waits) >= best->nanoseconds) break;
            const planning_result said = go(way, after(waits));
            if (said.found && (!best || said.found->nanoseconds < best->nanoseconds)) best = said.found;
            if (said.lower_bound < lower_bound) lower_bound = said.lower_bound;
        }
        if (best) best->lower_bound = lower_bound < best->nanoseconds ? lower_bound : best->nanoseconds;
        return best;
    }

    /// The cheapest plan that was found, be it by moving, by evicting or by both, or why there is none. Whoever may be
    /// evicted may leave, whatever the eviction policy's scores are, which only decide between programs that cost the
    /// same. See `joint_search` for the cost.
    [[nodiscard]] constexpr planning_result cheapest() const {
        return joint([&](std::uint32_t slot) { return may_leave(slot); });
    }

    /// No way takes less time, whoever leaves of those that may, be it by waiting for some of the runs in flight first;
    /// the largest number where it is proven that there is none. After `most` runs no more are waited for. Cost of
    /// `cheapest` for each.
    [[nodiscard]] constexpr std::uint64_t min_nanoseconds(std::size_t most = 16) const {
        std::uint64_t least = ~std::uint64_t{0};
        for (std::size_t waits = 0; waits <= flights() && price_of_waiting(waits) < least; ++waits) {
            const std::uint64_t price = waits < most ? after(waits).cheapest().lower_bound : price_of_waiting(waits);
            if (price < least) least = price;
        }
        return least;
    }

    /// As `cheapest`, but the eviction policy says who may leave: those of the lowest scores until enough bytes are
    /// free, so that moving does the rest. Where moving would cost more than bringing them back, or cannot do it, also
    /// those who would leave if the policy made all the room by itself; then the cheaper of the two. Cost of both, and
    /// twice that of `cheapest`.
    [[nodiscard]] constexpr planning_result cheapest_in_order() const {
        if constexpr (compacts<P>) {
            if (choice_ != victims::none) {
                const std::vector<std::uint32_t> few = finder().enough_bytes(wanted_, choice_);
                const planning_result said = joint_among(few);
                if (said.found &&
                    said.found->nanoseconds_of(step_kind::move) <= said.found->nanoseconds_of(step_kind::evict))
                    return said;
                const std::vector<std::uint32_t> more = named_by_policy();
                const planning_result other = joint_among(more);
                const bool better = !said.found || (other.found && other.found->nanoseconds < said.found->nanoseconds);
                return better ? other : said;
            }
        }
        const std::vector<std::uint32_t> named = named_by_policy();
        return joint_among(named);
    }

    /// The cheapest moves that were found: slides, and moves into other holes. See `joint_search` for the cost.
    [[nodiscard]] constexpr std::optional<plan> by_moving() const {
        return joint([](std::uint32_t) { return false; }).found;
    }

    /// By the eviction policy alone. See `victim_finder` for the cost.
    [[nodiscard]] constexpr std::optional<plan> by_evicting() const { return begun(evictions_in()); }

    /// Evicts, one at a time, as little as makes moving possible, then moves.
    [[nodiscard]] constexpr std::optional<plan> by_both() const { return begun(both_in(state())); }

private:
    constexpr planner(const memory_state<P>& state, const need<quanta>& wanted, victims choice,
                      std::span<const std::uint64_t> scores, std::uint32_t protected_slot, std::size_t min_waits,
                      std::size_t waits)
        : origin_(state), wanted_(wanted), choice_(choice), scores_(scores), protected_slot_(protected_slot),
          min_waits_(min_waits) {
        if (!state.can_wait()) return;
        waited_ = waited(waits);
        begun_ = waiting(waits, *waited_);
    }

    /// Things as they are after waiting.
    [[nodiscard]] constexpr const memory_state<P>& state() const noexcept { return waited_ ? *waited_ : origin_; }
    [[nodiscard]] constexpr victim_finder<P> finder() const { return {state(), scores_, protected_slot_}; }

    template <class Way>
    [[nodiscard]] static constexpr auto go(Way way, const planner& later) {
        if constexpr (requires { (later.*way)(); })
            return (later.*way)();
        else
            return way(later);
    }
    /// The least number of runs in flight, from `least` on, for which `enough(count)` is true, if that is true for all
    /// that are more; empty where it is not for all of them. The last call that was true was for that number.
    template <class Enough>
    [[nodiscard]] constexpr std::optional<std::size_t> fewest_waits(std::size_t least, Enough enough) const {
        std::size_t most = flights();
        if (!enough(most)) return std::nullopt;
        while (least < most) {
            const std::size_t middle = least + (most - least) / 2;
            if (enough(middle))
                most = middle;
            else
                least = middle + 1;
        }
        return most;
    }

    [[nodiscard]] constexpr fence fence_after(std::size_t count) const noexcept {
        return count == 0 ? origin_.reached : origin_.flights[count - 1].over;
    }
    [[nodiscard]] constexpr memory_state<P> waited(std::size_t count) const {
        memory_state<P> later = origin_;
        later.retire(fence_after(count));
        return later;
    }
    [[nodiscard]] constexpr plan waiting(std::size_t count, const memory_state<P>& later) const {
        plan wait;
        if (count == 0 && later.blocks.map().free() == origin_.blocks.map().free()) return wait;
        wait.add({.what = step_kind::wait,
                  .to = fence_after(count).number,
                  .bytes = origin_.bytes(static_cast<quanta>(later.blocks.map().free() - origin_.blocks.map().free())),
                  .nanoseconds = price_of_waiting(count)});
        return wait;
    }
    [[nodiscard]] constexpr std::optional<plan> begun(const std::optional<plan>& rest) const {
        if (!rest) return rest;
        plan whole = begun_;
        whole.add(*rest);
        if (rest->lower_bound != 0) whole.lower_bound = begun_.nanoseconds + rest->lower_bound;
        return whole;
    }

    [[nodiscard]] constexpr plan evictions(const std::vector<std::uint32_t>& slots) const {
        plan evicted;
        for (const std::uint32_t slot : slots) evicted.add(origin_.eviction_of(slot));
        return evicted;
    }
    [[nodiscard]] constexpr bool may_leave(std::uint32_t slot) const noexcept {
        return choice_ != victims::none && slot != protected_slot_;
    }
    [[nodiscard]] constexpr planning_result joint_among(const std::vector<std::uint32_t>& named) const {
        return joint([&](std::uint32_t slot) {
            for (const std::uint32_t one : named)
                if (one == slot) return true;
            return false;
        });
    }
    /// The slots of those that the eviction policy would evict if nothing could move; of all who may leave where even
    /// that is not enough.
    [[nodiscard]] constexpr std::vector<std::uint32_t> named_by_policy() const {
        if (choice_ == victims::window)
            if (const auto slots = finder().cheapest_window(wanted_)) return *slots;
        if (choice_ == victims::none) return {};
        return finder().in_order(wanted_);
    }

    /// What the joint search comes to when those for whom `leaves(slot)` is true may leave.
    template <class Leaves>
    [[nodiscard]] constexpr planning_result joint(Leaves leaves) const {
        const layout start = layout_of(state(), wanted_, scores_, leaves);
        planning_result said;
        if (start.fits()) {
            said.found = begun(plan{});
            said.lower_bound = said.found->lower_bound = said.found->nanoseconds;
            return said;
        }
        joint_search search(start);
        search.run();
        if (search.price() != joint_search::unlimited) {
            plan found = as_plan(search.changes(), start);
            found.lower_bound = search.bound() >= search.price() ? found.nanoseconds : search.bound() >> tie_bits;
            said.found = found;
        } else {
            said.proof = search.proof();
            said.lower_bound =
                search.bound() == joint_search::unlimited ? ~std::uint64_t{0} : search.bound() >> tie_bits;
        }
        if (said.found) {
            said.found = begun(said.found);
            said.lower_bound = said.found->lower_bound;
        } else if (said.lower_bound != ~std::uint64_t{0}) {
            said.lower_bound += begun_.nanoseconds;
        }
        return said;
    }

    [[nodiscard]] constexpr std::optional<plan> evictions_in() const {
        if (choice_ == victims::none) return std::nullopt;
        std::optional<std::vector<std::uint32_t>> slots;
        if (choice_ == victims::window) {
            slots = finder().cheapest_window(wanted_);
            if (slots) finder().spare(*slots, wanted_);
        }
        if (!slots) slots = finder().one_at_a_time(wanted_);
        if (!slots) return std::nullopt;
        return evictions(*slots);
    }

    [[nodiscard]] constexpr std::optional<plan> both_in(const memory_state<P>& state) const {
        if constexpr (!compacts<P>) return std::nullopt;
        if (choice_ == victims::none) return std::nullopt;
        const auto slots = finder().one_at_a_time_until(
            wanted_, [](const layout& now) { return now.fits() || !changes_of(now).empty(); });
        if (!slots) return std::nullopt;
        plan joined = evictions(*slots);
        memory_state<P> trial = state;
        for (const std::uint32_t slot : *slots) trial.evict(slot);
        if (!trial.fits(wanted_)) {
            const layout start = layout_of(trial, wanted_, scores_, [](std::uint32_t) { return false; });
            joined.add(as_plan(changes_of(start), start));
        }
        return joined;
    }

    [[nodiscard]] constexpr plan as_plan(const std::vector<change>& changes, const layout& start) const {
        plan made;
        for (const change& next : changes) {
            if (next.evicts) {
                made.add(origin_.eviction_of(start.programs[next.subject].slot));
                continue;
            }
            made.add(state().move_of(next.subject, static_cast<quanta>(next.from), static_cast<quanta>(next.to),
                                     next.aside ? step_purpose::aside : step_purpose::room));
        }
        return made;
    }

    /// The cheapest moves that are found if nobody else leaves.
    [[nodiscard]] static constexpr std::vector<change> changes_of(const layout& now) {
        const layout start = now.settled();
        joint_search search(start);
        search.run();
        return search.changes();
    }

    const memory_state<P>& origin_;
    need<quanta> wanted_;
    victims choice_;
    std::span<const std::uint64_t> scores_;
    std::uint32_t protected_slot_;
    std::size_t min_waits_;
    plan begun_;
    std::optional<memory_state<P>> waited_;
};

}  // namespace hbm
