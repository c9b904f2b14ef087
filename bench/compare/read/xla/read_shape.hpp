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

/// Tuples nest at most this deep, and have at most so many arrays: more than any program has.
inline constexpr std::size_t max_tuple_depth = 16;

inline constexpr std::size_t max_tuple_leaves = 50'000;

/// An array in a shape of nested tuples.
struct shape_leaf {
    index_path index;  ///< empty if the shape is the array itself
    array_shape shape;
    std::string text;  ///< as printed, without comments
};

/// Reads shapes from a text.
class shape_reader {
public:
    /// Before the shape at the byte `at` of the text, which must outlive the reader.
    explicit shape_reader(std::string_view text, std::size_t at = 0) noexcept : cursor_(text, at) {}

    /// Steps over an array with its layout. False if there is none. O(length).
    bool read_array(array_shape& into);

    /// Steps over an array or a tuple, nested or not, and appends its arrays in their order. False if there is none,
    /// and then what was appended is of no use. O(length).
    bool read_leaves(std::vector<shape_leaf>& into);

    /// Where the reader is: behind what was read, or where that is wrong.
    [[nodiscard]] std::size_t at() const noexcept { return cursor_.at(); }
    /// What was expected there, after a failure.
    [[nodiscard]] std::string_view expected() const noexcept { return expected_; }

private:
    bool fail(std::string_view expected) noexcept;

    bool read_dimensions(array_shape& shape);

    bool read_layout(array_shape& shape);

    /// One of T(8,128)(2,1), S(1), E(4), L(128), or another one, which says nothing about bytes.
    bool read_attribute(array_shape& shape);

    bool read_number(std::uint64_t& into);

    bool read_tiles(array_shape& shape);

    text_cursor cursor_;
    std::string_view expected_;
};

/// The array that `text` names, all of it; empty if it is none. O(length).
[[nodiscard]] std::optional<array_shape> read_array_shape(std::string_view text);

/// The arrays of the shape that `text` names, all of it; empty if it is none. O(length).
[[nodiscard]] std::optional<std::vector<shape_leaf>> read_shape_leaves(std::string_view text);

}  // namespace hbm::imported::xla
