#pragma once

#include <hbm/c.h>

namespace hbm::test {

/// Makes a manager, allocates and frees: as a program in C++17 does, see cpp17.cpp.
hbm_error allocate_from_cpp17(const char* name);

}  // namespace hbm::test
