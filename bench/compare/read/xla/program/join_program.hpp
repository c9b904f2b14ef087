#pragma once
// Puts together what the files of a program say. Each fact comes from the file that says it most exactly; where another
// file says something else, that is noted with both numbers.
//
// Arguments and outputs: the buffer assignment, else the optimized module, else the memory usage report, else a module
// that is not optimized. A report has the shapes of a device's share without their layouts, and rounded sizes; a module
// before partitioning has the layouts of whole arrays: both together give exact sizes again.

#include <hbm/core/handle.hpp>

#include "compare/read/reading.hpp"
#include "compare/read/xla/program/program.hpp"
#include "compare/read/xla/program/program_files.hpp"

namespace hbm::imported::xla {

/// The program that these files are about. O((arguments + outputs + allocations) x log).
[[nodiscard]] reading<imported_program> join_program(const program_files& from);

}  // namespace hbm::imported::xla

namespace hbm::imported::xla {

/// Adds to the notes of a program where its files disagree. Modules whose sizes are not those of one device, or without
/// the padding of the device, are not compared. O(arguments + outputs + allocations).
void add_disagreements(const program_files& files, imported_program& program);

}  // namespace hbm::imported::xla
