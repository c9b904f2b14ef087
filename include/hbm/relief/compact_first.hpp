#pragma once

#include <hbm/relief/relief.hpp>

namespace hbm::inline v0 {

/// A relief policy: waits if that is enough, else moves, else evicts, else does both.
/// Moves and evictions follow the fewest waits that suffice, even if more waits would be cheaper.
struct compact_first {
    static constexpr fixed_string name{"compact_first"};

    unsigned max_ways = all_ways;  ///< number of these four that are tried before the request fails

    template <class Planner>
    [[nodiscard]] constexpr std::optional<plan> choose(const Planner& ways) const {
        std::optional<plan> steps;
        if (max_ways > 0) steps = ways.by_waiting();
        if (max_ways > 1 && !steps) steps = ways.after_few_waits(&Planner::by_moving);
        if (max_ways > 2 && !steps) steps = ways.after_few_waits(&Planner::by_evicting);
        if (max_ways > 3 && !steps) steps = ways.after_few_waits(&Planner::by_both);
        return steps;
    }

    friend constexpr bool operator==(const compact_first&, const compact_first&) = default;
};

static_assert(relief<compact_first>);

}  // namespace hbm::inline v0
