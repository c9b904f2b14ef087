#pragma once

/// The offline problem, also called dynamic storage allocation: blocks whose sizes and lives are known beforehand are
/// given offsets so that blocks that live at the same time do not overlap.

#include <hbm/core/trivial_vector.hpp>

#include <cstdint>

namespace hbm::pack {

/// The `block::offset` of a block that may lie anywhere.
inline constexpr std::uint64_t anywhere = ~std::uint64_t{0};

/// A block of the problem.
struct block {
    std::uint64_t begin = 0;          ///< the first instant of its life
    std::uint64_t end = 0;            ///< the instant at which it is gone; a life without an instant meets no other
    std::uint64_t bytes = 0;          ///< its size; a block without bytes overlaps nothing
    std::uint64_t alignment = 1;      ///< its offset is a multiple of it; 0 is as good as 1
    std::uint64_t offset = anywhere;  ///< where it has to lie, or `anywhere`

    friend constexpr bool operator==(const block&, const block&) = default;
};

/// Where the blocks lie.
struct packing {
    trivial_vector<std::uint64_t> offsets;  ///< in bytes, in the order of the blocks; empty if no packing was found
    std::uint64_t bytes = 0;                ///< the highest end of a block; 0 if no packing was found
    std::uint64_t lower_bound = 0;          ///< no packing needs fewer bytes than this
    std::uint64_t steps = 0;                ///< states that the search went through, each with some blocks placed

    /// Whether a packing was found.
    [[nodiscard]] constexpr bool is_found() const noexcept { return !offsets.empty() || lower_bound == 0; }
    /// Whether it is proven that no packing needs fewer bytes.
    [[nodiscard]] constexpr bool is_optimal() const noexcept { return is_found() && bytes == lower_bound; }

    friend constexpr bool operator==(const packing&, const packing&) = default;
};

}  // namespace hbm::pack
