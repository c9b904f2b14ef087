#pragma once

/// Where in a series growth began that goes on now. Integers only.

#include <hbm/growth/growth_fit.hpp>
#include <hbm/growth/growth_line.hpp>
#include <hbm/growth/growth_values.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hbm {

/// The line through the means of windows, carried on to the steps before them. Distances are given in half steps, from
/// the middle of the oldest window back, so that the middle of any number of steps is a whole number.
class line_backwards {
public:
    /// The line of Theil and Sen through 8 to 32 windows of `width` steps. O(1): some microseconds.
    constexpr line_backwards(std::span<const growth_window_sizes> windows, std::uint64_t width) : width_(width) {
        std::array<std::int64_t, max_growth_places> rests{};
        const std::size_t count = std::min(windows.size(), max_growth_places);
        for (std::size_t at = 0; at < count; ++at) rests[at] = static_cast<std::int64_t>(windows[at].mean);
        const std::span<std::int64_t> all = std::span(rests).first(count);
        rise_ = growth_detail::median_slope(all);
        if (!rises()) return;
        for (std::size_t at = 0; at < count; ++at) rests[at] -= rise_.rise * static_cast<std::int64_t>(at) / rise_.run;
        const growth_detail::spread around = growth_detail::spread_of(all);
        first_ = around.median;
        usual_ = static_cast<std::int64_t>(around.distances / count);
    }

    [[nodiscard]] constexpr bool rises() const noexcept { return rise_.rise > 0; }
    /// Farther back than so many half steps the line is not followed.
    [[nodiscard]] constexpr std::uint64_t farthest() const noexcept { return 2000 * width_; }
    /// The line so many half steps back, at most `farthest()`; it may be below 0.
    [[nodiscard]] constexpr std::int64_t at(std::uint64_t half_steps) const noexcept {
        const wide fallen = wide{static_cast<std::uint64_t>(rise_.rise)} * half_steps / (2 * wide{width_});
        return first_ - static_cast<std::int64_t>(fallen / static_cast<std::uint64_t>(rise_.run));
    }
    /// Whether a mean so many half steps back is on the line: no farther from it than four times what windows usually
    /// are, and as much again for every 16 windows, since the slope is not known exactly; or half the rise of a window.
    [[nodiscard]] constexpr bool holds(std::int64_t mean, std::uint64_t half_steps) const noexcept {
        const auto windows = static_cast<std::int64_t>(half_steps / (2 * width_));
        const std::int64_t tolerance = 4 * usual_ + usual_ * windows / 4 + rise_.rise / rise_.run / 2;
        return mean <= at(half_steps) + tolerance && mean + tolerance >= at(half_steps);
    }
    /// How many steps the line takes from `low` up to `high`; `most` if they are more.
    [[nodiscard]] constexpr std::uint64_t steps_between(std::int64_t low, std::int64_t high,
                                                        std::uint64_t most) const noexcept {
        if (low >= high) return 0;
        const wide steps = wide{static_cast<std::uint64_t>(high - low)} * width_ *
                           static_cast<std::uint64_t>(rise_.run) / static_cast<std::uint64_t>(rise_.rise);
        return steps < most ? static_cast<std::uint64_t>(steps) : most;
    }

private:
    using wide = growth_detail::wide;

    std::uint64_t width_;
    growth_detail::slope rise_ = {};
    std::int64_t first_ = 0;  // the line in the middle of the oldest window
    std::int64_t usual_ = 0;  // how far windows are from the line, on average
};

namespace growth_detail {

/// n times what the line that is level for the first `level` places and rises from there explains of the squares of
/// `all`, whose sum is `sum`; 0 if it falls. Least squares.
[[nodiscard]] constexpr wide explained_by(std::span<const std::int64_t> all, std::int64_t sum,
                                          std::size_t level) noexcept {
    const auto count = static_cast<std::int64_t>(all.size());
    std::int64_t places = 0, squares = 0, products = 0;
    for (std::size_t at = level; at < all.size(); ++at) {
        const auto place = static_cast<std::int64_t>(at - level);
        places += place;
        squares += place * place;
        products += place * all[at];
    }
    const std::int64_t both = count * products - places * sum;
    if (both <= 0) return 0;
    return wide{static_cast<std::uint64_t>(both)} * static_cast<std::uint64_t>(both) /
           static_cast<std::uint64_t>(count * squares - places * places);
}

}  // namespace growth_detail

/// How many of the first places of `all` are level, before the others rise: as many as leave the least squares. 0,
/// unless that leaves much less than a line through all places does: 12 variances of what it leaves (an F test, wide
/// because neighbours are alike). At least 8 places rise. O(1): a microsecond.
[[nodiscard]] constexpr std::size_t level_places(std::span<const growth_window_sizes> all) noexcept {
    using growth_detail::wide;
    const std::size_t count = std::min(all.size(), max_growth_places);
    if (count <= growth_parts) return 0;
    std::uint64_t low = ~std::uint64_t{0};
    std::uint64_t high = 0;
    for (const growth_window_sizes& each : all.first(count)) {
        low = std::min(low, each.mean);
        high = std::max(high, each.mean);
    }
    int shift = 0;  // so that squares of sums stay below 2^128
    while ((high - low) >> shift >= std::uint64_t{1} << 40) ++shift;
    std::array<std::int64_t, max_growth_places> sizes{};
    std::int64_t sum = 0;
    wide squares = 0;
    for (std::size_t at = 0; at < count; ++at) {
        const std::uint64_t size = (all[at].mean - low) >> shift;
        sizes[at] = static_cast<std::int64_t>(size);
        sum += sizes[at];
        squares += wide{size} * size;
    }
    const std::span<const std::int64_t> places = std::span<const std::int64_t>(sizes).first(count);
    const wide whole = growth_detail::explained_by(places, sum, 0);
    wide best = whole;
    std::size_t found = 0;
    for (std::size_t level = 1; level + growth_parts <= count; ++level) {
        const wide explained = growth_detail::explained_by(places, sum, level);
        if (explained <= best) continue;
        best = explained;
        found = level;
    }
    const wide total = squares * count - wide{static_cast<std::uint64_t>(sum)} * static_cast<std::uint64_t>(sum);
    const wide left = total - std::min(best, total);
    return best - whole > left / (count - 3) * 12 ? found : 0;
}

}  // namespace hbm
