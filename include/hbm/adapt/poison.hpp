#pragma once

/// Marks for AddressSanitizer, which reports accesses to poisoned memory. Without it these functions do nothing.
/// The compiler detects the sanitizer; no macro is needed.

#include <hbm/adapt/address_range.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

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

/// A range that is poisoned for AddressSanitizer during the guard's life. Move-only; without the sanitizer no effect.
class poison_guard {
public:
    constexpr poison_guard() = default;
    explicit poison_guard(const address_range& memory) noexcept : memory_(memory) {
        if (memory_.on_host && memory_.bytes != 0) poison(memory_.base, memory_.bytes);
    }
    poison_guard(poison_guard&& other) noexcept : memory_(std::exchange(other.memory_, {})) {}
    poison_guard& operator=(poison_guard&& other) noexcept {
        std::swap(memory_, other.memory_);
        return *this;
    }
    ~poison_guard() {
        if (memory_.on_host && memory_.bytes != 0) unpoison(memory_.base, memory_.bytes);
    }

private:
    address_range memory_;
};

}  // namespace hbm::inline v0
