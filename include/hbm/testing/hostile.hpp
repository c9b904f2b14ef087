#pragma once

#include <hbm/testing/audit.hpp>
#include <hbm/testing/random.hpp>

#include <bit>
#include <cstdint>

namespace hbm::inline v0::testing {

/// Returns a size in bytes that may find bugs: mostly one that could fit, sometimes a limit.
/// Limits: 0, the capacity and one more, all free bytes, the ends of 64 bits, about 2^32 quanta.
[[nodiscard]] constexpr std::uint64_t hostile_size(random_numbers& random, const claimed_sums& sums,
                                                   std::uint64_t quantum) noexcept {
    switch (random.below(40)) {
    case 0: return 0;
    case 1: return sums.capacity;
    case 2: return sums.capacity + 1;
    case 3: return ~std::uint64_t{0} - random.below(3);
    case 4: return ~std::uint64_t{0} - quantum + random.below(3);
    case 5: return (std::uint64_t{1} << 32) * quantum + random.below(3) - 1;
    case 6: return (std::uint64_t{1} << 63) + random.below(3) - 1;
    case 7: return sums.largest_free;
    case 8: return sums.free;
    default: return random.up_to(sums.capacity / (1 + random.below(12)));
    }
}

/// Returns an alignment in bytes: mostly 1, else a small or any power of two, or the invalid 3.
[[nodiscard]] constexpr std::uint64_t hostile_alignment(random_numbers& random, std::uint64_t quantum) noexcept {
    if (!random.once_in(4)) return 0;
    switch (random.below(8)) {
    case 0: return 3;
    case 1: return std::uint64_t{1} << random.below(64);
    default: return std::uint64_t{1} << random.below(4 + static_cast<std::uint64_t>(std::countr_zero(quantum)));
    }
}

}  // namespace hbm::inline v0::testing
