#pragma once

/// Forecast of the end of memory for a series that grows, with its bounds.

#include <hbm/growth/growth_series.hpp>

#include <cstdint>

namespace hbm {

/// Growth along a line, and the uncertainty of its slope and level.
struct growth_forecast : steady_growth {
    std::uint64_t doubt_bytes = 0;      ///< four standard errors of `rise_bytes`
    std::uint64_t seen_steps = 0;       ///< the steps from which the slope was computed
    std::uint64_t least_top_bytes = 0;  ///< least need of a step so far
    std::uint64_t most_top_bytes = 0;   ///< nor more, single outliers included

    /// Returns the step before which memory is not expected to end: it ends between this step and the latest in about
    /// 99 series of 100, if later steps vary as much as those before.
    [[nodiscard]] std::uint64_t earliest_end_step(std::uint64_t capacity_bytes) const noexcept;
    /// Returns the step after which the end is not expected; the largest number if it may never come.
    [[nodiscard]] std::uint64_t latest_end_step(std::uint64_t capacity_bytes) const noexcept;

    friend bool operator==(const growth_forecast&, const growth_forecast&) = default;
};

/// Returns the forecast for growth that was computed from `windows`. Cost: O(1), some microseconds.
[[nodiscard]] growth_forecast forecast_of(const steady_growth& growth, const growth_window_list& windows);

}  // namespace hbm
