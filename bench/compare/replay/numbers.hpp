#pragma once
/// Numbers as text, the same on every machine and in every locale.

#include <hbm/explain/words.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "compare/replay/figures.hpp"

namespace hbm::compare {

/// Six decimals: `1.024500`.
[[nodiscard]] std::string six_decimals(trace::fraction value);
[[nodiscard]] std::string six_decimals(double value);

/// Rounded to the given number of decimals, at most six: `1.02`.
[[nodiscard]] std::string rounded(trace::fraction value, unsigned decimals);

/// `12.3 %`
[[nodiscard]] std::string percent(trace::fraction value);

/// `1,234,567`
[[nodiscard]] std::string grouped(std::uint64_t value);

/// Microseconds in words: `12 us`, `3.4 ms`, `1.20 s`.
[[nodiscard]] std::string duration(std::uint64_t microseconds);

/// A number as 16 hexadecimal digits, as digests are written.
[[nodiscard]] std::string sixteen_digits(std::uint64_t value);

}  // namespace hbm::compare

namespace hbm::trace {

/// The weighted mean of fractions that are less than 1. Each fraction is truncated to 128 binary places and the sum
/// kept with that precision, so that the error of the mean is less than 2^-128. It is rounded as the exact mean, except
/// that a mean less than 2^-128 below a tie rounds up. The sum of the weights is less than 2^64.
class weighted_mean {
public:
    /// Adds `part / whole`; `part` is less than `whole`, or 0. O(1).
    void add(std::uint64_t part, std::uint64_t whole, std::uint64_t weight) noexcept;

    /// Whether all weights so far are 0.
    [[nodiscard]] constexpr bool is_empty() const noexcept { return weights_ == 0; }

    /// The mean, rounded to the nearest millionth, ties up; 0 when there is none. O(1).
    [[nodiscard]] fraction rounded() const noexcept;

private:
    void add_at(std::size_t limb, wide_unsigned number) noexcept;

    std::array<std::uint64_t, 3> limbs_{};  // 128 places after the point, and 64 before it; lowest first
    std::uint64_t weights_ = 0;
};

}  // namespace hbm::trace
