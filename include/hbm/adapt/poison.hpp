#pragma once

/// Marks for AddressSanitizer, which reports accesses to poisoned memory. Without it these functions do nothing.
/// The compiler detects the sanitizer; no macro is needed.

#include <hbm/core/language.hpp>

#include <cstddef>
#include <cstdint>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif
#endif

namespace hbm::inline v0 {

/// Poisons `[begin, begin + bytes)`.
/// Cost: O(bytes / 8) under AddressSanitizer.
inline void poison([[maybe_unused]] const void* begin, [[maybe_unused]] std::uint64_t bytes) noexcept {
#ifdef ASAN_POISON_MEMORY_REGION
    ASAN_POISON_MEMORY_REGION(begin, static_cast<std::size_t>(bytes));
#endif
}

/// Unpoisons `[begin, begin + bytes)`.
/// Cost: O(bytes / 8) under AddressSanitizer.
inline void unpoison([[maybe_unused]] const void* begin, [[maybe_unused]] std::uint64_t bytes) noexcept {
#ifdef ASAN_UNPOISON_MEMORY_REGION
    ASAN_UNPOISON_MEMORY_REGION(begin, static_cast<std::size_t>(bytes));
#endif
}

}  // namespace hbm::inline v0
