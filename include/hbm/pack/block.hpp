#pragma once

/// The offline problem (dynamic storage allocation): assigns offsets to blocks with known sizes and lifetimes so that
/// blocks that live at the same time do not overlap.

#include <hbm/core/trivial_vector.hpp>

#include <cstdint>

namespace hbm::inline v0::pack {

/// The `block::offset` of a block that may lie anywhere.
inline constexpr std::uint64_t anywhere = ~std::uint64_t{0};

/// A block of the problem.
struct block {
    std::uint64_t begin = 0;          ///< first instant of its life
    std::uint64_t end = 0;            ///< instant at which it is gone; if not after `begin`, it overlaps nothing
    std::uint64_t bytes = 0;          ///< size; 0 overlaps nothing
    std::uint64_t alignment = 1;      ///< its offset is a multiple of this, unless it is fixed; 0 means 1
    std::uint64_t offset = anywhere;  ///< fixed offset, or `anywhere`

    friend constexpr bool operator==(const block&, const block&) = default;
};

/// A solution of the offline problem.
struct packing {
    trivial_vector<std::uint64_t> offsets;  ///< in bytes, in the order of the blocks; empty if no packing was found
    std::uint64_t bytes = 0;                ///< highest end of a block; 0 if no packing was found
    std::uint64_t lower_bound = 0;          ///< no packing needs fewer bytes
    std::uint64_t steps = 0;                ///< states visited by the search, each with some blocks placed

    [[nodiscard]] constexpr bool is_found() const noexcept { return !offsets.empty() || lower_bound == 0; }
    /// Returns true if the packing is proven to be optimal.
    [[nodiscard]] constexpr bool is_optimal() const noexcept { return is_found() && bytes == lower_bound; }

    friend constexpr bool operator==(const packing&, const packing&) = default;
};

/// External cancellation of a search. The search polls it at most a few milliseconds apart and ends with its best
/// result. By default it is never interrupted, and deterministic.
struct interruption {
    bool (*question)() noexcept = nullptr;  ///< returns true to end the search; null: never

    [[nodiscard]] constexpr bool is_wished() const noexcept { return question != nullptr && question(); }
};

}  // namespace hbm::inline v0::pack
