#pragma once

/// What a lock is to a manager that is shared by threads.

#include <hbm/core/language.hpp>

#include <concepts>

namespace hbm {

/// A type whose objects are locked by `lock()` and unlocked by `unlock()`, such as std::mutex.
template <class T>
concept lockable = requires(T mutex) {
    mutex.lock();
    mutex.unlock();
};

/// The mutex of a program with one thread: it does nothing and occupies no bytes as a member of `synchronized`.
struct no_mutex {
    [[gnu::always_inline]] constexpr void lock() const noexcept {}
    [[gnu::always_inline]] constexpr void unlock() const noexcept {}
};
static_assert(lockable<no_mutex>);

}  // namespace hbm
