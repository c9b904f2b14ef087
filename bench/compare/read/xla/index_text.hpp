#pragma once
// Reads and writes the index of an array in a tuple: `{1,0}` for the first array of the second element. The index of an
// array outside of a tuple is `{}`.

#include <optional>
#include <string>
#include <string_view>

#include "compare/read/description.hpp"
#include "compare/read/xla/text_cursor.hpp"

namespace hbm::imported::xla {

/// Steps over an index, such as `{}`, `{0}`, `{1,0}` or `{1, 0}`. Returns false, without moving the cursor, if none
/// comes next.
/// Cost: O(length).
bool read_index(line_cursor& line, index_path& index);

/// Removes the index that ends a text, and returns it: `fusion.5{1}` becomes `fusion.5`, as does `fusion.5 {1}`.
/// Returns nullopt if there is none.
std::optional<index_path> cut_index(std::string_view& text);

/// Returns an index as XLA prints it: `{1,0}`.
std::string index_words(const index_path& index);

}  // namespace hbm::imported::xla
