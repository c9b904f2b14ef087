#pragma once

#include <hbm/core/language.hpp>

#include <cstdint>

namespace hbm::inline v0 {

/// Sums of allocations and frees, in bytes as granted. A value.
struct address_use {
    std::uint64_t allocations = 0;      ///< count since the peaks were cleared
    std::uint64_t largest = 0;          ///< largest allocation since then
    std::uint64_t peak = 0;             ///< most bytes in use at a time since then
    std::uint64_t allocated_bytes = 0;  ///< total since the beginning
    std::uint64_t freed_bytes = 0;      ///< total since the beginning

    [[nodiscard]] constexpr std::uint64_t in_use() const noexcept { return allocated_bytes - freed_bytes; }

    constexpr void allocated(std::uint64_t bytes) noexcept {
        ++allocations;
        allocated_bytes += bytes;
        if (bytes > largest) largest = bytes;
        if (in_use() > peak) peak = in_use();
    }
    constexpr void freed(std::uint64_t bytes) noexcept { freed_bytes += bytes; }
    constexpr void clear_peaks() noexcept {
        allocations = largest = 0;
        peak = in_use();
    }

    friend constexpr bool operator==(const address_use&, const address_use&) = default;
};

}  // namespace hbm::inline v0
