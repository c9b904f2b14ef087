#pragma once
// Joins the files of a program. Each fact comes from the file that states it most exactly. If another file contradicts
// it, a note has both numbers.
//
// Arguments and outputs come from the buffer assignment, else the optimized module, else the memory usage report, else
// a module that is not optimized. A report has the shapes of a device's share without their layouts, and rounded sizes;
// a module before partitioning has the layouts of whole arrays: both together give exact sizes again.

#include <hbm/core/handle.hpp>

#include "compare/read/read_error.hpp"
#include "compare/read/xla/program/program.hpp"
#include "compare/read/xla/program/program_files.hpp"

namespace hbm::imported::xla {

/// Returns the program of these files. Cost: O((arguments + outputs + allocations) x log).
[[nodiscard]] reading<imported_program> join_program(const program_files& from);

/// Fills in the values of the largest range of temporaries, with their lives, from an assignment that states them.
/// Cost: O(values x log).
void add_temporaries(const program_files& from, imported_program& target);

/// Adds disagreements between files to the notes of a program. Modules whose sizes are not those of one device, or
/// without the padding of the device, are not compared.
/// Cost: O(arguments + outputs + allocations).
void add_disagreements(const program_files& files, imported_program& program);

}  // namespace hbm::imported::xla
