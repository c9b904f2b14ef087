#pragma once
/// Numbers as text, independent of machine and locale.

#include <hbm/explain/words.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "compare/replay/figures.hpp"

namespace hbm::compare {

/// Returns a number with six decimals: `1.024500`.
[[nodiscard]] std::string six_decimals(trace::fraction value);
[[nodiscard]] std::string six_decimals(double value);

/// Returns a number rounded to the given number of decimals, at most six: `1.02`.
[[nodiscard]] std::string rounded(trace::fraction value, unsigned decimals);

/// Returns `12.3 %`.
[[nodiscard]] std::string percent(trace::fraction value);

/// Returns `1,234,567`.
[[nodiscard]] std::string grouped(std::uint64_t value);

/// Returns microseconds in words: `12 us`, `3.4 ms`, `1.20 s`.
[[nodiscard]] std::string duration(std::uint64_t microseconds);

/// Returns a number as 16 hexadecimal digits, the notation of digests.
[[nodiscard]] std::string sixteen_digits(std::uint64_t value);

}  // namespace hbm::compare

namespace hbm::trace {

/// Weighted mean of fractions that are less than 1, of which each is truncated to 64 binary places. It is rounded as
/// the exact mean, except that a mean less than 2^-64 below a tie rounds up. Requires: the sum of the weights is less
/// than 2^64, so that the sum of the fractions fits 64 places after the point and 64 before it.
class weighted_mean {
public:
    /// Adds `part / whole`. Requires: `part` is less than `whole`, or 0. Cost: O(1).
    void add(std::uint64_t part, std::uint64_t whole, std::uint64_t weight) noexcept;

    /// Returns true if all weights so far are 0.
    [[nodiscard]] constexpr bool is_empty() const noexcept { return weights_ == 0; }

    /// Returns the mean, rounded to the nearest millionth, ties up; 0 if there is none. Cost: O(1).
    [[nodiscard]] fraction rounded() const noexcept;

private:
    wide_unsigned sum_ = 0;  // of the fractions times 2^64
    std::uint64_t weights_ = 0;
};

}  // namespace hbm::trace
