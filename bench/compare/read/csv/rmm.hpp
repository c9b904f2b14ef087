#pragma once
// Logs of RMM's logging resource adaptor: `Thread,Time,Action,Pointer,Size,Stream`.

#include "compare/read/csv/table.hpp"
#include "compare/read/read_error.hpp"

namespace hbm::trace {

/// Reads the rows of an RMM log, after its header row. Cost: O(size of the text).
read_result read_rmm_rows(table& rows);

}  // namespace hbm::trace
