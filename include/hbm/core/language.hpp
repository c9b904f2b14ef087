#pragma once

/// Stops compilation with a single error before C++20. Has what differs between compilers; MSVC is not tested.

#if __cplusplus < 202002L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 202002L)
#error "hbm is C++20: compile with -std=c++20 (CMake: link hbm::hbm or set CMAKE_CXX_STANDARD 20; Meson: cpp_std=c++20)"
#include <hbm_needs_cxx20>  // does not exist: compilers stop at a missing header, and only there
#endif

#ifndef __GNUC__
#include <__msvc_int128.hpp>
#include <atomic>
#include <cstdlib>
#include <cstring>
#endif

namespace hbm::inline v0::detail {

#ifdef __GNUC__
__extension__ typedef unsigned __int128 uint128;
[[noreturn, gnu::always_inline]] inline void trap() noexcept {
    __builtin_trap();
}
[[gnu::always_inline]] inline void copy_bytes(void* to, const void* from, decltype(sizeof 0) bytes) noexcept {
    __builtin_memcpy(to, from, bytes);
}
[[gnu::always_inline]] inline void move_bytes(void* to, const void* from, decltype(sizeof 0) bytes) noexcept {
    __builtin_memmove(to, from, bytes);
}
constexpr auto prefetch = [](const void* where) { __builtin_prefetch(where); };
[[gnu::always_inline]] inline unsigned add_atomically(unsigned& count, unsigned more) noexcept {
    return __atomic_add_fetch(&count, more, __ATOMIC_ACQ_REL);
}
constexpr auto load_atomically = [](unsigned& count) { return __atomic_load_n(&count, __ATOMIC_ACQUIRE); };
#else
using uint128 = std::_Unsigned128;
constexpr auto& trap = std::abort;
constexpr auto& copy_bytes = std::memcpy;
constexpr auto& move_bytes = std::memmove;
constexpr auto prefetch = [](const void*) {};
constexpr auto add_atomically = [](unsigned& count, unsigned more) { return std::atomic_ref(count) += more; };
constexpr auto load_atomically = [](unsigned& count) { return std::atomic_ref(count).load(); };
#endif

}  // namespace hbm::inline v0::detail
