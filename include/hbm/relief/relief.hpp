#pragma once

/// The contract of a relief policy: what is done when a call does not fit, in which order or at which price. What
/// exists is the planner's business, what is preferred the policy's.
///
/// | expression          | result                | meaning                                                                |
/// |---------------------|-----------------------|------------------------------------------------------------------------|
/// | `R::name`           | `fixed_string`        | the type as a user would write it                                      |
/// | `r.choose(planner)` | `std::optional<plan>` | optional: a plan that the planner finds, below, or none; absence means |
/// |                     |                       | that nothing is moved and nobody evicted                               |
/// | `r.relieved(plan)`  | -                     | optional: this was carried out                                         |
///
/// | expression                                                          | result                | meaning             |
/// |---------------------------------------------------------------------|-----------------------|---------------------|
/// | `p.by_waiting()`, `p.by_moving()`, `p.by_evicting()`, `p.by_both()` | `std::optional<plan>` | a way, or two ways  |
/// | `p.cheapest()`, `p.cheapest_in_order()`                             | `planning_result`     | moves and evictions |
/// |                                                                     |                       | at the least price  |
/// | `p.after_few_waits(&planner::by_moving)`                            | `std::optional<plan>` | with as few waits   |
/// |                                                                     |                       | as it takes         |
/// | `p.cheapest_over_waits(&planner::cheapest)`                         | `std::optional<plan>` | be it after waiting |
/// | `p.flights()`, `p.price_of_waiting(n)`, `p.after(n)`                | numbers, a planner    | to weigh by hand    |
///
/// A manager whose blocks may not move and whose programs are never evicted asks no policy: it waits for as few runs
/// in flight as it takes.

#include <hbm/core/fixed_string.hpp>
#include <hbm/core/member_names.hpp>
#include <hbm/core/regular_value.hpp>
#include <hbm/state/plan.hpp>

#include <concepts>
#include <optional>

namespace hbm {

template <class Problem>
class basic_planner;
struct planning_problem;
using planner = basic_planner<planning_problem>;

/// All ways that a relief policy knows.
inline constexpr unsigned all_ways = ~0u;

/// Ability: it chooses among plans.
template <class R>
concept chooses_plans = requires(const R policy, const planner& ways) {
    { policy.choose(ways) } -> std::same_as<std::optional<plan>>;
};
/// Near miss: it chooses something else.
template <class R>
concept chooses_plans_wrongly = !chooses_plans<R> && detail::has_choose<R>;

/// Ability: it is told what was done.
template <class R>
concept learns_from_relief = requires(R policy, const plan& steps) {
    policy.relieved(steps);
};
/// Near miss: it is told something else.
template <class R>
concept learns_from_relief_wrongly = !learns_from_relief<R> && requires {
    &R::relieved;
};

/// A relief policy.
template <class R>
concept relief = regular_value<R> && names_itself<R> && !chooses_plans_wrongly<R> && !learns_from_relief_wrongly<R>;

/// Words every miss of the contract.
template <class R>
consteval bool check_relief() {
    static_assert(regular_value<R>, "a relief policy is a regular value: default-made, copied, compared with ==");
    static_assert(names_itself<R>,
                  "a relief policy has a name: static constexpr hbm::fixed_string name{\"my_relief\"};");
    static_assert(!chooses_plans_wrongly<R>,
                  "a relief policy chooses: std::optional<hbm::plan> choose(const hbm::planner&) const");
    static_assert(!learns_from_relief_wrongly<R>,
                  "a relief policy is told which plan was carried out: void relieved(const hbm::plan&)");
    return relief<R>;
}

}  // namespace hbm
