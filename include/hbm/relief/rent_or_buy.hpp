#pragma once

#include <hbm/relief/relieve_cheapest.hpp>

#include <cstdint>
#include <optional>

namespace hbm {

/// What is cheapest today, until the moves since a program last left have cost as much as evicting would cost now; then
/// it evicts. Who looks at today's price alone may move a little for ever where one eviction would give room for long,
/// and who always evicts pays for what a few moves would have done: this one pays no more than about twice what the
/// better of both would (rent or buy: Karlin, Manasse, Rudolph and Sleator, 1988), without knowing what comes.
struct rent_or_buy {
    static constexpr fixed_string name{"rent_or_buy"};

    std::uint64_t spent_nanoseconds = 0;  ///< on moves since a program last left

    template <class Planner>
    [[nodiscard]] constexpr std::optional<plan> choose(const Planner& ways) const {
        std::optional<plan> today = relieve_cheapest{}.choose(ways);
        if (!today || today->nanoseconds_of(remedy::move) == 0) return today;
        std::optional<plan> evicting = ways.after(0).by_evicting();
        if (!evicting) evicting = ways.by_evicting();
        if (!evicting || add_up(spent_nanoseconds, today->nanoseconds) <= evicting->nanoseconds) return today;
        evicting->nothing_under = today->nothing_under;
        return evicting;
    }

    /// Keeps the account.
    constexpr void relieved(const plan& done) noexcept {
        if (done.has(remedy::evict)) spent_nanoseconds = 0;
        spent_nanoseconds = add_up(spent_nanoseconds, done.nanoseconds_of(remedy::move));
    }

    friend constexpr bool operator==(const rent_or_buy&, const rent_or_buy&) = default;
};

static_assert(relief<rent_or_buy> && learns_from_relief<rent_or_buy>);

}  // namespace hbm
