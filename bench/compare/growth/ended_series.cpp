#include "compare/growth/ended_series.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace hbm {

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

}  // namespace hbm
