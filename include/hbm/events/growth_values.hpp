#pragma once

/// What is found in a series of sizes: growth, or a spike.

#include <cstdint>

namespace hbm {

/// Growth along a line. Steps are counted from 1.
struct steady_growth {
    std::uint64_t rise_bytes = 0;  ///< the slope is a fraction: so many bytes ...
    std::uint64_t over_steps = 1;  ///< ... in so many steps
    std::uint64_t since = 0;    ///< the step after which it grows, as far as the kept history tells; 0: from the start
    std::uint64_t noticed = 0;  ///< the step at which it was noticed
    std::uint64_t at = 0;       ///< the step that the figures below are of, shortly before the latest
    std::uint64_t floor_bytes = 0;  ///< what the least of a step comes to now, on the line
    std::uint64_t top_bytes = 0;    ///< what the most of a step comes to now, but for single outliers

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

    friend constexpr bool operator==(const steady_growth&, const steady_growth&) = default;

private:
    __extension__ typedef unsigned __int128 wide;
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
