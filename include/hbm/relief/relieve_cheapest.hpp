#pragma once

#include <hbm/relief/relief.hpp>

namespace hbm {

/// The plan of least modelled time: waiting for runs in flight as long as they take, moving at the bandwidth of the
/// memory, reloading at that of the host link. What there is to wait for and what there is to move and evict afterwards
/// are weighed together. Who may leave is the eviction policy's choice, and which of them do a question of price. The
/// price is today's: a program that is cheap to bring back and required all the time would leave again and again if the
/// policy had no say (in a stream of runs that cost 30 to 50 % more reloading).
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

}  // namespace hbm
