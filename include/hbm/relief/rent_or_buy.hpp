#pragma once

#include <hbm/relief/relief.hpp>

#include <cstdint>
#include <optional>

namespace hbm::inline v0 {

/// A relief policy: the cheapest plan, until moves have cost as much as evicting would now; then it evicts. If a single
/// eviction would end the moves, the cost is at most about twice the better of both, without knowing the future (rent
/// or buy: Karlin, Manasse, Rudolph and Sleator, 1988). Moves by `compact` and evictions by hand do not count.
struct rent_or_buy {
    static constexpr fixed_string name{"rent_or_buy"};

    std::uint64_t spent_nanoseconds = 0;  ///< cost of moves, less that of evictions

    template <class Planner>
    [[nodiscard]] constexpr std::optional<plan> choose(const Planner& ways) const {
        std::optional<plan> today = ways.cheapest_over_waits(&Planner::cheapest_in_order);
        if (!today || today->nanoseconds_of(step_kind::move) == 0) return today;
        std::optional<plan> evicting = ways.after_few_waits(&Planner::by_evicting);
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

static_assert(relief<rent_or_buy> && learns_from_relief<rent_or_buy>);

}  // namespace hbm::inline v0
