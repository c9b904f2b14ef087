#pragma once
// Shapes of arrays as XLA prints them, and how many bytes they take on the device: bf16[8,192]{1,0:T(8,128)(2,1)}.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hbm::imported::xla {

/// Memory spaces of a layout that have a meaning for us; all others are small memories on the chip.
inline constexpr std::uint64_t device_memory_space = 0;

inline constexpr std::uint64_t host_memory_space = 5;

/// A number of a tile that joins its dimension to the next more minor one; printed `*`.
inline constexpr std::uint64_t joined_dimension = std::numeric_limits<std::uint64_t>::max();

/// The shape of an array and how it lies in memory.
struct array_shape {
    std::string element;                        ///< the element type as printed: bf16
    std::vector<std::uint64_t> dimensions;      ///< of a dynamic dimension, its bound
    std::vector<std::uint64_t> minor_to_major;  ///< numbers of dimensions, the one that varies fastest first
    std::vector<std::uint64_t> tile;            ///< the first tile; empty without tiles
    std::uint64_t memory_space = device_memory_space;
    std::uint64_t element_bits = 0;  ///< bits an element takes if the layout says so; else 0
    std::uint64_t alignment = 1;     ///< the number of elements is rounded up to a multiple of it
    bool has_layout = false;         ///< false if no layout was printed: then it is row-major without tiles

    /// Whether the array is divided into tiles, so that its bytes on a TPU are known.
    [[nodiscard]] bool is_tiled() const noexcept { return !tile.empty(); }

    friend bool operator==(const array_shape&, const array_shape&) = default;
};

/// Multiplies; false if the product needs more than 64 bits.
[[nodiscard]] constexpr bool multiply(std::uint64_t& product, std::uint64_t by) noexcept {
    if (by != 0 && product > std::numeric_limits<std::uint64_t>::max() / by) return false;
    product *= by;
    return true;
}

/// Rounds up to a multiple of `unit`; false if that needs more than 64 bits.
[[nodiscard]] constexpr bool round_up(std::uint64_t& number, std::uint64_t unit) noexcept {
    if (unit == 0) return false;
    std::uint64_t count = number / unit + (number % unit != 0 ? 1U : 0U);
    if (!multiply(count, unit)) return false;
    number = count;
    return true;
}

/// The number of elements; empty if it needs more than 64 bits. O(dimensions).
[[nodiscard]] std::optional<std::uint64_t> element_count(const array_shape& shape) noexcept;

/// The bytes of the elements alone; empty if they are 2^64 or more. O(dimensions).
[[nodiscard]] std::optional<std::uint64_t> unpadded_bytes(const array_shape& shape) noexcept;

/// The bytes on the device; empty if they are 2^64 or more, or the tile is not a possible one. The first tile, of k
/// numbers, rounds the k most minor dimensions up; later tiles only rearrange what lies inside the first (ArraySize in
/// XLA's shape_util.cc). O(dimensions).
[[nodiscard]] std::optional<std::uint64_t> padded_bytes(const array_shape& shape) noexcept;

}  // namespace hbm::imported::xla

namespace hbm::imported::xla {

/// A shape without layouts: all that stands in braces and in comments `/*index=5*/` is left out. O(length).
std::string without_layouts(std::string_view shape);

}  // namespace hbm::imported::xla

namespace hbm::imported::xla {

/// One device's share of an array of this shape, which the text of a sharding divides, such as `{replicated}` or
/// `{devices=[2,1,4]<=[8] last_tile_dim_replicate}`. The layout stays; lengths are rounded up. Empty if the sharding is
/// of another form or does not fit the shape. O(length of the text).
[[nodiscard]] std::optional<array_shape> share_of(const array_shape& whole, std::string_view sharding);

/// The shardings of `count` arrays, as the text of a sharding lists them: `{{replicated}, {devices=[4]<=[4]}}`; or the
/// single one of a single array. Empty if the number differs. O(length of the text).
[[nodiscard]] std::vector<std::string_view> shardings_in(std::string_view text, std::size_t count);

}  // namespace hbm::imported::xla
