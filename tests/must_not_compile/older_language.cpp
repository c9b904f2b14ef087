// expect: hbm is C++20: compile with -std=c++20
// standard: c++17
#include <hbm/hbm.hpp>
