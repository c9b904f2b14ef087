#pragma once
// A line `allocation N: size BYTES, FLAGS:` of a buffer assignment.
//
// The flags and their order are those of BufferAllocation::ToString in xla/service/buffer_assignment.cc.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compare/read/description.hpp"
#include "compare/read/xla/text_cursor.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported::xla {

/// Range of memory that a program uses.
struct allocation {
    std::uint64_t number = 0;                ///< number in the file
    rounded_size size;                       ///< exact
    std::uint32_t color = 0;                 ///< memory space: 0 is HBM, 5 the host, others are on the chip
    std::optional<std::uint64_t> parameter;  ///< parameter of the program that it holds
    index_path index;                        ///< index of the array in that parameter, if the parameter is a tuple
    std::string shape;                       ///< shape of the parameter or of the result, without layouts; may be empty
    bool has_result = false;                 ///< holds the result, or if that is a tuple, the table of the result
    bool is_constant = false;
    bool is_per_thread = false;  ///< `thread-local`: in no HBM
    bool is_live_out = false;    ///< holds an output; with a parameter, that output takes the parameter's place
    bool is_temporary = false;   ///< `preallocated-temp`
    std::string unknown_flag;    ///< first flag that this reader does not support; empty if there is none

    friend bool operator==(const allocation&, const allocation&) = default;
};

/// Error in a line.
struct line_mistake {
    std::size_t column = 0;  ///< byte in the line, from 1
    std::string found;
    std::string expected;
};

/// Reader of such a line after the word `allocation` and a space. Cost: O(length of the line).
class allocation_line {
public:
    /// Constructs a reader at the number of the allocation.
    explicit allocation_line(text_cursor at) noexcept : at_(at) {}

    /// Reads the allocation. Returns false, and sets `mistake`, if the line has another form.
    bool read(allocation& target, line_mistake& mistake);

private:
    bool read_flag(allocation& result, line_mistake& mistake);
    bool read_parameter(allocation& result, line_mistake& mistake);

    /// Reads a shape. Shapes hold commas and colons, so they stand between bars.
    bool read_shape(allocation& result, line_mistake& mistake);

    bool wrong(line_mistake& mistake, std::string_view expected) const;

    text_cursor at_;
};

}  // namespace hbm::imported::xla
