#include "compare/growth/forecast.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace hbm {

namespace {

__extension__ typedef unsigned __int128 wide;
constexpr std::uint64_t million = 1'000'000;

std::uint64_t clamped(wide number) noexcept {
    return number > ~std::uint64_t{0} ? ~std::uint64_t{0} : static_cast<std::uint64_t>(number);
}

wide scaled(wide number, std::uint64_t by, std::uint64_t divisor) noexcept {
    return number / divisor * by + number % divisor * by / divisor;
}

/// Returns the integer square root, rounded down.
std::uint64_t square_root(wide square) noexcept {
    std::uint64_t root = 0;
    for (int bit = 63; bit >= 0; --bit) {
        const std::uint64_t more = root | std::uint64_t{1} << bit;
        if (wide{more} * more <= square) root = more;
    }
    return root;
}

/// Returns the square of a number, which counts as 4 PiB if it is larger.
wide squared(std::int64_t number) noexcept {
    const std::uint64_t distance = std::min(static_cast<std::uint64_t>(number < 0 ? -number : number), max_grown_bytes);
    return wide{distance} * distance;
}

/// Returns the uncertainty of the mean slope of the next `steps` steps, in millionths of the slope. The slope of few
/// steps varies more than that of many: the variances of both are added.
std::uint64_t doubt_in_millionths(const growth_forecast& growth, std::uint64_t steps) noexcept {
    const wide alone = wide{growth.doubt_bytes} * million / (growth.rise_bytes == 0 ? 1 : growth.rise_bytes);
    const wide more = million + wide{growth.seen_steps} * million / (steps == 0 ? 1 : steps);
    if (alone > 1'000 * million || more > 1'000'000 * wide{million}) return 1'000 * million;
    return clamped(alone * square_root(more * million) / million);
}

/// Returns four standard errors of the rise of a line over one place, from at least 8 residuals. They are modelled as
/// the sum of noise, which a long series averages out, and of a walk, which it does not. Blocks that leak at random are
/// a walk (a compound Poisson process). The share of the walk follows from the residuals' distances to the line and to
/// their neighbours. It is increased by half, since it varies much, and by a standard error.
std::uint64_t doubt_of_rise(std::span<const std::int64_t> residuals) noexcept {
    const std::size_t count = residuals.size();
    wide near = 0;
    wide around = 0;
    for (std::size_t at = 0; at < count; ++at) {
        if (at != 0) near += squared(residuals[at] - residuals[at - 1]);
        around += squared(residuals[at]);
    }
    near /= count - 1;
    around /= count - 2;
    // Noise alone: `around` is half of `near`. A walk alone with steps of variance q: `around` is usually q * count /
    // 15, and `near` is q * 2 / 3, since a window holds the mean of its steps.
    const wide margin = near * square_root(wide{2'000'000} / count) / 2000;
    const wide excess = around > near / 2 ? around - near / 2 : 0;
    const wide walk = (excess * 3 / 2 + margin) * 15 / (count - 5);
    // The variance of the slope: of a walk 6 / 5 q / count, of noise 12 s^2 / count^3.
    const wide variance = walk * 6 / (5 * count) + near * 6 / (wide{count} * count * count);
    return 4 * square_root(variance) + (variance == 0 ? 0 : 1);
}

/// Returns the lower median of `numbers`, which it sorts.
std::int64_t median_of(std::span<std::int64_t> numbers) {
    std::sort(numbers.begin(), numbers.end());
    return numbers[(numbers.size() - 1) / 2];
}

}  // namespace

std::uint64_t growth_forecast::earliest_end_step(std::uint64_t capacity_bytes) const noexcept {
    if (most_top_bytes >= capacity_bytes || rise_bytes == 0) return at;
    const wide steps = wide{capacity_bytes - most_top_bytes} * over_steps / rise_bytes;
    return clamped(at + scaled(steps, million, million + doubt_in_millionths(*this, clamped(steps))));
}

std::uint64_t growth_forecast::latest_end_step(std::uint64_t capacity_bytes) const noexcept {
    if (least_top_bytes >= capacity_bytes) return at;
    if (rise_bytes == 0) return ~std::uint64_t{0};
    const wide steps = wide{capacity_bytes - least_top_bytes} * over_steps / rise_bytes + 1;
    const std::uint64_t doubt = doubt_in_millionths(*this, clamped(steps));
    if (doubt >= million) return ~std::uint64_t{0};
    return clamped(at + scaled(steps, million, million - doubt));
}

growth_forecast forecast_of(const steady_growth& growth, const growth_window_list& windows) {
    const std::size_t count = windows.count;
    const auto rise = static_cast<std::int64_t>(growth.rise_bytes);
    const auto run = static_cast<std::int64_t>(growth.over_steps / windows.width);
    const auto risen = [&](std::size_t places) { return rise * static_cast<std::int64_t>(places) / run; };
    std::array<std::int64_t, max_growth_places> all{};
    std::array<std::int64_t, max_growth_places> sorted{};
    std::array<std::int64_t, max_growth_places> all_tops{};
    const std::span<std::int64_t> residuals = std::span(all).first(count);
    const std::span<std::int64_t> distances = std::span(sorted).first(count);
    const std::span<std::int64_t> tops = std::span(all_tops).first(count);
    for (std::size_t place = 0; place < count; ++place) {
        const growth_window_sizes& window = windows.all[place];
        residuals[place] = distances[place] = static_cast<std::int64_t>(window.mean) - risen(place);
        tops[place] = static_cast<std::int64_t>(window.most) + risen(count - 1 - place);
    }
    const std::int64_t median = median_of(distances);
    for (std::size_t place = 0; place < count; ++place) {
        residuals[place] -= median;
        distances[place] = residuals[place] < 0 ? -residuals[place] : residuals[place];
    }
    // Single outliers, such as a first step that begins with nothing, are not noise.
    const std::int64_t limit = 6 * median_of(distances);
    for (std::int64_t& residual : residuals) residual = std::clamp(residual, -limit, limit);
    std::sort(tops.begin(), tops.end());
    const std::int64_t usual = tops[count / 2];
    const auto bytes = [](std::int64_t value) { return static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0)); };
    return {growth, doubt_of_rise(residuals) * static_cast<std::uint64_t>(run), count * windows.width,
            bytes(tops[0] - (usual - tops[0]) / 2), bytes(tops[count - 1] + (tops[count - 1] - usual) / 2)};
}

std::uint32_t growth_window(std::uint64_t steps) noexcept {
    return static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(steps / certain_growth_steps, 1, growth_series::usual_window));
}

std::optional<growth_forecast> growth_at_end(const growth_series& series) {
    if (series.growing()) return forecast_of(*series.growing(), series.fitted());
    const std::span<const growth_windows> widths = series.windows();
    if (widths.empty() || widths[0].count >= certain_growth_steps) return std::nullopt;
    const growth_windows& windows = widths[0];
    const std::uint64_t width = series.width(0);
    const std::size_t known = std::min<std::size_t>(static_cast<std::size_t>(windows.count), growth_series::kept);
    const std::size_t length = known / growth_parts * growth_parts;
    std::array<std::uint64_t, growth_series::kept> floors{};
    for (std::size_t at = 0; at < length; ++at) floors[at] = windows[windows.count - length + at].least;
    const std::optional<growth_line> line = growth_line_of(std::span<const std::uint64_t>(floors).first(length));
    if (!line) return std::nullopt;
    const growth_window_list list = series.latest(0, length);
    steady_growth growth = growth_along(list.sizes(), width, windows.count * width, *line);
    growth.since = (windows.count - length) * width;
    growth.noticed = series.steps();
    // The windows before the ones of the line, whose number is a multiple of eight.
    const std::uint64_t rise = line->rise_over(length - 1);
    std::uint64_t expected = line->end_bytes - std::min(rise, line->end_bytes);
    const std::uint64_t window_rise = line->rise_over(1) + 1;
    for (std::uint64_t at = windows.count - length; at > 0 && windows.count - at < growth_series::kept; --at) {
        const std::uint64_t floor = windows[at - 1].least;
        expected -= std::min(window_rise, expected);
        if (floor > expected + window_rise || floor + window_rise < expected) break;
        growth.since = (at - 1) * width;
    }
    return forecast_of(growth, list);
}

std::optional<growth_spike> spike_of(const growth_series& series) noexcept {
    const std::span<const growth_windows> widths = series.windows();
    std::size_t at = 0;
    while (at < widths.size() && widths[at].count > growth_series::kept) ++at;
    if (at == widths.size() || widths[at].count < growth_parts) return std::nullopt;
    const std::uint64_t where = (series.highest_step() - 1) / series.width(at);
    std::uint64_t usual = 0;
    std::uint64_t floor = max_grown_bytes;
    const auto look = [&](std::uint64_t number, const auto& window) {
        if (number + 1 >= where && number <= where + 1) return;
        usual = std::max(usual, window.most);
        floor = std::min(floor, window.least);
    };
    for (std::uint64_t number = 0; number < widths[at].count; ++number) look(number, widths[at][number]);
    for (const growth_windows& finer : widths.first(at + 1))
        if (finer.pending.least <= finer.pending.most) look(widths[at].count, finer.pending);
    const std::uint64_t highest = series.highest_bytes();
    if (highest <= usual || highest - usual <= usual - std::min(usual, floor)) return std::nullopt;
    if (highest - usual < highest / 16) return std::nullopt;  // too small to report
    return growth_spike{series.highest_step(), highest, usual};
}

std::uint64_t risen_since(const growth_series& series, std::uint64_t since) noexcept {
    const std::span<const growth_windows> widths = series.windows();
    if (widths.empty() || widths[0].count == 0) return 0;
    const std::uint64_t now = widths[0][widths[0].count - 1].least;
    for (std::size_t at = 0; at < widths.size(); ++at) {
        const std::uint64_t number = since / series.width(at);
        if (number >= widths[at].count || number + growth_series::kept < widths[at].count) continue;
        const std::uint64_t then = widths[at][number].least;
        return now - std::min(now, then);
    }
    return 0;
}

namespace {

std::uint64_t level_of(std::span<const std::uint64_t> sizes) {
    std::vector<std::uint64_t> copied(sizes.begin(), sizes.end());
    return middle_of(std::span(copied));
}

}  // namespace

std::optional<growth_jump> growth_jump_of(std::span<const std::uint64_t> sizes) {
    constexpr std::size_t side = growth_parts;
    if (sizes.size() < 5 * side) return std::nullopt;
    std::vector<std::uint64_t> all(sizes.begin(), sizes.end());
    for (std::uint64_t& entry : all) entry = std::min(entry, max_grown_bytes);
    std::size_t where = 0;
    std::uint64_t highest = 0;
    for (std::size_t at = side; at + side <= all.size(); ++at) {
        if (all[at] <= all[at - 1] + highest) continue;
        highest = all[at] - all[at - 1];
        where = at;
    }
    if (where == 0) return std::nullopt;
    std::vector<std::int64_t> differences;  // differences of sizes that are both before it, or both after
    for (std::size_t at = side; at < all.size(); ++at)
        if (at < where || at >= where + side)
            differences.push_back(static_cast<std::int64_t>(all[at]) - static_cast<std::int64_t>(all[at - side]));
    const std::int64_t usual = middle_of(std::span(differences));
    std::int64_t farthest = 0;
    for (const std::int64_t entry : differences)
        farthest = std::max(farthest, entry < usual ? usual - entry : entry - usual);
    const std::span<const std::uint64_t> whole = all;
    const auto level = [&](std::size_t from) { return static_cast<std::int64_t>(level_of(whole.subspan(from, side))); };
    const std::int64_t risen = level(where) - level(where - side) - usual;
    if (risen <= 0 || risen / 4 <= farthest) return std::nullopt;
    return growth_jump{where + 1, static_cast<std::uint64_t>(risen)};
}

std::optional<growth_rise> growth_rise_of(std::span<const std::uint64_t> sizes, std::uint64_t most) {
    const std::size_t length = std::max(sizes.size() / growth_parts, std::min(growth_parts, sizes.size() / 2));
    if (length == 0) return std::nullopt;
    std::uint64_t high = 0;
    std::uint64_t fallen = 0;
    for (const std::uint64_t entry : sizes) {
        high = std::max(high, std::min(entry, most));
        fallen = std::max(fallen, high - std::min(entry, most));
    }
    const growth_rise rise{level_of(sizes.first(length)), level_of(sizes.last(length))};
    if (rise.ended_bytes <= rise.began_bytes || rise.ended_bytes - rise.began_bytes <= fallen + fallen / 2)
        return std::nullopt;
    return rise;
}

}  // namespace hbm
