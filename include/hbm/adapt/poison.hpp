#pragma once

/// Marks memory for AddressSanitizer: an access to memory that nobody was given is reported then. Without the sanitizer
/// these functions do nothing. Whether it is there the compiler says: nobody has to define anything.

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

namespace hbm {

/// Nobody may touch `[begin, begin + bytes)`. O(bytes) under AddressSanitizer, an eighth of them.
inline void poison([[maybe_unused]] const void* begin, [[maybe_unused]] std::uint64_t bytes) noexcept {
#ifdef ASAN_POISON_MEMORY_REGION
    ASAN_POISON_MEMORY_REGION(begin, static_cast<std::size_t>(bytes));
#endif
}

/// The owner may touch `[begin, begin + bytes)`. The same cost.
inline void unpoison([[maybe_unused]] const void* begin, [[maybe_unused]] std::uint64_t bytes) noexcept {
#ifdef ASAN_UNPOISON_MEMORY_REGION
    ASAN_UNPOISON_MEMORY_REGION(begin, static_cast<std::size_t>(bytes));
#endif
}

}  // namespace hbm
