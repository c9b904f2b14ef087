#pragma once

/// Whether a short series of sizes grows along a line. Integers only: every compiler and machine finds the same.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace hbm {

/// The largest size that these functions tell from larger sizes, 4 PiB: products of differences stay below 2^63.
inline constexpr std::uint64_t max_grown_bytes = (std::uint64_t{1} << 52) - 1;

/// A line through a series of sizes at equal distances.
struct growth_line {
    std::uint64_t rise_bytes = 0;  ///< the slope is a fraction: so many bytes ...
    std::uint64_t in_places = 1;   ///< ... in so many places of the series
    std::uint64_t end_bytes = 0;   ///< the line's value at the last place

    /// What the line rises over `places` places, in bytes. `places` is below 2^11.
    [[nodiscard]] constexpr std::uint64_t rise_over(std::uint64_t places) const noexcept {
        return rise_bytes * places / in_places;
    }

    friend constexpr bool operator==(const growth_line&, const growth_line&) = default;
};

/// The longest series that `growth_line_of` looks at, and what its length must be a multiple of.
inline constexpr std::size_t max_growth_places = 32;
inline constexpr std::size_t growth_parts = 8;

namespace growth_detail {

/// A difference between two places of a series; as a slope, a fraction.
struct slope {
    std::int64_t rise = 0;
    std::int64_t run = 1;

    [[nodiscard]] constexpr bool less(const slope& other) const noexcept { return rise * other.run < other.rise * run; }
};

/// The median of all slopes between two places of `all` (Theil, 1950; Sen, 1968), the lower of two medians.
[[nodiscard]] constexpr slope median_slope(std::span<const std::int64_t> all) {
    std::array<slope, max_growth_places*(max_growth_places - 1) / 2> slopes{};
    std::size_t count = 0;
    for (std::size_t to = 1; to < all.size(); ++to)
        for (std::size_t from = 0; from < to; ++from)
            slopes[count++] = {all[to] - all[from], static_cast<std::int64_t>(to - from)};
    const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>((count - 1) / 2);
    std::nth_element(slopes.begin(), middle, slopes.begin() + static_cast<std::ptrdiff_t>(count),
                     [](const slope& a, const slope& b) { return a.less(b); });
    return *middle;
}

/// The sum of the distances of all items to their median, and the median.
struct spread {
    std::uint64_t distances = 0;
    std::int64_t median = 0;
};
[[nodiscard]] constexpr spread spread_of(std::span<std::int64_t> all) {
    std::sort(all.begin(), all.end());
    spread found{0, all[(all.size() - 1) / 2]};
    for (const std::int64_t each : all)
        found.distances += static_cast<std::uint64_t>(each < found.median ? found.median - each : each - found.median);
    return found;
}

/// How far all items are from the best single step: a level before some place, another level from there on.
[[nodiscard]] constexpr std::uint64_t distance_to_a_step(std::span<const std::int64_t> all) {
    std::uint64_t least = ~std::uint64_t{0};
    for (std::size_t at = 1; at < all.size(); ++at) {
        std::array<std::int64_t, max_growth_places> sorted{};
        std::copy(all.begin(), all.end(), sorted.begin());
        const std::span<std::int64_t> both = std::span(sorted).first(all.size());
        const std::uint64_t distance = spread_of(both.first(at)).distances + spread_of(both.subspan(at)).distances;
        if (distance < least) least = distance;
    }
    return least;
}

/// Whether the least of each eighth of the series is larger than the least of the eighth before.
[[nodiscard]] constexpr bool every_part_rises(std::span<const std::int64_t> all) noexcept {
    const std::size_t length = all.size() / growth_parts;
    std::int64_t before = -1;
    for (std::size_t part = 0; part < growth_parts; ++part) {
        std::int64_t least = all[part * length];
        for (std::size_t at = 1; at < length; ++at) least = std::min(least, all[part * length + at]);
        if (least <= before) return false;
        before = least;
    }
    return true;
}

}  // namespace growth_detail

/// The line along which `sizes` grow; empty unless they do. Their number is 8, 16, 24 or 32. They grow if
/// - every eighth has a larger minimum than the eighth before, so that nothing that comes in a few steps grows;
/// - each half has at least half of the slope of the whole, so that what levels off does not grow;
/// - the line is at least twice as close to all sizes as the best single step is (sums of distances).
/// The line has the slope of Theil and Sen, which a quarter of outliers does not change much. O(1): some microseconds
/// if every eighth rises, else nanoseconds.
[[nodiscard]] constexpr std::optional<growth_line> growth_line_of(std::span<const std::uint64_t> sizes) {
    using namespace growth_detail;
    if (sizes.empty() || sizes.size() > max_growth_places || sizes.size() % growth_parts != 0) return std::nullopt;
    std::array<std::int64_t, max_growth_places> copied{};
    for (std::size_t at = 0; at < sizes.size(); ++at)
        copied[at] = static_cast<std::int64_t>(std::min(sizes[at], max_grown_bytes));
    const std::span<const std::int64_t> all = std::span(copied).first(sizes.size());
    if (!every_part_rises(all)) return std::nullopt;

    const slope whole = median_slope(all);
    if (whole.rise <= 0) return std::nullopt;
    const std::size_t half = all.size() / 2;
    const slope half_of_whole{whole.rise, 2 * whole.run};
    if (median_slope(all.first(half)).less(half_of_whole)) return std::nullopt;
    if (median_slope(all.subspan(half)).less(half_of_whole)) return std::nullopt;

    // In units of 1 / run bytes, so that nothing is rounded.
    std::array<std::int64_t, max_growth_places> rests{};
    for (std::size_t at = 0; at < all.size(); ++at)
        rests[at] = all[at] * whole.run - whole.rise * static_cast<std::int64_t>(at);
    const spread around = spread_of(std::span(rests).first(all.size()));
    if (around.distances > distance_to_a_step(all) / 2 * static_cast<std::uint64_t>(whole.run)) return std::nullopt;

    const std::int64_t end = (around.median + whole.rise * static_cast<std::int64_t>(all.size() - 1)) / whole.run;
    return growth_line{static_cast<std::uint64_t>(whole.rise), static_cast<std::uint64_t>(whole.run),
                       static_cast<std::uint64_t>(std::max<std::int64_t>(end, 0))};
}

}  // namespace hbm
