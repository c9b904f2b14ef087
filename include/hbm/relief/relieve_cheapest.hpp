#pragma once

#include <hbm/relief/relief.hpp>

namespace hbm::inline v0 {

/// A relief policy: the plan of least modelled time, waits, moves and evictions weighed together.
/// Moves run at the bandwidth of the memory, reloads at that of the host link. The eviction policy nominates victims;
/// price decides among them. Price alone would evict cheap programs again and again: reloads cost 30 to 50 % more.
struct relieve_cheapest {
    static constexpr fixed_string name{"relieve_cheapest"};

    unsigned max_ways = all_ways;  ///< number of ways tried: waiting, moving, evicting, both together

    template <class Planner>
    [[nodiscard]] constexpr std::optional<plan> choose(const Planner& ways) const {
        if (max_ways == 0) return std::nullopt;
        if (max_ways == 1) return ways.by_waiting();
        return ways.cheapest_over_waits([&](const Planner& later) {
            if (max_ways > 3) return later.cheapest_in_order();
            planning_result said{.found = later.by_moving()};
            if (max_ways == 2) return said;
            std::optional<plan> evicting = later.by_evicting();
            if (evicting && (!said.found || evicting->nanoseconds < said.found->nanoseconds))
                said.found = static_cast<std::optional<plan>&&>(evicting);
            return said;
        });
    }

    friend constexpr bool operator==(const relieve_cheapest&, const relieve_cheapest&) = default;
};

static_assert(relief<relieve_cheapest>);

}  // namespace hbm::inline v0
