#pragma once

#include <hbm/relief/relief.hpp>

namespace hbm {

/// Evicts as long as evicting helps, moves when it does not, and does both when neither alone is enough.
struct evict_first {
    static constexpr fixed_string name{"evict_first"};

    template <class Planner>
    [[nodiscard]] constexpr std::optional<plan> choose(const Planner& ways) const {
        if (std::optional<plan> found = ways.by_evicting()) return found;
        if (std::optional<plan> found = ways.by_moving()) return found;
        return ways.by_both();
    }

    friend constexpr bool operator==(const evict_first&, const evict_first&) = default;
};

static_assert(relief<evict_first>);

}  // namespace hbm
