#pragma once
// Reads a buffer assignment: the file `...-buffer-assignment.txt` of an XLA dump.

#include <string>
#include <string_view>

#include "compare/read/reading.hpp"
#include "compare/read/xla/assignment/assignment.hpp"

namespace hbm::imported::xla {

/// Reads a buffer assignment. `file` appears in messages. Cost: O(size x log(values)).
reading<assignment> read_assignment(std::string_view text, std::string file);

}  // namespace hbm::imported::xla
