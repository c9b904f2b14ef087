#pragma once
// Reads shapes as XLA prints them: arrays with or without their layouts, and tuples of them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/description.hpp"
#include "compare/read/xla/shape.hpp"
#include "compare/read/xla/text_cursor.hpp"

namespace hbm::imported::xla {

/// Limits on the depth of tuples and on their number of arrays: above those of any program.
inline constexpr std::size_t max_tuple_depth = 16;

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
    bool read_array(array_shape& into);

    /// Steps over an array or a tuple, nested or not, and appends its arrays in order.
    /// Fails: returns false if there is none; the appended arrays are then meaningless.
    /// Cost: O(length).
    bool read_leaves(std::vector<shape_leaf>& into);

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

    bool read_number(std::uint64_t& into);

    bool read_tiles(array_shape& shape);

    text_cursor cursor_;
    std::string_view expected_;
};

/// Returns the array of which `text` is the whole name; empty if it is not one. Cost: O(length).
[[nodiscard]] std::optional<array_shape> read_array_shape(std::string_view text);

/// Returns the arrays of the shape of which `text` is the whole name; empty if it is not one. Cost: O(length).
[[nodiscard]] std::optional<std::vector<shape_leaf>> read_shape_leaves(std::string_view text);

}  // namespace hbm::imported::xla
