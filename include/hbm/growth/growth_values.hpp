#pragma once

/// What is found in a series of sizes: growth, or a spike.

#include <cstdint>

namespace hbm {

namespace growth_detail {

__extension__ typedef unsigned __int128 wide;

/// The largest number whose square is not more than `square`.
[[nodiscard]] constexpr std::uint64_t square_root(wide square) noexcept {
    std::uint64_t root = 0;
    for (int bit = 63; bit >= 0; --bit) {
        const std::uint64_t more = root | std::uint64_t{1} << bit;
        if (wide{more} * more <= square) root = more;
    }
    return root;
}

}  // namespace growth_detail

/// Growth along a line. Steps are counted from 1.
struct steady_growth {
    std::uint64_t rise_bytes = 0;  ///< the slope is a fraction: so many bytes ...
    std::uint64_t over_steps = 1;  ///< ... in so many steps
    std::uint64_t since = 0;    ///< the step after which it grows, as far as the kept history tells; 0: from the start
    std::uint64_t noticed = 0;  ///< the step at which it was noticed
    std::uint64_t at = 0;       ///< the step that the figures below are of, shortly before the latest
    std::uint64_t floor_bytes = 0;      ///< what the least of a step comes to now, on the line
    std::uint64_t top_bytes = 0;        ///< what the most of a step comes to now, but for single outliers
    std::uint64_t doubt_bytes = 0;      ///< `rise_bytes` may be wrong by so much, four standard errors
    std::uint64_t seen_steps = 0;       ///< how many steps the slope was found from
    std::uint64_t least_top_bytes = 0;  ///< a step needs no less, as far as was seen
    std::uint64_t most_top_bytes = 0;   ///< nor more, single outliers included

    /// Bytes a step in millionths, rounded down; the largest number when that would overflow.
    [[nodiscard]] constexpr std::uint64_t micro_bytes_a_step() const noexcept {
        return clamped(wide{rise_bytes} * 1'000'000 / over_steps);
    }
    /// How many steps after `at` the most of a step reaches `capacity_bytes`, rounded up; 0 if it has.
    [[nodiscard]] constexpr std::uint64_t steps_left(std::uint64_t capacity_bytes) const noexcept {
        if (top_bytes >= capacity_bytes || rise_bytes == 0) return 0;
        return clamped((wide{capacity_bytes - top_bytes} * over_steps + rise_bytes - 1) / rise_bytes);
    }

    /// The step at which the most of a step reaches `capacity_bytes`; the largest number when that would overflow.
    [[nodiscard]] constexpr std::uint64_t end_step(std::uint64_t capacity_bytes) const noexcept {
        return clamped(wide{at} + steps_left(capacity_bytes));
    }
    /// The step before which memory is not expected to end: it ends between this step and the latest in about 99 series
    /// of 100. What comes is taken to vary as much as what was seen.
    [[nodiscard]] constexpr std::uint64_t earliest_end_step(std::uint64_t capacity_bytes) const noexcept {
        if (most_top_bytes >= capacity_bytes || rise_bytes == 0) return at;
        const wide steps = wide{capacity_bytes - most_top_bytes} * over_steps / rise_bytes;
        return clamped(at + scaled(steps, million, million + doubt_in_millionths(clamped(steps))));
    }
    /// The step after which the end is not expected; the largest number if it may never come.
    [[nodiscard]] constexpr std::uint64_t latest_end_step(std::uint64_t capacity_bytes) const noexcept {
        if (least_top_bytes >= capacity_bytes) return at;
        if (rise_bytes == 0) return ~std::uint64_t{0};
        const wide steps = wide{capacity_bytes - least_top_bytes} * over_steps / rise_bytes + 1;
        const std::uint64_t doubt = doubt_in_millionths(clamped(steps));
        if (doubt >= million) return ~std::uint64_t{0};
        return clamped(at + scaled(steps, million, million - doubt));
    }

    friend constexpr bool operator==(const steady_growth&, const steady_growth&) = default;

private:
    using wide = growth_detail::wide;
    static constexpr std::uint64_t million = 1'000'000;

    /// The doubt about the mean slope of the next `steps` steps, in millionths of the slope. The slope of few steps
    /// varies more than that of many: the variances of both are added.
    [[nodiscard]] constexpr std::uint64_t doubt_in_millionths(std::uint64_t steps) const noexcept {
        const wide alone = wide{doubt_bytes} * million / (rise_bytes == 0 ? 1 : rise_bytes);
        const wide more = million + wide{seen_steps} * million / (steps == 0 ? 1 : steps);
        if (alone > 1'000 * million || more > 1'000'000 * wide{million}) return 1'000 * million;
        return clamped(alone * growth_detail::square_root(more * million) / million);
    }
    [[nodiscard]] static constexpr wide scaled(wide number, std::uint64_t by, std::uint64_t divisor) noexcept {
        return number / divisor * by + number % divisor * by / divisor;
    }
    [[nodiscard]] static constexpr std::uint64_t clamped(wide number) noexcept {
        return number > ~std::uint64_t{0} ? ~std::uint64_t{0} : static_cast<std::uint64_t>(number);
    }
};

/// A single step, or a few steps in a row, that needed much more than all others.
struct growth_spike {
    std::uint64_t step = 0;         ///< the step of the most, from 1
    std::uint64_t bytes = 0;        ///< the most
    std::uint64_t usual_bytes = 0;  ///< the most at all other times

    friend constexpr bool operator==(const growth_spike&, const growth_spike&) = default;
};

}  // namespace hbm
