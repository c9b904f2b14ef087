#pragma once
// The results of a replay.

#include <cstdint>
#include <optional>
#include <string>

namespace hbm::trace {

__extension__ typedef unsigned __int128 wide_unsigned;  // products of two 64-bit numbers

/// Fraction with six decimals: `millionths` / 1,000,000. Integers, so that results are equal on every compiler.
struct fraction {
    std::uint64_t millionths = 0;

    /// Returns `part / whole`, rounded to the nearest. Requires: `whole` is not 0. Cost: O(1).
    [[nodiscard]] static constexpr fraction of(wide_unsigned part, wide_unsigned whole) noexcept {
        return {static_cast<std::uint64_t>((part * 1'000'000 + whole / 2) / whole)};
    }

    /// Returns true if `of(part, whole)` is larger, without a division. Requires: `whole` is not 0. Cost: O(1).
    [[nodiscard]] constexpr bool is_below(std::uint64_t part, std::uint64_t whole) const noexcept {
        return wide_unsigned{part} * 1'000'000 + whole / 2 >= wide_unsigned{millionths + 1} * whole;
    }

    friend constexpr auto operator<=>(const fraction&, const fraction&) = default;
};

/// Method that found a minimum capacity.
enum class search : std::uint8_t {
    bisection,   ///< bisection above the peak live bytes: this capacity completes, a quantum less fails
    exhaustive,  ///< every smaller capacity that could hold the live bytes was tried
};

/// Figures of a workload under a manager. Sizes in bytes, times in microseconds. Inapplicable values are empty.
struct figures {
    std::optional<std::uint64_t> capacity_bytes;  ///< capacity; empty: unlimited
    std::uint64_t quantum_bytes = 0;
    std::uint64_t events = 0;  ///< data rows of the workload
    bool completed = false;
    std::optional<std::uint64_t>
        failed_event;                  ///< index of the first row that failed; the figures cover the rows before it
    std::optional<std::string> error;  ///< message that the runtime would print
    std::uint64_t peak_live_bytes = 0;
    std::optional<std::uint64_t> footprint_bytes;     ///< footprint, only under an unlimited capacity
    std::optional<fraction> overhead_ratio;           ///< footprint / peak live bytes
    std::optional<std::uint64_t> min_capacity_bytes;  ///< minimum capacity, if requested
    std::optional<search> min_search;
    /// Capacity above `min_capacity_bytes` in which the workload failed during the search; empty: none.
    std::optional<std::uint64_t> min_larger_fails_bytes;
    std::optional<fraction> fragmentation_mean;  ///< mean of (free - largest free) / free, by time or else by rows;
                                                 ///< only under a limited capacity
    std::optional<fraction> fragmentation_worst;
    std::uint64_t oom_with_enough_free = 0;  ///< rows that failed although free bytes were enough for the whole row
    std::uint64_t relieved = 0;              ///< rows that succeeded only through relief
    std::uint64_t evictions = 0;
    std::uint64_t evicted_bytes = 0;
    std::uint64_t reloads = 0;
    std::uint64_t reload_us = 0;
    std::uint64_t moves = 0;
    std::uint64_t moved_bytes = 0;
    std::uint64_t move_us = 0;
    std::uint64_t donations_offered = 0;
    std::uint64_t donations_taken = 0;
    std::uint64_t donated_bytes = 0;
    std::uint64_t placement_digest = 0;  ///< FNV-1a over the offsets of allocations and fresh outputs

    friend bool operator==(const figures&, const figures&) = default;
};

}  // namespace hbm::trace
