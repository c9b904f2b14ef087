#pragma once

/// A test of a short series for growth along a line, and the slope, level and onset of a growing series. Integers only,
/// so all compilers and machines agree.

#include <hbm/core/language.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace hbm::inline v0 {

/// The largest size that is distinguished, 4 PiB: products of differences stay below 2^63.
inline constexpr std::uint64_t max_grown_bytes = (std::uint64_t{1} << 52) - 1;

/// A line through a series of sizes at equal distances.
struct growth_line {
    std::uint64_t rise_bytes = 0;  ///< the slope is a fraction: this many bytes ...
    std::uint64_t in_places = 1;   ///< ... in this many places of the series
    std::uint64_t end_bytes = 0;   ///< value of the line at the last place

    /// Returns the rise of the line over `places` places, in bytes.
    /// Requires: `places` is below 2^11.
    [[nodiscard]] constexpr std::uint64_t rise_over(std::uint64_t places) const noexcept {
        return rise_bytes * places / in_places;
    }

    friend constexpr bool operator==(const growth_line&, const growth_line&) = default;
};

/// The longest series that `growth_line_of` accepts.
inline constexpr std::size_t max_growth_places = 32;
/// The number of parts of a series, each of which must rise; it divides the length of a series.
inline constexpr std::size_t growth_parts = 8;

namespace detail {

using wide = uint128;

[[nodiscard]] constexpr std::uint64_t clamped(wide number) noexcept {
    return number > ~std::uint64_t{0} ? ~std::uint64_t{0} : static_cast<std::uint64_t>(number);
}

using growth_places = std::array<std::int64_t, max_growth_places>;

/// A difference between two places of a series; as a slope, a fraction.
struct growth_slope {
    std::int64_t rise = 0;
    std::int64_t run = 1;

    [[nodiscard]] constexpr bool less(const growth_slope& other) const noexcept {
        return rise * other.run < other.rise * run;
    }
};

/// Returns the median of all slopes between two places of `sizes` (Theil, 1950; Sen, 1968), the lower of two medians.
[[nodiscard]] constexpr growth_slope median_slope(std::span<const std::int64_t> sizes) {
    // The median of the slopes of all pairs ignores outliers, where least squares follows them. With 32 places there
    // are 496 slopes, compared as fractions, so nothing is rounded.
    std::array<growth_slope, max_growth_places*(max_growth_places - 1) / 2> slopes{};
    std::size_t count = 0;
    for (std::size_t to = 1; to < sizes.size(); ++to)
        for (std::size_t from = 0; from < to; ++from)
            slopes[count++] = {sizes[to] - sizes[from], static_cast<std::int64_t>(to - from)};
    const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>((count - 1) / 2);
    std::nth_element(slopes.begin(), middle, slopes.begin() + static_cast<std::ptrdiff_t>(count),
                     [](const growth_slope& a, const growth_slope& b) { return a.less(b); });
    return *middle;
}

/// The median of a series, and the sum of the distances to it.
struct growth_spread {
    std::uint64_t distances = 0;
    std::int64_t median = 0;
};

/// Returns the spread of `sizes`, which it sorts.
[[nodiscard]] constexpr growth_spread spread_of(std::span<std::int64_t> sizes) {
    std::sort(sizes.begin(), sizes.end());
    growth_spread result{0, sizes[(sizes.size() - 1) / 2]};
    for (const std::int64_t size : sizes)
        result.distances +=
            static_cast<std::uint64_t>(size < result.median ? result.median - size : size - result.median);
    return result;
}

/// Returns the distance of `sizes` to the best step function: one level, then another.
[[nodiscard]] constexpr std::uint64_t distance_to_a_step(std::span<const std::int64_t> sizes) {
    std::uint64_t least = ~std::uint64_t{0};
    for (std::size_t at = 1; at < sizes.size(); ++at) {
        growth_places sorted{};
        std::copy(sizes.begin(), sizes.end(), sorted.begin());
        const std::span<std::int64_t> both = std::span(sorted).first(sizes.size());
        least = std::min(least, spread_of(both.first(at)).distances + spread_of(both.subspan(at)).distances);
    }
    return least;
}

/// Returns true if the minimum of each eighth of the series exceeds that of the eighth before.
[[nodiscard]] constexpr bool every_part_rises(std::span<const std::int64_t> sizes) noexcept {
    // The cheapest test comes first: nearly all series that do not grow fail here, after a few additions.
    const std::size_t length = sizes.size() / growth_parts;
    std::int64_t before = -1;
    for (std::size_t part = 0; part < growth_parts; ++part) {
        std::int64_t least = sizes[part * length];
        for (std::size_t at = 1; at < length; ++at) least = std::min(least, sizes[part * length + at]);
        if (least <= before) return false;
        before = least;
    }
    return true;
}

}  // namespace detail

/// Returns the line along which 8, 16, 24 or 32 `sizes` grow, or `nullopt` if they do not. They grow if
/// - every eighth has a larger minimum than the eighth before, which excludes a rise within a few steps;
/// - each half has at least half of the slope of the whole, which excludes a series that levels off;
/// - the line is at least twice as close to all sizes as the best single step is (sums of distances).
/// The slope is that of Theil and Sen, which is robust against a quarter of outliers.
/// Cost: O(1), a few microseconds if every eighth rises, else nanoseconds.
[[nodiscard]] constexpr std::optional<growth_line> growth_line_of(std::span<const std::uint64_t> sizes) {
    // Three things look like growth and are none: a jump, a warm-up that levels off, and noise. Each has a test of its
    // own here; the order is that of their costs.
    using detail::growth_slope;
    if (sizes.empty() || sizes.size() > max_growth_places || sizes.size() % growth_parts != 0) return std::nullopt;
    detail::growth_places copied{};
    for (std::size_t at = 0; at < sizes.size(); ++at)
        copied[at] = static_cast<std::int64_t>(std::min(sizes[at], max_grown_bytes));
    const std::span<const std::int64_t> all = std::span(copied).first(sizes.size());
    if (!detail::every_part_rises(all)) return std::nullopt;

    const growth_slope whole = detail::median_slope(all);
    if (whole.rise <= 0) return std::nullopt;
    const std::size_t half = all.size() / 2;
    const growth_slope half_of_whole{whole.rise, 2 * whole.run};
    if (detail::median_slope(all.first(half)).less(half_of_whole)) return std::nullopt;
    if (detail::median_slope(all.subspan(half)).less(half_of_whole)) return std::nullopt;

    // In units of 1 / run bytes, without rounding.
    detail::growth_places residuals{};
    for (std::size_t at = 0; at < all.size(); ++at)
        residuals[at] = all[at] * whole.run - whole.rise * static_cast<std::int64_t>(at);
    const detail::growth_spread around = detail::spread_of(std::span(residuals).first(all.size()));
    if (around.distances > detail::distance_to_a_step(all) / 2 * static_cast<std::uint64_t>(whole.run))
        return std::nullopt;

    const std::int64_t end = (around.median + whole.rise * static_cast<std::int64_t>(all.size() - 1)) / whole.run;
    return growth_line{static_cast<std::uint64_t>(whole.rise), static_cast<std::uint64_t>(whole.run),
                       static_cast<std::uint64_t>(std::max<std::int64_t>(end, 0))};
}

/// Sizes during the steps of a window.
struct growth_window_sizes {
    std::uint64_t least = 0;  ///< minimum of all steps
    std::uint64_t most = 0;   ///< maximum of all steps
    std::uint64_t mean = 0;   ///< mean of the minimum of each step, rounded down

    friend constexpr bool operator==(const growth_window_sizes&, const growth_window_sizes&) = default;
};

/// Growth along a line. Steps count from 1.
struct steady_growth {
    std::uint64_t rise_bytes = 0;   ///< the slope is a fraction: this many bytes ...
    std::uint64_t over_steps = 1;   ///< ... in this many steps
    std::uint64_t since = 0;        ///< the step after which it grows, as far as the history reaches; 0: from the start
    std::uint64_t noticed = 0;      ///< the step at which it was detected
    std::uint64_t at = 0;           ///< the step of the sizes below, shortly before the latest
    std::uint64_t floor_bytes = 0;  ///< minimum of a step, on the line
    std::uint64_t top_bytes = 0;    ///< maximum of a step, without single outliers

    /// Returns the slope in millionths of a byte per step, rounded down and saturating.
    [[nodiscard]] constexpr std::uint64_t micro_bytes_a_step() const noexcept {
        return detail::clamped(detail::wide{rise_bytes} * 1'000'000 / over_steps);
    }
    /// Returns the number of steps from `at` until the maximum reaches `capacity_bytes`, rounded up; 0 if it has.
    [[nodiscard]] constexpr std::uint64_t steps_left(std::uint64_t capacity_bytes) const noexcept {
        if (top_bytes >= capacity_bytes || rise_bytes == 0) return 0;
        const detail::wide rise = detail::wide{capacity_bytes - top_bytes} * over_steps;
        return detail::clamped((rise + rise_bytes - 1) / rise_bytes);
    }
    /// Returns the step at which the maximum of a step reaches `capacity_bytes`, saturating.
    [[nodiscard]] constexpr std::uint64_t end_step(std::uint64_t capacity_bytes) const noexcept {
        return detail::clamped(detail::wide{at} + steps_left(capacity_bytes));
    }

    friend constexpr bool operator==(const steady_growth&, const steady_growth&) = default;
};

namespace detail {

/// Returns the height above the line of the first step that reaches a limit. It is the median over all windows and
/// quarters of a window from which the line may continue. The distances of the windows repeat in their order. The
/// highest window counts as the second highest, since a single outlier need not recur.
[[nodiscard]] constexpr std::int64_t first_above(std::span<const std::int64_t> tops, growth_slope rise) {
    // How far above the line a maximum goes differs from window to window. Which of them comes when the line nears the
    // limit is not known, so all beginnings are tried: the pattern of the windows is repeated along the line until one
    // reaches the limit. The median of where that happens is the answer.
    constexpr std::int64_t phases = 4;
    const std::size_t count = tops.size();
    growth_places sorted{};
    std::copy(tops.begin(), tops.end(), sorted.begin());
    std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(count));
    const std::int64_t most = sorted[count - 2];
    std::array<std::int64_t, max_growth_places * phases> reached{};
    std::size_t next = 0;
    for (std::size_t from = 0; from < count; ++from) {
        for (std::int64_t phase = 0; phase < phases; ++phase) {
            // The line's distance to the limit when window `at` ends.
            const auto below = [&](std::size_t at) {
                const std::int64_t quarters = static_cast<std::int64_t>(at) * phases - phase;
                return most - rise.rise * quarters / (rise.run * phases);
            };
            std::size_t at = 0;
            while (tops[(from + at) % count] < below(at)) ++at;
            reached[next++] = std::min({tops[(from + at) % count], most, below(at) + rise.rise / rise.run});
        }
    }
    const auto middle = reached.begin() + static_cast<std::ptrdiff_t>(next / 2);
    std::nth_element(reached.begin(), middle, reached.begin() + static_cast<std::ptrdiff_t>(next));
    return *middle;
}

/// Returns the Theil-Sen slope of the means of windows, or that of `instead` if the means do not rise.
[[nodiscard]] constexpr growth_slope slope_of(std::span<const growth_window_sizes> windows,
                                              const growth_line& instead) {
    growth_places means{};
    for (std::size_t at = 0; at < windows.size(); ++at) means[at] = static_cast<std::int64_t>(windows[at].mean);
    const growth_slope slope = median_slope(std::span(means).first(windows.size()));
    if (slope.rise > 0) return slope;
    return {static_cast<std::int64_t>(instead.rise_bytes), static_cast<std::int64_t>(instead.in_places)};
}

}  // namespace detail

/// Returns the growth along a line through 8 to 32 windows of `width` steps, the latest last, which ended with step
/// `at`. The slope is that of the means or, if these do not rise, of `instead`. The caller sets `since` and `noticed`.
/// Cost: O(1), a few microseconds.
[[nodiscard]] constexpr steady_growth growth_along(std::span<const growth_window_sizes> windows, std::uint64_t width,
                                                   std::uint64_t at, const growth_line& instead) {
    const std::size_t count = windows.size();
    // All windows are moved along the slope to the place of the latest one; what is left are distances to the line, of
    // which the median is the floor. The top is what a limit meets first, so it is not a median but a simulated first
    // passage.
    const detail::growth_slope slope = detail::slope_of(windows, instead);
    detail::growth_places tops{};
    detail::growth_places floors{};
    for (std::size_t place = 0; place < count; ++place) {
        const std::int64_t left = slope.rise * static_cast<std::int64_t>(count - 1 - place) / slope.run;
        tops[place] = static_cast<std::int64_t>(windows[place].most) + left;
        floors[place] = static_cast<std::int64_t>(windows[place].least) + left;
    }
    const std::int64_t top = detail::first_above(std::span<const std::int64_t>(tops).first(count), slope);
    std::sort(floors.begin(), floors.begin() + static_cast<std::ptrdiff_t>(count));
    const auto bytes = [](std::int64_t value) { return static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0)); };
    return {.rise_bytes = bytes(slope.rise),
            .over_steps = static_cast<std::uint64_t>(slope.run) * width,
            .at = at,
            .floor_bytes = bytes(floors[(count - 1) / 2]),
            .top_bytes = bytes(top)};
}

/// The line through the means of windows, extrapolated backwards. Distances are in half steps from the middle of the
/// oldest window, so that the middle of any number of steps is an integer.
class line_backwards {
public:
    /// Fits the Theil-Sen line to 8 to 32 windows of `width` steps.
    /// Cost: O(1), a few microseconds.
    constexpr line_backwards(std::span<const growth_window_sizes> windows, std::uint64_t width) : width_(width) {
        slope_ = detail::slope_of(windows, {});
        if (!rises()) return;
        detail::growth_places residuals{};
        for (std::size_t at = 0; at < windows.size(); ++at)
            residuals[at] =
                static_cast<std::int64_t>(windows[at].mean) - slope_.rise * static_cast<std::int64_t>(at) / slope_.run;
        const detail::growth_spread around = detail::spread_of(std::span(residuals).first(windows.size()));
        first_ = around.median;
        usual_ = static_cast<std::int64_t>(around.distances / windows.size());
    }

    [[nodiscard]] constexpr bool rises() const noexcept { return slope_.rise > 0; }
    /// Returns the largest distance of extrapolation, in half steps.
    [[nodiscard]] constexpr std::uint64_t farthest() const noexcept { return 2000 * width_; }
    /// Returns the value of the line `half_steps` back, at most `farthest()`; it may be negative.
    [[nodiscard]] constexpr std::int64_t at(std::uint64_t half_steps) const noexcept {
        const detail::wide fallen =
            detail::wide{static_cast<std::uint64_t>(slope_.rise)} * half_steps / (2 * detail::wide{width_});
        return first_ - static_cast<std::int64_t>(fallen / static_cast<std::uint64_t>(slope_.run));
    }
    /// Returns true if a mean `half_steps` back is on the line. The tolerance is four times the mean distance of a
    /// window, plus half the rise of a window. For each window back it grows by a quarter of that distance.
    [[nodiscard]] constexpr bool holds(std::int64_t mean, std::uint64_t half_steps) const noexcept {
        const auto windows = static_cast<std::int64_t>(half_steps / (2 * width_));
        const std::int64_t tolerance = 4 * usual_ + usual_ * windows / 4 + slope_.rise / slope_.run / 2;
        return mean <= at(half_steps) + tolerance && mean + tolerance >= at(half_steps);
    }
    /// Returns the number of steps from `low` up to `high` on the line, at most `most`.
    [[nodiscard]] constexpr std::uint64_t steps_between(std::int64_t low, std::int64_t high,
                                                        std::uint64_t most) const noexcept {
        if (low >= high) return 0;
        const detail::wide steps = detail::wide{static_cast<std::uint64_t>(high - low)} * width_ *
                                   static_cast<std::uint64_t>(slope_.run) / static_cast<std::uint64_t>(slope_.rise);
        return steps < most ? static_cast<std::uint64_t>(steps) : most;
    }

private:
    std::uint64_t width_;
    detail::growth_slope slope_ = {};
    std::int64_t first_ = 0;  // value in the middle of the oldest window
    std::int64_t usual_ = 0;  // mean distance of a window to the line
};

namespace detail {

/// Returns n times the sum of squares that a line explains by least squares, 0 if it falls. The line is level for the
/// first `level` places, then rises; `sum` is the sum of `sizes`.
[[nodiscard]] constexpr wide explained_by(std::span<const std::int64_t> sizes, std::int64_t sum,
                                          std::size_t level) noexcept {
    const auto count = static_cast<std::int64_t>(sizes.size());
    std::int64_t places = 0, squares = 0, products = 0;
    for (std::size_t at = level; at < sizes.size(); ++at) {
        const auto place = static_cast<std::int64_t>(at - level);
        places += place;
        squares += place * place;
        products += place * sizes[at];
    }
    const std::int64_t both = count * products - places * sum;
    if (both <= 0) return 0;
    return wide{static_cast<std::uint64_t>(both)} * static_cast<std::uint64_t>(both) /
           static_cast<std::uint64_t>(count * squares - places * places);
}

}  // namespace detail

/// Returns the number of first windows that are level before the others rise, by least squares. Returns 0 unless that
/// fits much better than a line through all windows: by 12 variances of the residuals (an F test, wide because
/// neighbours correlate). At least 8 windows rise.
/// Cost: O(1), a microsecond.
[[nodiscard]] constexpr std::size_t level_places(std::span<const growth_window_sizes> windows) noexcept {
    using detail::wide;
    const std::size_t count = std::min(windows.size(), max_growth_places);
    if (count <= growth_parts) return 0;
    std::uint64_t low = ~std::uint64_t{0};
    std::uint64_t high = 0;
    for (const growth_window_sizes& window : windows.first(count)) {
        low = std::min(low, window.mean);
        high = std::max(high, window.mean);
    }
    // All levels are tried as the length of the level part. For each, the line through the rest has a closed form, of
    // which only the explained sum of squares is needed. A bent line always fits better than a straight one, so it must
    // do so by a margin that noise reaches rarely.
    int shift = 0;  // keeps squares of sums below 2^128
    while ((high - low) >> shift >= std::uint64_t{1} << 40) ++shift;
    detail::growth_places sizes{};
    std::int64_t sum = 0;
    wide squares = 0;
    for (std::size_t at = 0; at < count; ++at) {
        const std::uint64_t size = (windows[at].mean - low) >> shift;
        sizes[at] = static_cast<std::int64_t>(size);
        sum += sizes[at];
        squares += wide{size} * size;
    }
    const std::span<const std::int64_t> places = std::span<const std::int64_t>(sizes).first(count);
    const wide whole = detail::explained_by(places, sum, 0);
    wide best = whole;
    std::size_t best_level = 0;
    for (std::size_t level = 1; level + growth_parts <= count; ++level) {
        const wide explained = detail::explained_by(places, sum, level);
        if (explained <= best) continue;
        best = explained;
        best_level = level;
    }
    const wide total = squares * count - wide{static_cast<std::uint64_t>(sum)} * static_cast<std::uint64_t>(sum);
    const wide left = total - std::min(best, total);
    return best - whole > left / (count - 3) * 12 ? best_level : 0;
}

}  // namespace hbm::inline v0
