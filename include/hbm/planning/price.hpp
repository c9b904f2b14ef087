#pragma once

/// Prices of plans.

#include <hbm/core/memory_spec.hpp>

#include <cstdint>

namespace hbm::inline v0 {

/// Prices are nanoseconds shifted by this; the bits below order programs of equal price by their scores.
inline constexpr unsigned tie_bits = 10;

/// The price of the impossible.
inline constexpr std::uint64_t unlimited_price = ~std::uint64_t{0};

/// Converts nanoseconds to a price, at most about 18 minutes, so that sums of 16,000 fit into 64 bits.
[[nodiscard, gnu::cold]] constexpr std::uint64_t as_price(std::uint64_t nanoseconds) noexcept {
    constexpr std::uint64_t most = std::uint64_t{1} << 40;
    return (nanoseconds < most ? nanoseconds : most) << tie_bits;
}

/// Converts the nanoseconds of a move to a price: at least 1, so that free moves cannot oscillate.
[[nodiscard, gnu::cold]] constexpr std::uint64_t as_move_price(std::uint64_t nanoseconds) noexcept {
    return nanoseconds == 0 ? 1 : as_price(nanoseconds);
}

/// Returns the price of moving a block of `size` by `distance` quanta. `price` is that of a disjoint move; a move that
/// overlaps itself takes several copies. If `price` is 0, so is the result.
[[nodiscard, gnu::cold]] constexpr std::uint64_t price_of_move(const memory_spec& device, std::uint64_t price,
                                                               std::uint64_t size, std::uint64_t distance) noexcept {
    if (distance >= size || device.copy_nanoseconds == 0 || price == 0) return price;
    return as_move_price(device.move_nanoseconds(size * device.quantum, distance * device.quantum));
}

}  // namespace hbm::inline v0
