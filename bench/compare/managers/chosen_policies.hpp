#pragma once

/// Policy types that behave as any of the shipped policies, chosen at run time: shipped managers consist of them.

#include <hbm/donation/donate_fitting.hpp>
#include <hbm/donation/donation.hpp>
#include <hbm/eviction/more_scores.hpp>
#include <hbm/eviction/policies.hpp>
#include <hbm/planning/relief_policies.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "compare/managers/policy_choices.hpp"

namespace hbm::compare {

/// Eviction policy chosen at run time; for `never`, `chosen_relief` allows no victims.
struct chosen_eviction {
    static constexpr fixed_string name{"chosen_eviction"};
    static constexpr victims choice = victims::one_at_a_time;

    eviction_choice which = eviction_choice::never;
    evict_lru lru = {};
    evict_greedy_dual dual = {};
    evict_cheapest_window window = {};

    [[nodiscard]] constexpr std::uint64_t score(const program_record& record, std::uint64_t now) const noexcept {
        if (which == eviction_choice::window) return window.score(record, now);
        return which == eviction_choice::greedy_dual ? dual.score(record, now) : lru.score(record, now);
    }
    [[nodiscard]] constexpr std::uint64_t credit(const program_record& record, std::uint64_t now) const noexcept {
        if (which == eviction_choice::window) return window.credit(record, now);
        return which == eviction_choice::greedy_dual ? dual.credit(record, now) : record.credit;
    }
    constexpr void evicted(const program_record& record) noexcept {
        if (which == eviction_choice::greedy_dual) dual.evicted(record);
    }

    friend constexpr bool operator==(const chosen_eviction&, const chosen_eviction&) = default;
};
static_assert(eviction<chosen_eviction> && !gives_credit<evict_lru> && !learns_from_evictions<evict_cheapest_window>);

/// Donation policy chosen at run time.
struct chosen_donation {
    static constexpr fixed_string name{"chosen_donation"};

    donation_choice which = donation_choice::never;

    [[nodiscard]] constexpr std::size_t choose(std::span<const std::uint64_t> offered,
                                               std::uint64_t size) const noexcept {
        if (which == donation_choice::never) return no_donor;
        return which == donation_choice::fitting ? donate_fitting{}.choose(offered, size)
                                                 : donate_same_size{}.choose(offered, size);
    }

    friend constexpr bool operator==(const chosen_donation&, const chosen_donation&) = default;
};
static_assert(donation<chosen_donation>);

/// Relief policy chosen at run time, of those that plan. It also removes forbidden steps from plans: moves, and victims
/// that the eviction policy would not pick.
struct chosen_relief {
    static constexpr fixed_string name{"chosen_relief"};

    policy_choices chosen = {};
    rent_or_buy renting = {};

    [[nodiscard]] std::optional<plan> choose(const planner& ways) const;
    void relieved(const plan& done) noexcept {
        if (chosen.relief == relief_choice::rent_or_buy) renting.relieved(done);
    }

    friend constexpr bool operator==(const chosen_relief&, const chosen_relief&) = default;
};
static_assert(relief<chosen_relief> && learns_from_relief<chosen_relief>);

}  // namespace hbm::compare
