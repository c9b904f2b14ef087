#pragma once

#include <hbm/relief/relief.hpp>

namespace hbm {

/// Moves as long as moving helps, evicts when it does not, and does both when neither alone is enough.
struct compact_first {
    static constexpr fixed_string name{"compact_first"};

    template <class Planner>
    [[nodiscard]] constexpr std::optional<plan> choose(const Planner& ways) const {
        if (std::optional<plan> found = ways.by_moving()) return found;
        if (std::optional<plan> found = ways.by_evicting()) return found;
        return ways.by_both();
    }

    friend constexpr bool operator==(const compact_first&, const compact_first&) = default;
};

static_assert(relief<compact_first>);

}  // namespace hbm
