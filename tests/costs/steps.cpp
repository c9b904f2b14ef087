#include "steps.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

#ifdef __clang__
#define HBM_NOT_COUNTED [[clang::no_sanitize("coverage")]]
#else
#define HBM_NOT_COUNTED [[gnu::no_sanitize_coverage]]
#endif

namespace hbm::test {

std::uint64_t steps_taken = 0;

namespace {

constexpr std::size_t cache_line = 64;

HBM_NOT_COUNTED void count_lines(std::size_t bytes) {
    steps_taken += 1 + bytes / cache_line;
}

}  // namespace

extern "C" {

// The compiler and the linker choose these names.
// NOLINTBEGIN
HBM_NOT_COUNTED void __sanitizer_cov_trace_pc();
void* __real_memcpy(void* to, const void* from, std::size_t bytes);
void* __real_memmove(void* to, const void* from, std::size_t bytes);
void* __real_memset(void* to, int value, std::size_t bytes);
void* __wrap_memcpy(void* to, const void* from, std::size_t bytes);
void* __wrap_memmove(void* to, const void* from, std::size_t bytes);
void* __wrap_memset(void* to, int value, std::size_t bytes);

void __sanitizer_cov_trace_pc() {
    ++steps_taken;
}
void* __wrap_memcpy(void* to, const void* from, std::size_t bytes) {
    count_lines(bytes);
    return __real_memcpy(to, from, bytes);
}
void* __wrap_memmove(void* to, const void* from, std::size_t bytes) {
    count_lines(bytes);
    return __real_memmove(to, from, bytes);
}
void* __wrap_memset(void* to, int value, std::size_t bytes) {
    count_lines(bytes);
    return __real_memset(to, value, bytes);
}
// NOLINTEND

}  // extern "C"

}  // namespace hbm::test

// Allocated memory is written to as well, and compilers copy it without a call in functions that are cold.
void* operator new(std::size_t size) {
    hbm::test::count_lines(size);
    if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
    std::abort();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    hbm::test::count_lines(size);
    const auto unit = static_cast<std::size_t>(alignment);
    if (void* memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit)) return memory;
    std::abort();
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}
