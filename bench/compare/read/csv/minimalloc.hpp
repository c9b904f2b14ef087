#pragma once
// MiniMalloc instances: `id,lower,upper,size`. Each row is a buffer that lives in [lower, upper). Solutions are read as
// well: their column `offset` is ignored.

#include "compare/read/csv/table.hpp"
#include "compare/read/read_error.hpp"

namespace hbm::trace {

/// Reads the rows of a table, after its header row. Lifetimes become alloc and free rows in the order of time; at equal
/// times frees come before allocations, each in file order. Empty lifetimes are left out. `t` is the time of the
/// instance.
/// Cost: O(n log n).
read_result read_minimalloc_rows(table& rows);

}  // namespace hbm::trace
