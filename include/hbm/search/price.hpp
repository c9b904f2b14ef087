#pragma once

/// What the search for relief counts with.

#include <hbm/core/memory_spec.hpp>

#include <cstdint>

namespace hbm {

/// Prices are nanoseconds shifted so far up; what is below ranks programs of the same price by their scores.
inline constexpr unsigned tie_bits = 10;

/// The price of what cannot be done.
inline constexpr std::uint64_t unlimited_price = ~std::uint64_t{0};

/// So many nanoseconds as a price, no more than some five hours, so that sums stay inside 64 bits. O(1).
[[nodiscard, gnu::cold]] constexpr std::uint64_t as_price(std::uint64_t nanoseconds) noexcept {
    constexpr std::uint64_t most = std::uint64_t{1} << 44;
    return (nanoseconds < most ? nanoseconds : most) << tie_bits;
}

/// The price of a move that takes so many nanoseconds: never nothing, so that nobody moves to and fro. O(1).
[[nodiscard, gnu::cold]] constexpr std::uint64_t as_move_price(std::uint64_t nanoseconds) noexcept {
    return nanoseconds == 0 ? 1 : as_price(nanoseconds);
}

/// The price of moving a block of `size` by `distance` quanta, where `price` is that of moving it farther than it is
/// long: a move that overlaps itself takes several copies. What costs nothing far away costs nothing at all. O(1).
[[nodiscard, gnu::cold]] constexpr std::uint64_t price_of_move(const memory_spec& device, std::uint64_t price,
                                                               std::uint64_t size, std::uint64_t distance) noexcept {
    if (distance >= size || device.copy_nanoseconds == 0 || price == 0) return price;
    return as_move_price(device.move_nanoseconds(size * device.quantum, distance * device.quantum));
}

}  // namespace hbm
