#pragma once
// What --describe says of a memory usage report.

#include "compare/read/description.hpp"
#include "compare/read/xla/assignment/describe_assignment.hpp"
#include "compare/read/xla/assignment/memory_report.hpp"

namespace hbm::imported::xla {

/// What a memory usage report says. Sums are those of rounded sizes; of a file that was cut they are left out.
/// O(allocations).
[[nodiscard]] description describe(const memory_report& of);

}  // namespace hbm::imported::xla
