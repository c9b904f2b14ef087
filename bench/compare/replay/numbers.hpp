#pragma once

/// Numbers as text, the same on every machine and in every locale.

#include <hbm/explain/words.hpp>

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
