#pragma once

/// Stops compilation with a single error if the language is older than C++20.

#if __cplusplus < 202002L
#error "hbm is C++20: compile with -std=c++20 (CMake: link hbm::hbm or set CMAKE_CXX_STANDARD 20; Meson: cpp_std=c++20)"
#include <hbm_needs_cxx20>  // does not exist: compilers stop at a missing header, and only there
#endif
