#pragma once

/// What relief expects a move to cost: the one place that says so.

#include <hbm/core/memory_spec.hpp>

#include <cstdint>

namespace hbm {

/// Modelled nanoseconds to move `bytes` to a place `distance` bytes away: a move that overlaps itself takes several
/// copies. O(1).
[[nodiscard]] constexpr std::uint64_t move_price(const memory_spec& spec, std::uint64_t bytes,
                                                 std::uint64_t distance) noexcept {
    return spec.move_nanoseconds(bytes, distance);
}

/// How many copies that takes. O(1).
[[nodiscard]] constexpr std::uint64_t move_copies(const memory_spec& spec, std::uint64_t bytes,
                                                  std::uint64_t distance) noexcept {
    return spec.copies_of(bytes, distance);
}

/// A distance at which no move is cheaper than one of the same bytes: what lower bounds count with.
inline constexpr std::uint64_t cheapest_distance = ~std::uint64_t{0};

}  // namespace hbm
