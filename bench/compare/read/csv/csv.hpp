#pragma once
// This project's trace grammar. A header row names the columns, in any order; op, id and bytes are required.
//
// | op         | id                     | bytes                          | other                                      |
// |------------|------------------------|--------------------------------|--------------------------------------------|
// | alloc      | new buffer             | size; 0 occupies one quantum   |                                            |
// | free       | live buffer            | empty, or what was allocated   |                                            |
// | load       | program that is new,   | code and constants             | scratch (empty: none), reload_us (empty:   |
// |            | evicted or unloaded    |                                | from its size)                             |
// | run        | program                | empty                          | inputs, donated: live buffers, separated   |
// |            |                        |                                | by spaces; outputs: `id:bytes`, likewise   |
// | unload     | program                | empty                          |                                            |
// | pin, unpin | live buffer            | empty                          |                                            |
// | sync       | empty                  | empty                          |                                            |
// | import     | new buffer             | size, at least a byte          | offset: the first byte of the range        |
//
// Every row may have a tag, and a `t` in microseconds; an empty `t` is the time of the row before. A cell that its
// operation does not use has to be empty. A buffer that is imported is placed exactly at its offset, or its row fails.
// It is pinned once, so that it stays there until a row unpins or frees it.

#include <array>
#include <string_view>

#include "compare/read/csv/table.hpp"
#include "compare/read/read_error.hpp"

namespace hbm::trace {

/// Names of the operations, in the order of `op`.
inline constexpr std::array<std::string_view, 9> op_names{"alloc", "free",  "load", "run",   "unload",
                                                          "pin",   "unpin", "sync", "import"};

/// Reads the rows of a table in this project's grammar, after its header row. Cost: O(size of the text).
read_result read_trace_rows(table& rows);

}  // namespace hbm::trace
