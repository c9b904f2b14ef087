#pragma once

/// Steady growth in a series of sizes, with bounded memory and in integers, so that all compilers and machines agree.

#include <hbm/core/language.hpp>
#include <hbm/core/trivial_vector.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace hbm::inline v0 {

/// The largest size that is distinguished, 4 PiB.
inline constexpr std::uint64_t max_grown_bytes = (std::uint64_t{1} << 52) - 1;

/// Growth along a line. Steps count from 1.
struct steady_growth {
    std::uint64_t rise_bytes = 0;   ///< the slope is a fraction: this many bytes ...
    std::uint64_t over_steps = 1;   ///< ... in this many steps
    std::uint64_t since = 0;        ///< the step after which it grows, within an eighth; 0: from the start
    std::uint64_t noticed = 0;      ///< the step at which it was detected
    std::uint64_t at = 0;           ///< the step of the sizes below: shortly before the latest, or when growth stopped
    std::uint64_t floor_bytes = 0;  ///< minimum of a step, on the line
    std::uint64_t top_bytes = 0;    ///< maximum of a step, without single outliers

    /// Returns the slope in millionths of a byte per step, rounded down and saturating.
    [[nodiscard]] constexpr std::uint64_t micro_bytes_a_step() const noexcept {
        return clamped(detail::uint128{rise_bytes} * 1'000'000 / over_steps);
    }
    /// Returns the number of steps from `at` until the maximum reaches `capacity_bytes`, rounded up; 0 if it has.
    [[nodiscard]] constexpr std::uint64_t steps_left(std::uint64_t capacity_bytes) const noexcept {
        if (top_bytes >= capacity_bytes || rise_bytes == 0) return 0;
        const detail::uint128 rise = detail::uint128{capacity_bytes - top_bytes} * over_steps;
        return clamped((rise + rise_bytes - 1) / rise_bytes);
    }
    /// Returns the step at which the maximum of a step reaches `capacity_bytes`, saturating.
    [[nodiscard]] constexpr std::uint64_t end_step(std::uint64_t capacity_bytes) const noexcept {
        return clamped(detail::uint128{at} + steps_left(capacity_bytes));
    }

    friend constexpr bool operator==(const steady_growth&, const steady_growth&) = default;

private:
    [[nodiscard]] static constexpr std::uint64_t clamped(detail::uint128 number) noexcept {
        return number > ~std::uint64_t{0} ? ~std::uint64_t{0} : static_cast<std::uint64_t>(number);
    }
};

namespace detail {

/// A line through sizes at equal distances, by least squares.
///
/// Places are the odd numbers -(n - 1) to n - 1, so that their sum is 0 and all below are integers. Sizes are counted
/// from the smallest one, and shifted so that their squares have room.
struct least_squares {
    std::int64_t count = 0;     ///< number of sizes
    std::uint64_t base = 0;     ///< the smallest size
    int shift = 0;              ///< bits that were dropped of each size
    std::int64_t sum = 0;       ///< of the sizes
    std::int64_t products = 0;  ///< sum of size times place: the slope is `products / squares` for each place
    std::int64_t squares = 0;   ///< sum of the squares of the places
    uint128 unexplained = 0;    ///< `count * squares` times the sum of the squared distances to the line

    /// Sizes are `size_of(0)` to `size_of(count - 1)`. Requires: `count` is from 2 to 32.
    template <class Sizes>
    [[nodiscard]] static constexpr least_squares of(std::size_t count, const Sizes& size_of) noexcept {
        least_squares line{.count = static_cast<std::int64_t>(count), .base = ~std::uint64_t{0}};
        std::uint64_t high = 0;
        for (std::size_t at = 0; at < count; ++at) {
            line.base = std::min(line.base, size_of(at));
            high = std::max(high, size_of(at));
        }
        line.shift = std::max(static_cast<int>(std::bit_width(high - line.base)) - 40, 0);
        uint128 total = 0;
        for (std::size_t at = 0; at < count; ++at) {
            const auto size = static_cast<std::int64_t>((size_of(at) - line.base) >> line.shift);
            const std::int64_t place = 2 * static_cast<std::int64_t>(at) - (line.count - 1);
            line.sum += size;
            line.products += size * place;
            line.squares += place * place;
            total += uint128{static_cast<std::uint64_t>(size)} * static_cast<std::uint64_t>(size);
        }
        const auto wide = [](std::int64_t number) { return uint128{static_cast<std::uint64_t>(number)}; };
        const uint128 varied = wide(line.squares) * (wide(line.count) * total - wide(line.sum) * wide(line.sum));
        line.unexplained = varied - line.explained();
        return line;
    }
    /// Returns `count * squares` times the sum of squares that the line explains.
    [[nodiscard]] constexpr uint128 explained() const noexcept {
        const uint128 all = static_cast<std::uint64_t>(products < 0 ? -products : products);
        return all * all * static_cast<std::uint64_t>(count);
    }
    /// Returns the rise from the first place to the last; 0 if it falls.
    [[nodiscard]] constexpr std::uint64_t rise() const noexcept {
        if (products <= 0) return 0;
        const uint128 all = uint128{static_cast<std::uint64_t>(products)} << shift;
        return static_cast<std::uint64_t>(all * 2 * static_cast<std::uint64_t>(count - 1) /
                                          static_cast<std::uint64_t>(squares));
    }
    /// Returns the mean of the sizes.
    [[nodiscard]] constexpr std::uint64_t mean() const noexcept {
        return base + (static_cast<std::uint64_t>(sum / count) << shift);
    }
};

}  // namespace detail

/// Detector of steady growth in a series of sizes. `add` takes the minimum and the maximum of a step: a leak is in
/// both, temporary memory is not in the minimum.
///
/// Steps form windows, and windows form windows of twice the width; the latest 32 of each width are kept. A series
/// grows if in the windows of some width a line explains 98 % of what their means, or their minima, vary, and ends
/// above all that was there before. A random walk looks like that in fewer than one series of 200, noise and a single
/// step never. Growth counts until it is contradicted: until half of the rise is given back, or until the latest
/// windows are certain to rise less than half as fast. So a leak in stationary noise is found when it exceeds the
/// noise, and stays found.
/// Host memory: 1,030 bytes for each doubling of the number of steps.
class growth_series {
public:
    static constexpr std::size_t kept = 32;            ///< windows of each width
    static constexpr std::size_t fewest = 8;           ///< windows that can show growth
    static constexpr std::size_t level = 16;           ///< windows that can show that it stopped
    static constexpr std::uint32_t usual_window = 16;  ///< steps in the narrowest window

    constexpr growth_series() : growth_series(usual_window) {}
    /// Constructs a series whose narrowest windows have `window` steps: memory that is returned within these is never
    /// growth. `first` narrowest windows are needed before the first conclusion, 8 at least.
    constexpr explicit growth_series(std::uint32_t window, std::size_t first = kept)
        : window_(window == 0 ? 1 : window), first_(std::max(first, fewest)) {}

    /// Adds a step that held at least `least` and at most `most` bytes, clamped to 4 PiB.
    /// Cost: O(1) amortised, nanoseconds; a microsecond after a window.
    constexpr void add(std::uint64_t least, std::uint64_t most) {
        least = std::min(least, max_grown_bytes);
        most = std::min(std::max(least, most), max_grown_bytes);
        ++steps_;
        highest_bytes_ = std::max(highest_bytes_, most);
        // A step joins the narrowest window; when that is full it joins the window of twice the width, and so on, like
        // carries of a counter. So a step costs two joins on average, however many widths there are.
        if (widths_.empty()) widths_.emplace_back();
        widths_[0].pending.join(least, most, least);
        if (steps_ % window_ != 0) return;
        reached_ = std::max(reached_, widths_[0].pending.least);
        std::size_t widest = 0;
        for (;; ++widest) {
            const pending_window ended = widths_[widest].pending;
            widths_[widest].pending = {};
            widths_[widest].ring[static_cast<std::size_t>(widths_[widest].count++ % kept)] = {
                ended.least, ended.most, static_cast<std::uint64_t>(ended.sum / width(widest)), reached_};
            if (widest + 1 == widths_.size()) widths_.emplace_back();
            widths_[widest + 1].pending.join(ended.least, ended.most, ended.sum);
            if (widths_[widest].count % 2 != 0) break;
        }
        if (widths_[0].count >= first_) conclude(widest);
    }

    [[nodiscard]] constexpr std::uint64_t steps() const noexcept { return steps_; }
    /// Returns the maximum of all steps, 0 before the first.
    [[nodiscard]] constexpr std::uint64_t highest_bytes() const noexcept { return highest_bytes_; }

    /// Returns the present growth, if any.
    [[nodiscard]] constexpr const std::optional<steady_growth>& growing() const noexcept { return growing_; }
    /// Returns the latest growth that stopped, if any: memory stays at its end, `at`.
    [[nodiscard]] constexpr const std::optional<steady_growth>& stopped() const noexcept { return stopped_; }
    /// Returns the least growth, in millionths of a byte a step, that would be seen in a series of this length that
    /// varies as much; `nullopt` if the series is too short for any. Cost: O(1).
    [[nodiscard]] constexpr std::optional<std::uint64_t> visible_micro_bytes_a_step() const noexcept {
        // The line explains enough if explained >= 49 * unexplained, of which only the first grows with the slope.
        for (std::size_t at = widths_.size(); at-- > 0;) {
            const std::size_t count = countable(at);
            if (count == 0) continue;
            const detail::least_squares line = fitted(at, count, &window_sizes::mean);
            const detail::uint128 least = line.unexplained / static_cast<std::uint64_t>(line.count) * explained_share;
            std::uint64_t root = 0;
            for (std::uint64_t bit = std::uint64_t{1} << 62; bit != 0; bit /= 2)
                if (detail::uint128{root + bit} * (root + bit) <= least) root += bit;
            const detail::uint128 rise = ((detail::uint128{root} << line.shift) + 1) * 2'000'000;
            const detail::uint128 slope = rise / static_cast<std::uint64_t>(line.squares) / width(at);
            return slope > ~std::uint64_t{0} ? ~std::uint64_t{0} : static_cast<std::uint64_t>(slope);
        }
        return std::nullopt;
    }

    friend bool operator==(const growth_series&, const growth_series&) = default;

private:
    /// Parts of what a line explains for each part that it does not.
    static constexpr std::uint64_t explained_share = 49;

    struct window_sizes {
        std::uint64_t least = 0;    // minimum of all steps
        std::uint64_t most = 0;     // maximum of all steps
        std::uint64_t mean = 0;     // mean of the minimum of each step
        std::uint64_t reached = 0;  // the largest minimum of a narrowest window up to here

        friend constexpr bool operator==(const window_sizes&, const window_sizes&) = default;
    };
    using figure = std::uint64_t window_sizes::*;

    struct pending_window {
        std::uint64_t least = ~std::uint64_t{0};
        std::uint64_t most = 0;
        detail::uint128 sum = 0;

        constexpr void join(std::uint64_t its_least, std::uint64_t its_most, detail::uint128 its_sum) noexcept {
            least = std::min(least, its_least);
            most = std::max(most, its_most);
            sum += its_sum;
        }
        friend constexpr bool operator==(const pending_window&, const pending_window&) = default;
    };

    /// The latest windows of one width.
    struct windows {
        std::array<window_sizes, kept> ring{};
        std::uint64_t count = 0;
        pending_window pending = {};

        friend constexpr bool operator==(const windows&, const windows&) = default;
    };

    [[nodiscard]] constexpr std::uint64_t width(std::size_t at) const noexcept { return std::uint64_t{window_} << at; }
    /// Returns the window of `widths_[at]` that is `back` before the latest.
    [[nodiscard]] constexpr const window_sizes& latest(std::size_t at, std::size_t back) const noexcept {
        return widths_[at].ring[static_cast<std::size_t>((widths_[at].count - 1 - back) % kept)];
    }
    /// Returns the number of windows of a width that can show growth; 0 if they are too few.
    [[nodiscard]] constexpr std::size_t countable(std::size_t at) const noexcept {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(widths_[at].count, kept));
        return count >= fewest ? count : 0;
    }
    /// Returns the line through the latest `count` windows.
    [[nodiscard]] constexpr detail::least_squares fitted(std::size_t at, std::size_t count,
                                                         figure size) const noexcept {
        return detail::least_squares::of(count, [&](std::size_t place) { return latest(at, count - 1 - place).*size; });
    }

    /// Draws a conclusion after a window; `widest` is the largest width of which one has ended.
    constexpr void conclude(std::size_t widest) {
        // The widest windows that show growth give the best line. Growth that was found in wider windows than have
        // just ended stays as it is.
        for (std::size_t at = widest + 1; at-- > 0;) {
            if (growing_ && at < found_in_) break;
            if (find(at, &window_sizes::mean) || find(at, &window_sizes::least)) break;
        }
        forget();
        if (!growing_) return;
        if (has_fallen(widest)) {
            growing_.reset();
            return;
        }
        // Half as many steps as growth was found in, down to an eighth: a shorter level stretch may be noise.
        for (std::size_t at = found_in_ + 1; at-- > 0 && at + 3 > found_in_;)
            if (at <= widest && has_stopped(at)) return;
    }

    /// Adopts the line through the windows of a width if it is growth; of a short history also without its first
    /// quarter, in which programs set up, if hardly anything is left unexplained.
    constexpr bool find(std::size_t at, figure size) {
        const std::size_t count = countable(at);
        if (count != 0 && adopt(at, count, size, explained_share)) return true;
        const std::size_t later = count - count / 4;
        return count < kept && later >= fewest && adopt(at, later, size, 4 * explained_share);
    }
    constexpr bool adopt(std::size_t at, std::size_t count, figure size, std::uint64_t share) {
        const detail::least_squares line = fitted(at, count, size);
        if (line.products <= 0 || line.explained() < line.unexplained * share) return false;
        // Means of windows that do not agree with the period of a saw drift, and so do minima: but not both.
        const figure other = size == &window_sizes::mean ? &window_sizes::least : &window_sizes::mean;
        const std::uint64_t rise = line.rise(), end = line.mean() + rise / 2;
        if (rise == 0 || fitted(at, count, other).rise() < rise / 2) return false;
        if (end <= latest(at, count - 1).reached) return false;
        // How far sizes are below and above the line. A single window that is higher than all others may not recur, so
        // the top is that of the second.
        std::uint64_t below = 0, above = 0, highest = 0;
        for (std::size_t back = 0; back < count; ++back) {
            const std::uint64_t left = static_cast<std::uint64_t>(detail::uint128{rise} * back / (count - 1));
            below = std::max(below, end - std::min(end, latest(at, back).least + left));
            const std::uint64_t top = latest(at, back).most + left - std::min(latest(at, back).most + left, end);
            above = std::max(above, std::min(top, highest));
            highest = std::max(highest, top);
        }
        stopped_.reset();
        growing_ = steady_growth{.rise_bytes = rise,
                                 .over_steps = (count - 1) * width(at),
                                 .since = (widths_[at].count - count) * width(at),
                                 .noticed = growing_ ? growing_->noticed : steps_,
                                 .at = widths_[at].count * width(at),
                                 .floor_bytes = end - below,
                                 .top_bytes = end + above};
        found_in_ = at;
        found_by_ = size;
        level_ = end;
        return true;
    }

    /// Forgets growth that stopped if half of its rise was given back, or if it is a small part of the history.
    constexpr void forget() noexcept {
        if (!stopped_) return;
        const bool is_small = (stopped_->at - std::min(stopped_->since, stopped_->at)) * 4 < steps_;
        const std::uint64_t now = latest(found_in_, 0).*found_by_;
        if (is_small || now + stopped_->rise_bytes / 2 < level_) stopped_.reset();
    }

    /// Returns true if the latest window of the width in which growth was found is below the line by more than half of
    /// its rise, or the latest of all by its whole rise.
    [[nodiscard]] constexpr bool has_fallen(std::size_t widest) const noexcept {
        const auto risen = [&](std::uint64_t now) {
            return static_cast<std::uint64_t>(detail::uint128{growing_->rise_bytes} * (now - growing_->at) /
                                              growing_->over_steps);
        };
        if (latest(0, 0).least + growing_->rise_bytes < growing_->floor_bytes + risen(steps_)) return true;
        const std::uint64_t now = widths_[found_in_].count * width(found_in_);
        return widest >= found_in_ && latest(found_in_, 0).*found_by_ + growing_->rise_bytes / 2 < level_ + risen(now);
    }

    /// Ends growth if the latest 16 windows of a width are certain to rise less than half as fast.
    constexpr bool has_stopped(std::size_t at) {
        if (widths_[at].count < level) return false;
        const detail::least_squares now = fitted(at, level, found_by_);
        const detail::uint128 half = detail::uint128{growing_->rise_bytes} * static_cast<std::uint64_t>(now.squares) *
                                     width(at) / (detail::uint128{growing_->over_steps} * 4);
        const std::int64_t less = static_cast<std::int64_t>(half >> now.shift) - now.products;
        if (less <= 0) return false;
        const detail::uint128 wide = static_cast<std::uint64_t>(less);
        constexpr std::uint64_t errors = 5;  // standard errors of the slope
        if (wide * wide * (level * (level - 2)) <= now.unexplained * (errors * errors)) return false;
        stop_at(now.mean());
        return true;
    }

    /// Ends growth where it reached the present level: shortly after the last window that was clearly below.
    constexpr void stop_at(std::uint64_t bytes) {
        stopped_ = growing_;
        growing_.reset();
        std::size_t back = 0;
        while (back + 1 < countable(found_in_) &&
               latest(found_in_, back).*found_by_ + stopped_->rise_bytes / 8 >= bytes)
            ++back;
        const std::uint64_t below = bytes - std::min(bytes, latest(found_in_, back).*found_by_);
        const std::uint64_t middle = (widths_[found_in_].count - back) * width(found_in_) - (width(found_in_) - 1) / 2;
        const detail::uint128 more = detail::uint128{below} * stopped_->over_steps / stopped_->rise_bytes;
        stopped_->at = static_cast<std::uint64_t>(std::min<detail::uint128>(middle + more, steps_));
        level_ = bytes;
    }

    trivial_vector<windows> widths_;  // the narrowest first
    std::uint64_t steps_ = 0;
    std::uint64_t highest_bytes_ = 0;
    std::uint64_t reached_ = 0;  // the largest minimum of a narrowest window
    std::optional<steady_growth> growing_ = {};
    std::optional<steady_growth> stopped_ = {};
    std::size_t found_in_ = 0;  // the width in which growth was found
    figure found_by_ = &window_sizes::mean;
    std::uint64_t level_ = 0;  // of the line at its end, or at which growth stopped
    std::uint32_t window_ = usual_window;
    std::size_t first_ = kept;
};

}  // namespace hbm::inline v0
