#pragma once
// Shapes of arrays as XLA prints them, and their sizes on the device: bf16[8,192]{1,0:T(8,128)(2,1)}.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/description.hpp"
#include "compare/read/xla/text_cursor.hpp"

namespace hbm::imported::xla {

/// Returns the bytes of an element of the type that XLA prints as `name`; empty if there is no such type. Types of less
/// than 8 bits take a byte unless their layout states otherwise. Tokens and opaque values take none.
/// Cost: O(1).
[[nodiscard]] constexpr std::optional<std::uint64_t> element_bytes(std::string_view name) noexcept {
    struct group {
        std::uint64_t bytes;
        std::string_view names;  // separated by blanks
    };
    constexpr group groups[] = {
        {0, "token opaque"},     {1, "pred s1 u1 s2 u2 s4 u4 s8 u8"},
        {2, "s16 u16 f16 bf16"}, {4, "s32 u32 f32"},
        {8, "s64 u64 f64 c64"},  {16, "c128"},
    };
    // The formats of 8 bits and less have many names, f8e4m3fn and f4e2m1fn among them, and new ones come every year.
    if (name.starts_with("f8e") || name.starts_with("f6e") || name.starts_with("f4e")) return 1;
    for (const group& each : groups) {
        std::string_view rest = each.names;
        while (!rest.empty()) {
            const std::size_t blank = rest.find(' ');
            if (rest.substr(0, blank) == name) return each.bytes;
            rest = blank == std::string_view::npos ? std::string_view{} : rest.substr(blank + 1);
        }
    }
    return std::nullopt;
}

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
    bool has_layout = false;  ///< true if a layout was printed; without one, the array is row-major without tiles

    /// Returns true if the array is divided into tiles, so that its bytes on a TPU are certain.
    [[nodiscard]] bool is_tiled() const noexcept { return !tile.empty(); }

    friend bool operator==(const array_shape&, const array_shape&) = default;
};

/// Multiplies; returns false if the product needs more than 64 bits.
[[nodiscard]] constexpr bool multiply(std::uint64_t& product, std::uint64_t by) noexcept {
    if (by != 0 && product > std::numeric_limits<std::uint64_t>::max() / by) return false;
    product *= by;
    return true;
}

/// Rounds up to a multiple of `unit`; returns false if that needs more than 64 bits.
[[nodiscard]] constexpr bool round_up(std::uint64_t& number, std::uint64_t unit) noexcept {
    if (unit == 0) return false;
    std::uint64_t count = number / unit + (number % unit != 0 ? 1U : 0U);
    if (!multiply(count, unit)) return false;
    number = count;
    return true;
}

/// Returns the number of elements; empty if it needs more than 64 bits. Cost: O(dimensions).
[[nodiscard]] std::optional<std::uint64_t> element_count(const array_shape& shape) noexcept;

/// Returns the bytes of the elements alone; empty if they are 2^64 or more. Cost: O(dimensions).
[[nodiscard]] std::optional<std::uint64_t> unpadded_bytes(const array_shape& shape) noexcept;

/// Returns the bytes on the device; empty if they are 2^64 or more, or the tile is invalid. The first tile, of k
/// numbers, rounds the k most minor dimensions up. Later tiles only rearrange the inside of the first (ArraySize in
/// XLA's shape_util.cc).
/// Cost: O(dimensions).
[[nodiscard]] std::optional<std::uint64_t> padded_bytes(const array_shape& shape) noexcept;

/// Returns a shape without layouts: text in braces and comments such as `/*index=5*/` are left out. Cost: O(length).
std::string without_layouts(std::string_view shape);

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

/// Reader of shapes in a text.
class shape_reader {
public:
    /// Constructs a reader before the shape at the byte `at` of the text, which must outlive the reader.
    explicit shape_reader(std::string_view text, std::size_t at = 0) noexcept : cursor_(text, at) {}

    /// Steps over an array with its layout. Returns false if there is none. Cost: O(length).
    bool read_array(array_shape& target);

    /// Steps over an array or a tuple, nested or not, and appends its arrays in order.
    /// Fails: returns false if there is none; the appended arrays are then meaningless.
    /// Cost: O(length).
    bool read_leaves(std::vector<shape_leaf>& target);

    /// Returns the position behind the last read, or that of its error.
    [[nodiscard]] std::size_t at() const noexcept { return cursor_.at(); }
    /// Returns the text that was expected there, after a failure.
    [[nodiscard]] std::string_view expected() const noexcept { return expected_; }

private:
    bool fail(std::string_view expected) noexcept;
    bool read_dimensions(array_shape& shape);
    bool read_layout(array_shape& shape);

    /// Reads one of T(8,128)(2,1), S(1), E(4), L(128), or another one, which does not affect bytes.
    bool read_attribute(array_shape& shape);

    bool read_number(std::uint64_t& target);
    bool read_tiles(array_shape& shape);

    text_cursor cursor_;
    std::string_view expected_;
};

/// Returns the array of which `text` is the whole name; empty if it is not one. Cost: O(length).
[[nodiscard]] std::optional<array_shape> read_array_shape(std::string_view text);

/// Returns the arrays of the shape of which `text` is the whole name; empty if it is not one. Cost: O(length).
[[nodiscard]] std::optional<std::vector<shape_leaf>> read_shape_leaves(std::string_view text);

}  // namespace hbm::imported::xla
