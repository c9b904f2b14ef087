#pragma once

/// Watches a series of sizes, a value for each step of a program, for steady growth. Bounded memory, integers only.

#include <hbm/core/trivial_vector.hpp>
#include <hbm/growth/growth_fit.hpp>
#include <hbm/growth/growth_line.hpp>
#include <hbm/growth/growth_onset.hpp>
#include <hbm/growth/growth_values.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace hbm {

/// A series of sizes. `add` takes the least and the most that a step held: what leaks is in both, what comes and goes
/// within a step is not in the least.
///
/// Steps are joined to windows, windows to windows of twice the width, and so on. Of each width the latest 32 windows
/// are kept, each with its least and its most. After each window the 32 floors are looked at (`growth_line_of`), and if
/// they are found to grow after eight windows in a row that is growth. So a leak is noticed in the narrowest windows
/// whose noise it outgrows, whether it begins at the first step or the millionth. A rise that was noticed and then goes
/// back by more than half of it (a cache that is emptied now and then) is remembered: from then on, a rise counts only
/// if it is more than twice as large.
/// A regular value. Host memory: 900 bytes for each doubling of the number of steps.
class growth_series {
public:
    static constexpr std::size_t kept = max_growth_places;  ///< windows of each width
    static constexpr std::uint32_t usual_window = 16;       ///< steps in the narrowest window
    static constexpr std::uint32_t persistence = 8;         ///< windows in a row before growth is believed

    constexpr growth_series() : growth_series(usual_window) {}
    /// Narrowest windows of `window` steps. Growth is noticed after 40 windows at the earliest; what takes back its
    /// growth within so many steps is never taken for growth.
    constexpr explicit growth_series(std::uint32_t window) : window_(window == 0 ? 1 : window) {}

    /// The next step held at least `least` and at most `most` bytes. O(1) amortised: nanoseconds, and some microseconds
    /// after a window if the series rises. Sizes of 4 PiB and more count as 4 PiB.
    constexpr void add(std::uint64_t least, std::uint64_t most) {
        sizes step{std::min(least, max_grown_bytes), std::min(std::max(least, most), max_grown_bytes)};
        step.sum = step.least;
        ++steps_;
        if (step.most > highest_.bytes) highest_ = {steps_, step.most, 0};
        if (levels_.empty()) levels_.emplace_back();
        levels_[0].pending.join(step);
        if (steps_ % window_ != 0) return;
        for (std::size_t at = 0;; ++at) {
            const sizes window = levels_[at].pending;
            levels_[at].pending = {};
            push(levels_[at], window, std::uint64_t{window_} << at);
            const bool is_even = levels_[at].count % 2 == 0;
            if (at + 1 == levels_.size()) levels_.emplace_back();
            levels_[at + 1].pending.join(window);
            if (!is_even) break;
        }
        conclude();
    }

    /// How many steps were added.
    [[nodiscard]] constexpr std::uint64_t steps() const noexcept { return steps_; }
    /// The most of all steps; 0 before the first step.
    [[nodiscard]] constexpr std::uint64_t highest_bytes() const noexcept { return highest_.bytes; }

    /// The growth that goes on now; empty if there is none. O(1).
    [[nodiscard]] constexpr const std::optional<steady_growth>& growing() const noexcept { return growing_; }
    /// How often growth was noticed.
    [[nodiscard]] constexpr std::uint64_t alarms() const noexcept { return alarms_; }

    /// For a series that has ended: `growing()`, or growth in a series of fewer than 40 windows, where a line through
    /// all of them counts without persistence. Below 8 windows there is never any. O(1).
    [[nodiscard]] constexpr std::optional<steady_growth> grew() const {
        if (growing_ || levels_.empty() || levels_[0].count >= kept + persistence) return growing_;
        const std::size_t known = std::min<std::size_t>(static_cast<std::size_t>(levels_[0].count), kept);
        const std::size_t length = known / growth_parts * growth_parts;
        const level& only = levels_[0];
        std::array<std::uint64_t, kept> floors{};
        for (std::size_t at = 0; at < length; ++at) floors[at] = only.window(only.count - length + at).least;
        const std::optional<growth_line> line = growth_line_of(std::span<const std::uint64_t>(floors).first(length));
        if (!line) return std::nullopt;
        steady_growth found = described(0, length, *line);
        // Windows before the ones that were looked at, of which there must be a multiple of eight.
        const std::uint64_t rise = line->rise_over(length - 1);
        std::uint64_t expected = line->end_bytes - std::min(rise, line->end_bytes);
        const std::uint64_t each = line->rise_over(1) + 1;
        for (std::uint64_t at = only.count - length; at > 0 && only.count - at < kept; --at) {
            const std::uint64_t floor = only.window(at - 1).least;
            expected -= std::min(each, expected);
            if (floor > expected + each || floor + each < expected) break;
            found.since = (at - 1) * window_;
        }
        return found;
    }

    /// By how much the floor of the latest window is above that of the window after step `since`; 0 if it is not. Of
    /// steps that are long ago only wide windows are known. O(log steps).
    [[nodiscard]] constexpr std::uint64_t risen_since(std::uint64_t since) const noexcept {
        if (levels_.empty() || levels_[0].count == 0) return 0;
        const std::uint64_t now = levels_[0].window(levels_[0].count - 1).least;
        std::uint64_t width = window_;
        for (const level& each : levels_) {
            const std::uint64_t number = since / width;
            width *= 2;
            if (number >= each.count || number + kept < each.count) continue;
            const std::uint64_t then = each.window(number).least;
            return now - std::min(now, then);
        }
        return 0;
    }

    /// The spike of the series so far; empty if there is none: the most of all steps is further above the most of all
    /// other windows than that is above the floor. It covers at most three windows of the narrowest width of which 32
    /// cover the series. O(1).
    [[nodiscard]] constexpr std::optional<growth_spike> spike() const noexcept {
        std::size_t at = 0;
        while (at < levels_.size() && levels_[at].count > kept) ++at;
        if (at == levels_.size() || levels_[at].count < growth_parts) return std::nullopt;
        const level& whole = levels_[at];
        const std::uint64_t width = std::uint64_t{window_} << at;
        const std::uint64_t where = (highest_.step - 1) / width;
        std::uint64_t usual = 0;
        std::uint64_t floor = max_grown_bytes;
        const auto look = [&](std::uint64_t number, const auto& window) {
            if (number + 1 >= where && number <= where + 1) return;
            usual = std::max(usual, window.most);
            floor = std::min(floor, window.least);
        };
        for (std::uint64_t number = 0; number < whole.count; ++number) look(number, whole.window(number));
        for (std::size_t finer = 0; finer <= at; ++finer)
            if (levels_[finer].pending.least <= levels_[finer].pending.most) look(whole.count, levels_[finer].pending);
        if (highest_.bytes <= usual || highest_.bytes - usual <= usual - std::min(usual, floor)) return std::nullopt;
        if (highest_.bytes - usual < highest_.bytes / 16) return std::nullopt;  // nothing to speak of
        return growth_spike{highest_.step, highest_.bytes, usual};
    }

    friend constexpr bool operator==(const growth_series&, const growth_series&) = default;

private:
    /// What the steps of a window held, as far as it is complete.
    struct sizes {
        std::uint64_t least = ~std::uint64_t{0};  // nothing: more than the most
        std::uint64_t most = 0;
        growth_detail::wide sum = 0;  // of the least of each step

        constexpr void join(const sizes& other) noexcept {
            least = std::min(least, other.least);
            most = std::max(most, other.most);
            sum += other.sum;
        }
        friend constexpr bool operator==(const sizes&, const sizes&) = default;
    };

    /// The windows of one width.
    struct level {
        std::array<growth_window_sizes, kept> ring{};
        std::uint64_t count = 0;   // windows so far
        sizes pending = {};        // of the window that is not complete
        std::uint32_t streak = 0;  // windows in a row after which the kept windows grow
        growth_line line = {};     // of the latest of these

        [[nodiscard]] constexpr const growth_window_sizes& window(std::uint64_t number) const noexcept {
            return ring[static_cast<std::size_t>(number % kept)];
        }
        friend constexpr bool operator==(const level&, const level&) = default;
    };

    constexpr void push(level& into, const sizes& window, std::uint64_t width) {
        into.ring[static_cast<std::size_t>(into.count++ % kept)] = {window.least, window.most,
                                                                    static_cast<std::uint64_t>(window.sum / width)};
        if (into.count < kept) return;
        std::array<std::uint64_t, kept> floors{};
        for (std::size_t at = 0; at < kept; ++at) floors[at] = into.window(into.count + at).least;
        const std::optional<growth_line> line = growth_line_of(floors);
        into.streak = line ? into.streak + 1 : 0;
        if (line) into.line = *line;
    }

    /// Draws the conclusion from all widths.
    constexpr void conclude() {
        const std::uint64_t floor = levels_[0].window(levels_[0].count - 1).least;
        reached_ = std::max(reached_, floor);
        const std::uint64_t grown = reached_ - std::min(began_, reached_);
        if (alarms_ != 0 && floor < reached_ - grown / 2) taken_back_ = std::max(taken_back_, grown);
        if (growing_ && floor + tolerance_ < growing_->floor_bytes + growth_over(steps_ - growing_->at)) return end();
        std::size_t at = levels_.size();
        while (at-- > 0 && levels_[at].streak < persistence) {
        }
        if (at >= levels_.size()) return;  // growth that was noticed goes on until the series leaves its line
        const level& seen = levels_[at];
        const std::uint64_t rise = seen.line.rise_over(kept - 1);
        if (!growing_ && rise / 2 <= taken_back_) return;
        const std::uint64_t noticed = growing_ ? growing_->noticed : steps_;
        if (!growing_) {
            ++alarms_;
            began_ = seen.window(seen.count).least;
            reached_ = floor;
        }
        const std::uint64_t width = std::uint64_t{window_} << at;
        if (growing_ && seen.count * width != steps_) return;  // no window of this width has just ended
        // Wide windows say less precisely when it began than the narrow windows in which it was noticed.
        std::uint64_t since = beginning(at);
        if (growing_) {
            const std::uint64_t before = growing_->since;
            if (std::max(since, before) - std::min(since, before) <= 4 * width) since = before;
        }
        growing_ = fitted(at, since);
        growing_->noticed = noticed;
        tolerance_ = rise / 2;
    }

    /// The growth is over.
    constexpr void end() noexcept {
        growing_.reset();
        for (level& each : levels_) each.streak = 0;
    }

    [[nodiscard]] constexpr std::uint64_t growth_over(std::uint64_t steps) const noexcept {
        // The line is described anew with each window of its width, so that these numbers stay small.
        return growing_->rise_bytes / growing_->over_steps * steps +
               growing_->rise_bytes % growing_->over_steps * steps / growing_->over_steps;
    }

    /// The latest `length` windows of a width, the latest last. They are valid as long as the result.
    struct windows {
        std::array<growth_window_sizes, kept> all{};
        std::size_t length = 0;

        constexpr operator std::span<const growth_window_sizes>() const noexcept {
            return std::span(all).first(length);
        }
    };
    [[nodiscard]] constexpr windows latest(std::size_t at, std::size_t length) const noexcept {
        const level& seen = levels_[at];
        windows found{.length = length};
        for (std::size_t each = 0; each < length; ++each) found.all[each] = seen.window(seen.count - length + each);
        return found;
    }
    /// The growth along a line through these.
    [[nodiscard]] constexpr steady_growth described(std::size_t at, std::size_t length, const growth_line& line) const {
        const std::uint64_t width = std::uint64_t{window_} << at;
        const std::uint64_t count = levels_[at].count;
        steady_growth found = growth_along(latest(at, length), width, count * width, line);
        found.since = (count - length) * width;
        found.noticed = steps_;
        return found;
    }
    /// The growth that was noticed in `levels_[at]`, from all steps since `since`, in wider windows if need be, but for
    /// those that turn out to be level before it.
    [[nodiscard]] constexpr steady_growth fitted(std::size_t at, std::uint64_t since) const {
        const auto length_at = [&](std::size_t which) {
            const std::uint64_t width = std::uint64_t{window_} << which;
            const std::uint64_t count = levels_[which].count;
            return static_cast<std::size_t>(count - std::min((since + width - 1) / width, count));
        };
        growth_line line = levels_[at].line;
        for (; length_at(at) > kept && length_at(at + 1) >= growth_parts; ++at) line.rise_bytes *= 2;
        const std::size_t length = std::clamp<std::size_t>(length_at(at), growth_parts, kept);
        const std::size_t before = level_places(latest(at, length));
        steady_growth found = described(at, length - before, line);
        if (before == 0) found.since = since;
        return found;
    }

    /// The step after which the series grows as it does in `levels_[at]`: its oldest window, or earlier, as far as
    /// wider windows lie on the line; where the first that does not has a larger mean, where the line leaves it.
    [[nodiscard]] constexpr std::uint64_t beginning(std::size_t at) const {
        const std::uint64_t width = std::uint64_t{window_} << at;
        const std::uint64_t start = (levels_[at].count - kept) * width;
        const line_backwards line(latest(at, kept), width);
        if (!line.rises()) return start;
        std::uint64_t first = start;
        for (std::size_t wider = at + 1; wider < levels_.size(); ++wider) {
            const std::uint64_t its_width = std::uint64_t{window_} << wider;
            for (std::uint64_t number = first / its_width; number + kept > levels_[wider].count; --number) {
                if (number == 0) return first;
                const std::uint64_t before = (number - 1) * its_width;
                const std::uint64_t back = 2 * (start - before) + width - its_width;
                if (back > line.farthest()) return first;
                const auto mean = static_cast<std::int64_t>(levels_[wider].window(number - 1).mean);
                if (!line.holds(mean, back))  // the line comes up to this level in between, or falls to it
                    return first -
                           line.steps_between(mean, line.at(2 * (start - first) + width), std::min(first, its_width));
                first = before;
            }
        }
        return first;
    }

    trivial_vector<level> levels_;  // by width, the narrowest first
    std::uint64_t steps_ = 0;
    growth_spike highest_ = {};  // the most so far
    std::optional<steady_growth> growing_ = {};
    std::uint64_t tolerance_ = 0;   // how far below the line the series may fall before growth is over
    std::uint64_t began_ = 0;       // the floor where the latest growth began
    std::uint64_t reached_ = 0;     // the largest floor since, when it is over as well
    std::uint64_t taken_back_ = 0;  // the largest growth that has gone back
    std::uint64_t alarms_ = 0;
    std::uint32_t window_ = usual_window;
};

/// The width of the narrowest windows for a series of known length: 1 up to 80 steps, so that a short series has its 40
/// windows, at most the usual width.
[[nodiscard]] constexpr std::uint32_t growth_window(std::uint64_t steps) noexcept {
    const std::uint64_t wanted = steps / (growth_series::kept + growth_series::persistence);
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(wanted, 1, growth_series::usual_window));
}

}  // namespace hbm
