#pragma once

/// A plan that is made while compiling and needs no memory of the host.

#include <hbm/placement/sequence_plan.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace hbm {

/// How much of everything a plan has.
struct plan_extent {
    std::size_t events = 0;
    std::size_t steps = 0;
    std::size_t places = 0;
    std::size_t order = 0;
    std::size_t beginnings = 0;
    std::size_t contexts = 0;
    std::uint32_t height = 0;
};

/// The plan in arrays. Make one with `fixed`.
template <plan_extent Extent>
struct fixed_plan {
    std::array<plan_event, Extent.events> events{};
    std::array<plan_step, Extent.steps> steps{};
    std::array<plan_place, Extent.places> places{};
    std::array<std::uint32_t, Extent.order> order{};
    std::array<plan_key, Extent.beginnings> beginnings{};
    std::array<plan_key, Extent.contexts> contexts{};

    /// To follow it: the plan must lie in static storage or outlive who follows it.
    [[nodiscard]] constexpr plan_view view() const noexcept { return plan_detail::view_of(*this, Extent.height); }
    constexpr operator plan_view() const noexcept { return view(); }

    friend constexpr bool operator==(const fixed_plan&, const fixed_plan&) = default;
};

/// The plan that a function without captures makes, as a constant: `constexpr auto plan = hbm::fixed([] { return
/// hbm::plan_for(sequence()); });`.
template <class Make>
[[nodiscard]] consteval auto fixed(Make) {
    constexpr plan_extent whole = [] {
        const sequence_plan made = Make{}();
        return plan_extent{made.events.size(),     made.steps.size(),    made.places.size(), made.order.size(),
                           made.beginnings.size(), made.contexts.size(), made.height};
    }();
    const sequence_plan made = Make{}();
    fixed_plan<whole> kept;
    const auto copy = [](const auto& from, auto& to) {
        for (std::size_t at = 0; at < from.size(); ++at) to[at] = from[at];
    };
    copy(made.events, kept.events);
    copy(made.steps, kept.steps);
    copy(made.places, kept.places);
    copy(made.order, kept.order);
    copy(made.beginnings, kept.beginnings);
    copy(made.contexts, kept.contexts);
    return kept;
}

}  // namespace hbm
