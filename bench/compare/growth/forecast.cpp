#include "compare/growth/forecast.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

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

}  // namespace hbm
