#pragma once

/// The contract of a relief policy: what is done when a request does not fit, in which order or at which price.
/// What exists is the planner's business, what is preferred the policy's.
///
/// | expression          | result                | meaning                                                                          |
/// |---------------------|-----------------------|----------------------------------------------------------------------------------|
/// | `R::name`           | `fixed_string`        | the type as a user would write it                                                |
/// | `r.choose(planner)` | `std::optional<plan>` | one of the plans that the planner finds, below; or none              |
/// | `r.relieved(plan)`  | -                     | optional: this was carried out                                                   |
///
/// | expression          | result                | meaning                                                                          |
/// |---------------------|-----------------------|----------------------------------------------------------------------------------|
/// | `p.by_waiting()`, `p.by_moving()`, `p.by_evicting()`, `p.by_both()` | `std::optional<plan>` | one step_kind, or two |
/// | `p.cheapest()`, `p.cheapest_in_order()` | `planning_result`, whose plan is `found` | moves and evictions at the least price |
/// | `p.after_few_waits(&Planner::by_moving)` | `std::optional<plan>` | with as few runs in flight waited for as it takes  |
/// | `p.cheapest_over_waits(&Planner::cheapest)` | `std::optional<plan>` | be it after waiting for some of them            |
/// | `p.flights()`, `p.price_of_waiting(n)`, `p.after(n)` | numbers, a planner | to weigh that by hand                    |

#include <hbm/core/fixed_string.hpp>
#include <hbm/relief/planner.hpp>

#include <concepts>
#include <optional>

namespace hbm {

/// As many attempts as there are ways.
inline constexpr unsigned every_attempt = ~0u;

/// Stands for any placement where a relief policy is checked; it places nothing.
struct probe_placement {
    using quanta = std::uint32_t;
    static constexpr fixed_string name{"probe_placement"};
    static constexpr bool merges_neighbours = true;
    static constexpr quanta unlimited = 0;

    constexpr probe_placement() = default;
    constexpr explicit probe_placement(quanta) {}
    constexpr block_index place(const need<quanta>&) { return no_block; }
    constexpr void release(block_index) {}
    [[nodiscard]] constexpr need<quanta> requirement(const need<quanta>& n) const { return n; }
    [[nodiscard]] constexpr quanta largest_free() const { return 0; }
    [[nodiscard]] constexpr block_map<quanta>& map() { return map_; }
    [[nodiscard]] constexpr const block_map<quanta>& map() const { return map_; }

    friend constexpr bool operator==(const probe_placement&, const probe_placement&) = default;

private:
    block_map<quanta> map_;
};

/// Facet: it has a name.
template <class R>
concept relief_names_itself = requires {
    { R::name.c_str() } -> std::same_as<const char*>;
};
/// Facet: it chooses among plans.
template <class R>
concept chooses_plans = requires(const R policy, const planner<probe_placement>& ways) {
    { policy.choose(ways) } -> std::same_as<std::optional<plan>>;
};

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
concept relief = std::regular<R> && relief_names_itself<R> && chooses_plans<R> && !learns_from_relief_wrongly<R>;

/// Words every miss of the contract.
template <class R>
consteval bool check_relief() {
    static_assert(std::regular<R>, "a relief policy is a regular value: default-made, copied, compared with ==");
    static_assert(relief_names_itself<R>,
                  "a relief policy has a name: static constexpr hbm::fixed_string name{\"my_relief\"};");
    static_assert(
        chooses_plans<R>,
        "a relief policy chooses: template <class Planner> std::optional<hbm::plan> choose(const Planner&) const");
    static_assert(!learns_from_relief_wrongly<R>,
                  "a relief policy is told which plan was carried out: void relieved(const hbm::plan&)");
    return relief<R>;
}

}  // namespace hbm
