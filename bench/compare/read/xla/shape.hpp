#pragma once
// Shapes of arrays as XLA prints them, and their sizes on the device: bf16[8,192]{1,0:T(8,128)(2,1)}.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/xla/text_cursor.hpp"

namespace hbm::imported {

/// Memory spaces of a layout in main memory; all others are small memories on the chip.
inline constexpr std::uint64_t device_memory_space = 0;
inline constexpr std::uint64_t host_memory_space = 5;

/// Number of a tile that joins its dimension to the next more minor one; printed `*`.
inline constexpr std::uint64_t joined_dimension = std::numeric_limits<std::uint64_t>::max();

/// Shape of an array and its layout in memory.
struct array_shape {
    std::string element;                        ///< element type as printed: bf16
    std::vector<std::uint64_t> dimensions;      ///< lengths of the dimensions; the bound of a dynamic one
    std::vector<std::uint64_t> minor_to_major;  ///< numbers of dimensions, the one that varies fastest first
    std::vector<std::uint64_t> tile;            ///< the first tile; empty without tiles
    std::uint64_t memory_space = device_memory_space;
    std::uint64_t element_bits = 0;  ///< bits of an element if the layout states them; else 0
    std::uint64_t alignment = 1;     ///< unit to which the number of elements is rounded up

    /// Returns true if the array is divided into tiles, so that its bytes on a TPU are certain.
    [[nodiscard]] bool is_tiled() const noexcept { return !tile.empty(); }
};

/// Rounds up to a multiple of `unit`; returns false if that needs more than 64 bits.
[[nodiscard]] bool round_up(std::uint64_t& number, std::uint64_t unit) noexcept;

/// Returns the bytes of the elements alone; empty if they are 2^64 or more. Types of less than 8 bits take a byte
/// unless their layout states otherwise. Cost: O(dimensions).
[[nodiscard]] std::optional<std::uint64_t> unpadded_bytes(const array_shape& shape) noexcept;

/// Returns the bytes on the device; empty if they are 2^64 or more, or the tile is invalid. The first tile, of k
/// numbers, rounds the k most minor dimensions up. Later tiles only rearrange the inside of the first (ArraySize in
/// XLA's shape_util.cc).
/// Cost: O(dimensions).
[[nodiscard]] std::optional<std::uint64_t> padded_bytes(const array_shape& shape) noexcept;

/// Returns a shape without layouts: text in braces and comments such as `/*index=5*/` are left out. Cost: O(length).
[[nodiscard]] std::string without_layouts(std::string_view shape);

/// Returns one device's share of an array of this shape. The text of a sharding divides it, such as `{replicated}` or
/// `{devices=[2,1,4]<=[8] last_tile_dim_replicate}`. The layout stays; lengths are rounded up. Empty if the sharding is
/// of another form or does not fit the shape.
/// Cost: O(length of the text).
[[nodiscard]] std::optional<array_shape> share_of(const array_shape& whole, std::string_view sharding);

/// Returns the number of devices over which a sharding divides an array; of several shardings, the largest. 1 for
/// arrays that are not divided.
/// Cost: O(length of the text).
[[nodiscard]] std::uint64_t devices_in(std::string_view sharding);

/// Returns the shardings of `count` arrays in the text of a sharding: `{{replicated}, {devices=[4]<=[4]}}`, or a single
/// one for a single array. Empty if the number differs.
/// Cost: O(length of the text).
[[nodiscard]] std::vector<std::string_view> shardings_in(std::string_view text, std::size_t count);

/// Limit on the number of arrays of a tuple: above that of any program.
inline constexpr std::size_t max_tuple_leaves = 50'000;

/// Array in a shape of nested tuples.
struct shape_leaf {
    index_path index;  ///< index in the tuple; empty if the shape is the array itself
    array_shape shape;
    std::string text;  ///< text as printed, without comments
};

/// Steps over an array with its layout, and returns it. Throws `text_mistake`. Cost: O(length).
[[nodiscard]] array_shape take_array(text_cursor& cursor);

/// Steps over an array or a tuple, nested or not, and returns its arrays in order. Throws `text_mistake`.
/// Cost: O(length).
[[nodiscard]] std::vector<shape_leaf> take_leaves(text_cursor& cursor);

/// Returns the array of which `text` is the whole name; empty if it is not one. Cost: O(length).
[[nodiscard]] std::optional<array_shape> read_array_shape(std::string_view text);

/// Returns the arrays of the shape of which `text` is the whole name; empty if it is not one. Cost: O(length).
[[nodiscard]] std::optional<std::vector<shape_leaf>> read_shape_leaves(std::string_view text);

}  // namespace hbm::imported
