#pragma once
// The weighted mean of many fractions, rounded only once.

#include <array>
#include <cstddef>
#include <cstdint>

#include "compare/replay/figures.hpp"

namespace hbm::trace {

/// The weighted mean of fractions that are less than 1. Each fraction is truncated to 128 binary places and the sum
/// kept with that precision, so that the error of the mean is less than 2^-128. It is rounded as the exact mean, except
/// that a mean less than 2^-128 below a tie rounds up. The sum of the weights is less than 2^64.
class weighted_mean {
public:
    /// Adds `part / whole`; `part` is less than `whole`, or 0. O(1).
    constexpr void add(std::uint64_t part, std::uint64_t whole, std::uint64_t weight) noexcept {
        weights_ += weight;
        if (part == 0) return;
        const wide_unsigned upper = (static_cast<wide_unsigned>(part) << 64) / whole;
        const wide_unsigned rest = (static_cast<wide_unsigned>(part) << 64) % whole;
        const wide_unsigned lower = (rest << 64) / whole;
        add_at(0, lower * weight);
        add_at(1, upper * weight);
    }

    /// Whether all weights so far are 0.
    [[nodiscard]] constexpr bool is_empty() const noexcept { return weights_ == 0; }

    /// The mean, rounded to the nearest millionth, ties up; 0 when there is none. O(1).
    [[nodiscard]] constexpr fraction rounded() const noexcept {
        if (weights_ == 0) return {};
        // Truncation made the sum smaller by less than `weights_` units of its last place.
        weighted_mean sum = *this;
        sum.add_at(0, weights_ - 1);
        constexpr std::uint64_t half_millionths = 2'000'000;
        wide_unsigned scaled =
            0;  // floor(sum x 2,000,000); carries from below the point are added, the rest is dropped
        for (std::size_t limb = 0; limb < 3; ++limb)
            scaled = (scaled >> 64) + wide_unsigned{sum.limbs_[limb]} * half_millionths;
        return {static_cast<std::uint64_t>((scaled + weights_) / (wide_unsigned{weights_} * 2))};
    }

private:
    constexpr void add_at(std::size_t limb, wide_unsigned number) noexcept {
        for (; limb < limbs_.size() && number != 0; ++limb) {
            const wide_unsigned sum = wide_unsigned{limbs_[limb]} + static_cast<std::uint64_t>(number);
            limbs_[limb] = static_cast<std::uint64_t>(sum);
            number = (number >> 64) + (sum >> 64);
        }
    }

    std::array<std::uint64_t, 3> limbs_{};  // 128 places after the point, and 64 before it; lowest first
    std::uint64_t weights_ = 0;
};

}  // namespace hbm::trace
