#pragma once

/// Prefix codes as the deflate format has them (RFC 1951, 3.2.2).

#include <cstdint>
#include <span>
#include <vector>

namespace hbm::compare {

/// The code of a symbol; a length of 0: the symbol does not occur.
struct prefix_code {
    std::uint16_t bits = 0;  ///< reversed, as they are written: the first bit lowest
    std::uint8_t length = 0;
};

/// Codes for symbols that occur as often as `counts` says, none longer than `longest` bits. At least two symbols get a
/// code, because readers refuse a code of a single symbol. O(n^2) for n symbols that occur.
[[nodiscard]] std::vector<prefix_code> prefix_codes(std::span<const std::uint32_t> counts, unsigned longest);

}  // namespace hbm::compare
