#pragma once

/// A series of sizes that has ended: growth, a spike, and the rise since a step.

#include <hbm/growth/growth_series.hpp>

#include <cstdint>
#include <optional>

#include "compare/growth/forecast.hpp"

namespace hbm {

/// A single step, or a few steps in a row, that needed much more than all others.
struct growth_spike {
    std::uint64_t step = 0;         ///< the step of the most, from 1
    std::uint64_t bytes = 0;        ///< the most
    std::uint64_t usual_bytes = 0;  ///< the most at all other times

    friend bool operator==(const growth_spike&, const growth_spike&) = default;
};

/// Least number of steps that can show continued growth; see `growth_at_end`.
inline constexpr std::uint64_t certain_growth_steps = growth_series::kept + growth_series::persistence;

/// Returns the width of the narrowest windows for a series of known length: 1 up to 80 steps, so that a short series
/// has its 40 windows, at most the usual width.
[[nodiscard]] std::uint32_t growth_window(std::uint64_t steps) noexcept;

/// Returns the growth at the end of a series. In a series of fewer than 40 windows a line through all of them counts
/// without persistence; fewer than 8 windows never grow. Cost: O(1).
[[nodiscard]] std::optional<growth_forecast> growth_at_end(const growth_series& series);

/// Returns the spike of a series; empty if there is none: the most of all steps is further above the most of all other
/// windows than that is above the floor. It covers at most three windows of the narrowest width of which 32 cover the
/// series. Cost: O(1).
[[nodiscard]] std::optional<growth_spike> spike_of(const growth_series& series) noexcept;

/// Returns the rise of the floor from the window after step `since` to the latest; 0 if it fell. Only wide windows are
/// kept of steps long ago.
/// Cost: O(log steps).
[[nodiscard]] std::uint64_t risen_since(const growth_series& series, std::uint64_t since) noexcept;

}  // namespace hbm
