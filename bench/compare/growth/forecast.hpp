#pragma once
/// Forecast of the end of memory for a series that grows, with its bounds.

#include <hbm/growth/growth_fit.hpp>
#include <hbm/growth/growth_series.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

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

/// Single rise at once, after which a series stays higher by as much.
struct growth_jump {
    std::uint64_t step = 0;  ///< first step after it, from 1
    std::uint64_t risen_bytes = 0;

    friend bool operator==(const growth_jump&, const growth_jump&) = default;
};

/// Series that ends higher than it began, by more than it ever falls.
struct growth_rise {
    std::uint64_t began_bytes = 0;
    std::uint64_t ended_bytes = 0;

    friend bool operator==(const growth_rise&, const growth_rise&) = default;
};

/// Returns the median of some numbers, the higher of two, and reorders them.
template <class Number>
[[nodiscard]] Number middle_of(std::span<Number> numbers) {
    const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
    std::nth_element(numbers.begin(), middle, numbers.end());
    return *middle;
}

/// Returns the jump of a series: its largest rise from a size to the next. The medians of the eight sizes before and
/// the eight after must differ by more than four times the largest such difference elsewhere. Differences are less the
/// usual one, so that the slope of the series does not count. Empty if there is none, if there are several, for a
/// spike, and below 40 sizes, which noise can order like a jump.
/// Cost: O(sizes).
[[nodiscard]] std::optional<growth_jump> growth_jump_of(std::span<const std::uint64_t> sizes);

/// Returns the rise of a series that ends higher than it began, by 1.5 times its largest fall from any size to a later
/// one. Noise and a sawtooth, in contrast, fall as far as they rise. The beginning is the median of the first eighth,
/// at least eight sizes or half of them; the end is that of the last. Sizes above `most` count as `most`.
/// Cost: O(sizes).
[[nodiscard]] std::optional<growth_rise> growth_rise_of(std::span<const std::uint64_t> sizes,
                                                        std::uint64_t most = max_grown_bytes);

}  // namespace hbm
