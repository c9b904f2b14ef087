#pragma once
// Shares of a device's memory, in thousandths, as the flags of servers take them.

#include <cstdint>
#include <string>

namespace hbm::compare {

/// Returns thousandths as a decimal number: `0.942`.
[[nodiscard]] std::string share_in_words(std::uint64_t thousandths);

/// Returns the share that `part` is of `whole` in thousandths, rounded up. Requires: `whole` is at least 1000.
[[nodiscard]] constexpr std::uint64_t thousandths_of(std::uint64_t part, std::uint64_t whole) noexcept {
    const std::uint64_t thousandth = whole / 1000;
    return part / thousandth + (part % thousandth == 0 ? 0 : 1);
}

}  // namespace hbm::compare
