#pragma once

/// The front door: the whole comparison as a function, so that a program with policies of its own can put them beside
/// the shipped ones.

#include <span>

#include "compare/manager_entry.hpp"

namespace hbm::compare {

/// Does what the command line asks for and returns the exit status: 0 done, 1 the run failed, 2 wrong usage or
/// unreadable input; an interrupt ends the program with 130. `own` joins the shipped managers at the end of the list,
/// and is compared by default.
int compare_main(int argc, char** argv, std::span<const manager_entry> own = {});

}  // namespace hbm::compare
