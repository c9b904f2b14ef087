#pragma once
// What users call the arguments of a program, and which of its files tells all that could be donated.

#include "compare/read/xla/program/program.hpp"
#include "compare/read/xla/program/program_files.hpp"

namespace hbm::imported::xla {

/// Fills in the labels of the arguments from the modules, the most compiled one first. O(arguments x log).
void add_labels(const program_files& from, imported_program& into);

/// Names the file whose description lists all that could be donated: the module, or an assignment that has all outputs.
/// O(path).
void name_donation_file(const program_files& from, imported_program& into);

}  // namespace hbm::imported::xla
