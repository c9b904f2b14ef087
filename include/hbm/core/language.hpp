#pragma once

/// Stops compilation with a single error before C++20, and under other compilers than g++ and clang. Has their
/// builtins: they cost no standard header, of which <cstring> and <atomic> would be among the dearest.

#if __cplusplus < 202002L
#error "hbm is C++20: compile with -std=c++20 (CMake: link hbm::hbm or set CMAKE_CXX_STANDARD 20; Meson: cpp_std=c++20)"
#include <hbm_needs_cxx20>  // does not exist: compilers stop at a missing header, and only there
#elif !defined(__GNUC__)
#error "hbm needs g++ or clang"
#endif

namespace hbm::inline v0::detail {

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
[[gnu::always_inline]] inline void prefetch(const void* where) noexcept {
    __builtin_prefetch(where);
}
[[gnu::always_inline]] inline unsigned add_atomically(unsigned& count, unsigned more) noexcept {
    return __atomic_add_fetch(&count, more, __ATOMIC_ACQ_REL);
}
[[gnu::always_inline]] inline unsigned load_atomically(const unsigned& count) noexcept {
    return __atomic_load_n(&count, __ATOMIC_ACQUIRE);
}

}  // namespace hbm::inline v0::detail
