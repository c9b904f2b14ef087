#pragma once

/// Which programs leave so that a request fits.

#include <hbm/eviction/eviction.hpp>
#include <hbm/relief/layout_of.hpp>
#include <hbm/search/victim_search.hpp>
#include <hbm/state/memory_state.hpp>

#include <optional>
#include <span>
#include <vector>

namespace hbm {

/// Picks victims by their scores (one per program slot). `protected_slot` is the program that memory is wanted for; it
/// stays. Results are slots. See `victim_search` for what they are and cost.
template <placement P>
class victim_finder {
public:
    using quanta = typename P::quanta;
    using slots = std::vector<std::uint32_t>;

    constexpr victim_finder(const memory_state<P>& state, std::span<const std::uint64_t> scores,
                            std::uint32_t protected_slot)
        : state_(state), scores_(scores), protected_slot_(protected_slot) {}

    [[nodiscard]] constexpr slots in_order(const need<quanta>& wanted) const {
        const layout start = seen(wanted);
        return slots_of(start, victim_search(start).in_order());
    }
    [[nodiscard]] constexpr slots enough_bytes(const need<quanta>& wanted, victims choice) const {
        const layout start = seen(wanted);
        return slots_of(start, victim_search(start).enough_bytes(choice == victims::window));
    }
    [[nodiscard]] constexpr std::optional<slots> one_at_a_time(const need<quanta>& wanted) const {
        const layout start = seen(wanted);
        return slots_of(start, victim_search(start).one_at_a_time());
    }
    template <class Enough>
    [[nodiscard]] constexpr std::optional<slots> one_at_a_time_until(const need<quanta>& wanted, Enough enough) const {
        const layout start = seen(wanted);
        return slots_of(start, victim_search(start).one_at_a_time_until(enough));
    }
    [[nodiscard]] constexpr std::optional<slots> cheapest_window(const need<quanta>& wanted) const {
        const layout start = seen(wanted);
        return slots_of(start, victim_search(start).cheapest_window());
    }
    constexpr void spare(slots& leaving, const need<quanta>& wanted) const {
        const layout start = seen(wanted);
        slots those;
        for (const std::uint32_t slot : leaving) {
            std::uint32_t who = 0;
            while (start.programs[who].slot != slot) ++who;
            those.push_back(who);
        }
        victim_search(start).spare(those);
        leaving = slots_of(start, those);
    }

private:
    [[nodiscard]] constexpr layout seen(const need<quanta>& wanted) const {
        return layout_of(state_, wanted, scores_, [&](std::uint32_t slot) { return slot != protected_slot_; });
    }
    [[nodiscard]] static constexpr slots slots_of(const layout& start, slots those) {
        for (std::uint32_t& one : those) one = start.programs[one].slot;
        return those;
    }
    [[nodiscard]] static constexpr std::optional<slots> slots_of(const layout& start,
                                                                 const std::optional<slots>& those) {
        if (!those) return std::nullopt;
        return slots_of(start, *those);
    }

    const memory_state<P>& state_;
    std::span<const std::uint64_t> scores_;
    std::uint32_t protected_slot_;
};

}  // namespace hbm
