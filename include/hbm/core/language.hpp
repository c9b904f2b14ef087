#pragma once

/// Ends the compilation with one sentence where the language is older than C++20, before anything else is read.

#if __cplusplus < 202002L
#error "hbm is C++20: compile with -std=c++20 (CMake: link hbm::hbm or set CMAKE_CXX_STANDARD 20; Meson: cpp_std=c++20)"
#include <hbm_needs_cxx20>  // there is none: compilers stop at what they cannot find, and only there
#endif
