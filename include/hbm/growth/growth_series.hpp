#pragma once

#include <hbm/core/trivial_vector.hpp>
#include <hbm/growth/growth_fit.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace hbm::inline v0 {

/// Sizes during the steps of an incomplete window.
struct growth_pending {
    std::uint64_t least = ~std::uint64_t{0};  ///< exceeds `most` if there are no steps
    std::uint64_t most = 0;
    detail::wide sum = 0;  ///< sum of the minimum of each step

    constexpr void join(const growth_pending& other) noexcept {
        least = std::min(least, other.least);
        most = std::max(most, other.most);
        sum += other.sum;
    }
    friend constexpr bool operator==(const growth_pending&, const growth_pending&) = default;
};

/// The latest windows of one width.
struct growth_windows {
    std::array<growth_window_sizes, max_growth_places> ring{};
    std::uint64_t count = 0;      ///< number of windows so far
    growth_pending pending = {};  ///< the incomplete window
    std::uint32_t streak = 0;     ///< consecutive windows after which the kept windows grow
    growth_line line = {};        ///< line of the latest of these windows

    /// Returns a window by its number, from 0.
    /// Requires: it is one of the latest 32.
    [[nodiscard]] constexpr const growth_window_sizes& operator[](std::uint64_t number) const noexcept {
        return ring[static_cast<std::size_t>(number % max_growth_places)];
    }
    friend constexpr bool operator==(const growth_windows&, const growth_windows&) = default;
};

/// Consecutive windows, the latest last.
struct growth_window_list {
    std::array<growth_window_sizes, max_growth_places> all{};
    std::size_t count = 0;
    std::uint64_t width = 1;  ///< steps per window

    [[nodiscard]] constexpr std::span<const growth_window_sizes> sizes() const noexcept {
        return std::span(all).first(count);
    }
    friend constexpr bool operator==(const growth_window_list&, const growth_window_list&) = default;
};

/// Detector of steady growth in a series of sizes, in bounded memory and integers only. `add` takes the minimum and the
/// maximum of a step: a leak is in both, temporary memory is not in the minimum.
///
/// Steps form windows, and windows form windows of twice the width. The latest 32 windows of each width are kept. After
/// each window a line is fitted to the 32 minima (`growth_line_of`); growth is detected after eight consecutive windows
/// whose minima grow. So a leak is detected in the narrowest windows whose noise it exceeds, even if it begins at the
/// millionth step. A rise may fall back by more than half, like a cache that is emptied now and then. After that, a
/// rise counts only if it is more than twice as large. Host memory: 900 bytes for each doubling of the number of steps.
class growth_series {
public:
    static constexpr std::size_t kept = max_growth_places;  ///< windows of each width
    static constexpr std::uint32_t usual_window = 16;       ///< steps in the narrowest window
    static constexpr std::uint32_t persistence = 8;         ///< consecutive windows before growth counts

    constexpr growth_series() : growth_series(usual_window) {}
    /// Constructs a series whose narrowest windows have `window` steps. Growth is detected after 39 windows at the
    /// earliest. Memory that is returned within `window` steps is never growth.
    constexpr explicit growth_series(std::uint32_t window) : window_(window == 0 ? 1 : window) {}

    /// Adds a step that held at least `least` and at most `most` bytes, clamped to 4 PiB.
    /// Cost: O(1) amortised, nanoseconds; a few microseconds after a window if the series rises.
    constexpr void add(std::uint64_t least, std::uint64_t most) {
        growth_pending step{std::min(least, max_grown_bytes), std::min(std::max(least, most), max_grown_bytes)};
        step.sum = step.least;
        ++steps_;
        if (step.most > highest_bytes_) {
            highest_bytes_ = step.most;
            highest_step_ = steps_;
        }
        // A step joins the narrowest window; when that is full it joins the window of twice the width, and so on, like
        // carries of a counter. So a step costs two joins on average, however many widths there are.
        if (widths_.empty()) widths_.emplace_back();
        widths_[0].pending.join(step);
        if (steps_ % window_ != 0) return;
        for (std::size_t at = 0;; ++at) {
            const growth_pending window = widths_[at].pending;
            widths_[at].pending = {};
            push(widths_[at], window, width(at));
            const bool is_even = widths_[at].count % 2 == 0;
            if (at + 1 == widths_.size()) widths_.emplace_back();
            widths_[at + 1].pending.join(window);
            if (!is_even) break;
        }
        conclude();
    }

    [[nodiscard]] constexpr std::uint64_t steps() const noexcept { return steps_; }
    /// Returns the maximum of all steps, 0 before the first.
    [[nodiscard]] constexpr std::uint64_t highest_bytes() const noexcept { return highest_bytes_; }
    /// Returns the step of `highest_bytes()`, from 1.
    [[nodiscard]] constexpr std::uint64_t highest_step() const noexcept { return highest_step_; }

    /// Returns the present growth, if any.
    [[nodiscard]] constexpr const std::optional<steady_growth>& growing() const noexcept { return growing_; }
    [[nodiscard]] constexpr std::uint64_t alarms() const noexcept { return alarms_; }

    /// Returns the windows by width, the narrowest first.
    [[nodiscard]] constexpr std::span<const growth_windows> windows() const noexcept {
        return {widths_.data(), widths_.size()};
    }
    [[nodiscard]] constexpr std::uint64_t width(std::size_t at) const noexcept { return std::uint64_t{window_} << at; }
    /// Returns the latest `count` windows of `windows()[at]`.
    [[nodiscard]] constexpr growth_window_list latest(std::size_t at, std::size_t count) const noexcept {
        const growth_windows& windows = widths_[at];
        growth_window_list list{.count = count, .width = width(at)};
        for (std::size_t place = 0; place < count; ++place) list.all[place] = windows[windows.count - count + place];
        return list;
    }
    /// Returns the windows that `growing()` was computed from.
    /// Requires: the series grows.
    [[nodiscard]] constexpr const growth_window_list& fitted() const noexcept { return fitted_; }

    friend constexpr bool operator==(const growth_series&, const growth_series&) = default;

private:
    static constexpr void push(growth_windows& windows, const growth_pending& window, std::uint64_t width) {
        windows.ring[static_cast<std::size_t>(windows.count++ % kept)] = {
            window.least, window.most, static_cast<std::uint64_t>(window.sum / width)};
        if (windows.count < kept) return;
        std::array<std::uint64_t, kept> floors{};
        for (std::size_t at = 0; at < kept; ++at) floors[at] = windows[windows.count + at].least;
        const std::optional<growth_line> line = growth_line_of(floors);
        windows.streak = line ? windows.streak + 1 : 0;
        if (line) windows.line = *line;
    }

    constexpr void conclude() {
        // Three states. Not growing: the widest windows with a streak say whether it does, and the rise must exceed
        // what was given back before, or each refill of a cache would be a leak. Growing, and below the line by more
        // than the tolerance: it ends. Growing otherwise: the line is fitted again when a window of its width has
        // ended.
        const std::uint64_t floor = widths_[0][widths_[0].count - 1].least;
        reached_ = std::max(reached_, floor);
        const std::uint64_t grown = reached_ - std::min(began_, reached_);
        if (alarms_ != 0 && floor < reached_ - grown / 2) taken_back_ = std::max(taken_back_, grown);
        if (growing_ && floor + tolerance_ < growing_->floor_bytes + growth_over(steps_ - growing_->at)) return end();
        std::size_t at = widths_.size();
        while (at-- > 0 && widths_[at].streak < persistence) {
        }
        if (at >= widths_.size()) return;  // growth continues until the series leaves its line
        const growth_windows& windows = widths_[at];
        const std::uint64_t rise = windows.line.rise_over(kept - 1);
        if (!growing_ && rise / 2 <= taken_back_) return;
        const std::uint64_t noticed = growing_ ? growing_->noticed : steps_;
        if (!growing_) {
            ++alarms_;
            began_ = windows[windows.count].least;
            reached_ = floor;
        }
        if (growing_ && windows.count * width(at) != steps_) return;  // no window of this width has just ended
        // Narrow windows, in which growth was detected, locate its beginning better than wide windows.
        std::uint64_t since = beginning(at);
        if (growing_) {
            const std::uint64_t before = growing_->since;
            if (std::max(since, before) - std::min(since, before) <= 4 * width(at)) since = before;
        }
        fit(at, since);
        growing_->noticed = noticed;
        tolerance_ = rise / 2;
    }

    constexpr void end() noexcept {
        growing_.reset();
        for (growth_windows& windows : widths_) windows.streak = 0;
    }

    /// Returns the rise of the line over `steps` steps, few because each window fits a new line.
    [[nodiscard]] constexpr std::uint64_t growth_over(std::uint64_t steps) const noexcept {
        return growing_->rise_bytes / growing_->over_steps * steps +
               growing_->rise_bytes % growing_->over_steps * steps / growing_->over_steps;
    }

    /// Fits a line to all steps since `since`, for growth that was detected in `widths_[at]`. Uses wider windows if
    /// there are many, and skips level windows before the rise.
    constexpr void fit(std::size_t at, std::uint64_t since) {
        // As many windows as have passed since the beginning, and at most 32: so growth that goes on is fitted in ever
        // wider windows, with the same effort.
        const auto count_at = [&](std::size_t wider) {
            const std::uint64_t count = widths_[wider].count;
            return static_cast<std::size_t>(count - std::min((since + width(wider) - 1) / width(wider), count));
        };
        growth_line line = widths_[at].line;
        for (; count_at(at) > kept && count_at(at + 1) >= growth_parts; ++at) line.rise_bytes *= 2;
        const std::size_t count = std::clamp<std::size_t>(count_at(at), growth_parts, kept);
        const std::size_t level = level_places(latest(at, count).sizes());
        fitted_ = latest(at, count - level);
        growing_ = growth_along(fitted_.sizes(), width(at), widths_[at].count * width(at), line);
        growing_->since = level == 0 ? since : (widths_[at].count - fitted_.count) * width(at);
    }

    /// Returns the step after which the series grows as in `widths_[at]`: the oldest window, or earlier as far as wider
    /// windows lie on the line. If the first that does not has a larger mean, returns where the line leaves it.
    [[nodiscard]] constexpr std::uint64_t beginning(std::size_t at) const {
        // The windows that were fitted reach back only so far; wider ones reach further. Going back along the line, the
        // first wide window that does not lie on it holds the beginning; where in it follows from its mean.
        const std::uint64_t start = (widths_[at].count - kept) * width(at);
        const line_backwards line(latest(at, kept).sizes(), width(at));
        if (!line.rises()) return start;
        std::uint64_t first = start;
        for (std::size_t wider = at + 1; wider < widths_.size(); ++wider) {
            const std::uint64_t wider_width = width(wider);
            for (std::uint64_t number = first / wider_width; number + kept > widths_[wider].count; --number) {
                if (number == 0) return first;
                const std::uint64_t before = (number - 1) * wider_width;
                const std::uint64_t back = 2 * (start - before) + width(at) - wider_width;
                if (back > line.farthest()) return first;
                const auto mean = static_cast<std::int64_t>(widths_[wider][number - 1].mean);
                if (!line.holds(mean, back))  // the line rises to this level in between, or falls to it
                    return first - line.steps_between(mean, line.at(2 * (start - first) + width(at)),
                                                      std::min(first, wider_width));
                first = before;
            }
        }
        return first;
    }

    trivial_vector<growth_windows> widths_;  // the narrowest first
    std::uint64_t steps_ = 0;
    std::uint64_t highest_bytes_ = 0;
    std::uint64_t highest_step_ = 0;
    std::optional<steady_growth> growing_ = {};
    growth_window_list fitted_ = {};
    std::uint64_t tolerance_ = 0;   // the series may fall this far below the line before growth ends
    std::uint64_t began_ = 0;       // the minimum at which the latest growth began
    std::uint64_t reached_ = 0;     // the largest minimum since, even after growth ended
    std::uint64_t taken_back_ = 0;  // the largest growth that was given back
    std::uint64_t alarms_ = 0;
    std::uint32_t window_ = usual_window;
};

}  // namespace hbm::inline v0
