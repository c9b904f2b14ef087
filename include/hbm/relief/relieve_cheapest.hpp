#pragma once

#include <hbm/relief/relief.hpp>

namespace hbm {

/// The plan of least modelled time: moving at the bandwidth of the memory, reloading at that of the host link.
struct relieve_cheapest {
    static constexpr fixed_string name{"relieve_cheapest"};

    template <class Planner>
    [[nodiscard]] constexpr std::optional<plan> choose(const Planner& ways) const {
        std::optional<plan> best = ways.by_moving();
        if (std::optional<plan> other = ways.by_evicting(); other && (!best || other->nanoseconds < best->nanoseconds))
            best = other;
        if (!best) best = ways.by_both();
        return best;
    }

    friend constexpr bool operator==(const relieve_cheapest&, const relieve_cheapest&) = default;
};

static_assert(relief<relieve_cheapest>);

}  // namespace hbm
