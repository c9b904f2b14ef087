#pragma once

/// The contract of a relief policy, which chooses among plans when a call does not fit, and the two usual policies.
/// The planner finds the plans.
///
/// | expression          | result                | meaning                                                                |
/// |---------------------|-----------------------|------------------------------------------------------------------------|
/// | `R::name`           | `fixed_string`        | the type as a user would write it                                      |
/// | `r.choose(planner)` | `std::optional<plan>` | optional: a plan of the planner, or none; absent: no moves, evictions  |
/// | `r.relieved(plan)`  | -                     | optional: called after the plan was carried out                        |
///
/// The planner:
///
/// | expression                                                          | result                | meaning             |
/// |---------------------------------------------------------------------|-----------------------|---------------------|
/// | `p.by_waiting()`, `p.by_moving()`, `p.by_evicting()`, `p.by_both()` | `std::optional<plan>` | a way, or two ways  |
/// | `p.cheapest()`, `p.cheapest_in_order()`                             | `planning_result`     | cheapest of all     |
/// | `p.after_few_waits(&planner::by_moving)`                            | `std::optional<plan>` | fewest waits first  |
/// | `p.cheapest_over_waits(&planner::cheapest)`                         | `std::optional<plan>` | waits included      |
/// | `p.flights()`, `p.price_of_waiting(n)`, `p.after(n)`                | numbers, a planner    | to weigh by hand    |
///
/// A manager without moves and evictions calls no policy: it waits for the fewest runs in flight that suffice.

#include <hbm/core/fixed_string.hpp>
#include <hbm/core/member_names.hpp>
#include <hbm/core/regular_value.hpp>
#include <hbm/planning/plan.hpp>

#include <concepts>
#include <optional>

namespace hbm::inline v0 {

class planner;

/// Ability: it chooses among plans.
template <class R>
concept chooses_plans = requires(const R policy, const planner& ways) {
    { policy.choose(ways) } -> std::same_as<std::optional<plan>>;
};
/// Ability: it receives the plans that were carried out.
template <class R>
concept learns_from_relief = requires(R policy, const plan& steps) {
    policy.relieved(steps);
};
template <class R>
concept relief = regular_value<R> && names_itself<R> &&
    (chooses_plans<R> || !detail::has_choose<R>)&&(learns_from_relief<R> || !requires { &R::relieved; });

/// Fails to compile with a message for every part of the contract that `R` misses.
template <class R>
consteval bool check_relief() {
    static_assert(regular_value<R>, "a relief policy is a regular value: default-made, copied, compared with ==");
    static_assert(names_itself<R>,
                  "a relief policy has a name: static constexpr hbm::fixed_string name{\"my_relief\"};");
    static_assert(chooses_plans<R> || !detail::has_choose<R>,
                  "a relief policy chooses: std::optional<hbm::plan> choose(const hbm::planner&) const");
    static_assert(
        learns_from_relief<R> || !requires { &R::relieved; },
        "a relief policy receives the plan that was carried out: void relieved(const hbm::plan&)");
    return relief<R>;
}

/// The null policy: a request fails if waiting is not enough; no moves, no evictions. No state, no cost.
struct never_relieve {
    static constexpr fixed_string name{"never_relieve"};

    friend constexpr bool operator==(const never_relieve&, const never_relieve&) = default;
};

/// A relief policy: the plan of least modelled time, waits, moves and evictions weighed together.
/// Moves run at the bandwidth of the memory, reloads at that of the host link. The eviction policy nominates victims;
/// price decides among them. Price alone would evict cheap programs again and again: reloads cost 30 to 50 % more.
struct relieve_cheapest {
    static constexpr fixed_string name{"relieve_cheapest"};

    constexpr std::optional<plan> choose(const planner& ways) const;  // in planner.hpp

    friend constexpr bool operator==(const relieve_cheapest&, const relieve_cheapest&) = default;
};

static_assert(relief<never_relieve> && relief<relieve_cheapest>);

}  // namespace hbm::inline v0
