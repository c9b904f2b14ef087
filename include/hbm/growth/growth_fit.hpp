#pragma once

/// How fast a series grows that is known to grow, and how well that is known. Integers only.

#include <hbm/growth/growth_line.hpp>
#include <hbm/growth/growth_values.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hbm {

/// What a window of a series held.
struct growth_window_sizes {
    std::uint64_t least = 0;  ///< the least of all its steps
    std::uint64_t most = 0;   ///< the most
    std::uint64_t mean = 0;   ///< the mean of the least of each step, rounded down

    friend constexpr bool operator==(const growth_window_sizes&, const growth_window_sizes&) = default;
};

namespace growth_detail {

/// The square of a number, which counts as 4 PiB if it is larger.
[[nodiscard]] constexpr wide squared(std::int64_t number) noexcept {
    const auto distance = static_cast<std::uint64_t>(number < 0 ? -number : number);
    return wide{std::min(distance, max_grown_bytes)} * std::min(distance, max_grown_bytes);
}

/// Four standard errors of the rise of a line over one place, from what the series leaves over beside the line: at
/// least 8 rests. They are taken for the sum of noise, which a long series averages out, and of a walk, which it does
/// not: blocks that leak at random are a walk (a compound Poisson process). The share of the walk follows from how much
/// farther the rests are from the line than from their neighbours: half as much again, since that varies much from walk
/// to walk, and a standard error of it.
[[nodiscard]] constexpr std::uint64_t doubt_of_rise(std::span<const std::int64_t> rests) noexcept {
    const std::size_t count = rests.size();
    wide near = 0;
    wide around = 0;
    for (std::size_t at = 0; at < count; ++at) {
        if (at != 0) near += squared(rests[at] - rests[at - 1]);
        around += squared(rests[at]);
    }
    near /= count - 1;
    around /= count - 2;
    // Noise alone: `around` is half of `near`. A walk alone with steps of variance q: `around` is q * count / 15 as a
    // rule and `near` is q * 2 / 3, since a window holds the mean of its steps.
    const wide margin = near * square_root(wide{2'000'000} / count) / 2000;
    const wide beside = around > near / 2 ? around - near / 2 : 0;
    const wide walk = (beside * 3 / 2 + margin) * 15 / (count - 5);
    // The variance of the slope: of a walk 6 / 5 q / count, of noise 12 s^2 / count^3.
    const wide variance = walk * 6 / (5 * count) + near * 6 / (wide{count} * count * count);
    return 4 * square_root(variance) + (variance == 0 ? 0 : 1);
}

/// How far above the line the first step is that reaches a limit. The line is taken to go on, and what windows held
/// above it to come again in the same order, from any of them on and at any quarter of a window: the median of all
/// these. The highest window counts as the second highest, since a single outlier need not come again.
[[nodiscard]] constexpr std::int64_t first_above(std::span<const std::int64_t> tops, slope rise) {
    constexpr std::int64_t phases = 4;
    const std::size_t count = tops.size();
    std::array<std::int64_t, max_growth_places> sorted{};
    std::copy(tops.begin(), tops.end(), sorted.begin());
    std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(count));
    const std::int64_t most = sorted[count - 2];
    std::array<std::int64_t, max_growth_places * phases> found{};
    std::size_t next = 0;
    for (std::size_t from = 0; from < count; ++from) {
        for (std::int64_t phase = 0; phase < phases; ++phase) {
            // How far the line is below the limit when a window ends: after so many of them the highest reaches it.
            const auto below = [&](std::size_t at) {
                const std::int64_t quarters = static_cast<std::int64_t>(at) * phases - phase;
                return most - rise.rise * quarters / (rise.run * phases);
            };
            std::size_t at = 0;
            while (tops[(from + at) % count] < below(at)) ++at;
            found[next++] = std::min({tops[(from + at) % count], most, below(at) + rise.rise / rise.run});
        }
    }
    const auto middle = found.begin() + static_cast<std::ptrdiff_t>(next / 2);
    std::nth_element(found.begin(), middle, found.begin() + static_cast<std::ptrdiff_t>(next));
    return *middle;
}

}  // namespace growth_detail

/// The growth of a series along a line through windows of `width` steps, 8 to 32, the latest last, which ended with the
/// step `at`. The slope is the median of all slopes between the means of two windows (Theil, 1950; Sen, 1968), or that
/// of `instead`, along which the floors grow, if the means do not rise. What the steps hold above the line is taken
/// as it will be when noise first reaches a limit, if it goes on as it was (`first_above`). Its `since` and `noticed`
/// are left to the caller. O(1): some microseconds.
[[nodiscard]] constexpr steady_growth growth_along(std::span<const growth_window_sizes> windows, std::uint64_t width,
                                                   std::uint64_t at, const growth_line& instead) {
    using namespace growth_detail;
    std::array<std::int64_t, max_growth_places> all{};
    const std::size_t count = std::min(windows.size(), max_growth_places);
    for (std::size_t each = 0; each < count; ++each) all[each] = static_cast<std::int64_t>(windows[each].mean);
    slope whole = median_slope(std::span(all).first(count));
    if (whole.rise <= 0)
        whole = {static_cast<std::int64_t>(instead.rise_bytes), static_cast<std::int64_t>(instead.in_places)};

    // What the line has risen from the first window's end to that of another, or, of a mean, from the middle.
    const auto risen = [&](std::size_t each) { return whole.rise * static_cast<std::int64_t>(each) / whole.run; };
    std::array<std::int64_t, max_growth_places> rests{};
    std::array<std::int64_t, max_growth_places> tops{};
    std::array<std::int64_t, max_growth_places> floors{};
    for (std::size_t each = 0; each < count; ++each) {
        const std::int64_t left = risen(count - 1 - each);
        rests[each] = all[each] - risen(each);
        tops[each] = static_cast<std::int64_t>(windows[each].most) + left;
        floors[each] = static_cast<std::int64_t>(windows[each].least) + left;
    }
    const std::span<std::int64_t> rest = std::span(rests).first(count);
    std::array<std::int64_t, max_growth_places> sorted = rests;
    const std::int64_t median = spread_of(std::span(sorted).first(count)).median;
    for (std::size_t each = 0; each < count; ++each) {
        rest[each] -= median;
        sorted[each] = rest[each] < 0 ? -rest[each] : rest[each];
    }
    // Single outliers, such as a first step that begins with nothing, are no noise.
    const std::int64_t most = 6 * spread_of(std::span(sorted).first(count)).median;
    for (std::int64_t& each : rest) each = std::clamp(each, -most, most);
    const std::int64_t top = first_above(std::span(tops).first(count), whole);
    std::sort(tops.begin(), tops.begin() + static_cast<std::ptrdiff_t>(count));
    std::sort(floors.begin(), floors.begin() + static_cast<std::ptrdiff_t>(count));

    const std::int64_t usual = tops[count / 2];
    const auto bytes = [](std::int64_t value) { return static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0)); };
    return {.rise_bytes = bytes(whole.rise),
            .over_steps = static_cast<std::uint64_t>(whole.run) * width,
            .at = at,
            .floor_bytes = bytes(floors[(count - 1) / 2]),
            .top_bytes = bytes(top),
            .doubt_bytes = doubt_of_rise(rest) * static_cast<std::uint64_t>(whole.run),
            .seen_steps = count * width,
            .least_top_bytes = bytes(tops[0] - (usual - tops[0]) / 2),
            .most_top_bytes = bytes(tops[count - 1] + (tops[count - 1] - usual) / 2)};
}

}  // namespace hbm
