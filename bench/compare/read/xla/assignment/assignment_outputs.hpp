#pragma once
// Finds the arrays of the result in a buffer assignment.
//
// An allocation says that it holds the result. If the result is a tuple, that is only its table: then the value of the
// table has the name of the result, and a value that stands at `tuple.2 {1}` is the array {1} of the result `tuple.2`.

#include <cstdint>
#include <string>
#include <vector>

#include "compare/read/description.hpp"
#include "compare/read/xla/assignment/assignment.hpp"

namespace hbm::imported::xla {

/// A place at which a value stands: an array of what an instruction makes or passes on.
struct value_place {
    std::string name;  ///< of the instruction
    index_path index;
    std::uint64_t value = 0;  ///< id of the value
};

/// Sets the outputs of an assignment, from where its values stand. O((values + places) x log).
void find_outputs(assignment& in, const std::vector<value_place>& places);

}  // namespace hbm::imported::xla
