#pragma once

/// A test of a short series for growth along a line. Integers only, so all compilers and machines agree.

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

}  // namespace hbm::inline v0
