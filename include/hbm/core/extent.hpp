#pragma once

#include <hbm/core/language.hpp>

#include <cstdint>

namespace hbm::inline v0 {

/// The range `[offset, offset + size)`: in quanta inside policies, in bytes in the interface of the manager.
/// Requires: `offset + size` is representable in `Unit`.
template <class Unit>
struct basic_extent {
    Unit offset = 0;
    Unit size = 0;

    [[nodiscard]] constexpr Unit end() const noexcept { return static_cast<Unit>(offset + size); }
    [[nodiscard]] constexpr bool overlaps(const basic_extent& other) const noexcept {
        return offset < other.end() && other.offset < end();
    }
    [[nodiscard]] constexpr bool contains(const basic_extent& other) const noexcept {
        return offset <= other.offset && other.end() <= end();
    }

    friend constexpr bool operator==(const basic_extent&, const basic_extent&) = default;
};

/// A range of bytes.
using extent = basic_extent<std::uint64_t>;

}  // namespace hbm::inline v0
