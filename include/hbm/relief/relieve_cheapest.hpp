#pragma once

#include <hbm/relief/relief.hpp>

namespace hbm {

/// The plan of least modelled time: waiting for runs in flight as long as they take, moving at the bandwidth of the
/// memory, reloading at that of the host link. What there is to wait for and what there is to move and evict afterwards
/// are weighed together. Who may leave is the eviction policy's choice, and which of them do a question of price. The
/// price is today's: a program that is cheap to bring back and wanted all the time would leave again and again if the
/// policy had no say (in a stream of runs that cost 30 to 50 % more reloading).
struct relieve_cheapest {
    static constexpr fixed_string name{"relieve_cheapest"};

    unsigned attempts = every_attempt;  ///< how many of waiting, moving, evicting and both together are tried

    template <class Planner>
    [[nodiscard]] constexpr std::optional<plan> choose(const Planner& ways) const {
        std::optional<plan> best;
        std::uint64_t nothing_under = 0;
        const auto consider = [&](const std::optional<plan>& other) {
            if (other && (!best || other->nanoseconds < best->nanoseconds)) best = other;
        };
        if (attempts > 0) consider(ways.by_waiting());
        for (std::size_t waits = 0; attempts > 1 && waits <= ways.flights(); ++waits) {
            if (best && ways.price_of_waiting(waits) >= best->nanoseconds) break;
            const auto& later = ways.after(waits);
            if (attempts > 3) {
                const relief_verdict said = later.cheapest_in_order();
                consider(said.found);
                if (waits == 0 || said.nothing_under < nothing_under) nothing_under = said.nothing_under;
                continue;
            }
            consider(later.by_moving());
            if (attempts > 2) consider(later.by_evicting());
        }
        if (best) best->nothing_under = nothing_under < best->nanoseconds ? nothing_under : best->nanoseconds;
        return best;
    }

    friend constexpr bool operator==(const relieve_cheapest&, const relieve_cheapest&) = default;
};

static_assert(relief<relieve_cheapest>);

}  // namespace hbm
