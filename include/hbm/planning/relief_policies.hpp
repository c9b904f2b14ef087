#pragma once

/// Relief policies that try ways in a fixed order, or remember what moves have cost.

#include <hbm/planning/planner.hpp>

#include <cstdint>
#include <optional>

namespace hbm::inline v0 {

/// A relief policy: waits if that is enough, else moves, else evicts, else does both.
/// Moves and evictions follow the fewest waits that suffice, even if more waits would be cheaper.
struct compact_first {
    static constexpr fixed_string name{"compact_first"};

    constexpr std::optional<plan> choose(const planner& ways) const {
        std::optional<plan> steps = ways.by_waiting();
        if (!steps) steps = ways.after_few_waits(&planner::by_moving);
        if (!steps) steps = ways.after_few_waits(&planner::by_evicting);
        if (!steps) steps = ways.after_few_waits(&planner::by_both);
        return steps;
    }

    friend constexpr bool operator==(const compact_first&, const compact_first&) = default;
};

/// A relief policy: waits if that is enough, else evicts, else moves, else does both.
/// Evictions and moves follow the fewest waits that suffice, even if more waits would be cheaper.
struct evict_first {
    static constexpr fixed_string name{"evict_first"};

    constexpr std::optional<plan> choose(const planner& ways) const {
        std::optional<plan> steps = ways.by_waiting();
        if (!steps) steps = ways.after_few_waits(&planner::by_evicting);
        if (!steps) steps = ways.after_few_waits(&planner::by_moving);
        if (!steps) steps = ways.after_few_waits(&planner::by_both);
        return steps;
    }

    friend constexpr bool operator==(const evict_first&, const evict_first&) = default;
};

/// A relief policy: the cheapest plan, until moves have cost as much as evicting would now; then it evicts. If a single
/// eviction would end the moves, the cost is at most about twice the better of both, without knowing the future (rent
/// or buy: Karlin, Manasse, Rudolph and Sleator, 1988). Moves by `compact` and evictions by hand do not count.
struct rent_or_buy {
    static constexpr fixed_string name{"rent_or_buy"};

    std::uint64_t spent_nanoseconds = 0;  ///< cost of moves, less that of evictions

    constexpr std::optional<plan> choose(const planner& ways) const {
        std::optional<plan> today = ways.cheapest_over_waits(&planner::cheapest_in_order);
        if (!today || today->nanoseconds_of(step_kind::move) == 0) return today;
        std::optional<plan> evicting = ways.after_few_waits(&planner::by_evicting);
        if (!evicting || saturating_add(spent_nanoseconds, today->nanoseconds) <= evicting->nanoseconds) return today;
        return evicting;
    }
    constexpr void relieved(const plan& done) noexcept {
        const std::uint64_t paid = done.nanoseconds_of(step_kind::evict);
        spent_nanoseconds = spent_nanoseconds < paid ? 0 : spent_nanoseconds - paid;
        spent_nanoseconds = saturating_add(spent_nanoseconds, done.nanoseconds_of(step_kind::move));
    }

    friend constexpr bool operator==(const rent_or_buy&, const rent_or_buy&) = default;
};

static_assert(relief<compact_first> && relief<evict_first> && relief<rent_or_buy> && learns_from_relief<rent_or_buy>);

}  // namespace hbm::inline v0
