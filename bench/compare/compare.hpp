#pragma once

/// The comparison as a function, so that programs can compare their own policies with the shipped policies.

#include <span>

#include "compare/managers/manager_entry.hpp"

#ifndef HBM_TRACE_DIRECTORY
#define HBM_TRACE_DIRECTORY ""  // defined by the package files for programs that link the library
#endif

namespace hbm::compare {

/// Runs the comparison that the command line describes and returns the exit status: 0 done, 1 the run failed, 2 wrong
/// usage or unreadable input; an interrupt ends the program with 130. The managers in `own` are added at the end of the
/// list of shipped managers and compared by default. The recorded traces are in the folder `traces`, unless the
/// environment variable HBM_TRACE_DIRECTORY names another one.
int compare_main(int argc, char** argv, std::span<const manager_entry> own = {},
                 const char* traces = HBM_TRACE_DIRECTORY);

}  // namespace hbm::compare
