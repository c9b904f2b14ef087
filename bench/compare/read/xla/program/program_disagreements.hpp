#pragma once
// Where the files of a program say different things.

#include <hbm/core/handle.hpp>

#include "compare/read/xla/program/program.hpp"
#include "compare/read/xla/program/program_files.hpp"

namespace hbm::imported::xla {

/// Adds to the notes of a program where its files disagree. Modules whose sizes are not those of one device, or without
/// the padding of the device, are not compared. O(arguments + outputs + allocations).
void add_disagreements(const program_files& files, imported_program& program);

}  // namespace hbm::imported::xla
